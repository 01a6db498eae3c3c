"""Invariants of the metadata log: append-only leaders, matching logs, complete leaders, honest high watermarks."""

from __future__ import annotations

from typing import NamedTuple

from cluster.invariants.ghost.log import GhostLog, agree, first_difference
from cluster.invariants.group import Group, after, before, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA, Epoch, NodeId, Offset

ANSWERS_MAX = 4096
"""Diverging answers remembered until somebody acts on them."""


class Answer(NamedTuple):
    """A leader told a fetcher where their logs part."""

    replica: NodeId
    fetch_offset: Offset
    last_epoch: Epoch
    """Of the last record it had then."""
    epoch: Epoch


class LogInvariants(Group):
    """Judges R7, R8, R9, R11, R12, R13 and R17."""

    R7 = invariant("a leader only appends", "Raft paper 5.3")
    R8 = invariant("equal epoch at an offset means equal logs so far", "Raft paper 5.3", "A1")
    R9 = invariant("a new leader holds all that is committed", "Raft paper 5.4", "A1")
    R11 = invariant("the high watermark counts a true majority", "Raft paper 5.4.2; KIP-595", "A1")
    R12 = invariant("what is committed is never cut", "Kafka MonotonicHighWatermark", "A1")
    R13 = invariant("what an older epoch says changes nothing", "KIP-595")
    R17 = invariant(
        "below its high watermark each log is the committed one", "KIP-966 TLA+ MetadataLogMatchingProperty", "A1"
    )

    def begin(self) -> None:
        self._answers: dict[EventId, Answer] = {}
        self._leading: dict[NodeId, tuple[Epoch, Offset, EventId]] = {}
        self._committed: dict[Epoch, Offset] = {}
        """How far leaders had committed, by the epoch in which they did."""

    @before
    def _append(self, entry: Entry, event: ev.MetadataAppended) -> None:
        log, node = self.ghost.quorum.logs[entry.node], self.ghost.nodes[entry.node]
        if node.role == "leader":
            self.R7.checks += 1
            if event.base_offset != log.end_offset:
                self.R7.violated(
                    f"leader {entry.node} wrote at offset {event.base_offset}; its log ends at {log.end_offset}", entry
                )
            return
        self.R13.checks += 1
        newest = max((epoch for epoch, _ in event.epochs), default=0)
        oldest = min((epoch for epoch, _ in event.epochs), default=newest)
        if newest > node.epoch or oldest < log.last_epoch:
            sentence = (
                f"node {entry.node} in epoch {node.epoch}, whose log ends in epoch {log.last_epoch}, "
                f"took records of epochs {oldest} to {newest}"
            )
            # Two leaders of one epoch, of which one had forgotten its vote: logs of two histories seem to agree.
            excuses = ("A1",) if newest <= node.epoch else ()
            self.R13.violated(sentence, entry, entry.cause, assumptions=excuses)

    @after
    def _appended(self, entry: Entry, event: ev.MetadataAppended) -> None:
        self._match(entry, len(event.epochs))

    @after
    def _recovered(self, entry: Entry, event: ev.LogRecovered) -> None:
        if event.topic == METADATA.topic:
            self._match(entry, len(event.batches))

    def _match(self, entry: Entry, count: int) -> None:
        self.R8.checks += count
        for other in self.ghost.contradictions:
            self.R8.violated(
                f"node {entry.node} has another record of epoch {other.epoch} before offset {other.end_offset} "
                f"than node {other.first.node}, or another log below it",
                entry,
                other.first,
                at=f"offset {other.end_offset - 1}",
            )

    @before
    def _diverged(self, entry: Entry, event: ev.MetadataDiverged) -> None:
        epoch = self.ghost.nodes[entry.node].epoch
        self._answers[entry.id] = Answer(event.replica_id, event.fetch_offset, event.last_fetched_epoch, epoch)
        if len(self._answers) > ANSWERS_MAX:
            del self._answers[next(iter(self._answers))]

    @before
    def _truncate(self, entry: Entry, event: ev.MetadataTruncated) -> None:
        log, node = self.ghost.quorum.logs[entry.node], self.ghost.nodes[entry.node]
        self.R7.checks += 1
        if node.role == "leader":
            self.R7.violated(
                f"leader {entry.node} of epoch {node.epoch} cut its log to offset {event.end_offset}",
                entry,
                node.voted_event,
            )
        self.R13.checks += 1
        answer = None if entry.cause is None else self._answers.pop(entry.cause, None)
        asked = (entry.node, log.end_offset, log.last_epoch, node.epoch)
        if answer is None or answer != asked:
            why = "no leader told it to" if answer is None else "the answer was to another fetch or of another epoch"
            self.R13.violated(
                f"node {entry.node} cut its log from offset {log.end_offset} to {event.end_offset}: {why}",
                entry,
                entry.cause,
            )
        self._keeps_committed(entry, log, event.end_offset, log.end_offset, self._committed_by(node.epoch))

    @before
    def _install(self, entry: Entry, event: ev.SnapshotInstalled) -> None:
        """A snapshot that ends before the log does is a cut."""
        log, node = self.ghost.quorum.logs[entry.node], self.ghost.nodes[entry.node]
        self._keeps_committed(entry, log, event.end_offset, log.end_offset, self._committed_by(node.epoch))

    def _committed_by(self, newest: Epoch) -> Offset:
        """What was committed in epochs that a node has yet to hear of was committed without its copy."""
        return max((end for epoch, end in self._committed.items() if epoch <= newest), default=0)

    @before
    def _recover(self, entry: Entry, event: ev.LogRecovered) -> None:
        counts = self.ghost.voting.is_voter(entry.node)  # an observer's copy counts for nobody
        if event.topic == METADATA.topic and counts:
            log = self.ghost.quorum.logs[entry.node]
            committed = self.ghost.quorum.true_high_watermark
            self._keeps_committed(entry, log, event.log_end_offset, log.claimed_offset, committed)

    def _keeps_committed(
        self, entry: Entry, log: GhostLog, end_offset: Offset, old_end: Offset, committed: Offset
    ) -> None:
        """A log that falls from old_end to end_offset must lose nothing below `committed`."""
        quorum = self.ghost.quorum
        self.R12.checks += 1
        if end_offset >= min(old_end, committed):
            return
        lost = log.batch_at(end_offset)
        if lost is not None and agree(log, quorum.committed, lost.end_offset):
            self.R12.violated(
                f"the log of node {entry.node} fell from offset {old_end} to {end_offset}, "
                f"but all below {committed} is committed",
                entry,
                quorum.true_event,
                at=f"offset {end_offset}",
            )

    @before
    def _leader_elected(self, entry: Entry, event: ev.LeaderElected) -> None:
        quorum = self.ghost.quorum
        self._leading[entry.node] = (event.epoch, -1, entry.id)
        if quorum.true_event is None or event.epoch < quorum.true_epoch:
            return  # it learns late that it won an epoch that is over: it can commit nothing any more
        log = quorum.logs[entry.node]
        same = agree(log, quorum.committed, quorum.true_high_watermark)
        if same is None:
            return
        self.R9.checks += 1
        if not same:
            place = first_difference(log, quorum.committed)
            missing = log.end_offset if place is None else place
            self.R9.violated(
                f"node {entry.node} leads epoch {event.epoch} without the record at offset {missing}; "
                f"all below {quorum.true_high_watermark} is committed",
                entry,
                quorum.true_event,
                at=f"offset {missing}",
            )

    @after
    def _high_watermark(self, entry: Entry, event: ev.MetadataHighWatermarkAdvanced) -> None:
        quorum = self.ghost.quorum
        self._committed[quorum.true_epoch] = quorum.true_high_watermark
        if event.role == "leader":
            self._counted(entry, event)
        else:
            self._learned(entry, event)

    def _counted(self, entry: Entry, event: ev.MetadataHighWatermarkAdvanced) -> None:
        """A leader's own word: a majority holds it, and its last record is of this epoch."""
        ghost, end = self.ghost, event.high_watermark
        log = ghost.quorum.logs[entry.node]
        self.R11.checks += 1
        electorate = ghost.voting.electorate(entry.node)
        holders = {
            voter: disk
            for voter, disk in zip(electorate.nodes, electorate.disks, strict=True)
            # What was on a disk that is gone for good does no harm: it votes no more.
            if ghost.voting.records.disks.get(voter, disk) != disk
            or agree(ghost.quorum.logs[voter], log, end) is not False
        }
        epoch, before, election = self._leading.get(entry.node, (-1, -1, None))
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
            self.R11.violated(
                f"leader {entry.node} of epoch {event.epoch} moved the high watermark to {end}: {why}",
                entry,
                election,
                at=f"offset {end - 1}",
            )
        self._leading[entry.node] = (event.epoch, end, entry.id)

    def _learned(self, entry: Entry, event: ev.MetadataHighWatermarkAdvanced) -> None:
        """What others learn must be known to a leader, and be the committed log."""
        quorum, node = self.ghost.quorum, self.ghost.nodes[entry.node]
        log, end = quorum.logs[entry.node], event.high_watermark
        self.R13.checks += 1
        if event.epoch != node.epoch:
            self.R13.violated(
                f"node {entry.node} took a high watermark of epoch {event.epoch} in epoch {node.epoch}",
                entry,
                node.voted_event,
            )
        same = agree(log, quorum.committed, end) if end <= quorum.true_high_watermark else False
        if same is None:
            return
        self.R17.checks += 1
        if not same and entry.id in self.ghost.passage.unfounded:
            self.R17.is_open = True
        elif not same:
            self.R17.violated(
                f"node {entry.node} takes all below {end} for committed; the committed log "
                + (f"ends at {quorum.true_high_watermark}" if end > quorum.true_high_watermark else "is another one"),
                entry,
                quorum.true_event,
                at=f"offset {end - 1}",
            )
