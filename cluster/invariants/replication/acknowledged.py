"""What producers were told: no acknowledged record goes, none is acknowledged too early. Contract 2.3."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cluster.invariants.ghost.ghost import ACKS_ALL
from cluster.invariants.ghost.log import GhostLog, agree
from cluster.invariants.ghost.parts import Acked, PartitionGhost
from cluster.invariants.group import LOSS, Group, Replica, after, invariant, shown
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import METADATA, NodeId, Offset, TopicPartition


class _Zombie(NamedTuple):
    """An acks=all answer of a leader whose epoch was over."""

    where: TopicPartition
    base_offset: Offset
    crc: int
    epoch: int
    event: EventId


@dataclass(slots=True)
class _Kept:
    """What is known of the acknowledged produces of one partition."""

    seen: int = 0
    """How many were judged."""
    loose: list[int] = field(default_factory=list)
    """Those that are not among what was first committed at their place, by number."""
    lost: set[int] = field(default_factory=set)
    """Those that are reported, by number."""


class AcknowledgedInvariants(Group):
    """P1, P18 and P19."""

    P1 = invariant(
        "no record acknowledged with acks=all is lost", "Jepsen; KIP-966 TLA+ NoCommittedRecordLostGlobally", *LOSS
    )
    P18 = invariant("acks=all waits for min.insync.replicas and the high watermark", "Kafka ReplicaManager")
    P19 = invariant("a deposed leader acknowledges nothing that the next one lacks", "KIP-101", *LOSS)

    def begin(self) -> None:
        self._kept: dict[TopicPartition, _Kept] = {}
        self._thin: dict[Replica, dict[Offset, EventId]] = {}
        self._zombies: list[_Zombie] = []
        self._step: dict[NodeId, int] = {}
        self._appended: dict[Replica, Entry] = {}
        self._refused: dict[Replica, Entry] = {}

    @after
    def _on_appended(self, entry: Entry, event: ev.ReplicaAppended) -> None:
        """P18: remembers appends below the minimum; a refused request must not append."""
        if event.role != "leader":
            return
        key = (event.topic, event.partition, entry.node)
        if entry.trigger:
            self._appended[key] = entry
        elif key in self._refused:
            self._left_a_record(entry, self._refused.pop(key))
        ghost = self.ghost.here
        leadership = ghost.leaderships.get(entry.node)
        if leadership is not None and len(leadership.isr) < leadership.min_insync:
            self._thin.setdefault(key, {})[event.base_offset] = entry.id

    @after
    def _on_refused(self, entry: Entry, event: ev.ProduceRefused) -> None:
        """P18: a refusal and an append in one step of one node. The first event of a step names its trigger."""
        self.P18.checks += 1
        key = (event.topic, event.partition, entry.node)
        appended = self._appended.get(key)
        if not entry.trigger and appended is not None and appended.seq == entry.seq - 1:
            self._left_a_record(entry, appended)
        elif entry.trigger:
            self._refused[key] = entry

    def _left_a_record(self, entry: Entry, other: Entry) -> None:
        if abs(entry.seq - other.seq) == 1 and entry.incarnation == other.incarnation:
            self.P18.violated(f"node {entry.node} refuses a produce and appends it", entry, other.id)

    @after
    def _on_answered(self, entry: Entry, event: ev.ProduceAnswered) -> None:
        """P18 and P19 when the leader says done; P1 of Kafka clients, since nobody else tells what they learned."""
        if event.acks != ACKS_ALL or event.error != ErrorCode.NONE:
            return
        ghost = self.ghost.here
        if event.kafka_client:
            self._learned(entry, TopicPartition(event.topic, event.partition), ghost)
        leadership = ghost.leaderships.get(entry.node)
        if leadership is None:
            return
        self.P18.checks += 1
        end = event.base_offset + event.count
        if leadership.high_watermark < end:
            what = f"its high watermark is {leadership.high_watermark}"
            self._too_early(entry, event, what, leadership.event)
        if len(leadership.maximal_isr) < leadership.min_insync:
            what = f"its ISR is {list(leadership.maximal_isr)} and min.insync.replicas {leadership.min_insync}"
            self._too_early(entry, event, what, leadership.event)
        if self._thin:
            thin = self._thin.get((event.topic, event.partition, entry.node), {}).pop(event.base_offset, None)
            if thin is not None:
                self._too_early(entry, event, "it was appended while the ISR was below min.insync.replicas", thin)
        if leadership.leader_epoch < ghost.leader_epoch:
            where = TopicPartition(event.topic, event.partition)
            log = ghost.logs[entry.node]
            index = log.index_of(event.base_offset)
            crc = log.crcs[index] if index >= 0 else -1
            self._zombies.append(_Zombie(where, event.base_offset, crc, leadership.leader_epoch, entry.id))

    def _too_early(self, entry: Entry, event: ev.ProduceAnswered, what: str, other: EventId) -> None:
        last = event.base_offset + event.count - 1
        self.P18.violated(
            f"leader {entry.node} acknowledges offset {last} with acks=all, but {what}",
            entry,
            other,
            at=f"offset {last}",
        )

    @after
    def _on_succeeded(self, entry: Entry, event: ev.OperationSucceeded) -> None:
        """P1 and P18 when the client learns of it: the newest leader holds it, below the true high watermark."""
        if event.function == "produce" and event.base_offset >= 0:
            key: Any = (event.topic, event.partition)  # equal to the TopicPartition; cheaper to make
            self._learned(entry, key, self.ghost.of(event))

    def _learned(self, entry: Entry, where: TopicPartition, ghost: PartitionGhost) -> None:
        kept = self._kept.get(where)
        if kept is None:
            kept = self._kept[TopicPartition(*where)] = _Kept()
        for number in range(kept.seen, len(ghost.acked)):
            kept.seen += 1
            self.P1.checks += 1
            self.P18.checks += 1
            base, count, crc = ghost.acked.place(number)
            end = base + count
            if end > ghost.true_high_watermark:
                self.P18.violated(
                    f"a client is told that offset {end - 1} is done with acks=all; "
                    f"no leader's high watermark passed {ghost.true_high_watermark}",
                    entry,
                    ghost.true_event,
                    at=f"offset {end - 1}",
                    scope=TopicPartition(*where),
                )
            if not _holds(ghost.committed, base, crc):
                kept.loose.append(number)
            newest = ghost.newest
            if newest is not None and newest.node not in ghost.lossy and not _holds(ghost.logs[newest.node], base, crc):
                where = TopicPartition(*where)
                self._lost(kept, number, ghost.acked[number], where, newest.node, newest.event)

    @after
    def _on_leader(self, entry: Entry, event: ev.BecameLeader) -> None:
        """P1 at each new leader. What it appended in an earlier epoch nobody waits for any more."""
        self._thin.pop((event.topic, event.partition, entry.node), None)
        where = TopicPartition(event.topic, event.partition)
        if event.leader_epoch >= self.ghost.here.leader_epoch:
            self._judge_all(where, entry.node, entry.id)

    def _judge_all(self, where: TopicPartition, node: NodeId, event: EventId) -> None:
        """Each acknowledged record is in this log. One comparison when it holds all that was ever committed."""
        kept = self._kept.get(where)
        if kept is None or not kept.seen:
            return
        ghost = self.ghost.partition(*where)
        log = ghost.logs[node]
        if not log.is_known:
            return
        self.P1.checks += 1
        whole = agree(log, ghost.committed, ghost.committed.end_offset)
        for number in kept.loose if whole else range(kept.seen):
            acked = ghost.acked[number]
            if number not in kept.lost and not _holds(log, acked.base_offset, acked.crc):
                self._lost(kept, number, acked, where, node, event)

    def _lost(
        self, kept: _Kept, number: int, acked: Acked, where: TopicPartition, node: NodeId, event: EventId
    ) -> None:
        if number in kept.lost:
            return
        kept.lost.add(number)
        last = acked.base_offset + acked.record_count - 1
        offsets = f"offset {last}" if last == acked.base_offset else f"offsets {acked.base_offset} to {last}"
        self.P1.violated(
            f"a produce of {shown(acked.client_id)} was acknowledged with acks=all at offset {acked.base_offset}; "
            f"the log of node {node} does not hold it there",
            event,
            acked.event,
            at=offsets,
            scope=where,
            lost=acked.base_offset,
        )

    def finish(self) -> None:
        """P1 in every in-sync replica, by majority in the last leader; P19 in the last leader's log."""
        for where, ghost in sorted(self.ghost.partitions.items()):
            if where == METADATA or ghost.newest is None:
                continue
            members = (ghost.newest.node,) if ghost.by_majority else ghost.isr
            whole = [node for node in members if node not in ghost.lossy]
            for node in whole or members:
                self._judge_all(where, node, _last_word(ghost, node))
        for zombie in self._zombies:
            self._judge_zombie(zombie)

    def _judge_zombie(self, zombie: _Zombie) -> None:
        ghost = self.ghost.partition(*zombie.where)
        newest = ghost.newest
        if newest is None or newest.is_left or newest.node in ghost.lossy:
            return
        self.P19.checks += 1
        if not _holds(ghost.logs[newest.node], zombie.base_offset, zombie.crc):
            self.P19.violated(
                f"node {zombie.event.node} acknowledged offset {zombie.base_offset} in leader epoch {zombie.epoch}, "
                f"which was over; leader {newest.node} of epoch {newest.leader_epoch} does not hold it",
                newest.event,
                zombie.event,
                record=f"{zombie.where} offset {zombie.base_offset}",
                scope=zombie.where,
            )


def _holds(log: GhostLog, base_offset: Offset, crc: int) -> bool:
    """Whether a log has the produce at its place; a log that is not known contradicts nothing."""
    if not log.is_known:
        return True
    index = log.index_of(base_offset)
    return index >= 0 and crc in (-1, log.crcs[index])


def _last_word(ghost: PartitionGhost, node: NodeId) -> EventId:
    """What to name when a replica lacks a record at the end: its recovery, or the newest leadership."""
    assert ghost.newest is not None
    return ghost.lossy.get(node, ghost.newest.event)
