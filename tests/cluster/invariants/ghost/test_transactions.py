"""Transactions in one log, through cuts."""

from __future__ import annotations

from cluster.invariants.ghost.transactions import ReplicaTransactions
from cluster.model.entry import EventId

AT = EventId(1, 0, 0)


def written(*whats: str) -> ReplicaTransactions:
    log = ReplicaTransactions()
    for offset, what in enumerate(whats):
        log.take(offset, offset + 1, (7, 0, what), AT)
    return log


def test_a_marker_decides_what_is_before_it() -> None:
    log = written("data", "data", "commit", "data", "abort", "data")
    assert [log.fate(offset) for offset in range(7)] == ["commit", "commit", "", "abort", "", "open", ""]


def test_undecided_is_what_no_marker_below_the_high_watermark_ends() -> None:
    log = written("data", "data", "commit", "data")
    assert log.undecided_from(4, 0) == 3
    assert log.undecided_from(3, 0) == 3
    assert log.undecided_from(2, 0) == 0, "the marker at 2 is not committed"
    assert log.undecided_from(2, 1) == 1, "what is left of it begins there"


def test_a_cut_opens_what_its_marker_had_ended() -> None:
    log = written("data", "abort", "data", "commit")
    log.cut(3)
    assert [log.fate(offset) for offset in (0, 2)] == ["abort", "open"]
    log.cut(1)
    assert log.fate(0) == "open" and list(log.open) == [7]
    log.cut(0)
    assert not log.open and not log.newest
