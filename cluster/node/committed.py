"""From committed batches of the metadata log to a node's image. Source: Kafka MetadataLoader, MetadataBatchLoader."""

from __future__ import annotations

from cluster.controller.image import MetadataImage, UnfitRecordError
from cluster.controller.image_records import rebuild_image
from cluster.model.codec import decode_metadata_record
from cluster.model.identifiers import Epoch, Offset, SnapshotId
from cluster.model.log_view import LogView, SnapshotView
from cluster.model.record_batch import batch_times, batches, decode_records
from cluster.model.snapshot import BadSnapshotError, decode_snapshot, snapshot_name

READ_BYTES = 1 << 20


class Committed:
    """The image of what is committed and already in the own log, or in a snapshot in front of it."""

    __slots__ = ("_log", "_snapshots", "applied_bytes", "image", "last_epoch", "last_timestamp_ms", "next_offset")

    def __init__(self, log: LogView, snapshots: SnapshotView) -> None:
        self._log, self._snapshots = log, snapshots
        self.image = MetadataImage()
        """After every record below next_offset."""
        self.next_offset: Offset = 0
        """First record not applied (inclusive)."""
        self.last_epoch: Epoch = 0
        """Of the last record that was applied."""
        self.last_timestamp_ms = 0
        """Of the last record that was applied."""
        self.applied_bytes = 0
        """Of the batches that were applied since the newest snapshot was written or loaded."""

    @property
    def is_behind_log(self) -> bool:
        """Whether the log begins after what is applied, so that a snapshot has to be loaded first."""
        return self.next_offset < self._log.log_start_offset

    def load_newest(self) -> tuple[SnapshotId, int] | None:
        """Put the newest good snapshot in place of the image: its id and how many records it holds; None without one.

        The image changes at once and as a whole. UnfitRecordError when nothing good reaches to where the log begins.
        """
        for one in reversed(self._snapshots.kept):
            snapshot_id = one.snapshot_id
            data = self._snapshots.read(snapshot_id)
            if data is None or snapshot_id.end_offset < self._log.log_start_offset:
                continue
            try:
                records = decode_snapshot(snapshot_id, data).records
            except BadSnapshotError as error:  # every CRC is right: its writer knew other records
                raise UnfitRecordError(f"{snapshot_name(snapshot_id)} cannot be taken in: {error}") from error
            self.image.become(rebuild_image(records, snapshot_id.end_offset))
            self.next_offset, self.last_epoch = snapshot_id
            self.last_timestamp_ms, self.applied_bytes = one.last_timestamp_ms, 0
            return snapshot_id, len(records)
        if self.is_behind_log:
            raise UnfitRecordError(f"no good snapshot stands for what is before offset {self._log.log_start_offset}")
        return None

    def advance(self, high_watermark: Offset) -> bool:
        """Apply whole batches below high_watermark (exclusive); True when there were any.

        A follower may learn a high watermark in the same step in which it asks to append the records below it; the
        rest is applied when that is done, see Node.catch_up. UnfitRecordError when one of them does not fit.
        """
        before = self.next_offset
        if high_watermark <= before:
            return False
        end_offset = min(high_watermark, self._log.log_end_offset)
        while self.next_offset < end_offset:
            data = self._log.read(self.next_offset, READ_BYTES, end_offset)
            if not data:
                break
            for header, batch in batches(data):
                for delta, record in enumerate(decode_records(batch)):
                    self.image.apply(decode_metadata_record(record), header.base_offset + delta)
                self.next_offset, self.last_epoch = header.end_offset, header.leader_epoch
                self.last_timestamp_ms = batch_times(batch)[1]
                self.applied_bytes += header.size_bytes
        return self.next_offset > before
