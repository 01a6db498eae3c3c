"""What each replica's log looks like: offsets, epochs, writers, cuts, and the answers about epochs. Contract 2.3."""

from __future__ import annotations

from bisect import bisect_right

from cluster.invariants.ghost.log import NO_CRC, GhostLog, agree, differing, first_difference
from cluster.invariants.ghost.parts import Leadership, PartitionGhost
from cluster.invariants.group import LOSS, Group, Replica, after, before, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, Epoch, EpochEnd, NodeId, Offset, TopicPartition

UNKNOWN = EpochEnd(-1, -1)
SHOWN = 10
"""Stretches of offsets in one sentence at most."""
EVENTS_SHOWN = 6


class ReplicaLogInvariants(Group):
    """P13 to P17 and P20."""

    P13 = invariant("one writer per leader epoch, and epochs never fall along a log", "KIP-101", "A1")
    P14 = invariant("a leader's answer about an epoch is what its log says", "KIP-279")
    P15 = invariant("a cut by epoch removes nothing committed and nothing shared", "KIP-101, KIP-279", *LOSS)
    P16 = invariant("replicas hold the same records when the run ends", "TigerBeetle VOPR, StateChecker", "A1", "A4")
    P17 = invariant("offsets are dense", "UnifiedLog")
    P20 = invariant("bytes that fail their CRC are never taken for good", "DefaultRecordBatch.ensureValid")

    def begin(self) -> None:
        self._cut: dict[Replica, EventId] = {}
        self._follows: dict[Replica, Epoch] = {}

    @before
    def _on_metadata(self, entry: Entry, event: ev.MetadataAppended) -> None:
        """P17 of the metadata log."""
        self.P17.checks += 1
        end = self.ghost.quorum.logs[entry.node].end_offset
        if event.base_offset != end:
            self._not_dense(entry, f"ends at {end} and gets records from {event.base_offset} on")

    @before
    def _on_recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        """Logs that were there before the run began were written in epochs whose leaders nobody has seen."""
        if entry.incarnation == 0 and event.topic != METADATA.topic:
            writers = self.ghost.here.writers
            for _, _, epoch, _ in event.batches:
                writers.setdefault(epoch, entry.id)

    @before
    def _on_appended(self, entry: Entry, event: ev.ReplicaAppended) -> None:
        """P17 and P13."""
        ghost = self.ghost.here
        log = ghost.logs[entry.node]
        self.P17.checks += 1
        self.P13.checks += 1
        end = log.end_offset
        is_empty = log.log_start_offset >= end  # what was deleted stays known to the ghost
        epoch = 0 if is_empty else log.last_epoch
        writers, is_leader, leads = ghost.writers, event.role == "leader", -1
        if is_leader and entry.node in ghost.leaderships:
            leads = ghost.leaderships[entry.node].leader_epoch
        if event.base_offset != end:
            is_partly_deleted = is_empty and event.base_offset < end < sum(event.batches[0][:2])
            if not is_partly_deleted and (is_leader or not ghost.compacted.may_skip(end, event.base_offset)):
                self._not_dense(entry, f"ends at {end} and gets records from {event.base_offset} on")
            end = event.base_offset  # the first batch of a log that begins anew holds the log start
        for base, count, batch_epoch, _ in event.batches:
            if base != end and (is_leader or not ghost.compacted.may_skip(end, base)):
                self._not_dense(entry, f"gets a batch at {base} where {end} was due")
            if batch_epoch < epoch:
                self._epoch_falls(entry, base, batch_epoch, epoch)
            end, epoch = base + count, batch_epoch
            first = writers.get(epoch)
            if first is None or (is_leader and (first.node != entry.node or leads != epoch)):
                self._judge_writer(entry, event, ghost, epoch)
        if not is_leader:
            self._judge_bytes(entry, event, ghost)
        if end != event.end_offset:
            self._not_dense(entry, f"is said to end at {event.end_offset}, its batches end at {end}")

    @before
    def _on_refused(self, entry: Entry, event: ev.CorruptBatchRefused) -> None:
        """P20: what has rotted ends in an error. P16: what a leader sends continues a log that is like its own."""
        if event.base_offset < 0:
            self.P20.checks += 1
            return
        where = TopicPartition(event.topic, event.partition)
        self.P16.violated(
            f"node {entry.node} has {where} up to {event.offset} and is sent a batch from {event.base_offset} on", entry
        )

    def _judge_bytes(self, entry: Entry, event: ev.ReplicaAppended, ghost: PartitionGhost) -> None:
        """P20: a follower counts the CRC of what it writes; it is the one of what its leader wrote."""
        leading = ghost.leading
        if leading is None or leading.node == entry.node:
            return
        self.P20.checks += 1
        log = ghost.logs[leading.node]
        for base, count, epoch, crc in event.batches:
            index = log.index_of(base)
            if index < 0 or not crc or log.crcs[index] in (NO_CRC, int(crc, 16)):
                continue
            if ghost.compacted.is_left(base, crc):
                continue
            if log.batch(index)[:3] == (base, base + count, epoch):
                self.P20.violated(
                    f"node {entry.node} writes a batch whose bytes have CRC {crc}; "
                    f"leader {leading.node} has it with CRC {log.crcs[index]:08x}",
                    entry,
                    leading.event,
                    at=f"offset {base}",
                )

    def _not_dense(self, entry: Entry, what: str) -> None:
        self.P17.violated(f"the log of node {entry.node} {what}", entry, at="")

    def _epoch_falls(self, entry: Entry, base: Offset, epoch: Epoch, before: Epoch) -> None:
        """A follower that may keep records of an epoch that its leader lacks goes on behind them with older ones."""
        self.P13.violated(
            f"node {entry.node} appends leader epoch {epoch} after epoch {before}",
            entry,
            at=f"offset {base}",
            assumptions=("A1", "A4"),
        )

    def _judge_writer(self, entry: Entry, event: ev.ReplicaAppended, ghost: PartitionGhost, epoch: Epoch) -> None:
        """Only who leads an epoch writes in it, and only one node ever does."""
        first = ghost.writers.get(epoch)
        if event.role != "leader":
            self._violated_writer(entry, epoch, "copies records of an epoch in which nobody wrote", None)
            return
        leadership = ghost.leaderships.get(entry.node)
        if leadership is None or leadership.leader_epoch != epoch:
            self._violated_writer(entry, epoch, "writes in an epoch that it does not lead", None)
        if first is None:
            ghost.writers[epoch] = entry.id
        elif first.node != entry.node:
            self._violated_writer(entry, epoch, f"writes in an epoch in which node {first.node} wrote", first)

    def _violated_writer(self, entry: Entry, epoch: Epoch, what: str, first: EventId | None) -> None:
        self.P13.violated(f"node {entry.node} {what}: leader epoch {epoch}", entry, first)

    @before
    def _on_truncated(self, entry: Entry, event: ev.ReplicaTruncated) -> None:
        """P17 and P15: what is cut was neither committed nor shared with the leader."""
        where = TopicPartition(event.topic, event.partition)
        ghost = self.ghost.here
        log = ghost.logs[entry.node]
        self.P17.checks += 1
        if event.old_end_offset != log.end_offset or event.end_offset >= log.end_offset:
            self._not_dense(
                entry,
                f"ends at {log.end_offset} and is said to be cut from {event.old_end_offset} to {event.end_offset}",
            )
        self.P15.checks += 1
        self._cut[*where, entry.node] = entry.id
        committed = _shared(log, ghost.committed)
        if event.end_offset < committed:
            self._cut_too_far(entry, event, f"all below {committed} was committed", ghost.true_event)
            return
        leadership = self._followed(entry, event, ghost)
        if leadership is None:
            return
        shared = _shared(log, ghost.logs[leadership.node])
        if event.end_offset < shared:
            self._cut_too_far(
                entry, event, f"it shares all below {shared} with leader {leadership.node}", leadership.event
            )

    @before
    def _on_follower(self, entry: Entry, event: ev.BecameFollower) -> None:
        self._follows[event.topic, event.partition, entry.node] = event.leader_epoch

    def _followed(
        self, entry: Entry, event: ev.ReplicaTruncated | ev.ReplicaAppended, ghost: PartitionGhost
    ) -> Leadership | None:
        """The newest leadership, when this is whom the replica follows; it may follow one that is over already."""
        leading = ghost.leading
        if leading is None or leading.node == entry.node:
            return None
        followed = self._follows.get((event.topic, event.partition, entry.node))
        return leading if followed == leading.leader_epoch else None

    def _cut_too_far(self, entry: Entry, event: ev.ReplicaTruncated, what: str, other: EventId | None) -> None:
        self.P15.violated(
            f"node {entry.node} cuts its log to offset {event.end_offset}; {what}",
            entry,
            other,
            at=f"offset {event.end_offset}",
        )

    @after
    def _after_appended(self, entry: Entry, event: ev.ReplicaAppended) -> None:
        """P15: a follower that was cut and goes on is a prefix of its leader."""
        if not self._cut:
            return
        cut = self._cut.pop((event.topic, event.partition, entry.node), None)
        if cut is None or event.role == "leader":
            return
        ghost = self.ghost.here
        leadership = self._followed(entry, event, ghost)
        if leadership is None:
            return
        self.P15.checks += 1
        if agree(ghost.logs[entry.node], ghost.logs[leadership.node], event.end_offset) is False:
            self.P15.violated(
                f"node {entry.node} was cut and goes on; below {event.end_offset} it still holds "
                f"other records than leader {leadership.node}",
                entry,
                cut,
                at=f"below offset {event.end_offset}",
            )

    @before
    def _on_diverged(self, entry: Entry, event: ev.ReplicaDiverged) -> None:
        """P14: the answer, worked out anew from the rebuilt log."""
        ghost = self.ghost.here
        leadership = ghost.leaderships.get(entry.node)
        log = ghost.logs[entry.node]
        if leadership is None or not log.is_known:
            return
        self.P14.checks += 1
        right = epoch_end(log, leadership, event.last_fetched_epoch)
        reply = EpochEnd(event.diverging_epoch, event.diverging_end_offset)
        if reply != right:
            self.P14.violated(
                f"leader {entry.node} says that epoch {reply.epoch} ends at {reply.end_offset}; by its log the largest "
                f"epoch up to {event.last_fetched_epoch} is {right.epoch}, and it ends at {right.end_offset}",
                entry,
                leadership.event,
            )
        elif right.epoch == event.last_fetched_epoch and right.end_offset >= event.fetch_offset:
            self.P14.violated(
                f"leader {entry.node} sends replica {event.replica_id} back although it ends where their logs agree",
                entry,
                leadership.event,
            )

    @before
    def _on_epoch_end(self, entry: Entry, event: ev.EpochEndAnswered) -> None:
        """P14 of the modes in which a follower asks where an epoch ends before it fetches."""
        ghost = self.ghost.here
        leadership = ghost.leaderships.get(entry.node)
        log = ghost.logs[entry.node]
        if leadership is None or not log.is_known:
            return
        self.P14.checks += 1
        right = epoch_end(log, leadership, event.asked_epoch)
        own = leadership.leader_epoch
        if self.ghost.settings.get("truncation_mode") == "kip101":
            start = log.log_start_offset
            oldest = own if start >= leadership.start_offset else log.epoch_at(start)
            is_known = event.asked_epoch >= oldest if start else bisect_right(log.epochs, event.asked_epoch) > 0
            is_known = is_known or event.asked_epoch == own
            right = EpochEnd(UNKNOWN.epoch, right.end_offset if is_known else UNKNOWN.end_offset)
        if (event.found_epoch, event.end_offset) != right:
            self.P14.violated(
                f"leader {entry.node} answers {event.end_offset} of epoch {event.found_epoch} when asked where epoch "
                f"{event.asked_epoch} ends; by its log it is {right.end_offset} of epoch {right.epoch}",
                entry,
                leadership.event,
            )

    def finish(self) -> None:
        """P16: followers against their leader, below its high watermark."""
        for where, ghost in sorted(self.ghost.partitions.items()):
            leadership = ghost.leading
            if where == METADATA or leadership is None or leadership.high_watermark <= 0:
                continue
            for node in sorted(ghost.logs.keys() - {leadership.node} - ghost.lossy.keys()):
                self._judge_rest(where, ghost, leadership, node)

    def _judge_rest(self, where: TopicPartition, ghost: PartitionGhost, leadership: Leadership, node: NodeId) -> None:
        """Who is in sync holds all of it. Of another one the leader took fetches: what is before them is at rest."""
        own, log, heard = ghost.logs[leadership.node], ghost.logs[node], leadership.progress.get(node)
        is_in_sync, end = node in leadership.isr and not ghost.by_majority, leadership.high_watermark
        if not is_in_sync:
            progress = None if heard is None else heard.event
            reached = progress.log_end_offset if isinstance(progress, ev.FollowerProgress) else 0
            end = min(end, log.end_offset, reached)
        if end <= 0:
            return
        self.P16.checks += 1
        ranges = differing(log, own, end) if agree(log, own, end) is False else []
        if not ranges:
            return
        offsets = _named(ranges)
        of = "of the ISR" if is_in_sync else "outside of the ISR"
        wrote = [_told(ghost, who, first) for first, _ in ranges[:EVENTS_SHOWN] for who in (node, leadership.node)]
        self.P16.violated(
            f"the run ends, and replica {node} {of} differs from leader {leadership.node} at {offsets}, "
            f"below high watermark {leadership.high_watermark}",
            *tuple(dict.fromkeys(event for events in wrote for event in events))[:EVENTS_SHOWN],
            at=offsets,
            scope=where,
        )


def _named(stretches: list[tuple[Offset, Offset]]) -> str:
    """Each offset of these stretches (first, one past the last), as people say it."""
    each = [f"{first}" if first + 1 == end else f"{first} to {end - 1}" for first, end in stretches[:SHOWN]]
    rest = f" and {len(stretches) - SHOWN} stretches more" if len(stretches) > SHOWN else ""
    return f"offset{'' if len(each) == 1 and each[0].isdecimal() else 's'} {', '.join(each)}{rest}"


def _shared(one: GhostLog, other: GhostLog) -> Offset:
    """How far two logs hold the same batches (exclusive); 0 when one is not known."""
    if not (one.is_known and other.is_known):
        return 0
    differ = first_difference(one, other)
    return min(one.end_offset, other.end_offset) if differ is None else differ


def _told(ghost: PartitionGhost, node: NodeId, offset: Offset) -> tuple[EventId, ...]:
    """The event that told first of the batch a replica holds there; empty when it holds none."""
    batch = ghost.logs[node].batch_at(offset)
    first = None if batch is None else ghost.lineage.first_event(batch.end_offset, batch.epoch)
    return () if first is None else (first,)


def epoch_end(log: GhostLog, leadership: Leadership, asked: Epoch) -> EpochEnd:
    """The largest epoch of a leader not above the asked one and where it ends (exclusive), from its batches.

    The leader's own epoch counts from its start offset on even before it wrote. Of epochs that ended before the log
    start it knows no more than that. Source: LeaderEpochFileCache.endOffsetFor, truncateFromStart.
    """
    own = leadership.leader_epoch
    if asked == own:
        return EpochEnd(own, log.end_offset)
    if asked > own or asked < 0:
        return UNKNOWN
    start = log.log_start_offset
    if start and asked < (own if start >= leadership.start_offset else log.epoch_at(start)):
        return EpochEnd(asked, start)
    index = bisect_right(log.epochs, asked)
    end = log.batch(index).base_offset if index < len(log) else log.end_offset
    epoch = log.epochs[index - 1] if index else asked
    return EpochEnd(epoch, min(end, leadership.start_offset))
