"""ZooKeeper's era. Paths and what znodes hold come from anybody."""

from __future__ import annotations

from cluster.model.events import zookeeper
from cluster.model.messages import ZooKeeperCode
from workbench.support.safe_text import safe_text
from workbench.telling import words
from workbench.telling.telling import BAD, DIM, GOOD, INFO, WARN, Printed, Telling
from workbench.telling.template import fill


def _code(e: zookeeper.ZNodeRefused | zookeeper.StateWriteRefused) -> str:
    is_known = e.error in set(ZooKeeperCode)
    return ZooKeeperCode(e.error).name if is_known else f"ZooKeeper error {e.error}"


def _brokers(e: zookeeper.BrokersFound) -> str:
    parts = [("new", e.new), ("gone", e.dead), ("bounced", e.bounced)]
    changes = [f"{word} {words.names(nodes)}" for word, nodes in parts if nodes]
    return f"reads /brokers/ids: {'; '.join(changes) or 'the same brokers as before'}"


def _session_ended(e: zookeeper.SessionEnded) -> str:
    gone = ", ".join(safe_text(path, 80) for path in e.ephemerals) or "no ephemeral znode"
    return fill("session {session_id} of {client:owner} {why:capitals}: ", e) + f"{gone} gone with it"


TELLINGS: dict[type, Telling] = {
    zookeeper.ZooKeeperStarted: Telling(INFO, "stands for a ZooKeeper ensemble: {znodes:znode}, zxid {zxid}"),
    zookeeper.SessionOpened: Telling(INFO, "session {session_id} of {client:owner} opened, timeout {timeout_ms} ms"),
    zookeeper.SessionEnded: Printed(BAD, _session_ended),
    zookeeper.ZNodeWritten: Telling(INFO, "{path} {kind} v{version} by {client:owner}{data: {}/}"),
    zookeeper.ZNodeRefused: Telling(WARN, lambda e: fill("{kind} {path} by {client:owner} refused: ", e) + _code(e)),
    zookeeper.WatchSet: Telling(DIM, "{client} watches {path}{of_children: (children)/}"),
    zookeeper.WatchFired: Telling(INFO, "the watch of {client} on {path} fires once: {kind}"),
    zookeeper.SessionSeen: Telling(
        INFO, "its ZooKeeper session {session_id} is {state}", printed=lambda e, _: e.state == "expired"
    ),
    zookeeper.ControllerRaceWon: Printed(GOOD, "\u2605 CONTROLLER, controller epoch {controller_epoch}"),
    zookeeper.ControllerRaceLost: Telling(DIM, "finds /controller taken by {controller_id}, watches it"),
    zookeeper.ControllerTookOver: Printed(
        GOOD,
        "took over in controller epoch {controller_epoch}: read {partitions:partition} in {read_ms} ms, "
        "decided after {total_ms} ms",
    ),
    zookeeper.StateWriteRefused: Printed(
        BAD, lambda e: fill("write of {log}/state expecting v{version} refused: ", e) + _code(e)
    ),
    zookeeper.PushSent: Telling(
        DIM,
        "{kind} to {broker_id}, {partitions:partition}, controller epoch {controller_epoch}{again:, AGAIN/}",
        printed=lambda e, _: e.again,
    ),
    zookeeper.PushObeyed: Telling(DIM, "obeys {kind} of {controller_id}, controller epoch {controller_epoch}"),
    zookeeper.PushRefused: Printed(
        BAD, "REFUSES {kind} of {controller_id}, controller epoch {controller_epoch}: {error}"
    ),
    zookeeper.BrokersFound: Printed(INFO, _brokers),
    zookeeper.IsrChangesTold: Telling(DIM, "notes ISR changes of {partitions:partition} in {path}"),
}
