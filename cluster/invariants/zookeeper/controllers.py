"""Invariants of controllers that race and of brokers that obey: epochs, and that what is pushed stood in ZooKeeper."""

from __future__ import annotations

import json
from typing import ClassVar, NamedTuple

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.group import Handlers
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, NO_NODE, Epoch, NodeId, TopicPartition

TOPICS, STATE = "/brokers/topics/", "/state"


class _State(NamedTuple):
    """What stands in a state znode."""

    leader: NodeId
    leader_epoch: Epoch
    isr: tuple[NodeId, ...]
    event: EventId


class ControllerInvariants:
    """Z4 to Z7."""

    invariants: ClassVar[tuple[Invariant, ...]] = (
        Invariant("Z4", "one controller in each controller epoch, and epochs grow", "KafkaController", ("A1",)),
        Invariant("Z5", "a broker obeys no older controller epoch than it has heard", "KAFKA-1310", ()),
        Invariant("Z6", "what a broker leads or follows stood in its znode", "ReplicaManager, ZkData", ("A1",)),
        Invariant("Z7", "a znode's leader epoch never falls, and has one leader", "KIP-101", ("A1",)),
    )  # fmt: skip

    __slots__ = ("_heard", "_is_untold", "_report", "_states", "_tops", "_winners", "_zxid")

    def __init__(self, _ghost: Ghost, report: Report) -> None:
        self._report = report
        self._winners: dict[Epoch, tuple[NodeId, EventId]] = {}
        self._zxid = 0
        self._is_untold = False
        self._heard: dict[NodeId, tuple[Epoch, EventId]] = {}
        self._states: dict[tuple[TopicPartition, int], _State] = {}
        self._tops: dict[TopicPartition, _State] = {}

    def before(self) -> Handlers:
        """Nothing needs the ghost."""
        return {}

    def after(self) -> Handlers:
        """The race, what is written, and what brokers make of it."""
        return {
            ev.ZooKeeperStarted: self._started,
            ev.SessionOpened: self._session,
            ev.SessionEnded: self._session,
            ev.ControllerRaceWon: self._won,
            ev.ProcessStarted: self._process_started,
            ev.PushObeyed: self._obeyed,
            ev.ZNodeWritten: self._written,
            ev.PartitionApplied: self._applied,
        }

    def finish(self) -> None:
        """Nothing is left to judge."""

    def _started(self, _entry: Entry, event: ev.ZooKeeperStarted) -> None:
        """The coordinator may have written more than it lived to tell."""
        self._is_untold = self._is_untold or event.zxid > self._zxid
        self._zxid = event.zxid

    def _session(self, _entry: Entry, event: ev.SessionOpened | ev.SessionEnded) -> None:
        zxid = event.session_id if isinstance(event, ev.SessionOpened) else event.zxid
        self._zxid = max(self._zxid, zxid)

    def _won(self, entry: Entry, event: ev.ControllerRaceWon) -> None:
        self._report.checked("Z4")
        winner, told = self._winners.setdefault(event.controller_epoch, (entry.node, entry.id))
        if told != entry.id:
            what = f"node {winner} and node {entry.node} are controllers of controller epoch {event.controller_epoch}"
            self._violated("Z4", what, entry.id, told)

    def _process_started(self, _entry: Entry, event: ev.ProcessStarted) -> None:
        """A broker keeps the controller epoch in memory only."""
        self._heard.pop(event.node_id, None)

    def _obeyed(self, entry: Entry, event: ev.PushObeyed) -> None:
        self._report.checked("Z5")
        known, told = self._heard.get(entry.node, (0, entry.id))
        if event.controller_epoch < known:
            what = f"node {entry.node} obeys controller epoch {event.controller_epoch}; it had heard {known}"
            self._violated("Z5", what, entry.id, told)
        else:
            self._heard[entry.node] = event.controller_epoch, entry.id

    def _written(self, entry: Entry, event: ev.ZNodeWritten) -> None:
        self._zxid = max(self._zxid, event.zxid)
        where = _partition_of(event.path)
        if where is None:
            return
        if event.kind == "deleted":
            self._tops.pop(where, None)
            self._states = {key: state for key, state in self._states.items() if key[0] != where}
            return
        state = _state_in(event.data, entry.id)
        if state is None:
            return
        self._states[where, event.version] = state
        before = self._tops.get(where)
        self._tops[where] = state
        self._report.checked("Z7")
        if before is None:
            return
        what = ""
        if state.leader_epoch < before.leader_epoch:
            what = f"leader epoch {state.leader_epoch} follows {before.leader_epoch}"
        elif state.leader_epoch == before.leader_epoch and state.leader != before.leader:
            what = f"leader epoch {state.leader_epoch} has the leaders {before.leader} and {state.leader}"
        elif state.leader != NO_NODE and state.leader not in state.isr:
            what = f"leader {state.leader} is not in the ISR {list(state.isr)}"
        if what:
            sentence = f"in the znode of {where} {what}"
            self._report.violated("Z7", sentence, (entry.id, before.event), record=str(where), scope=where)

    def _applied(self, entry: Entry, event: ev.PartitionApplied) -> None:
        """A broker may be late; what it acts on was true once."""
        where = TopicPartition(event.topic, event.partition)
        if where not in self._tops:
            return
        self._report.checked("Z6")
        state = self._states.get((where, event.partition_epoch))
        if state is not None and state[:3] == (event.leader, event.leader_epoch, event.isr):
            return
        if state is None and self._is_untold:
            return
        said = "such a version never was" if state is None else f"the znode said {state.leader} e{state.leader_epoch}"
        sentence = (
            f"node {entry.node} acts on leader {event.leader} e{event.leader_epoch} ISR {list(event.isr)} "
            f"of {where} version {event.partition_epoch}: {said}"
        )
        others = () if state is None else (state.event,)
        self._report.violated("Z6", sentence, (entry.id, *others), record=str(where), scope=where)

    def _violated(self, invariant: str, sentence: str, *events: EventId) -> None:
        self._report.violated(invariant, sentence, events, scope=METADATA)


def _partition_of(path: str) -> TopicPartition | None:
    """Of the path of a state znode; None for others."""
    if not path.startswith(TOPICS) or not path.endswith(STATE):
        return None
    topic, _, partition = path.removeprefix(TOPICS).removesuffix(STATE).partition("/partitions/")
    return TopicPartition(topic, int(partition)) if partition.isdecimal() and len(partition) < 6 else None


def _state_in(data: str, event: EventId) -> _State | None:
    try:
        found = json.loads(data)
        return _State(int(found["leader"]), int(found["leader_epoch"]), tuple(found["isr"]), event)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
