"""What is committed in the metadata log."""

from __future__ import annotations

import pytest

from cluster.raft.rules.high_watermark import advance_high_watermark, follower_high_watermark, majority_offset


@pytest.mark.parametrize(
    ("ends", "offset"), [((9, 8, 7, 5), 7), ((9, 8, 5), 8), ((8, 7, 7), 7), ((12, 11, 10, 4, -1), 10), ((3,), 3)]
)
def test_the_majority_offset(ends: tuple[int, ...], offset: int) -> None:
    assert majority_offset(ends) == offset


def test_the_high_watermark_waits_for_a_record_of_the_leaders_own_epoch() -> None:
    moved = advance_high_watermark({101: 9, 102: 8, 103: 5}, 7, -1)
    assert (moved.value, moved.granted) == (8, True)
    still = advance_high_watermark({101: 8, 102: 7, 103: 7}, 7, -1)
    assert (still.value, still.granted) == (-1, False)


def test_the_high_watermark_never_goes_back() -> None:
    assert advance_high_watermark({101: 9, 102: 8, 103: 5}, 3, 9).value == 9


@pytest.mark.parametrize(
    ("known", "leaders", "own_end", "learned"), [(3, 8, 9, 8), (3, 8, 6, 6), (3, 3, 9, 3), (8, 5, 9, 8), (-1, 0, 0, 0)]
)
def test_a_followers_high_watermark_is_the_leaders_but_never_past_its_own_log(
    known: int, leaders: int, own_end: int, learned: int
) -> None:
    ruling = follower_high_watermark(known, leaders, own_end)
    assert (ruling.value, ruling.granted) == (learned, learned > known)


@pytest.mark.parametrize(
    ("leader_high_watermark", "reason"),
    [
        (5, "it knows of no more"),
        (7, "as far as the leader's answer tells"),
        (8, "as far as the leader's answer tells"),
        (9, "all that it holds is committed"),
    ],
)
def test_how_far_a_follower_knows_what_is_committed(leader_high_watermark: int, reason: str) -> None:
    assert follower_high_watermark(5, leader_high_watermark, 8).reason == reason


def test_a_majority_that_has_not_moved_commits_nothing_new() -> None:
    ruling = advance_high_watermark({1: 6, 2: 6, 3: 2}, 3, 6)
    assert (ruling.value, ruling.granted) == (6, False)
