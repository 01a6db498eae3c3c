"""Invariants of the metadata log: append-only leaders, matching logs, complete leaders, honest high watermarks."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.ghost.log import GhostLog, agree, first_difference
from cluster.invariants.group import Handlers
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, Epoch, NodeId, Offset

RULES = (
    Invariant("R7", "a leader only appends", "Raft paper 5.3", ()),
    Invariant("R8", "equal epoch at an offset means equal logs so far", "Raft paper 5.3", ("A1",)),
    Invariant("R9", "a new leader holds all that is committed", "Raft paper 5.4", ("A1", "A10")),
    Invariant("R11", "the high watermark counts a true majority", "Raft paper 5.4.2; KIP-595", ("A1", "A10")),
    Invariant("R12", "what is committed is never cut", "Kafka MonotonicHighWatermark", ("A1", "A10")),
    Invariant("R13", "what an older epoch says changes nothing", "KIP-595", ()),
    Invariant(
        "R17",
        "below its high watermark each log is the committed one",
        "KIP-966 TLA+ MetadataLogMatchingProperty",
        ("A1", "A10"),
    ),
)
ANSWERS_MAX = 4096
"""Diverging answers remembered until somebody acts on them."""


class Answer(NamedTuple):
    """A leader told a fetcher where their logs part."""

    replica: NodeId
    fetch_offset: Offset
    last_epoch: Epoch
    """Of the last record it had then."""
    epoch: Epoch


class LogInvariants:
    """Judges R7, R8, R9, R11, R12, R13 and R17."""

    invariants: ClassVar[tuple[Invariant, ...]] = RULES

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost = ghost
        self._report = report
        self._answers: dict[EventId, Answer] = {}
        self._leading: dict[NodeId, tuple[Epoch, Offset, EventId]] = {}
        self._committed: dict[Epoch, Offset] = {}
        """How far leaders had committed, by the epoch in which they did."""

    def before(self) -> Handlers:
        """Cuts and appends are judged against the log they change."""
        return {
            ev.MetadataAppended: self._append,
            ev.MetadataTruncated: self._truncate,
            ev.SnapshotInstalled: self._install,
            ev.LogRecovered: self._recover,
            ev.MetadataDiverged: self._diverged,
            ev.LeaderElected: self._leader_elected,
        }

    def after(self) -> Handlers:
        """What was written is compared with what others wrote."""
        return {
            ev.MetadataAppended: self._appended,
            ev.LogRecovered: self._recovered,
            ev.MetadataHighWatermarkAdvanced: self._high_watermark,
        }

    def finish(self) -> None:
        """Nothing is left to judge."""

    def _append(self, entry: Entry, event: ev.MetadataAppended) -> None:
        log, node = self._ghost.quorum.log(entry.node), self._ghost.node(entry.node)
        if node.role == "leader":
            self._report.checked("R7")
            if event.base_offset != log.end_offset:
                sentence = f"leader {entry.node} wrote at offset {event.base_offset}; its log ends at {log.end_offset}"
                self._report.violated("R7", sentence, (entry.id,))
            return
        self._report.checked("R13")
        newest = max((epoch for epoch, _ in event.epochs), default=0)
        oldest = min((epoch for epoch, _ in event.epochs), default=newest)
        if newest > node.epoch or oldest < log.last_epoch:
            sentence = (
                f"node {entry.node} in epoch {node.epoch}, whose log ends in epoch {log.last_epoch}, "
                f"took records of epochs {oldest} to {newest}"
            )
            # Two leaders of one epoch, of which one had forgotten its vote: logs of two histories seem to agree.
            excuses = ("A1",) if newest <= node.epoch else ()
            self._report.violated("R13", sentence, _with(entry, entry.cause), scope=METADATA, assumptions=excuses)

    def _appended(self, entry: Entry, event: ev.MetadataAppended) -> None:
        self._match(entry, len(event.epochs))

    def _recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        if event.topic == METADATA.topic:
            self._match(entry, len(event.batches))

    def _match(self, entry: Entry, count: int) -> None:
        self._report.checked("R8", count)
        for found in self._ghost.contradictions:
            sentence = (
                f"node {entry.node} has another record of epoch {found.epoch} before offset {found.end_offset} "
                f"than node {found.first.node}, or another log below it"
            )
            record = f"{METADATA} offset {found.end_offset - 1}"
            self._report.violated("R8", sentence, (entry.id, found.first), record=record, scope=METADATA)

    def _diverged(self, entry: Entry, event: ev.MetadataDiverged) -> None:
        epoch = self._ghost.node(entry.node).epoch
        self._answers[entry.id] = Answer(event.replica_id, event.fetch_offset, event.last_fetched_epoch, epoch)
        if len(self._answers) > ANSWERS_MAX:
            del self._answers[next(iter(self._answers))]

    def _truncate(self, entry: Entry, event: ev.MetadataTruncated) -> None:
        log, node = self._ghost.quorum.log(entry.node), self._ghost.node(entry.node)
        self._report.checked("R7")
        if node.role == "leader":
            sentence = f"leader {entry.node} of epoch {node.epoch} cut its log to offset {event.end_offset}"
            self._report.violated("R7", sentence, _with(entry, node.voted_event))
        self._report.checked("R13")
        answer = None if entry.cause is None else self._answers.pop(entry.cause, None)
        asked = (entry.node, log.end_offset, log.last_epoch, node.epoch)
        if answer is None or answer != asked:
            why = "no leader told it to" if answer is None else "the answer was to another fetch or of another epoch"
            sentence = f"node {entry.node} cut its log from offset {log.end_offset} to {event.end_offset}: {why}"
            self._report.violated("R13", sentence, _with(entry, entry.cause))
        self._keeps_committed(entry, log, event.end_offset, log.end_offset, self._committed_by(node.epoch))

    def _install(self, entry: Entry, event: ev.SnapshotInstalled) -> None:
        """A snapshot that ends before the log does is a cut."""
        log, node = self._ghost.quorum.log(entry.node), self._ghost.node(entry.node)
        self._keeps_committed(entry, log, event.end_offset, log.end_offset, self._committed_by(node.epoch))

    def _committed_by(self, newest: Epoch) -> Offset:
        """What was committed in epochs that a node has yet to hear of was committed without its copy."""
        return max((end for epoch, end in self._committed.items() if epoch <= newest), default=0)

    def _recover(self, entry: Entry, event: ev.LogRecovered) -> None:
        counts = self._ghost.voting.is_voter(entry.node)  # an observer's copy counts for nobody
        if event.topic == METADATA.topic and counts:
            log = self._ghost.quorum.log(entry.node)
            committed = self._ghost.quorum.true_high_watermark
            self._keeps_committed(entry, log, event.log_end_offset, log.claimed_offset, committed)

    def _keeps_committed(
        self, entry: Entry, log: GhostLog, end_offset: Offset, old_end: Offset, committed: Offset
    ) -> None:
        """A log that falls from old_end to end_offset must lose nothing below `committed`."""
        quorum = self._ghost.quorum
        self._report.checked("R12")
        if end_offset >= min(old_end, committed):
            return
        lost = log.batch_at(end_offset)
        if lost is not None and agree(log, quorum.committed, lost.end_offset):
            sentence = (
                f"the log of node {entry.node} fell from offset {old_end} to {end_offset}, "
                f"but all below {committed} is committed"
            )
            events = _with(entry, quorum.true_event)
            self._report.violated("R12", sentence, events, record=f"{METADATA} offset {end_offset}", scope=METADATA)

    def _leader_elected(self, entry: Entry, event: ev.LeaderElected) -> None:
        quorum = self._ghost.quorum
        self._leading[entry.node] = (event.epoch, -1, entry.id)
        if quorum.true_event is None or event.epoch < quorum.true_epoch:
            return  # it learns late that it won an epoch that is over: it can commit nothing any more
        log = quorum.log(entry.node)
        same = agree(log, quorum.committed, quorum.true_high_watermark)
        if same is None:
            return
        self._report.checked("R9")
        if not same:
            place = first_difference(log, quorum.committed)
            missing = log.end_offset if place is None else place
            sentence = (
                f"node {entry.node} leads epoch {event.epoch} without the record at offset {missing}; "
                f"all below {quorum.true_high_watermark} is committed"
            )
            record = f"{METADATA} offset {missing}"
            self._report.violated("R9", sentence, (entry.id, quorum.true_event), record=record, scope=METADATA)

    def _high_watermark(self, entry: Entry, event: ev.MetadataHighWatermarkAdvanced) -> None:
        quorum = self._ghost.quorum
        self._committed[quorum.true_epoch] = quorum.true_high_watermark
        if event.role == "leader":
            self._counted(entry, event)
        else:
            self._learned(entry, event)

    def _counted(self, entry: Entry, event: ev.MetadataHighWatermarkAdvanced) -> None:
        """A leader's own word: a majority holds it, and its last record is of this epoch."""
        ghost, end = self._ghost, event.high_watermark
        log = ghost.quorum.log(entry.node)
        self._report.checked("R11")
        electorate = ghost.voting.electorate(entry.node)
        holders = {
            voter: disk
            for voter, disk in zip(electorate.nodes, electorate.disks, strict=True)
            # What was on a disk that is gone for good does no harm: it votes no more.
            if ghost.voting.records.disks.get(voter, disk) != disk
            or agree(ghost.quorum.log(voter), log, end) is not False
        }
        epoch, before, told = self._leading.get(entry.node, (-1, -1, None))
        why = ""
        if epoch != event.epoch:
            why = "it was not elected in that epoch"
        elif end < before:
            why = f"it had advanced it to {before}"
        elif log.epoch_at(end - 1) != event.epoch:
            why = f"the record before it is of epoch {log.epoch_at(end - 1)}"
        elif not electorate.has_majority(holders):
            why = f"only {', '.join(map(str, sorted(holders))) or 'nobody'} of {len(electorate.nodes)} voters hold it"
        if why:
            sentence = f"leader {entry.node} of epoch {event.epoch} moved the high watermark to {end}: {why}"
            record = f"{METADATA} offset {end - 1}"
            self._report.violated("R11", sentence, _with(entry, told), record=record, scope=METADATA)
        self._leading[entry.node] = (event.epoch, end, entry.id)

    def _learned(self, entry: Entry, event: ev.MetadataHighWatermarkAdvanced) -> None:
        """What others learn must be known to a leader, and be the committed log."""
        quorum, node = self._ghost.quorum, self._ghost.node(entry.node)
        log, end = quorum.log(entry.node), event.high_watermark
        self._report.checked("R13")
        if event.epoch != node.epoch:
            sentence = f"node {entry.node} took a high watermark of epoch {event.epoch} in epoch {node.epoch}"
            self._report.violated("R13", sentence, _with(entry, node.voted_event))
        same = agree(log, quorum.committed, end) if end <= quorum.true_high_watermark else False
        if same is None:
            return
        self._report.checked("R17")
        if not same and entry.id in self._ghost.passage.unfounded:
            self._report.undecided("R17")
        elif not same:
            sentence = f"node {entry.node} takes all below {end} for committed; the committed log " + (
                f"ends at {quorum.true_high_watermark}" if end > quorum.true_high_watermark else "is another one"
            )
            record = f"{METADATA} offset {end - 1}"
            self._report.violated("R17", sentence, _with(entry, quorum.true_event), record=record, scope=METADATA)


def _with(entry: Entry, other: EventId | None) -> tuple[EventId, ...]:
    return (entry.id,) if other is None else (entry.id, other)
