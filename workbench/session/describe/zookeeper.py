"""Sentences for events of ZooKeeper's era. Paths and what znodes hold come from outside, and are made safe here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.errors import ErrorCode
from cluster.model.events import zookeeper
from cluster.model.messages import ZooKeeperCode
from workbench.session.describe.counted import counted
from workbench.session.describe.tones import BAD, DIM, GOOD, INFO, WARN
from workbench.support.safe_text import safe_text

PATH_CHARS, DATA_CHARS = 80, 100


def _code(error: int) -> str:
    try:
        return ZooKeeperCode(error).name
    except ValueError:
        return f"ZooKeeper error {error}"


def _error(error: int) -> str:
    try:
        return ErrorCode(error).name
    except ValueError:
        return f"error {error}"


def _path(e: Any) -> str:
    return safe_text(e.path, PATH_CHARS)


def _who(node: int) -> str:
    return "a session that ended" if node < 0 else "a tool" if node > 1000 else f"n{node}"


def _brokers(e: Any) -> str:
    parts = [("new", e.new), ("gone", e.dead), ("bounced", e.bounced)]
    said = [f"{word} {','.join(f'n{node}' for node in nodes)}" for word, nodes in parts if nodes]
    return f"reads /brokers/ids: {'; '.join(said) or 'the same brokers as before'}"


def _data(e: Any) -> str:
    return f" {safe_text(e.data, DATA_CHARS)}" if e.data else ""


ZOOKEEPER_SENTENCES: dict[type, tuple[str, Callable[[Any], str]]] = {
    zookeeper.ZooKeeperStarted: (
        INFO,
        lambda e: f"stands for a ZooKeeper ensemble: {counted(e.znodes, 'znode')}, zxid {e.zxid}",
    ),
    zookeeper.SessionOpened: (
        INFO,
        lambda e: f"session {e.session_id} of {_who(e.client)} opened, timeout {e.timeout_ms} ms",
    ),
    zookeeper.SessionEnded: (
        BAD,
        lambda e: (
            f"session {e.session_id} of {_who(e.client)} {safe_text(e.why, 20).upper()}: "
            f"{', '.join(safe_text(path, PATH_CHARS) for path in e.ephemerals) or 'no ephemeral znode'} gone with it"
        ),
    ),
    zookeeper.ZNodeWritten: (
        INFO,
        lambda e: f"{_path(e)} {safe_text(e.kind, 20)} v{e.version} by {_who(e.client)}{_data(e)}",
    ),
    zookeeper.ZNodeRefused: (
        WARN,
        lambda e: f"{safe_text(e.kind, 20)} {_path(e)} by {_who(e.client)} refused: {_code(e.error)}",
    ),
    zookeeper.WatchSet: (DIM, lambda e: f"n{e.client} watches {_path(e)}{' (children)' if e.of_children else ''}"),
    zookeeper.WatchFired: (
        INFO,
        lambda e: f"the watch of n{e.client} on {_path(e)} fires once: {safe_text(e.kind, 20)}",
    ),
    zookeeper.SessionSeen: (
        INFO,
        lambda e: f"its ZooKeeper session {e.session_id} is {safe_text(e.state, 20)}",
    ),
    zookeeper.ControllerRaceWon: (GOOD, lambda e: f"★ CONTROLLER, controller epoch {e.controller_epoch}"),
    zookeeper.ControllerRaceLost: (DIM, lambda e: f"finds /controller taken by n{e.controller_id}, watches it"),
    zookeeper.ControllerTookOver: (
        GOOD,
        lambda e: (
            f"took over in controller epoch {e.controller_epoch}: read {counted(e.partitions, 'partition')} "
            f"in {e.read_ms} ms, decided after {e.total_ms} ms"
        ),
    ),
    zookeeper.StateWriteRefused: (
        BAD,
        lambda e: (
            f"write of {safe_text(e.topic, 60)}-{e.partition}/state expecting v{e.version} refused: {_code(e.error)}"
        ),
    ),
    zookeeper.PushSent: (
        DIM,
        lambda e: (
            f"{safe_text(e.kind, 20)} to n{e.broker_id}, {counted(e.partitions, 'partition')}, "
            f"controller epoch {e.controller_epoch}{', AGAIN' if e.again else ''}"
        ),
    ),
    zookeeper.PushObeyed: (
        DIM,
        lambda e: f"obeys {safe_text(e.kind, 20)} of n{e.controller_id}, controller epoch {e.controller_epoch}",
    ),
    zookeeper.PushRefused: (
        BAD,
        lambda e: (
            f"REFUSES {safe_text(e.kind, 20)} of n{e.controller_id}, controller epoch {e.controller_epoch}: "
            f"{_error(e.error)}"
        ),
    ),
    zookeeper.BrokersFound: (INFO, _brokers),
    zookeeper.IsrChangesTold: (
        DIM,
        lambda e: f"notes ISR changes of {counted(len(e.partitions), 'partition')} in {_path(e)}",
    ),
}
