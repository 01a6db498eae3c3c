"""Which voters a log says are in force."""

from __future__ import annotations

import pytest

from cluster.model.codec import encode_metadata_record
from cluster.model.identifiers import SnapshotId
from cluster.model.log_view import KeptSnapshot, NoSnapshots
from cluster.model.metadata_records import KRaftVersionRecord, LeaderChangeRecord, NoOpRecord, VotersRecord
from cluster.model.record_batch import encode_batch
from cluster.model.snapshot import encode_snapshot
from cluster.model.voters import Voter
from cluster.raft.voter_history import BOOTSTRAP_OFFSET, VoterHistory, read_history
from tests.support.worlds.quorum_harness import MemoryLog

FIRST, SECOND, THIRD = ((Voter(101, "a"),), (Voter(101, "a"), Voter(102, "b")), (Voter(102, "b"),))
BEGIN = LeaderChangeRecord(leader_id=101, voters=(101,), granting_voters=(101,))


def written() -> bytes:
    """Offsets 0 and 1 in one control batch, 2 of the usual kind, 3 in another control batch."""
    parts = (
        ((BEGIN, VotersRecord(voters=SECOND)), 0, True),
        ((NoOpRecord(),), 2, False),
        ((VotersRecord(voters=THIRD),), 3, True),
    )
    return b"".join(
        encode_batch([encode_metadata_record(item) for item in records], base, 1, control=control)
        for records, base, control in parts
    )


def test_the_newest_record_counts_and_what_the_disk_was_formatted_with_before_there_is_one() -> None:
    history = VoterHistory(FIRST)
    assert history.newest == (BOOTSTRAP_OFFSET, FIRST)
    assert history.take_in(written())
    assert history.newest == (3, THIRD)
    assert not VoterHistory(FIRST).take_in(encode_batch([encode_metadata_record(NoOpRecord())]))


def test_a_cut_brings_back_the_voters_before() -> None:
    history = VoterHistory(FIRST)
    history.take_in(written())
    assert not history.cut(4)
    assert history.cut(3)
    assert history.newest == (1, SECOND)
    assert history.cut(0)
    assert history.newest == (BOOTSTRAP_OFFSET, FIRST)


def test_a_node_that_starts_reads_its_log() -> None:
    log = MemoryLog()
    log.append(written())
    assert read_history(log, NoSnapshots(), FIRST).newest == (3, THIRD)
    assert read_history(MemoryLog(), NoSnapshots(), FIRST).newest == (BOOTSTRAP_OFFSET, FIRST)


def snapshot_of(end_offset: int, *voters: Voter) -> tuple[SnapshotId, bytes]:
    control = (KRaftVersionRecord(version=1), VotersRecord(voters=voters)) if voters else ()
    snapshot_id = SnapshotId(end_offset, 1)
    return snapshot_id, encode_snapshot(snapshot_id, [], 0, control)


class Kept(NoSnapshots):
    """A SnapshotView over bytes; those without any have gone bad."""

    def __init__(self, *held: tuple[SnapshotId, bytes | None]) -> None:
        self._held = dict(held)
        self.kept = tuple(KeptSnapshot(one, 1, 0) for one in self._held)

    def read(self, snapshot_id: SnapshotId, position: int = 0, max_bytes: int | None = None) -> bytes | None:
        return self._held[snapshot_id]


def test_a_node_that_starts_goes_on_from_its_newest_good_snapshot() -> None:
    """The log before it may be there still, or gone."""
    log = MemoryLog()
    log.append(written())
    older, newer = snapshot_of(2, *SECOND), snapshot_of(3, Voter(103, "c"))
    assert read_history(log, Kept(older, newer), FIRST).newest == (3, THIRD), "the log has a newer record"
    assert read_history(log, Kept(older, snapshot_of(4, *SECOND)), FIRST).newest == (3, SECOND)
    assert read_history(MemoryLog(), Kept(older, (newer[0], None)), FIRST).newest == (1, SECOND)
    assert read_history(MemoryLog(), Kept(older, newer), FIRST).newest == (2, (Voter(103, "c"),))


def test_voters_of_a_snapshot_stand_at_the_last_offset_that_it_covers() -> None:
    history = VoterHistory(FIRST)
    history.take_in(written())
    history.begin_after(*snapshot_of(9, *SECOND))
    assert history.newest == (8, SECOND)
    history.begin_after(*snapshot_of(12))
    assert history.newest == (BOOTSTRAP_OFFSET, FIRST), "one that names none"


def test_a_snapshot_names_what_was_in_force_at_its_end_and_what_is_older_is_forgotten() -> None:
    history = VoterHistory(FIRST)
    history.take_in(written())
    assert [history.before(end)[1] for end in (1, 2, 3, 4)] == [FIRST, SECOND, SECOND, THIRD]
    history.forget_before(3)
    assert history.before(3) == (1, SECOND) and history.newest == (3, THIRD)
    assert history.before(1) == (1, SECOND), "the older ones are gone"
    history.forget_before(100)
    assert history.newest == (3, THIRD), "who is in force stays"


def test_records_come_in_order() -> None:
    history = VoterHistory(FIRST)
    history.add(4, SECOND)
    with pytest.raises(AssertionError):
        history.add(4, THIRD)
