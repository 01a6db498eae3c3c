"""Snapshots of a node's image: loaded at its start and when the log is cut before it, written when they are due.

Source: Kafka MetadataLoader, SnapshotGenerator.
"""

from __future__ import annotations

from cluster.controller.image_records import image_digest, image_records
from cluster.model.effects import Effect, Emit
from cluster.model.events import SnapshotLoaded
from cluster.model.identifiers import SnapshotId
from cluster.model.log_view import LogView, SnapshotView
from cluster.model.settings import Settings
from cluster.model.snapshot import encode_snapshot
from cluster.node.committed import Committed
from cluster.raft import snapshots
from cluster.raft.snapshots import Applied, Made


class SnapshotPart:
    """Of one node."""

    __slots__ = ("_committed", "_log", "_settings", "_since_ms", "_snapshots")

    def __init__(self, committed: Committed, log: LogView, snapshots: SnapshotView, settings: Settings) -> None:
        self._committed, self._log, self._snapshots, self._settings = committed, log, snapshots, settings
        self._since_ms = 0

    def load(self, now_ms: int) -> list[Effect]:
        """Take over the newest snapshot, if there is one. UnfitRecordError when one is needed and none is good."""
        self._since_ms = now_ms
        loaded = self._committed.load_newest()
        if loaded is None:
            return []
        (end_offset, epoch), record_count = loaded
        digest = image_digest(self._committed.image)
        kept = tuple((one.snapshot_id.end_offset, one.snapshot_id.epoch) for one in self._snapshots.kept)
        return [
            Emit(
                SnapshotLoaded(end_offset=end_offset, epoch=epoch, record_count=record_count, digest=digest, kept=kept)
            )
        ]

    def write_when_due(self, now_ms: int) -> list[Effect]:
        """Called when more is applied. What is not committed is not in the image, so never in a snapshot.

        A quorum whose voters change writes none: voters stand in its log, and a snapshot does not carry them yet.
        """
        if self._settings.dynamic_quorum:
            return []
        committed = self._committed
        snapshot_id = SnapshotId(committed.next_offset, committed.last_epoch)
        applied = Applied(snapshot_id, committed.applied_bytes, now_ms - self._since_ms)
        start = self._log.log_start_offset
        effects = snapshots.write_when_due(applied, self._snapshots, start, self._settings, self._make)
        if effects:
            committed.applied_bytes, self._since_ms = 0, now_ms
        return effects

    def _make(self, snapshot_id: SnapshotId) -> Made:
        committed = self._committed
        records = image_records(committed.image)
        data = encode_snapshot(snapshot_id, records, committed.last_timestamp_ms)
        return Made(data, len(records), image_digest(committed.image))
