"""From committed batches of the metadata log to a node's image. Source: Kafka MetadataLoader, MetadataBatchLoader."""

from __future__ import annotations

from cluster.controller.image import MetadataImage
from cluster.model.codec import decode_metadata_record
from cluster.model.identifiers import Offset
from cluster.model.log_view import LogView
from cluster.model.record_batch import batches, decode_records

READ_BYTES = 1 << 20


class Committed:
    """The image of what is committed and already in the own log."""

    __slots__ = ("_log", "image", "next_offset")

    def __init__(self, log: LogView) -> None:
        self._log = log
        self.image = MetadataImage()
        """After every record below next_offset."""
        self.next_offset: Offset = log.log_start_offset
        """First record not applied (inclusive)."""

    def advance(self, high_watermark: Offset) -> bool:
        """Apply whole batches below high_watermark (exclusive); True when there were any.

        A follower may learn a high watermark in the same step in which it asks to append the records below it; the
        rest is applied in the step after, when the log holds them. UnfitRecordError when one of them does not fit.
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
                self.next_offset = header.end_offset
        return self.next_offset > before
