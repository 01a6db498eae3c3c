"""Where logs part and where they are cut, in each mode and at each bound."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from cluster.model.identifiers import EpochEnd
from cluster.model.leader_epochs import UNKNOWN_END, LeaderEpochs
from cluster.replication.rules.truncation import (
    Cut,
    OutOfRange,
    diverging_epoch,
    epoch_end_kip101,
    resolve_out_of_range,
    truncation_point,
    truncation_point_high_watermark,
    truncation_point_kip101,
)

EPOCHS = LeaderEpochs([(1, 0), (3, 5), (4, 8)])
"""Epoch 1 up to 5, epoch 3 up to 8, epoch 4 up to the log's end at 10."""


@pytest.mark.parametrize(
    ("last_epoch", "offset", "found"),
    [
        (4, 10, None),
        (4, 11, EpochEnd(4, 10)),
        (3, 8, None),
        (3, 9, EpochEnd(3, 8)),
        (2, 4, EpochEnd(1, 5)),
        (1, 5, None),
        (1, 6, EpochEnd(1, 5)),
        (5, 4, UNKNOWN_END),
        (0, 0, None),
        (0, 1, EpochEnd(0, 0)),
    ],
)
def test_where_a_leader_sees_logs_part(last_epoch: int, offset: int, found: EpochEnd | None) -> None:
    ruling = diverging_epoch(EPOCHS, 10, last_epoch, offset)
    assert (ruling.value, ruling.granted) == (found, found is not None)
    assert ("never saw" in ruling.decision.reason) is (found == UNKNOWN_END)
    if found is not None:
        assert ruling.numbers == {
            "last_fetched_epoch": last_epoch,
            "fetch_offset": offset,
            "leader_has_epoch": found.epoch,
            "which_ends_at": found.end_offset,
        }


def test_a_leader_that_has_never_written_cannot_say_where_logs_part() -> None:
    assert diverging_epoch(LeaderEpochs(), 0, -1, 0).value == UNKNOWN_END


@pytest.mark.parametrize(
    ("told", "cut", "numbers"),
    [
        (EpochEnd(3, 7), Cut(7), {"own_epoch_found": 3, "own_epoch_ends_at": 8}),
        (EpochEnd(3, 9), Cut(8), {"own_epoch_found": 3, "own_epoch_ends_at": 8}),
        (EpochEnd(4, 12), Cut(10), {"own_epoch_found": 4, "own_epoch_ends_at": 10}),
        (EpochEnd(2, 9), Cut(5, is_last=False), {"own_epoch_found": 1, "own_epoch_ends_at": 5}),
        (EpochEnd(9, 7), Cut(7), {}),
        (EpochEnd(9, 12), Cut(10), {}),
        (EpochEnd(-1, 4), Cut(4), {}),
    ],
)
def test_where_a_follower_cuts(told: EpochEnd, cut: Cut, numbers: Mapping[str, int]) -> None:
    ruling = truncation_point(EPOCHS, 10, told)
    assert (ruling.value, ruling.granted) == (cut, True)
    usual = {"leader_epoch_found": told.epoch, "which_ends_at": told.end_offset, "own_log_end_offset": 10}
    assert ruling.numbers == {**usual, **numbers}


@pytest.mark.parametrize(("epoch", "end"), [(4, 10), (3, 8), (2, 5), (1, 5), (0, -1), (5, -1)])
def test_what_a_leader_of_0_11_answers(epoch: int, end: int) -> None:
    assert epoch_end_kip101(EPOCHS, 10, epoch) == end
    assert epoch_end_kip101(LeaderEpochs(), 10, epoch) == -1


@pytest.mark.parametrize(("answered", "cut"), [(7, 7), (10, 10), (11, 10), (0, 0), (-1, 4)])
def test_where_a_follower_of_0_11_cuts(answered: int, cut: int) -> None:
    ruling = truncation_point_kip101(10, 4, answered)
    assert (ruling.value, ruling.granted) == (Cut(cut), True)
    told = {"leader_answered": answered, "own_log_end_offset": 10, "own_high_watermark": 4}
    assert ruling.numbers == {**told, "cut_to": cut}


@pytest.mark.parametrize(("high_watermark", "cuts"), [(9, True), (10, False), (11, False)])
def test_a_follower_of_0_10_cuts_to_its_high_watermark(high_watermark: int, cuts: bool) -> None:  # noqa: FBT001
    ruling = truncation_point_high_watermark(10, high_watermark)
    assert (ruling.value, ruling.granted) == (Cut(high_watermark), cuts)
    assert ruling.numbers == {"high_watermark": high_watermark, "own_log_end_offset": 10}


@pytest.mark.parametrize(
    ("start", "end", "may_lose", "answer"),
    [
        (11, 20, True, OutOfRange.BEGIN_ANEW),
        (10, 20, True, OutOfRange.ASK_AGAIN),
        (0, 10, True, OutOfRange.ASK_AGAIN),
        (0, 9, True, OutOfRange.CUT),
        (0, 0, True, OutOfRange.CUT),
        (0, -1, True, OutOfRange.ASK_AGAIN),
        (0, 9, False, OutOfRange.HALT),
        (0, 10, False, OutOfRange.ASK_AGAIN),
    ],
)
def test_what_a_follower_does_that_is_out_of_range(
    start: int,
    end: int,
    may_lose: bool,  # noqa: FBT001
    answer: OutOfRange,
) -> None:
    ruling = resolve_out_of_range(10, start, end, may_lose_records=may_lose)
    moves = answer in (OutOfRange.BEGIN_ANEW, OutOfRange.CUT)
    assert (ruling.value, ruling.granted) == (answer, moves)
    assert ruling.numbers == {"leader_log_end_offset": end, "own_log_end_offset": 10}
