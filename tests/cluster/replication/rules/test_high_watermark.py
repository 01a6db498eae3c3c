"""The high watermark of a leader and of a follower, at each bound."""

from __future__ import annotations

import pytest

from cluster.replication.rules.high_watermark import (
    advance_high_watermark,
    count_for_high_watermark,
    follower_high_watermark,
)
from cluster.replication.state import FollowerState


@pytest.mark.parametrize(
    ("ends", "isr_size", "gate", "after"),
    [
        ([(1, 9), (2, 5)], 2, True, 5),
        ([(1, 9), (2, 4)], 2, True, 4),
        ([(1, 9), (2, 3)], 2, True, 4),
        ([(1, 9)], 1, True, 4),
        ([(1, 9)], 1, False, 9),
        ([(1, 9)], 2, True, 9),
    ],
)
def test_what_the_last_one_has_is_committed(
    ends: list[tuple[int, int]],
    isr_size: int,
    gate: bool,  # noqa: FBT001
    after: int,
) -> None:
    ruling = advance_high_watermark(4, ends, isr_size, 2, hw_gate=gate)
    assert (ruling.value, ruling.granted) == (after, after > 4)
    if ruling.granted:
        told = {f"log_end_offset of {node}": end for node, end in ends}
        assert ruling.numbers == {**told, "high_watermark": 4, "isr_size": isr_size, "min.insync.replicas": 2}


@pytest.mark.parametrize(
    ("follower", "maximal", "registered", "counts"),
    [
        (FollowerState(log_end_offset=3), (2,), {}, 3),
        (FollowerState(), (2,), {}, 0),
        (FollowerState(log_end_offset=3, last_caught_up_ms=900), (), {2: 7}, 3),
        (FollowerState(log_end_offset=3, last_caught_up_ms=899), (), {2: 7}, None),
        (FollowerState(log_end_offset=9, last_caught_up_ms=0), (), {2: 7}, 9),
        (FollowerState(log_end_offset=9), (), {2: 7}, 9),
        (FollowerState(log_end_offset=9, broker_epoch=7), (), {2: 7}, 9),
        (FollowerState(log_end_offset=9, broker_epoch=6), (), {2: 7}, None),
        (FollowerState(log_end_offset=9, broker_epoch=0), (), {2: 7}, None),
        (FollowerState(log_end_offset=9), (), {}, None),
    ],
)
def test_who_counts(
    follower: FollowerState, maximal: tuple[int, ...], registered: dict[int, int], counts: int | None
) -> None:
    ruling = count_for_high_watermark(maximal, {2: follower}, 9, registered, 1_000, 100)
    assert ruling.value == ([] if counts is None else [(2, counts)])
    assert ruling.granted


@pytest.mark.parametrize(("caught_up_ms", "counts"), [(0, False), (1, True)])
def test_soon_after_the_start_who_never_was_caught_up_does_not_count(caught_up_ms: int, counts: bool) -> None:  # noqa: FBT001
    follower = FollowerState(log_end_offset=3, last_caught_up_ms=caught_up_ms)
    assert bool(count_for_high_watermark((), {2: follower}, 9, {2: 7}, 50, 100).value) is counts


@pytest.mark.parametrize(
    ("leaders", "own_end", "after", "reason"),
    [
        (4, 9, 4, "it knows of no more"),
        (3, 9, 4, "it knows of no more"),
        (9, 4, 4, "it knows of no more"),
        (5, 9, 5, "as far as the leader's answer tells"),
        (5, 5, 5, "as far as the leader's answer tells"),
        (6, 5, 5, "all that it holds is committed"),
    ],
)
def test_a_follower_takes_it_over_as_far_as_its_log_goes(leaders: int, own_end: int, after: int, reason: str) -> None:
    ruling = follower_high_watermark(4, leaders, own_end)
    assert (ruling.value, ruling.granted, ruling.reason) == (after, after > 4, reason)
    if ruling.granted:
        assert ruling.numbers == {"high_watermark": 4, "leader_high_watermark": leaders, "own_log_end_offset": own_end}
