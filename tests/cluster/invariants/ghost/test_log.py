"""Rebuilt logs and what names their prefixes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.invariants.ghost.log import GhostLog, Lineage, agree, first_difference, pack, unpack
from cluster.model.entry import Entry, EventId

Written = list[tuple[int, int, int]]


def log_of(batches: Written) -> GhostLog:
    """Batches of (count, epoch, crc)."""
    log, end = GhostLog(), 0
    for count, epoch, crc in batches:
        end += count
        log.append(end, epoch, crc)
    return log


BATCHES = st.lists(st.tuples(st.integers(1, 3), st.integers(1, 2), st.integers(0, 2)), max_size=8)


@given(BATCHES, BATCHES)
def test_digests_agree_exactly_where_the_batches_do(one: Written, other: Written) -> None:
    mine, theirs = log_of(one), log_of(other)
    shared = next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    place = None if shared is None else sum(count for count, _, _ in one[:shared])
    assert first_difference(mine, theirs) == place
    common = place if place is not None else min(mine.end_offset, theirs.end_offset)
    assert agree(mine, theirs, common)
    if place is not None:
        assert agree(mine, theirs, place + 1) is False


@given(BATCHES, st.integers(0, 12))
def test_a_cut_and_regrown_log_is_the_log_that_never_had_the_rest(batches: Written, place: int) -> None:
    log = log_of(batches)
    log.claimed_offset = log.end_offset
    log.cut(place)
    kept, end = [], 0
    for batch in batches:
        end += batch[0]
        if end <= place:
            kept.append(batch)
    assert log.digest == log_of(kept).digest
    assert log.claimed_offset == log.end_offset <= place


def test_a_log_that_holds_nothing_from_its_start_on_can_end_before_it() -> None:
    log = GhostLog()
    log.restart_at(5)
    log.cut(3)
    assert (log.end_offset, log.is_known) == (3, False)
    log.cut(0)
    assert (log.end_offset, log.is_known) == (0, True)


@pytest.mark.parametrize(("epoch", "end"), [(0, -1), (1, 3), (2, 3), (3, 4), (9, 4)])
def test_an_epoch_ends_where_the_next_one_that_has_records_begins(epoch: int, end: int) -> None:
    assert log_of([(2, 1, 0), (1, 1, 0), (1, 3, 0)]).end_of_epoch(epoch) == end


def test_where_an_epoch_ended_that_was_deleted_is_not_known() -> None:
    log = log_of([(2, 1, 0), (1, 2, 0)])
    log.log_start_offset = 2
    assert (log.end_of_epoch(1), log.end_of_epoch(2)) == (-1, 3)
    log.restart_at(3)
    log.append(4, 2, 0)
    assert log.end_of_epoch(2) == -1


def test_a_prefix_inside_a_batch_is_named_by_the_whole_batch() -> None:
    log = log_of([(2, 1, 7), (3, 1, 8)])
    assert log.digest_at(3) == log.digest_at(5) != log.digest_at(2)
    assert log.digest_at(6) is None
    assert log.batch_at(4) == (2, 5, 1, 8)
    assert log.epoch_at(5) == -1


def test_a_log_whose_beginning_was_never_told_agrees_with_none() -> None:
    log, other = GhostLog(), log_of([(4, 1, 7)])
    log.restart_at(2)
    log.append(4, 1, 7)
    assert agree(log, other, 4) is None
    assert log.batch_at(1) is None and log.batch_at(2) == (2, 4, 1, 7)


def test_a_lineage_finds_the_event_of_the_other_batch() -> None:
    lineage, log = Lineage(), GhostLog()
    assert lineage.take_in(log, [(0, 1, 1, "a"), (1, 2, 1, "b")], 7) == []
    other = GhostLog()
    assert lineage.take_in(other, [(0, 1, 1, "a"), (1, 2, 2, "c")], 8) == [], "another epoch may write there"
    assert lineage.take_in(GhostLog(), [(0, 1, 1, "a"), (1, 2, 1, "b")], 9) == [], "the same once more"
    assert lineage.take_in(GhostLog(), [(0, 1, 1, "a"), (1, 2, 1, "f")], 9) == [(3, 1, unpack(7))]
    assert lineage.take_in(GhostLog(), [(0, 2, 1, "a")], 9) == [(2, 1, unpack(7))], "it lies inside one batch"
    assert lineage.first_event(3, 1) == unpack(7)
    assert lineage.first_event(2, 1) is None


def test_what_is_taken_in_again_changes_nothing_and_what_differs_cuts_first() -> None:
    lineage, log = Lineage(), GhostLog()
    lineage.take_in(log, [(0, 2, 1, "a"), (2, 1, 1, "b")], 1)
    digest = log.digest
    lineage.take_in(log, [(0, 2, 1, "a"), (2, 1, 1, "b")], 2)
    assert (len(log), log.digest) == (2, digest)
    lineage.take_in(log, [(2, 2, 2, "c")], 3)
    assert (len(log), log.end_offset, log.batch(1)) == (2, 4, (2, 4, 2, 0xC))
    lineage.take_in(log, [(9, 1, 2, "d")], 4)
    assert (log.is_known, log.end_offset, log.batch_at(9)) == (False, 10, (9, 10, 2, 0xD))


@given(BATCHES, BATCHES, st.integers(0, 12))
def test_copying_from_a_log_is_appending_its_batches(one: Written, rest: Written, place: int) -> None:
    source = log_of([*one, *rest])
    copied = log_of(one)
    copied.copy_up_to(source, place)
    kept, end = list(one), sum(count for count, _, _ in one)
    for batch in rest:
        end += batch[0]
        if end <= place:
            kept.append(batch)
    assert copied.digest == log_of(kept).digest


@pytest.mark.parametrize("name", [(0, 0, 0), (101, 3, 7), (9001, 65_535, 4_294_967_295)])
def test_the_name_of_an_event_fits_in_one_integer(name: tuple[int, int, int]) -> None:
    entry = Entry("run", *name, 0, 0, 0, None, "", None, None)  # type: ignore[arg-type]
    assert unpack(pack(entry)) == EventId(*name)
    assert pack(entry) < 1 << 63


@given(BATCHES, BATCHES, st.integers(0, 8), st.integers(0, 8))
def test_a_front_that_is_taken_over_makes_two_logs_the_same_up_to_there(
    one: Written, other: Written, mine_at: int, theirs_at: int
) -> None:
    mine, theirs = log_of(one), log_of(other)
    place = sum(count for count, _, _ in one[:mine_at])
    fits = place == sum(count for count, _, _ in other[:theirs_at])
    before = [mine.batch(index) for index in range(len(mine))]
    mine.take_front(theirs, place)
    if not fits:
        return
    assert agree(mine, theirs, place)
    assert mine.end_offset == sum(count for count, _, _ in one)
    assert [mine.batch(index) for index in range(len(mine))][len(other[:theirs_at]) :] == before[len(one[:mine_at]) :]


def test_a_front_with_other_batches_around_its_end_is_not_taken() -> None:
    mine, theirs = log_of([(2, 1, 1), (2, 1, 2)]), log_of([(3, 1, 1), (1, 1, 2)])
    mine.take_front(theirs, 2)
    assert [mine.batch(index).end_offset for index in range(len(mine))] == [2, 4]


def test_a_log_that_begins_anew_is_known_again_with_the_front_of_another() -> None:
    mine, theirs = log_of([(1, 1, 1)]), log_of([(2, 1, 1), (2, 1, 2)])
    mine.restart_at(4)
    assert not mine.is_known
    mine.take_front(theirs, 4)
    assert mine.is_known
    assert agree(mine, theirs, 4)
