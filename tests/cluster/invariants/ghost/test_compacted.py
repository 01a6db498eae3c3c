"""What the checker knows of what compaction took."""

from __future__ import annotations

from cluster.invariants.ghost.compacted import Compacted
from tests.cluster.invariants.replication.test_compaction import told


def test_only_what_was_taken_may_be_skipped() -> None:
    compacted = Compacted()
    compacted.take(1, told(records="ABAC", removed=(0, 1), end=4))
    assert compacted.may_skip(0, 2) and not compacted.may_skip(0, 3) and not compacted.may_skip(2, 0)
    assert not compacted.may_skip(4, 5), "past its end nothing was compacted"
    assert compacted.thin_to == {1: 4}


def test_a_pass_that_is_not_told_of_in_full_excuses_all_below_its_end() -> None:
    compacted = Compacted()
    compacted.take(1, told(records="", removed=(), end=4, is_told=False))
    assert compacted.may_skip(0, 4) and not compacted.may_skip(0, 5)
    assert compacted.is_left(3, "77") and not compacted.is_left(4, "77")


def test_a_pass_that_died_may_be_ended_by_the_next_start_and_is_never_told() -> None:
    compacted = Compacted()
    compacted.begun[1] = 4
    compacted.take(1, told(records="ABAC", removed=(0, 1), end=4))
    compacted.recover(1)
    assert compacted.is_told, "it came to its end before"
    compacted.begun[2] = 6
    compacted.recover(2)
    assert compacted.may_skip(0, 6) and not compacted.may_skip(0, 7) and compacted.thin_to == {1: 4, 2: 6}
