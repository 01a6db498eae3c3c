"""The voters of each stretch of the log.

The newest record that is appended counts, committed or not; when it is cut off, the one before it counts again.
Source: KIP-853, Kafka VoterSetHistory, KRaftControlRecordStateMachine.
"""

from __future__ import annotations

from cluster.model.codec import decode_metadata_record
from cluster.model.identifiers import UNKNOWN_OFFSET, Offset
from cluster.model.log_view import LogView
from cluster.model.metadata_records import VotersRecord
from cluster.model.record_batch import batches, decode_records
from cluster.model.voters import VoterSet

BOOTSTRAP_OFFSET: Offset = UNKNOWN_OFFSET
"""Of the voters that a disk was formatted with: they stand before the log."""
READ_BYTES = 1 << 20


class VoterHistory:
    """Voter sets by the offset of their record, oldest first. There is always one."""

    __slots__ = ("_sets",)

    def __init__(self, first: VoterSet) -> None:
        """`first`: what the disk was formatted with; empty where it was formatted without."""
        self._sets = [(BOOTSTRAP_OFFSET, first)]

    @property
    def newest(self) -> tuple[Offset, VoterSet]:
        """What is in force, and where it stands."""
        return self._sets[-1]

    def add(self, offset: Offset, voters: VoterSet) -> None:
        """A record was appended."""
        assert offset > self._sets[-1][0], "voters are appended in order"
        self._sets.append((offset, voters))

    def cut(self, end_offset: Offset) -> bool:
        """Forget what stands at end_offset and after it; whether other voters are in force now."""
        before = len(self._sets)
        self._sets = [item for item in self._sets if item[0] < end_offset]
        return len(self._sets) < before

    def take_in(self, records: bytes) -> bool:
        """Look for voters in whole batches; whether there were any."""
        found = False
        for header, batch in batches(records):
            if not header.control:
                continue
            for delta, record in enumerate(decode_records(batch)):
                decoded = decode_metadata_record(record)
                if isinstance(decoded, VotersRecord):
                    self.add(header.base_offset + delta, decoded.voters)
                    found = True
        return found


def read_history(log: LogView, first: VoterSet) -> VoterHistory:
    """What a node's log says when it starts."""
    history = VoterHistory(first)
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        data = log.read(offset, READ_BYTES)
        history.take_in(data)
        offset = [header.end_offset for header, _ in batches(data)][-1]
    return history
