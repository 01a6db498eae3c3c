"""What the events of a run say, folded by rules that know nothing of the picture's: the second opinion on a frame."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, UNKNOWN_OFFSET, TopicPartition


@dataclass
class Copy:
    """One node's copy of a log."""

    records: dict[int, str] = field(default_factory=dict)
    """Offset to the CRC of its batch; power that is lost takes what nobody knows."""
    cut_off: set[int] = field(default_factory=set)
    """Offsets that were there once and are no more."""
    end: int = 0
    high_watermark: int = UNKNOWN_OFFSET

    def append(self, base: int, end: int, batches: Iterable[tuple[int, int, str]]) -> None:
        """Batches of (first offset, count, CRC) take the place of all from base on."""
        self.cut(base)
        for first, count, crc in batches:
            self.records |= dict.fromkeys(range(first, first + count), crc)
        self.end = end

    def cut(self, end: int) -> None:
        """Nothing is left from there on."""
        for offset in range(end, self.end):
            if self.records.pop(offset, None) is not None:
                self.cut_off.add(offset)
        self.end = min(self.end, end)
        self.high_watermark = min(self.high_watermark, self.end)


@dataclass
class Partition:
    """What is decided of one partition, and what its clients were told."""

    states: list[tuple[int, int, tuple[int, ...]]] = field(default_factory=list)
    """Partition epoch, leader and ISR: as decided or applied."""
    applied: int = -1
    """Newest partition epoch that a broker has applied: what is older is over."""
    acked: list[tuple[int, str]] = field(default_factory=list)
    """Offset and CRC of each record; there may be others at the same offset later."""
    written_by: dict[int, int] = field(default_factory=dict)
    """Offset to the leader that wrote it last."""
    is_compacted: bool = False

    @property
    def possible(self) -> list[tuple[int, int, tuple[int, ...]]]:
        """What may be so now: the newest that was applied, and what was decided since."""
        return [state for state in self.states if state[0] >= self.applied]


@dataclass
class Facts:
    """What events say so far."""

    down: set[int] = field(default_factory=set)
    starting: set[int] = field(default_factory=set)
    fenced: dict[int, bool] = field(default_factory=dict)
    """By the newest decision of a controller."""
    faults: dict[int, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    """Kind and nodes of each in force."""
    held: dict[tuple[int, int], int] = field(default_factory=dict)
    """How many messages wait on each link, as far as events tell."""
    rounds: dict[tuple[int, int, bool], dict[int, bool]] = field(default_factory=dict)
    """What each voter said, by who asked, in which epoch, and whether it was a pre-vote; of its newest round."""
    answers_to: dict[EventId, dict[int, bool]] = field(default_factory=dict)
    """What each voter said to a round, by its beginning and by each change of role that it led to."""
    epoch: int = 0
    """The highest that any node has entered."""
    elected: tuple[int, int] = 0, 0
    """Newest epoch of the quorum with a leader, and that one."""
    resigned: set[int] = field(default_factory=set)
    """Epochs whose leader leads no more."""
    partitions: dict[TopicPartition, Partition] = field(default_factory=dict)
    copies: dict[tuple[int, TopicPartition], Copy] = field(default_factory=dict)
    cuts: set[tuple[int, int, int]] = field(default_factory=set)
    """Node, end before and end after of each cut that a node told."""
    unknown: set[int] = field(default_factory=set)
    """Nodes that lost power, until a start tells what they have."""

    @property
    def leader(self) -> int:
        """Of the newest epoch of the quorum; 0 while there is none."""
        epoch, node = self.elected
        return node if epoch == self.epoch and epoch not in self.resigned and node not in self.down else 0

    def copy_of(self, node: int, tp: TopicPartition) -> Copy:
        return self.copies.setdefault((node, tp), Copy())

    def of(self, tp: TopicPartition) -> Partition:
        return self.partitions.setdefault(tp, Partition())

    def fold(self, entries: Iterable[Entry]) -> Facts:
        """Take these in, too."""
        for entry in entries:
            _fold(self, entry.node, entry.event)
            _fold_votes(self, entry)
        return self


def folded(entries: Iterable[Entry]) -> Facts:
    """The facts of a run, or of its beginning."""
    return Facts().fold(entries)


def _fold(facts: Facts, node: int, event: Any) -> None:
    match event:
        case ev.FaultApplied():
            facts.faults[event.fault_id] = event.kind, event.nodes
        case ev.FaultReverted():
            facts.faults.pop(event.fault_id, None)
        case ev.FramesHeld():
            way = event.source, event.target
            facts.held[way] = facts.held.get(way, 0) + 1
        case ev.FramesReleased() | ev.LinkReset():
            facts.held.pop((event.source, event.target), None)
        case ev.ProcessExited():
            facts.down.add(event.node_id)
            facts.starting.discard(event.node_id)
            facts.held = {way: count for way, count in facts.held.items() if event.node_id not in way}
            if event.node_id == facts.elected[1]:
                facts.resigned.add(facts.elected[0])
        case ev.ProcessStarted():
            facts.down.discard(event.node_id)
            facts.starting.add(event.node_id)
        case ev.ProcessReady():
            facts.starting.discard(event.node_id)
        case ev.PowerLost():
            facts.down.add(event.node_id)
            facts.unknown.add(event.node_id)
            for (owner, _), copy in facts.copies.items():  # some of them
                copy.cut_off |= set(copy.records) if owner == event.node_id else set()
        case ev.BrokerRegistered() | ev.BrokerFenced() | ev.BrokerUnfenced():
            facts.fenced[event.broker_id] = not isinstance(event, ev.BrokerUnfenced)
        case _:
            _fold_quorum(facts, node, event)


def _fold_votes(facts: Facts, entry: Entry) -> None:
    node, event = entry.node, entry.event
    match event:
        case ev.ElectionStarted():
            facts.answers_to[entry.id] = facts.rounds[node, event.epoch, event.pre_vote] = {node: True}
        case ev.VoteGranted() | ev.VoteRejected():
            answers = facts.rounds.get((event.candidate_id, event.epoch, event.pre_vote), {})
            if event.pre_vote:
                answers = {} if entry.cause is None else facts.answers_to.get(entry.cause, {})
            answers[node] = isinstance(event, ev.VoteGranted)
        case ev.VoteReceived():
            facts.rounds[node, event.epoch, event.pre_vote][event.voter_id] = event.granted
        case ev.RoleChanged() if entry.cause in facts.answers_to:
            facts.answers_to[entry.id] = facts.answers_to[entry.cause]


def _fold_quorum(facts: Facts, node: int, event: Any) -> None:
    match event:
        case ev.LeaderElected():
            facts.epoch = max(facts.epoch, event.epoch)
            facts.elected = max(facts.elected, (event.epoch, node))
        case ev.RoleChanged():
            facts.epoch = max(facts.epoch, event.epoch)
            if node == facts.elected[1] and event.role != "leader":
                facts.resigned.add(facts.elected[0])
        case ev.MetadataAppended():
            facts.copy_of(node, METADATA).append(
                event.base_offset, event.end_offset, [(event.base_offset, event.end_offset - event.base_offset, "")]
            )
        case ev.MetadataTruncated():
            facts.copy_of(node, METADATA).cut(event.end_offset)
            facts.cuts.add((node, event.old_end_offset, event.end_offset))
        case ev.MetadataHighWatermarkAdvanced():
            facts.copy_of(node, METADATA).high_watermark = event.high_watermark
        case ev.SnapshotInstalled():
            copy = facts.copy_of(node, METADATA)
            copy.cut(event.end_offset)
            copy.end, copy.high_watermark = event.end_offset, max(copy.high_watermark, event.end_offset)
        case ev.QuorumBooted():
            copy = facts.copy_of(node, METADATA)
            copy.end = max(copy.end, event.log_end_offset)
        case _ if hasattr(event, "topic") and hasattr(event, "partition"):
            _fold_partition(facts, node, TopicPartition(event.topic, event.partition), event)


def _fold_partition(facts: Facts, node: int, tp: TopicPartition, event: Any) -> None:
    match event:
        case ev.PartitionDecided() | ev.PartitionApplied():
            found = facts.of(tp)
            found.states.append((event.partition_epoch, event.leader, event.isr))
            if isinstance(event, ev.PartitionApplied):
                found.applied = max(found.applied, event.partition_epoch)
        case ev.ReplicaAppended():
            batches = [(base, count, crc) for base, count, _, crc in event.batches]
            facts.copy_of(node, tp).append(event.base_offset, event.end_offset, batches)
            if event.role == "leader":
                facts.of(tp).written_by |= dict.fromkeys(range(event.base_offset, event.end_offset), node)
        case ev.ReplicaTruncated():
            facts.copy_of(node, tp).cut(event.end_offset)
            facts.cuts.add((node, event.old_end_offset, event.end_offset))
        case ev.LogRecovered():
            facts.unknown.discard(node)
            copy = facts.copy_of(node, tp)
            copy.cut(event.log_end_offset)
            copy.end, copy.high_watermark = event.log_end_offset, event.high_watermark
        case ev.HighWatermarkAdvanced() | ev.BecameLeader() | ev.BecameFollower():
            facts.copy_of(node, tp).high_watermark = event.high_watermark
        case ev.LogRemoved():
            facts.copies.pop((node, tp), None)
        case ev.LogStartAdvanced() | ev.LogCleaned():
            facts.of(tp).is_compacted = True
        case ev.OperationSucceeded(function="produce") if event.base_offset >= 0:
            crc = event.values[0] if event.values else ""
            facts.of(tp).acked += [(event.base_offset + place, crc) for place in range(event.count)]
