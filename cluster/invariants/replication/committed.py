"""What counts as committed: high watermarks against the replicas that must hold what lies below. Contract 2.3."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from cluster.invariants.ghost.log import agree, differing
from cluster.invariants.ghost.parts import Leadership, PartitionGhost
from cluster.invariants.group import LOSS, Group, Replica, Tally, after, before, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, NodeId, Offset

ROLES_KEPT = 8


class CommittedInvariants(Group):
    """P2 to P9: who must hold a record before it is committed, and that it stays so."""

    P2 = invariant("a new leader holds all that is committed", "KIP-966 TLA+ LeaderCompletenessProperty", *LOSS)
    P3 = invariant("the controller's ISR holds all that is committed", "hachikuji/kafka-specification StrongIsr", *LOSS)
    P4 = invariant(
        "a leader's own ISR holds all below its high watermark", "hachikuji/kafka-specification WeakIsr", *LOSS
    )
    P5 = invariant("what two replicas call committed is the same", "KIP-966 TLA+ LogMatchingProperty", "A1", "A4")
    P6 = invariant("no high watermark above a member of the maximal ISR", "Partition.maybeIncrementLeaderHW")
    P7 = invariant("a high watermark counts only fetches of its leader epoch", "KIP-320", "A4")
    P8 = invariant(
        "the replicas that count include the controller's ISR", "KIP-966 TLA+ ReplicationQuorumSupersetProperty", "A1"
    )
    P9 = invariant(
        "no high watermark that readers saw falls", "Vanlightly/kafka-tlaplus, description of the protocol 6.4", *LOSS
    )

    def begin(self) -> None:
        self._roles: dict[Replica, list[tuple[int, int, int]]] = {}

    @before
    def _on_leader(self, entry: Entry, event: ev.BecameLeader) -> None:
        """P2, P4, P9 at the beginning of a leadership."""
        ghost = self.ghost.here
        self._note_role(entry, event)
        log, committed = ghost.logs[entry.node], ghost.committed
        if event.leader_epoch < ghost.leader_epoch:
            return  # deposed before it knew that it leads: what was committed since is not its to hold
        self.P2.checks += 1
        if agree(log, committed, committed.end_offset) is False:
            held = min(log.end_offset, committed.end_offset)
            self.P2.violated(
                f"node {entry.node} leads epoch {event.leader_epoch} with a log that ends at {log.end_offset}; "
                f"all below {committed.end_offset} was committed, and it lacks some of that or holds something else",
                entry,
                ghost.true_event,
                at=f"up to offset {held}",
            )
        self.P9.checks += 1
        if event.epoch_start_offset < ghost.true_high_watermark:
            self.P9.violated(
                f"the high watermark was {ghost.true_high_watermark}; leader {entry.node} of epoch "
                f"{event.leader_epoch} ends at {event.epoch_start_offset}, so readers see it fall",
                entry,
                ghost.true_event,
                at=f"offset {event.epoch_start_offset}",
            )
        self._weak_isr(entry, ghost, event.isr, event.high_watermark)

    @before
    def _on_follower(self, entry: Entry, event: ev.BecameFollower) -> None:
        self._note_role(entry, event)

    def _note_role(self, entry: Entry, event: ev.BecameLeader | ev.BecameFollower) -> None:
        roles = self._roles.setdefault((event.topic, event.partition, entry.node), [])
        roles.append((entry.incarnation, entry.seq, event.leader_epoch))
        del roles[:-ROLES_KEPT]

    @before
    def _on_isr(self, entry: Entry, event: ev.IsrCommitted) -> None:
        """P4 when the leader's ISR changes."""
        ghost = self.ghost.here
        leadership = ghost.leaderships.get(entry.node)
        if leadership is not None:
            self._weak_isr(entry, ghost, event.isr, leadership.high_watermark)

    def _weak_isr(self, entry: Entry, ghost: PartitionGhost, isr: Iterable[NodeId], end: Offset) -> None:
        own = ghost.logs[entry.node]
        if ghost.by_majority:
            return
        self.P4.checks += 1
        for node in isr:
            if node not in ghost.lossy and agree(ghost.logs[node], own, end) is False:
                self._lacks(self.P4, entry, ghost, node, end, "the leader's own ISR")

    def _lacks(
        self,
        promise: Tally,
        entry: Entry,
        ghost: PartitionGhost,
        node: NodeId,
        end: Offset,
        of: str,
    ) -> None:
        """A member does not hold what it must."""
        promise.violated(
            f"replica {node} of {of} ends at {ghost.logs[node].end_offset} or holds other records, "
            f"while leader {entry.node} has high watermark {end}",
            entry,
            _newest(ghost, node),
            at=f"below offset {end}",
        )

    @before
    def _on_high_watermark(self, entry: Entry, event: ev.HighWatermarkAdvanced) -> None:
        ghost = self.ghost.here
        if event.role != "leader":
            self._on_learned(entry, event, ghost)
            return
        leadership = ghost.leaderships.get(entry.node)
        if leadership is None or leadership.leader_epoch != event.leader_epoch:
            return
        self.P6.checks += 1
        self.P7.checks += 1
        self.P8.checks += not ghost.by_majority
        self.P9.checks += 1
        if event.high_watermark <= leadership.high_watermark:
            self.P9.violated(
                f"leader {entry.node} of epoch {event.leader_epoch} moves its high watermark from "
                f"{leadership.high_watermark} to {event.high_watermark}",
                entry,
                leadership.event,
            )
        self._judge_basis(entry, event, ghost, leadership)
        if not ghost.by_majority:
            self._judge_isr(entry, event, leadership)
            self._judge_members(entry, event, ghost, leadership)
            self._judge_quorum(entry, ghost, leadership)

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
                self.P7.violated(
                    f"leader {entry.node} counts replica {node} to {offset}; "
                    f"no fetch of leader epoch {event.leader_epoch} said so",
                    entry,
                    leadership.event if heard is None else heard.id,
                )

    def _judge_isr(self, entry: Entry, event: ev.HighWatermarkAdvanced, leadership: Leadership) -> None:
        """P6: nobody who counts has less, and all of the maximal ISR counts."""
        counted = dict(event.log_end_offsets)
        for node, offset in event.log_end_offsets:
            if offset < event.high_watermark:
                self._p6_violated(entry, event, leadership, f"replica {node} counts with offset {offset}")
        missing = [node for node in leadership.maximal_isr if node not in counted]
        if missing:
            self._p6_violated(entry, event, leadership, f"replica {missing[0]} of the maximal ISR is not counted")

    def _p6_violated(self, entry: Entry, event: ev.HighWatermarkAdvanced, leadership: Leadership, what: str) -> None:
        self.P6.violated(
            f"leader {entry.node} moves its high watermark to {event.high_watermark}, but {what}",
            entry,
            leadership.event,
            at=f"offset {event.high_watermark - 1}",
        )

    def _judge_members(
        self, entry: Entry, event: ev.HighWatermarkAdvanced, ghost: PartitionGhost, leadership: Leadership
    ) -> None:
        """P3 and P4: who is in the ISR really holds it. A replica that came back with less is no member until anew."""
        end, isr, own_isr = event.high_watermark, ghost.isr, leadership.isr
        self.P3.checks += 1
        self.P4.checks += 1
        own = ghost.logs[entry.node].digest_at(end) if entry.node in ghost.logs else None
        if own is None:
            return
        members = isr if isr == own_isr else (*isr, *own_isr)
        lacking = [node for node in members if self._differs(ghost, node, end, own)]
        if not lacking:
            return
        for promise, of, members in (
            (self.P3, "the controller's ISR", isr),
            (self.P4, "the leader's own ISR", own_isr),
        ):
            for node in members:
                if node in lacking:
                    self._lacks(promise, entry, ghost, node, end, of)

    @staticmethod
    def _differs(ghost: PartitionGhost, node: NodeId, end: Offset, digest: int) -> bool:
        """Whether a replica is known to hold something else below end (exclusive) than what the digest names."""
        log = ghost.logs[node]
        return log.digest_at(end) != digest and log.is_known and node not in ghost.lossy

    def _judge_quorum(self, entry: Entry, ghost: PartitionGhost, leadership: Leadership) -> None:
        """P8: the leader counts all whom the controller may elect. Below min.insync.replicas nothing is committed."""
        if leadership.leader_epoch < ghost.leader_epoch:
            return
        maximal = leadership.maximal_isr
        if maximal != ghost.isr and [node for node in ghost.isr if node not in maximal]:
            self.P8.violated(
                f"leader {entry.node} counts {list(maximal)}; the controller's ISR is {list(ghost.isr)}",
                entry,
                leadership.event,
            )
        if len(leadership.isr) < leadership.min_insync and self.ghost.settings.get("hw_gate", True):
            self.P8.violated(
                f"leader {entry.node} moves its high watermark with an ISR of {len(leadership.isr)}; "
                f"min.insync.replicas is {leadership.min_insync}, and replicas outside may be elected",
                entry,
                leadership.event,
            )

    def _on_learned(self, entry: Entry, event: ev.HighWatermarkAdvanced, ghost: PartitionGhost) -> None:
        """P5: a follower calls the same records committed as its leader."""
        newest = ghost.newest
        if newest is not None and newest.leader_epoch == event.leader_epoch and newest.node in ghost.leaderships:
            self._same_prefix(entry, ghost, entry.node, newest.node, event.high_watermark)

    @before
    def _on_progress(self, entry: Entry, event: ev.FollowerProgress) -> None:
        """P5 at a follower's first fetch; P6 and P7 at each."""
        ghost = self.ghost.here
        leadership = ghost.leaderships.get(entry.node)
        if leadership is None:
            return
        replica, offset = event.replica_id, event.log_end_offset
        if replica not in leadership.progress and leadership is ghost.newest:
            common = min(ghost.logs[replica].high_watermark, leadership.high_watermark, offset)
            self._same_prefix(entry, ghost, replica, entry.node, common)
        self.P6.checks += 1
        if offset > ghost.logs[replica].end_offset and offset > ghost.peaks.get(replica, 0):
            self.P6.violated(
                f"leader {entry.node} hears that replica {replica} ends at {offset}; "
                f"it never held more than {max(ghost.logs[replica].end_offset, ghost.peaks.get(replica, 0))}",
                entry,
                _newest(ghost, replica),
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
        self.P7.checks += 1
        incarnation, seq, epoch = roles[index]
        if epoch != leadership.leader_epoch:
            self.P7.violated(
                f"leader {entry.node} of epoch {leadership.leader_epoch} takes a fetch that replica "
                f"{event.replica_id} sent in epoch {epoch}",
                entry,
                EventId(event.replica_id, incarnation, seq),
            )

    def _same_prefix(
        self,
        entry: Entry,
        ghost: PartitionGhost,
        node: NodeId,
        leader: NodeId,
        end: Offset,
    ) -> None:
        """P5, but for what either has deleted: a follower learns of the leader's only with the answer to its fetch.

        Who led and deleted may be cut to where its log begins by a leader of older records: it holds none of them.
        """
        self.P5.checks += 1
        mine, theirs = ghost.logs[node], ghost.logs[leader]
        if agree(mine, theirs, end) is False and differing(mine, theirs, end):
            self.P5.violated(
                f"replicas {node} and {leader} both call offsets below {end} committed and hold different records",
                entry,
                _newest(ghost, node),
                at=f"below offset {end}",
            )

    @after
    def _on_appended(self, entry: Entry, event: ev.ReplicaAppended | ev.LogRecovered) -> None:
        """P5: one leader epoch at one offset has one history. Of the metadata log that is R8."""
        if event.topic == METADATA.topic:
            return
        self.P5.checks += 1
        for other in self.ghost.contradictions:
            self.P5.violated(
                f"node {entry.node} holds a batch of epoch {other.epoch} that ends at {other.end_offset} "
                "and has another history than the first one so named",
                entry,
                other.first,
                at=f"offset {other.end_offset - 1}",
            )


def _newest(ghost: PartitionGhost, node: NodeId) -> EventId | None:
    """The event that told first of the last batch a replica holds."""
    log = ghost.logs[node]
    return ghost.lineage.first_event(log.end_offset, log.epochs[-1]) if len(log) else None
