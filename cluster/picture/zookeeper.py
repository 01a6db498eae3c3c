"""How events of ZooKeeper's era change the folded cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import NO_NODE
from cluster.picture.facts import ClusterFacts, SessionState

BROKER_IDS = "/brokers/ids/"
CONTROLLER, CONTROLLER_EPOCH = "/controller", "/controller_epoch"


def _started(state: ClusterFacts, _entry: Entry, event: ev.ZooKeeperStarted) -> None:
    """Watches are gone with the process before; sessions are not. Its last change may have been told to nobody."""
    zookeeper = state.zookeeper
    zookeeper.zxid, zookeeper.znode_count = event.zxid, event.znodes
    zookeeper.watches.clear()
    if CONTROLLER not in event.ephemerals:
        zookeeper.controller = NO_NODE
    for node in state.nodes.values():
        if node.fenced is not None:
            node.fenced = f"{BROKER_IDS}{node.node_id}" not in event.ephemerals


def _session_opened(state: ClusterFacts, entry: Entry, event: ev.SessionOpened) -> None:
    state.zookeeper.sessions[event.session_id] = SessionState(event.client, event.timeout_ms)


def _session_ended(state: ClusterFacts, _entry: Entry, event: ev.SessionEnded) -> None:
    state.zookeeper.sessions.pop(event.session_id, None)


def _znode_written(state: ClusterFacts, _entry: Entry, event: ev.ZNodeWritten) -> None:
    """A broker is in service as long as its znode is there, whether the controller has looked or not."""
    zookeeper, is_there = state.zookeeper, event.kind != "deleted"
    zookeeper.zxid = max(zookeeper.zxid, event.zxid)
    zookeeper.znode_count += {"created": 1, "deleted": -1}.get(event.kind, 0)
    name = event.path.removeprefix(BROKER_IDS)
    if event.path.startswith(BROKER_IDS) and name.isdecimal() and len(name) < 4:
        node = state.node(int(name))
        node.fenced = not is_there
        if is_there:
            node.broker_epoch = event.zxid
    elif event.path == CONTROLLER:
        zookeeper.controller = event.client if is_there else NO_NODE
    elif event.path == CONTROLLER_EPOCH and event.data.isdecimal() and len(event.data) < 10:
        zookeeper.controller_epoch = int(event.data)


def _watch_set(state: ClusterFacts, _entry: Entry, event: ev.WatchSet) -> None:
    watches = state.zookeeper.watches
    watches[event.path] = tuple(sorted({*watches.get(event.path, ()), event.client}))


def _watch_fired(state: ClusterFacts, _entry: Entry, event: ev.WatchFired) -> None:
    watches = state.zookeeper.watches
    left = tuple(node for node in watches.get(event.path, ()) if node != event.client)
    watches[event.path] = left
    if not left:
        del watches[event.path]


def _race_won(state: ClusterFacts, entry: Entry, event: ev.ControllerRaceWon) -> None:
    state.zookeeper.acting[entry.node] = event.controller_epoch


def _obeyed(state: ClusterFacts, entry: Entry, event: ev.PushObeyed) -> None:
    heard = state.zookeeper.heard_epochs
    heard[entry.node] = max(heard.get(entry.node, 0), event.controller_epoch)


ZOOKEEPER_FOLDS: dict[type, Callable[[ClusterFacts, Entry, Any], None]] = {
    ev.ZooKeeperStarted: _started, ev.SessionOpened: _session_opened, ev.SessionEnded: _session_ended,
    ev.ZNodeWritten: _znode_written, ev.WatchSet: _watch_set, ev.WatchFired: _watch_fired,
    ev.ControllerRaceWon: _race_won, ev.PushObeyed: _obeyed,
}  # fmt: skip
