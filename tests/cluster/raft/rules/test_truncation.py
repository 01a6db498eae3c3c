"""Where two metadata logs part, and where one is cut."""

from __future__ import annotations

import pytest

from cluster.model.identifiers import EpochEnd
from cluster.model.leader_epochs import LeaderEpochs
from cluster.raft.rules.truncation import diverging_epoch, truncation_point


def test_a_fetch_that_agrees_does_not_diverge() -> None:
    epochs = LeaderEpochs(((1, 0), (3, 3)))
    assert diverging_epoch(epochs, 5, 1, 3).value is None
    assert diverging_epoch(epochs, 5, 3, 5).value is None
    assert diverging_epoch(epochs, 5, 0, 0).value is None


def test_a_tail_of_an_epoch_the_leader_never_had_is_found_and_cut() -> None:
    leader, follower = LeaderEpochs(((1, 0), (3, 2))), LeaderEpochs(((1, 0), (2, 2)))
    diverging = diverging_epoch(leader, 4, 2, 4).value
    assert diverging == EpochEnd(1, 2)
    assert truncation_point(follower, 4, diverging).value == 2


def test_a_longer_tail_of_a_shared_epoch_is_cut_to_the_leaders_end() -> None:
    assert truncation_point(LeaderEpochs(((1, 0),)), 520, EpochEnd(1, 500)).value == 500


def test_an_unknown_shared_epoch_cuts_to_the_own_end_of_the_one_below() -> None:
    assert truncation_point(LeaderEpochs(((1, 0), (4, 2))), 6, EpochEnd(3, 5)).value == 2


def test_a_leader_whose_log_is_empty_has_a_fetcher_begin_at_0() -> None:
    assert diverging_epoch(LeaderEpochs(), 0, 2, 4).value == EpochEnd(0, 0)


def epochs_of(*entries: tuple[int, int]) -> LeaderEpochs:
    """Epochs and where they start."""
    known = LeaderEpochs()
    for epoch, start_offset in entries:
        known.assign(epoch, start_offset)
    return known


@pytest.mark.parametrize(
    ("last_fetched_epoch", "fetch_offset", "diverging", "reason"),
    [
        (0, 0, None, "the fetcher's log is empty"),
        (-1, 0, None, "the fetcher's log is empty"),
        (1, 0, None, "the logs agree"),
        (0, 1, EpochEnd(0, 0), "the fetcher has records the leader never had"),
        (3, 8, None, "the logs agree"),
        (3, 9, EpochEnd(3, 8), "the fetcher has records the leader never had"),
        (1, 4, None, "the logs agree"),
        (1, 5, EpochEnd(1, 4), "the fetcher has records the leader never had"),
        (2, 3, EpochEnd(1, 4), "the fetcher has records the leader never had"),
        (5, 9, EpochEnd(3, 8), "the leader never had that epoch"),
    ],
)
def test_where_two_logs_part_and_why(
    last_fetched_epoch: int, fetch_offset: int, diverging: EpochEnd | None, reason: str
) -> None:
    """The leader has epoch 1 from 0 and epoch 3 from 4, and ends at 8."""
    ruling = diverging_epoch(epochs_of((1, 0), (3, 4)), 8, last_fetched_epoch, fetch_offset)
    assert (ruling.value, ruling.granted, ruling.reason) == (diverging, diverging is not None, reason)


@pytest.mark.parametrize(
    ("diverging", "point", "reason"),
    [
        (EpochEnd(0, 5), 5, "cut to the end the leader named"),
        (EpochEnd(0, 9), 8, "cut to the end the leader named"),
        (EpochEnd(1, 6), 4, "cut to where the shared epoch ends first"),
        (EpochEnd(1, 2), 2, "cut to where the shared epoch ends first"),
        (EpochEnd(2, 2), 4, "cut to the end of the own older epoch"),
    ],
)
def test_where_a_log_is_cut_and_why(diverging: EpochEnd, point: int, reason: str) -> None:
    """The follower has epoch 1 from 0 and epoch 3 from 4, and ends at 8."""
    ruling = truncation_point(epochs_of((1, 0), (3, 4)), 8, diverging)
    assert (ruling.value, ruling.granted, ruling.reason) == (point, True, reason)


def test_a_log_without_epochs_is_cut_to_the_end_that_the_leader_names() -> None:
    ruling = truncation_point(LeaderEpochs(), 8, EpochEnd(2, 5))
    assert (ruling.value, ruling.reason) == (5, "cut to the end the leader named")
