"""Snapshots of a node's image: loaded at its start and when the log is cut before it, written when they are due.

Source: Kafka MetadataLoader, SnapshotGenerator.
"""

from __future__ import annotations

from cluster.controller.image_records import image_digest, image_records
from cluster.model.effects import Effect, Emit
from cluster.model.events import SnapshotLoaded
from cluster.model.identifiers import SnapshotId
from cluster.model.log_view import LogView, SnapshotView
from cluster.model.metadata_records import KRaftVersionRecord, VotersRecord
from cluster.model.settings import Settings
from cluster.model.snapshot import encode_snapshot
from cluster.node.committed import Committed
from cluster.raft import snapshots
from cluster.raft.snapshots import Applied, Made
from cluster.raft.voter_history import VoterHistory


class SnapshotPart:
    """One node's snapshots of the metadata: writes them when they are due, and hands loaded ones to its machines."""

    __slots__ = ("_committed", "_history", "_log", "_settings", "_since_ms", "_snapshots")

    def __init__(
        self,
        committed: Committed,
        log: LogView,
        snapshots: SnapshotView,
        settings: Settings,
        history: VoterHistory | None = None,
    ) -> None:
        """`history`: of a dynamic quorum, whose snapshots name its voters."""
        self._committed, self._log, self._snapshots, self._settings = committed, log, snapshots, settings
        self._history = history
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
        """Called when more is applied. What is not committed is not in the image, so never in a snapshot."""
        committed = self._committed
        snapshot_id = SnapshotId(committed.next_offset, committed.last_epoch)
        applied = Applied(snapshot_id, committed.applied_bytes, now_ms - self._since_ms)
        start = self._log.log_start_offset
        effects = snapshots.write_when_due(applied, self._snapshots, start, self._settings, self._make)
        if effects:
            committed.applied_bytes, self._since_ms = 0, now_ms
            if self._history is not None:
                self._history.forget_before(snapshot_id.end_offset)
        return effects

    def _make(self, snapshot_id: SnapshotId) -> Made:
        committed = self._committed
        records = image_records(committed.image)
        voters = None if self._history is None else self._history.before(snapshot_id.end_offset)[1]
        control = () if voters is None else (KRaftVersionRecord(version=1), VotersRecord(voters=voters))
        data = encode_snapshot(snapshot_id, records, committed.last_timestamp_ms, control)
        return Made(data, len(records), image_digest(committed.image), voters or ())
