"""No high watermark is past the end of the log that it is of: on no replica, after no cut. Contract 2.2, 2.3."""

from __future__ import annotations

from cluster.invariants.group import Group, Tally, after, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import METADATA, UNKNOWN_OFFSET, Offset, TopicPartition


class WatermarkInvariants(Group):
    """R21 of the metadata log, P25 of partitions. No assumption excuses them: each replica knows its own log."""

    R21 = invariant("no high watermark past the end of its log", "Kafka ReplicatedLog, KIP-595")
    P25 = invariant("no high watermark past the end of its log", "Kafka UnifiedLog.updateHighWatermark")

    @after
    def _of_quorum(self, entry: Entry, event: ev.MetadataHighWatermarkAdvanced) -> None:
        self._judge(self.R21, entry, METADATA, event.high_watermark, self.ghost.quorum.logs[entry.node].end_offset)

    @after
    def _metadata_cut(self, entry: Entry, event: ev.MetadataTruncated) -> None:
        self._judge(self.R21, entry, METADATA, event.high_watermark, event.end_offset)

    @after
    def _advanced(self, entry: Entry, event: ev.HighWatermarkAdvanced) -> None:
        self.P25.checks += 1
        end = self.ghost.here.logs[entry.node].end_offset
        if event.high_watermark > end:
            self._violated(self.P25, entry, TopicPartition(event.topic, event.partition), event.high_watermark, end)

    @after
    def _leads(self, entry: Entry, event: ev.BecameLeader) -> None:
        where = TopicPartition(event.topic, event.partition)
        self._judge(self.P25, entry, where, event.high_watermark, event.epoch_start_offset)

    @after
    def _follows(self, entry: Entry, event: ev.BecameFollower) -> None:
        where = TopicPartition(event.topic, event.partition)
        self._judge(self.P25, entry, where, event.high_watermark, event.log_end_offset)

    @after
    def _cut(self, entry: Entry, event: ev.ReplicaTruncated) -> None:
        if event.high_watermark_after != UNKNOWN_OFFSET:
            where = TopicPartition(event.topic, event.partition)
            self._judge(self.P25, entry, where, event.high_watermark_after, event.end_offset)

    def _judge(self, promise: Tally, entry: Entry, where: TopicPartition, high_watermark: Offset, end: Offset) -> None:
        promise.checks += 1
        if high_watermark > end:
            self._violated(promise, entry, where, high_watermark, end)

    def _violated(
        self, promise: Tally, entry: Entry, where: TopicPartition, high_watermark: Offset, end: Offset
    ) -> None:
        promise.violated(
            f"node {entry.node} has high watermark {high_watermark} of {where}, and its log ends at {end}",
            entry,
            at=f"offset {end}",
        )
