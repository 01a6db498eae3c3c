"""Which voters a log says are in force."""

from __future__ import annotations

import pytest

from cluster.model.codec import encode_metadata_record
from cluster.model.metadata_records import LeaderChangeRecord, NoOpRecord, VotersRecord
from cluster.model.record_batch import encode_batch
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
    assert read_history(log, FIRST).newest == (3, THIRD)
    assert read_history(MemoryLog(), FIRST).newest == (BOOTSTRAP_OFFSET, FIRST)


def test_records_come_in_order() -> None:
    history = VoterHistory(FIRST)
    history.add(4, SECOND)
    with pytest.raises(AssertionError):
        history.add(4, THIRD)
