"""The voters of each stretch of the log.

The newest record that is appended counts, committed or not; when it is cut off, the one before it counts again. A
snapshot names the voters that were in force where it ends, so that a log whose front is deleted forgets none.
Source: KIP-853, Kafka VoterSetHistory, KRaftControlRecordStateMachine.
"""

from __future__ import annotations

from cluster.model.codec import decode_metadata_record
from cluster.model.identifiers import UNKNOWN_OFFSET, Offset, SnapshotId
from cluster.model.log_view import LogView, SnapshotView
from cluster.model.metadata_records import VotersRecord
from cluster.model.record_batch import batches, decode_records
from cluster.model.snapshot import control_records
from cluster.model.voters import VoterSet

BOOTSTRAP_OFFSET: Offset = UNKNOWN_OFFSET
"""Of the voters that a disk was formatted with: they stand before the log."""
READ_BYTES = 1 << 20


class VoterHistory:
    """Voter sets by the offset of their record, oldest first. There is always one."""

    __slots__ = ("_first", "_sets")

    def __init__(self, first: VoterSet) -> None:
        """`first`: what the disk was formatted with; empty where it was formatted without."""
        self._first = first
        self._sets = [(BOOTSTRAP_OFFSET, first)]

    @property
    def newest(self) -> tuple[Offset, VoterSet]:
        """What is in force, and where it stands."""
        return self._sets[-1]

    def add(self, offset: Offset, voters: VoterSet) -> None:
        """A record was appended."""
        assert offset > self._sets[-1][0], "voters are appended in order"
        self._sets.append((offset, voters))

    def before(self, end_offset: Offset) -> tuple[Offset, VoterSet]:
        """What was in force at the record in front of end_offset, and where it stands."""
        return next((item for item in reversed(self._sets) if item[0] < end_offset), self._sets[0])

    def begin_after(self, snapshot_id: SnapshotId, data: bytes) -> None:
        """A snapshot takes the place of the log: the voters that it names stand at the last offset that it covers."""
        self._sets = [(BOOTSTRAP_OFFSET, self._first)]
        for record in control_records(data):
            if isinstance(record, VotersRecord):
                self._sets = [(snapshot_id.end_offset - 1, record.voters)]

    def forget_before(self, start_offset: Offset) -> None:
        """A snapshot ends there: older sets go, but for the one that is in force at it."""
        kept = self.before(start_offset)
        self._sets = [item for item in self._sets if item[0] >= kept[0]]

    def cut(self, end_offset: Offset) -> bool:
        """Forget what stands at end_offset and after it; whether other voters are in force now."""
        before = len(self._sets)
        self._sets = [item for item in self._sets if item[0] < end_offset]
        return len(self._sets) < before

    def take_in(self, records: bytes) -> bool:
        """Look for voters in whole batches; whether there were any."""
        is_changed = False
        for header, batch in batches(records):
            if not header.control:
                continue
            for delta, record in enumerate(decode_records(batch)):
                decoded = decode_metadata_record(record)
                if isinstance(decoded, VotersRecord):
                    self.add(header.base_offset + delta, decoded.voters)
                    is_changed = True
        return is_changed


def read_history(log: LogView, snapshots: SnapshotView, first: VoterSet) -> VoterHistory:
    """What a node's newest good snapshot and the log after it say when it starts."""
    history, offset = VoterHistory(first), log.log_start_offset
    for one in reversed(snapshots.kept):
        data = snapshots.read(one.snapshot_id)
        if data is not None:
            history.begin_after(one.snapshot_id, data)
            offset = max(offset, one.snapshot_id.end_offset)
            break
    while offset < log.log_end_offset:
        data = log.read(offset, READ_BYTES)
        history.take_in(data)
        offset = [header.end_offset for header, _ in batches(data)][-1]
    return history
