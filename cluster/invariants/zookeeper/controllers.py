"""Invariants of controllers that race and of brokers that obey: epochs, and that what is pushed stood in ZooKeeper."""

from __future__ import annotations

import json
from typing import NamedTuple

from cluster.invariants.group import Group, Tally, after, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import NO_NODE, Epoch, NodeId, TopicPartition

TOPICS, STATE = "/brokers/topics/", "/state"


class _State(NamedTuple):
    """What stands in a state znode."""

    leader: NodeId
    leader_epoch: Epoch
    isr: tuple[NodeId, ...]
    event: EventId


class ControllerInvariants(Group):
    """Z4 to Z7."""

    Z4 = invariant("one controller in each controller epoch, and epochs grow", "KafkaController", "A1")
    Z5 = invariant("a broker obeys no older controller epoch than it has heard", "KAFKA-1310")
    Z6 = invariant("what a broker leads or follows stood in its znode", "ReplicaManager, ZkData", "A1")
    Z7 = invariant("a znode's leader epoch never falls, and has one leader", "KIP-101", "A1")

    def begin(self) -> None:
        self._winners: dict[Epoch, tuple[NodeId, EventId]] = {}
        self._zxid = 0
        self._is_untold = False
        self._heard: dict[NodeId, tuple[Epoch, EventId]] = {}
        self._states: dict[tuple[TopicPartition, int], _State] = {}
        self._tops: dict[TopicPartition, _State] = {}

    @after
    def _started(self, _entry: Entry, event: ev.ZooKeeperStarted) -> None:
        """The coordinator may have written more than it lived to tell."""
        self._is_untold = self._is_untold or event.zxid > self._zxid
        self._zxid = event.zxid

    @after
    def _session(self, _entry: Entry, event: ev.SessionOpened | ev.SessionEnded) -> None:
        zxid = event.session_id if isinstance(event, ev.SessionOpened) else event.zxid
        self._zxid = max(self._zxid, zxid)

    @after
    def _won(self, entry: Entry, event: ev.ControllerRaceWon) -> None:
        self.Z4.checks += 1
        winner, first_event = self._winners.setdefault(event.controller_epoch, (entry.node, entry.id))
        if first_event != entry.id:
            self._violated(
                self.Z4,
                f"node {winner} and node {entry.node} are controllers of controller epoch {event.controller_epoch}",
                entry.id,
                first_event,
            )

    @after
    def _process_started(self, _entry: Entry, event: ev.ProcessStarted) -> None:
        """A broker keeps the controller epoch in memory only."""
        self._heard.pop(event.node_id, None)

    @after
    def _obeyed(self, entry: Entry, event: ev.PushObeyed) -> None:
        self.Z5.checks += 1
        heard, first_event = self._heard.get(entry.node, (0, entry.id))
        if event.controller_epoch < heard:
            self._violated(
                self.Z5,
                f"node {entry.node} obeys controller epoch {event.controller_epoch}; it had heard {heard}",
                entry.id,
                first_event,
            )
        else:
            self._heard[entry.node] = event.controller_epoch, entry.id

    @after
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
        self.Z7.checks += 1
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
            self.Z7.violated(f"in the znode of {where} {what}", entry, before.event, at="", scope=where)

    @after
    def _applied(self, entry: Entry, event: ev.PartitionApplied) -> None:
        """A broker may be late; what it acts on was true once."""
        where = TopicPartition(event.topic, event.partition)
        if where not in self._tops:
            return
        self.Z6.checks += 1
        state = self._states.get((where, event.partition_epoch))
        if state is not None and state[:3] == (event.leader, event.leader_epoch, event.isr):
            return
        if state is None and self._is_untold:
            return
        why_not = (
            "such a version never was" if state is None else f"the znode said {state.leader} e{state.leader_epoch}"
        )
        sentence = (
            f"node {entry.node} acts on leader {event.leader} e{event.leader_epoch} ISR {list(event.isr)} "
            f"of {where} version {event.partition_epoch}: {why_not}"
        )
        others = () if state is None else (state.event,)
        self.Z6.violated(sentence, entry, *others, at="")

    def _violated(self, promise: Tally, sentence: str, *events: EventId) -> None:
        promise.violated(sentence, *events)


def _partition_of(path: str) -> TopicPartition | None:
    """Of the path of a state znode; None for others."""
    if not path.startswith(TOPICS) or not path.endswith(STATE):
        return None
    topic, _, partition = path.removeprefix(TOPICS).removesuffix(STATE).partition("/partitions/")
    return TopicPartition(topic, int(partition)) if partition.isdecimal() and len(partition) < 6 else None


def _state_in(data: str, event: EventId) -> _State | None:
    try:
        fields = json.loads(data)
        return _State(int(fields["leader"]), int(fields["leader_epoch"]), tuple(fields["isr"]), event)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
