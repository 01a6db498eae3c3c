"""What counts as committed: high watermarks against the replicas that must hold what lies below. Contract 2.3."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import ClassVar

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.ghost.log import agree, differing
from cluster.invariants.ghost.parts import Leadership, PartitionGhost
from cluster.invariants.group import Handlers
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, NodeId, Offset, TopicPartition

LOSS = ("A1", "A2", "A3", "A4")
ROLES_KEPT = 8


class CommittedInvariants:
    """P2 to P9: who must hold a record before it is committed, and that it stays so."""

    invariants: ClassVar[tuple[Invariant, ...]] = (
        Invariant("P2", "a new leader holds all that is committed", "KIP-966 TLA+ LeaderCompletenessProperty", LOSS),
        Invariant(
            "P3", "the controller's ISR holds all that is committed", "hachikuji/kafka-specification StrongIsr", LOSS
        ),
        Invariant(
            "P4", "a leader's own ISR holds all below its high watermark", "hachikuji/kafka-specification WeakIsr", LOSS
        ),
        Invariant(
            "P5", "what two replicas call committed is the same", "KIP-966 TLA+ LogMatchingProperty", ("A1", "A4")
        ),
        Invariant("P6", "no high watermark above a member of the maximal ISR", "Partition.maybeIncrementLeaderHW"),
        Invariant("P7", "a high watermark counts only fetches of its leader epoch", "KIP-320", ("A4",)),
        Invariant(
            "P8",
            "the replicas that count include the controller's ISR",
            "KIP-966 TLA+ ReplicationQuorumSupersetProperty",
            ("A1",),
        ),
        Invariant(
            "P9",
            "no high watermark that readers saw falls",
            "Vanlightly/kafka-tlaplus, description of the protocol 6.4",
            LOSS,
        ),
    )

    __slots__ = ("_ghost", "_p3", "_p4", "_p5", "_p6", "_p7", "_p8", "_p9", "_report", "_roles")

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        tallies = [report.tally(info.id) for info in self.invariants]
        _, self._p3, self._p4, self._p5, self._p6, self._p7, self._p8, self._p9 = tallies
        self._roles: dict[tuple[str, int, NodeId], list[tuple[int, int, int]]] = {}

    def before(self) -> Handlers:
        """High watermarks are judged while the ghost has the one before."""
        return {
            ev.BecameLeader: self._on_leader,
            ev.BecameFollower: self._on_follower,
            ev.HighWatermarkAdvanced: self._on_high_watermark,
            ev.FollowerProgress: self._on_progress,
            ev.IsrCommitted: self._on_isr,
        }

    def after(self) -> Handlers:
        """Batches that contradict others are known once they are taken in."""
        return {ev.ReplicaAppended: self._on_appended, ev.LogRecovered: self._on_appended}

    def finish(self) -> None:
        """Nothing is left to judge."""

    def _on_leader(self, entry: Entry, event: ev.BecameLeader) -> None:
        """P2, P4, P9 at the beginning of a leadership."""
        ghost = self._ghost.partition(event.topic, event.partition)
        where = TopicPartition(event.topic, event.partition)
        self._note_role(entry, event)
        log, committed = ghost.log(entry.node), ghost.committed
        if event.leader_epoch < ghost.leader_epoch:
            return  # deposed before it knew that it leads: what was committed since is not its to hold
        self._report.checked("P2")
        if agree(log, committed, committed.end_offset) is False:
            held = min(log.end_offset, committed.end_offset)
            self._report.violated(
                "P2",
                f"node {entry.node} leads epoch {event.leader_epoch} with a log that ends at {log.end_offset}; "
                f"all below {committed.end_offset} was committed, and it lacks some of that or holds something else",
                _events(entry.id, ghost.true_event),
                record=f"{where} up to offset {held}",
                scope=where,
            )
        self._p9.checks += 1
        if event.epoch_start_offset < ghost.true_high_watermark:
            self._report.violated(
                "P9",
                f"the high watermark was {ghost.true_high_watermark}; leader {entry.node} of epoch "
                f"{event.leader_epoch} ends at {event.epoch_start_offset}, so readers see it fall",
                _events(entry.id, ghost.true_event),
                record=f"{where} offset {event.epoch_start_offset}",
                scope=where,
            )
        self._weak_isr(entry, ghost, event.isr, event.high_watermark, where)

    def _on_follower(self, entry: Entry, event: ev.BecameFollower) -> None:
        self._note_role(entry, event)

    def _note_role(self, entry: Entry, event: ev.BecameLeader | ev.BecameFollower) -> None:
        roles = self._roles.setdefault((event.topic, event.partition, entry.node), [])
        roles.append((entry.incarnation, entry.seq, event.leader_epoch))
        del roles[:-ROLES_KEPT]

    def _on_isr(self, entry: Entry, event: ev.IsrCommitted) -> None:
        """P4 when the leader's ISR changes."""
        ghost = self._ghost.partition(event.topic, event.partition)
        leadership = ghost.leaderships.get(entry.node)
        if leadership is not None:
            where = TopicPartition(event.topic, event.partition)
            self._weak_isr(entry, ghost, event.isr, leadership.high_watermark, where)

    def _weak_isr(
        self, entry: Entry, ghost: PartitionGhost, isr: Iterable[NodeId], end: Offset, where: TopicPartition
    ) -> None:
        own = ghost.log(entry.node)
        if ghost.by_majority:
            return
        self._p4.checks += 1
        for node in isr:
            if node not in ghost.lossy and agree(ghost.log(node), own, end) is False:
                self._lacks("P4", entry, ghost, node, end, "the leader's own ISR", where)

    def _lacks(
        self,
        invariant: str,
        entry: Entry,
        ghost: PartitionGhost,
        node: NodeId,
        end: Offset,
        of: str,
        where: TopicPartition,
    ) -> None:
        """A member does not hold what it must."""
        self._report.violated(
            invariant,
            f"replica {node} of {of} ends at {ghost.log(node).end_offset} or holds other records, "
            f"while leader {entry.node} has high watermark {end}",
            _events(entry.id, _newest(ghost, node)),
            record=f"{where} below offset {end}",
            scope=where,
        )

    def _on_high_watermark(self, entry: Entry, event: ev.HighWatermarkAdvanced) -> None:
        ghost = self._ghost.partition(event.topic, event.partition)
        if event.role != "leader":
            self._on_learned(entry, event, ghost)
            return
        leadership = ghost.leaderships.get(entry.node)
        if leadership is None or leadership.leader_epoch != event.leader_epoch:
            return
        self._p6.checks += 1
        self._p7.checks += 1
        self._p8.checks += not ghost.by_majority
        self._p9.checks += 1
        if event.high_watermark <= leadership.high_watermark:
            self._report.violated(
                "P9",
                f"leader {entry.node} of epoch {event.leader_epoch} moves its high watermark from "
                f"{leadership.high_watermark} to {event.high_watermark}",
                _events(entry.id, leadership.event),
                scope=TopicPartition(event.topic, event.partition),
            )
        self._judge_basis(entry, event, ghost, leadership)
        if not ghost.by_majority:
            self._judge_isr(entry, event, leadership)
            self._judge_members(entry, event, ghost, leadership)
            self._judge_quorum(entry, event, ghost, leadership)

    def _judge_basis(
        self, entry: Entry, event: ev.HighWatermarkAdvanced, ghost: PartitionGhost, leadership: Leadership
    ) -> None:
        """P7: what a leader counts comes from a fetch it heard in this epoch. P6: of itself it counts no more."""
        for node, offset in event.log_end_offsets:
            if node == entry.node:
                end = ghost.logs[node].end_offset
                if offset > end:
                    self._p6_violated(entry, event, leadership, f"the leader counts itself to {offset}, it has {end}")
                continue
            heard = leadership.progress.get(node)
            if offset != (max(0, heard.event.log_end_offset) if heard is not None else 0):  # type: ignore[union-attr]
                self._report.violated(
                    "P7",
                    f"leader {entry.node} counts replica {node} to {offset}; "
                    f"no fetch of leader epoch {event.leader_epoch} said so",
                    _events(entry.id, leadership.event if heard is None else heard.id),
                    scope=TopicPartition(event.topic, event.partition),
                )

    def _judge_isr(self, entry: Entry, event: ev.HighWatermarkAdvanced, leadership: Leadership) -> None:
        """P6: nobody who counts has less, and all of the maximal ISR counts."""
        counted: list[NodeId] = []
        for node, offset in event.log_end_offsets:
            counted.append(node)
            if offset < event.high_watermark:
                self._p6_violated(entry, event, leadership, f"replica {node} counts with offset {offset}")
        missing = [node for node in leadership.maximal_isr if node not in counted]
        if missing:
            self._p6_violated(entry, event, leadership, f"replica {missing[0]} of the maximal ISR is not counted")

    def _p6_violated(self, entry: Entry, event: ev.HighWatermarkAdvanced, leadership: Leadership, what: str) -> None:
        where = TopicPartition(event.topic, event.partition)
        self._report.violated(
            "P6",
            f"leader {entry.node} moves its high watermark to {event.high_watermark}, but {what}",
            _events(entry.id, leadership.event),
            record=f"{where} offset {event.high_watermark - 1}",
            scope=where,
        )

    def _judge_members(
        self, entry: Entry, event: ev.HighWatermarkAdvanced, ghost: PartitionGhost, leadership: Leadership
    ) -> None:
        """P3 and P4: who is in the ISR really holds it. A replica that came back with less is no member until anew."""
        end, isr, own_isr = event.high_watermark, ghost.isr, leadership.isr
        self._p3.checks += 1
        self._p4.checks += 1
        own = ghost.logs[entry.node].digest_at(end) if entry.node in ghost.logs else None
        if own is None:
            return
        members = isr if isr == own_isr else (*isr, *own_isr)
        lacking = [node for node in members if self._differs(ghost, node, end, own)]
        if not lacking:
            return
        for invariant, of, members in (("P3", "the controller's ISR", isr), ("P4", "the leader's own ISR", own_isr)):
            for node in members:
                if node in lacking:
                    where = TopicPartition(event.topic, event.partition)
                    self._lacks(invariant, entry, ghost, node, end, of, where)

    @staticmethod
    def _differs(ghost: PartitionGhost, node: NodeId, end: Offset, digest: int) -> bool:
        """Whether a replica is known to hold something else below end (exclusive) than what the digest names."""
        log = ghost.logs[node]
        return log.digest_at(end) != digest and log.is_known and node not in ghost.lossy

    def _judge_quorum(
        self, entry: Entry, event: ev.HighWatermarkAdvanced, ghost: PartitionGhost, leadership: Leadership
    ) -> None:
        """P8: the leader counts all whom the controller may elect. Below min.insync.replicas nothing is committed."""
        if leadership.leader_epoch < ghost.leader_epoch:
            return
        maximal = leadership.maximal_isr
        if maximal != ghost.isr and [node for node in ghost.isr if node not in maximal]:
            self._report.violated(
                "P8",
                f"leader {entry.node} counts {list(maximal)}; the controller's ISR is {list(ghost.isr)}",
                _events(entry.id, leadership.event),
                scope=TopicPartition(event.topic, event.partition),
            )
        if len(leadership.isr) < leadership.min_insync and self._ghost.settings.get("hw_gate", True):
            self._report.violated(
                "P8",
                f"leader {entry.node} moves its high watermark with an ISR of {len(leadership.isr)}; "
                f"min.insync.replicas is {leadership.min_insync}, and replicas outside may be elected",
                _events(entry.id, leadership.event),
                scope=TopicPartition(event.topic, event.partition),
            )

    def _on_learned(self, entry: Entry, event: ev.HighWatermarkAdvanced, ghost: PartitionGhost) -> None:
        """P5: a follower calls the same records committed as its leader."""
        newest = ghost.newest
        if newest is not None and newest.leader_epoch == event.leader_epoch and newest.node in ghost.leaderships:
            self._same_prefix(entry, ghost, entry.node, newest.node, event.high_watermark, event)

    def _on_progress(self, entry: Entry, event: ev.FollowerProgress) -> None:
        """P5 at a follower's first fetch; P6 and P7 at each."""
        ghost = self._ghost.partition(event.topic, event.partition)
        leadership = ghost.leaderships.get(entry.node)
        if leadership is None:
            return
        replica, offset = event.replica_id, event.log_end_offset
        if replica not in leadership.progress and leadership is ghost.newest:
            common = min(ghost.logs[replica].high_watermark, leadership.high_watermark, offset)
            self._same_prefix(entry, ghost, replica, entry.node, common, event)
        self._p6.checks += 1
        if offset > ghost.logs[replica].end_offset and offset > ghost.peaks.get(replica, 0):
            where = TopicPartition(event.topic, event.partition)
            self._report.violated(
                "P6",
                f"leader {entry.node} hears that replica {replica} ends at {offset}; "
                f"it never held more than {max(ghost.log(replica).end_offset, ghost.peaks.get(replica, 0))}",
                _events(entry.id, _newest(ghost, replica)),
                scope=where,
            )
        cause = entry.cause
        if cause is not None and cause.node == replica:
            self._judge_fetch(entry, event, leadership, cause)

    def _judge_fetch(self, entry: Entry, event: ev.FollowerProgress, leadership: Leadership, cause: EventId) -> None:
        """P7: the fetch left a follower that was in this leader epoch."""
        roles = self._roles.get((event.topic, event.partition, event.replica_id), [])
        index = bisect_right(roles, (cause.incarnation, cause.seq, 1 << 62)) - 1
        if index < 0:
            return
        self._p7.checks += 1
        incarnation, seq, epoch = roles[index]
        if epoch != leadership.leader_epoch:
            self._report.violated(
                "P7",
                f"leader {entry.node} of epoch {leadership.leader_epoch} takes a fetch that replica "
                f"{event.replica_id} sent in epoch {epoch}",
                (entry.id, EventId(event.replica_id, incarnation, seq)),
                scope=TopicPartition(event.topic, event.partition),
            )

    def _same_prefix(
        self,
        entry: Entry,
        ghost: PartitionGhost,
        node: NodeId,
        leader: NodeId,
        end: Offset,
        event: ev.HighWatermarkAdvanced | ev.FollowerProgress,
    ) -> None:
        """P5, but for what either has deleted: a follower learns of the leader's only with the answer to its fetch.

        Who led and deleted may be cut to where its log begins by a leader of older records: it holds none of them.
        """
        self._p5.checks += 1
        mine, theirs = ghost.logs[node], ghost.logs[leader]
        if agree(mine, theirs, end) is False and differing(mine, theirs, end):
            where = TopicPartition(event.topic, event.partition)
            self._report.violated(
                "P5",
                f"replicas {node} and {leader} both call offsets below {end} committed and hold different records",
                _events(entry.id, _newest(ghost, node)),
                record=f"{where} below offset {end}",
                scope=where,
            )

    def _on_appended(self, entry: Entry, event: ev.ReplicaAppended | ev.LogRecovered) -> None:
        """P5: one leader epoch at one offset has one history. Of the metadata log that is R8."""
        if event.topic == METADATA.topic:
            return
        self._p5.checks += 1
        for found in self._ghost.contradictions:
            where = TopicPartition(event.topic, event.partition)
            self._report.violated(
                "P5",
                f"node {entry.node} holds a batch of epoch {found.epoch} that ends at {found.end_offset} "
                "and has another history than the first one so named",
                (entry.id, found.first),
                record=f"{where} offset {found.end_offset - 1}",
                scope=where,
            )


def _events(first: EventId, second: EventId | None) -> tuple[EventId, ...]:
    return (first,) if second is None else (first, second)


def _newest(ghost: PartitionGhost, node: NodeId) -> EventId | None:
    """The event that told first of the last batch a replica holds."""
    log = ghost.logs[node]
    return ghost.lineage.first_event(log.end_offset, log.epochs[-1]) if len(log) else None
