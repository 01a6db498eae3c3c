"""What each replica's log looks like: offsets, epochs, writers, cuts, and the answers about epochs. Contract 2.3."""

from __future__ import annotations

from bisect import bisect_right
from typing import ClassVar

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.ghost.log import NO_CRC, GhostLog, agree, differing, first_difference
from cluster.invariants.ghost.parts import Leadership, PartitionGhost
from cluster.invariants.group import Handlers
from cluster.invariants.replication.committed import LOSS
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, Epoch, EpochEnd, NodeId, Offset, TopicPartition

UNKNOWN = EpochEnd(-1, -1)
SHOWN = 10
"""Stretches of offsets in one sentence at most."""
EVENTS_SHOWN = 6


class ReplicaLogInvariants:
    """P13 to P17 and P20."""

    invariants: ClassVar[tuple[Invariant, ...]] = (
        Invariant("P13", "one writer per leader epoch, and epochs never fall along a log", "KIP-101", ("A1",)),
        Invariant("P14", "a leader's answer about an epoch is what its log says", "KIP-279"),
        Invariant("P15", "a cut by epoch removes nothing committed and nothing shared", "KIP-101, KIP-279", LOSS),
        Invariant(
            "P16",
            "replicas hold the same records when the run ends",
            "TigerBeetle VOPR, StateChecker",
            ("A1", "A4"),
        ),
        Invariant("P17", "offsets are dense", "UnifiedLog"),
        Invariant("P20", "bytes that fail their CRC are never taken for good", "DefaultRecordBatch.ensureValid"),
    )

    __slots__ = ("_cut", "_follows", "_ghost", "_p13", "_p17", "_p20", "_report")

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        self._p13, self._p17, self._p20 = report.tally("P13"), report.tally("P17"), report.tally("P20")
        self._cut: dict[tuple[str, int, NodeId], EventId] = {}
        self._follows: dict[tuple[str, int, NodeId], Epoch] = {}

    def before(self) -> Handlers:
        """A change of a log is judged against the log before it."""
        return {
            ev.ReplicaAppended: self._on_appended,
            ev.ReplicaTruncated: self._on_truncated,
            ev.ReplicaDiverged: self._on_diverged,
            ev.EpochEndAnswered: self._on_epoch_end,
            ev.MetadataAppended: self._on_metadata,
            ev.LogRecovered: self._on_recovered,
            ev.CorruptBatchRefused: self._on_refused,
            ev.BecameFollower: self._on_follower,
        }

    def after(self) -> Handlers:
        """A log after its first change since a cut."""
        return {ev.ReplicaAppended: self._after_appended}

    def _on_metadata(self, entry: Entry, event: ev.MetadataAppended) -> None:
        """P17 of the metadata log."""
        self._p17.checks += 1
        end = self._ghost.quorum.logs[entry.node].end_offset
        if event.base_offset != end:
            self._not_dense(entry, METADATA, f"ends at {end} and gets records from {event.base_offset} on")

    def _on_recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        """Logs that were there before the run began were written in epochs whose leaders nobody has seen."""
        if entry.incarnation == 0 and event.topic != METADATA.topic:
            writers = self._ghost.partition(event.topic, event.partition).writers
            for _, _, epoch, _ in event.batches:
                writers.setdefault(epoch, entry.id)

    def _on_appended(self, entry: Entry, event: ev.ReplicaAppended) -> None:
        """P17 and P13."""
        ghost = self._ghost.partition(event.topic, event.partition)
        log = ghost.logs[entry.node]
        self._p17.checks += 1
        self._p13.checks += 1
        end = log.end_offset
        is_empty = log.log_start_offset >= end  # what was deleted stays known to the ghost
        epoch = 0 if is_empty else log.last_epoch
        writers, is_leader, leads = ghost.writers, event.role == "leader", -1
        if is_leader and entry.node in ghost.leaderships:
            leads = ghost.leaderships[entry.node].leader_epoch
        if event.base_offset != end:
            is_partly_deleted = is_empty and event.base_offset < end < sum(event.batches[0][:2])
            if not is_partly_deleted and (is_leader or not ghost.compacted.may_skip(end, event.base_offset)):
                where = TopicPartition(event.topic, event.partition)
                self._not_dense(entry, where, f"ends at {end} and gets records from {event.base_offset} on")
            end = event.base_offset  # the first batch of a log that begins anew holds the log start
        for base, count, batch_epoch, _ in event.batches:
            if base != end and (is_leader or not ghost.compacted.may_skip(end, base)):
                where = TopicPartition(event.topic, event.partition)
                self._not_dense(entry, where, f"gets a batch at {base} where {end} was due")
            if batch_epoch < epoch:
                self._epoch_falls(entry, event, base, batch_epoch, epoch)
            end, epoch = base + count, batch_epoch
            first = writers.get(epoch)
            if first is None or (is_leader and (first.node != entry.node or leads != epoch)):
                self._judge_writer(entry, event, ghost, epoch)
        if not is_leader:
            self._judge_bytes(entry, event, ghost)
        if end != event.end_offset:
            where = TopicPartition(event.topic, event.partition)
            self._not_dense(entry, where, f"is said to end at {event.end_offset}, its batches end at {end}")

    def _on_refused(self, entry: Entry, event: ev.CorruptBatchRefused) -> None:
        """P20: what has rotted ends in an error. P16: what a leader sends continues a log that is like its own."""
        if event.base_offset < 0:
            self._p20.checks += 1
            return
        where = TopicPartition(event.topic, event.partition)
        what = f"node {entry.node} has {where} up to {event.offset} and is sent a batch from {event.base_offset} on"
        self._report.violated("P16", what, (entry.id,), scope=where)

    def _judge_bytes(self, entry: Entry, event: ev.ReplicaAppended, ghost: PartitionGhost) -> None:
        """P20: a follower counts the CRC of what it writes; it is the one of what its leader wrote."""
        leading = ghost.leading
        if leading is None or leading.node == entry.node:
            return
        self._p20.checks += 1
        log = ghost.logs[leading.node]
        for base, count, epoch, crc in event.batches:
            index = log.index_of(base)
            if index < 0 or not crc or log.crcs[index] in (NO_CRC, int(crc, 16)):
                continue
            if ghost.compacted.is_left(base, crc):
                continue
            if log.batch(index)[:3] == (base, base + count, epoch):
                where = TopicPartition(event.topic, event.partition)
                self._report.violated(
                    "P20",
                    f"node {entry.node} writes a batch whose bytes have CRC {crc}; "
                    f"leader {leading.node} has it with CRC {log.crcs[index]:08x}",
                    (entry.id, leading.event),
                    record=f"{where} offset {base}",
                    scope=where,
                )

    def _not_dense(self, entry: Entry, where: TopicPartition, what: str) -> None:
        self._report.violated(
            "P17", f"the log of node {entry.node} {what}", (entry.id,), record=str(where), scope=where
        )

    def _epoch_falls(self, entry: Entry, event: ev.ReplicaAppended, base: Offset, epoch: Epoch, before: Epoch) -> None:
        """A follower that may keep records of an epoch that its leader lacks goes on behind them with older ones."""
        where = TopicPartition(event.topic, event.partition)
        self._report.violated(
            "P13",
            f"node {entry.node} appends leader epoch {epoch} after epoch {before}",
            (entry.id,),
            record=f"{where} offset {base}",
            scope=where,
            assumptions=("A1", "A4"),
        )

    def _judge_writer(self, entry: Entry, event: ev.ReplicaAppended, ghost: PartitionGhost, epoch: Epoch) -> None:
        """Only who leads an epoch writes in it, and only one node ever does."""
        where = TopicPartition(event.topic, event.partition)
        first = ghost.writers.get(epoch)
        if event.role != "leader":
            self._violated_writer(entry, where, epoch, "copies records of an epoch in which nobody wrote", None)
            return
        leadership = ghost.leaderships.get(entry.node)
        if leadership is None or leadership.leader_epoch != epoch:
            self._violated_writer(entry, where, epoch, "writes in an epoch that it does not lead", None)
        if first is None:
            ghost.writers[epoch] = entry.id
        elif first.node != entry.node:
            self._violated_writer(entry, where, epoch, f"writes in an epoch in which node {first.node} wrote", first)

    def _violated_writer(
        self, entry: Entry, where: TopicPartition, epoch: Epoch, what: str, first: EventId | None
    ) -> None:
        events = (entry.id,) if first is None else (entry.id, first)
        self._report.violated("P13", f"node {entry.node} {what}: leader epoch {epoch}", events, scope=where)

    def _on_truncated(self, entry: Entry, event: ev.ReplicaTruncated) -> None:
        """P17 and P15: what is cut was neither committed nor shared with the leader."""
        where = TopicPartition(event.topic, event.partition)
        ghost = self._ghost.partition(*where)
        log = ghost.logs[entry.node]
        self._p17.checks += 1
        if event.old_end_offset != log.end_offset or event.end_offset >= log.end_offset:
            what = f"ends at {log.end_offset} and is said to be cut from {event.old_end_offset} to {event.end_offset}"
            self._not_dense(entry, where, what)
        self._report.checked("P15")
        self._cut[*where, entry.node] = entry.id
        committed = _shared(log, ghost.committed)
        if event.end_offset < committed:
            self._cut_too_far(entry, event, f"all below {committed} was committed", ghost.true_event)
            return
        leadership = self._followed(entry, event, ghost)
        if leadership is None:
            return
        shared = _shared(log, ghost.log(leadership.node))
        if event.end_offset < shared:
            self._cut_too_far(
                entry, event, f"it shares all below {shared} with leader {leadership.node}", leadership.event
            )

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
        where = TopicPartition(event.topic, event.partition)
        self._report.violated(
            "P15",
            f"node {entry.node} cuts its log to offset {event.end_offset}; {what}",
            (entry.id,) if other is None else (entry.id, other),
            record=f"{where} offset {event.end_offset}",
            scope=where,
        )

    def _after_appended(self, entry: Entry, event: ev.ReplicaAppended) -> None:
        """P15: a follower that was cut and goes on is a prefix of its leader."""
        if not self._cut:
            return
        cut = self._cut.pop((event.topic, event.partition, entry.node), None)
        if cut is None or event.role == "leader":
            return
        ghost = self._ghost.partition(event.topic, event.partition)
        leadership = self._followed(entry, event, ghost)
        if leadership is None:
            return
        self._report.checked("P15")
        if agree(ghost.log(entry.node), ghost.log(leadership.node), event.end_offset) is False:
            where = TopicPartition(event.topic, event.partition)
            self._report.violated(
                "P15",
                f"node {entry.node} was cut and goes on; below {event.end_offset} it still holds "
                f"other records than leader {leadership.node}",
                (entry.id, cut),
                record=f"{where} below offset {event.end_offset}",
                scope=where,
            )

    def _on_diverged(self, entry: Entry, event: ev.ReplicaDiverged) -> None:
        """P14: the answer, worked out anew from the rebuilt log."""
        ghost = self._ghost.partition(event.topic, event.partition)
        leadership = ghost.leaderships.get(entry.node)
        log = ghost.logs[entry.node]
        if leadership is None or not log.is_known:
            return
        self._report.checked("P14")
        right = epoch_end(log, leadership, event.last_fetched_epoch)
        told = EpochEnd(event.diverging_epoch, event.diverging_end_offset)
        where = TopicPartition(event.topic, event.partition)
        if told != right:
            self._report.violated(
                "P14",
                f"leader {entry.node} says that epoch {told.epoch} ends at {told.end_offset}; by its log the largest "
                f"epoch up to {event.last_fetched_epoch} is {right.epoch}, and it ends at {right.end_offset}",
                (entry.id, leadership.event),
                scope=where,
            )
        elif right.epoch == event.last_fetched_epoch and right.end_offset >= event.fetch_offset:
            self._report.violated(
                "P14",
                f"leader {entry.node} sends replica {event.replica_id} back although it ends where their logs agree",
                (entry.id, leadership.event),
                scope=where,
            )

    def _on_epoch_end(self, entry: Entry, event: ev.EpochEndAnswered) -> None:
        """P14 of the modes in which a follower asks where an epoch ends before it fetches."""
        ghost = self._ghost.partition(event.topic, event.partition)
        leadership = ghost.leaderships.get(entry.node)
        log = ghost.logs[entry.node]
        if leadership is None or not log.is_known:
            return
        self._report.checked("P14")
        right = epoch_end(log, leadership, event.asked_epoch)
        own = leadership.leader_epoch
        if self._ghost.settings.get("truncation_mode") == "kip101":
            start = log.log_start_offset
            oldest = own if start >= leadership.start_offset else log.epoch_at(start)
            is_known = event.asked_epoch >= oldest if start else bisect_right(log.epochs, event.asked_epoch) > 0
            is_known = is_known or event.asked_epoch == own
            right = EpochEnd(UNKNOWN.epoch, right.end_offset if is_known else UNKNOWN.end_offset)
        if (event.found_epoch, event.end_offset) != right:
            self._report.violated(
                "P14",
                f"leader {entry.node} answers {event.end_offset} of epoch {event.found_epoch} when asked where epoch "
                f"{event.asked_epoch} ends; by its log it is {right.end_offset} of epoch {right.epoch}",
                (entry.id, leadership.event),
                scope=TopicPartition(event.topic, event.partition),
            )

    def finish(self) -> None:
        """P16: followers against their leader, below its high watermark."""
        for where, ghost in sorted(self._ghost.partitions.items()):
            leadership = ghost.leading
            if where == METADATA or leadership is None or leadership.high_watermark <= 0:
                continue
            for node in sorted(ghost.logs.keys() - {leadership.node} - ghost.lossy.keys()):
                self._judge_rest(where, ghost, leadership, node)

    def _judge_rest(self, where: TopicPartition, ghost: PartitionGhost, leadership: Leadership, node: NodeId) -> None:
        """Who is in sync holds all of it. Of another one the leader took fetches: what is before them is at rest."""
        own, log, heard = ghost.log(leadership.node), ghost.log(node), leadership.progress.get(node)
        is_in_sync, end = node in leadership.isr and not ghost.by_majority, leadership.high_watermark
        if not is_in_sync:
            told = None if heard is None else heard.event
            reached = told.log_end_offset if isinstance(told, ev.FollowerProgress) else 0
            end = min(end, log.end_offset, reached)
        if end <= 0:
            return
        self._report.checked("P16")
        found = differing(log, own, end) if agree(log, own, end) is False else []
        if not found:
            return
        offsets = _named(found)
        of = "of the ISR" if is_in_sync else "outside of the ISR"
        wrote = [_told(ghost, who, first) for first, _ in found[:EVENTS_SHOWN] for who in (node, leadership.node)]
        self._report.violated(
            "P16",
            f"the run ends, and replica {node} {of} differs from leader {leadership.node} at {offsets}, "
            f"below high watermark {leadership.high_watermark}",
            tuple(dict.fromkeys(event for events in wrote for event in events))[:EVENTS_SHOWN],
            record=f"{where} {offsets}",
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
    batch = ghost.log(node).batch_at(offset)
    found = None if batch is None else ghost.lineage.first_event(batch.end_offset, batch.epoch)
    return () if found is None else (found,)


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
