"""No high watermark is past the end of the log that it is of: on no replica, after no cut. Contract 2.2, 2.3."""

from __future__ import annotations

from typing import ClassVar

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.group import Handlers
from cluster.invariants.verdicts.report import Report
from cluster.invariants.verdicts.verdict import Invariant
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import METADATA, UNKNOWN_OFFSET, Offset, TopicPartition


class WatermarkInvariants:
    """R21 of the metadata log, P25 of partitions. No assumption excuses them: each replica knows its own log."""

    invariants: ClassVar[tuple[Invariant, ...]] = (
        Invariant("R21", "no high watermark past the end of its log", "Kafka ReplicatedLog, KIP-595"),
        Invariant("P25", "no high watermark past the end of its log", "Kafka UnifiedLog.updateHighWatermark"),
    )

    __slots__ = ("_ghost", "_p25", "_report")

    def __init__(self, ghost: Ghost, report: Report) -> None:
        self._ghost, self._report = ghost, report
        self._p25 = report.tally("P25")

    def before(self) -> Handlers:
        """Nothing needs the state before."""
        return {}

    def after(self) -> Handlers:
        """All that tells of a high watermark."""
        return {
            ev.MetadataHighWatermarkAdvanced: self._of_quorum,
            ev.MetadataTruncated: self._metadata_cut,
            ev.HighWatermarkAdvanced: self._advanced,
            ev.BecameLeader: self._leads,
            ev.BecameFollower: self._follows,
            ev.ReplicaTruncated: self._cut,
        }

    def finish(self) -> None:
        """Nothing is left to judge."""

    def _of_quorum(self, entry: Entry, event: ev.MetadataHighWatermarkAdvanced) -> None:
        self._judge("R21", entry, METADATA, event.high_watermark, self._ghost.quorum.log(entry.node).end_offset)

    def _metadata_cut(self, entry: Entry, event: ev.MetadataTruncated) -> None:
        self._judge("R21", entry, METADATA, event.high_watermark, event.end_offset)

    def _advanced(self, entry: Entry, event: ev.HighWatermarkAdvanced) -> None:
        self._p25.checks += 1
        end = self._ghost.partition(event.topic, event.partition).logs[entry.node].end_offset
        if event.high_watermark > end:
            self._violated("P25", entry, TopicPartition(event.topic, event.partition), event.high_watermark, end)

    def _leads(self, entry: Entry, event: ev.BecameLeader) -> None:
        where = TopicPartition(event.topic, event.partition)
        self._judge("P25", entry, where, event.high_watermark, event.epoch_start_offset)

    def _follows(self, entry: Entry, event: ev.BecameFollower) -> None:
        where = TopicPartition(event.topic, event.partition)
        self._judge("P25", entry, where, event.high_watermark, event.log_end_offset)

    def _cut(self, entry: Entry, event: ev.ReplicaTruncated) -> None:
        if event.high_watermark_after != UNKNOWN_OFFSET:
            where = TopicPartition(event.topic, event.partition)
            self._judge("P25", entry, where, event.high_watermark_after, event.end_offset)

    def _judge(self, invariant: str, entry: Entry, where: TopicPartition, high_watermark: Offset, end: Offset) -> None:
        self._report.checked(invariant)
        if high_watermark > end:
            self._violated(invariant, entry, where, high_watermark, end)

    def _violated(
        self, invariant: str, entry: Entry, where: TopicPartition, high_watermark: Offset, end: Offset
    ) -> None:
        sentence = f"node {entry.node} has high watermark {high_watermark} of {where}, and its log ends at {end}"
        self._report.violated(invariant, sentence, (entry.id,), record=f"{where} offset {end}", scope=where)
