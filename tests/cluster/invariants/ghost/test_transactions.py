"""Transactions in one log, through cuts."""

from __future__ import annotations

import pytest

from cluster.invariants.ghost.ghost import Ghost
from cluster.invariants.ghost.transactions import ReplicaTransactions, TransactionWatch
from cluster.invariants.watcher import dispatch
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId

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


@pytest.mark.parametrize(("end_offset", "is_open"), [(2, True), (1, False)])
def test_a_log_that_is_deleted_whole_keeps_what_is_open_and_one_that_begins_anew_knows_nothing(
    end_offset: int, is_open: bool
) -> None:
    ghost = Ghost()
    partition = ghost.partition("orders", 0)
    for offset in range(end_offset):
        partition.log(2).append(offset + 1, 0, 0)
    partition.transactions.of(2).take(0, 1, (7, 0, "data"), AT)
    event = ev.LogStartAdvanced(
        topic="orders", partition=0, log_start_offset=2, old_log_start_offset=0, high_watermark=2, role="follower"
    )
    entry = Entry("run", 2, 0, 1, 0, 0, 0, None, "", None, event)
    ghost.here = partition
    for handler in dispatch((ghost, TransactionWatch(ghost)))[ev.LogStartAdvanced]:
        handler(entry, event)
    assert bool(partition.transactions.of(2).open) is is_open
