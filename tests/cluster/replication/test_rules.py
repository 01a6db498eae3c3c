"""The rules of leaders and followers, one by one."""

from __future__ import annotations

import pytest

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import EpochEnd
from cluster.model.leader_epochs import UNKNOWN_END, LeaderEpochs
from cluster.replication.following import FOLLOWED_FEW, fetch_wait_ms
from cluster.replication.rules.acknowledgement import acknowledge_records, may_append
from cluster.replication.rules.high_watermark import (
    advance_high_watermark,
    count_for_high_watermark,
    follower_high_watermark,
)
from cluster.replication.rules.in_sync_replicas import expand_isr, shrink_isr
from cluster.replication.rules.leader_epoch import check_leader_epoch
from cluster.replication.rules.truncation import (
    OutOfRange,
    diverging_epoch,
    resolve_out_of_range,
    truncation_point,
    truncation_point_high_watermark,
)
from cluster.replication.state import FollowerState


@pytest.mark.parametrize(
    ("before", "ends", "isr_size", "least", "gate", "after"),
    [
        (0, [(1, 5), (2, 3), (3, 4)], 3, 2, True, 3),
        (3, [(1, 5), (2, 3), (3, 4)], 3, 2, True, 3),
        (4, [(1, 5), (2, 3)], 2, 2, True, 4),
        (0, [(1, 5)], 1, 2, True, 0),
        (0, [(1, 5)], 1, 2, False, 5),
        (0, [(1, 5)], 1, 1, True, 5),
    ],
)
def test_the_high_watermark_is_the_lowest_end_that_counts_and_never_falls(
    before: int, ends: list[tuple[int, int]], isr_size: int, least: int, gate: bool, after: int
) -> None:
    ruling = advance_high_watermark(before, ends, isr_size, least, hw_gate=gate)
    assert ruling.value == after
    assert ruling.granted == (after > before)
    assert bool(ruling.numbers) == ruling.granted


@pytest.mark.parametrize(
    ("follower", "counts"),
    [
        (FollowerState(log_end_offset=9, broker_epoch=4, last_caught_up_ms=0), True),
        (FollowerState(log_end_offset=5, broker_epoch=4, last_caught_up_ms=9_000), True),
        (FollowerState(log_end_offset=5, broker_epoch=4, last_caught_up_ms=8_999), False),
        (FollowerState(log_end_offset=9, broker_epoch=3, last_caught_up_ms=9_000), False),
        (FollowerState(log_end_offset=9, broker_epoch=-1), True),
    ],
)
def test_outside_the_isr_a_follower_counts_that_is_caught_up_and_in_service(
    follower: FollowerState, counts: bool
) -> None:
    followers = {2: FollowerState(), 3: follower, 4: FollowerState(log_end_offset=9)}
    value = count_for_high_watermark((1, 2), followers, 9, {3: 4}, 10_000, 1_000).value
    assert value == [(2, 0), *([(3, follower.log_end_offset)] if counts else [])]


@pytest.mark.parametrize(
    ("known", "leaders", "own_end", "learned"), [(3, 8, 9, 8), (3, 8, 6, 6), (3, 3, 9, 3), (8, 5, 9, 8)]
)
def test_a_followers_high_watermark_is_the_leaders_but_never_past_its_own_log(
    known: int, leaders: int, own_end: int, learned: int
) -> None:
    ruling = follower_high_watermark(known, leaders, own_end)
    assert (ruling.value, ruling.granted) == (learned, learned > known)


def test_what_is_committed_is_acknowledged_while_the_isr_is_large_enough() -> None:
    assert acknowledge_records(-1, (1, 2), 2).value == ErrorCode.NONE
    assert acknowledge_records(-1, (1,), 2).value == ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    assert acknowledge_records(1, (1,), 2).value == ErrorCode.NONE


@pytest.mark.parametrize(
    ("start", "end", "may_lose", "does"),
    [
        (6, 9, True, OutOfRange.BEGIN_ANEW),
        (0, 3, True, OutOfRange.CUT),
        (0, 3, False, OutOfRange.HALT),
        (0, 5, True, OutOfRange.ASK_AGAIN),
        (5, -1, True, OutOfRange.ASK_AGAIN),
    ],
)
def test_a_fetch_at_5_that_is_out_of_range(start: int, end: int, may_lose: bool, does: OutOfRange) -> None:
    assert resolve_out_of_range(5, start, end, may_lose_records=may_lose).value is does


def test_mode_hw_cuts_to_the_own_high_watermark_whatever_the_leader_holds() -> None:
    ruling = truncation_point_high_watermark(9, 6)
    assert (ruling.value.end_offset, ruling.granted) == (6, True)
    assert not truncation_point_high_watermark(6, 6).granted


@pytest.mark.parametrize(
    ("acks", "isr", "granted"), [(-1, (1,), False), (-1, (1, 2), True), (1, (1,), True), (0, (1,), True)]
)
def test_only_acks_all_needs_a_large_enough_isr(acks: int, isr: tuple[int, ...], granted: bool) -> None:
    assert may_append(acks, isr, 2).granted == granted


@pytest.mark.parametrize(
    ("end", "silence_ms", "out"), [(5, 99_999, False), (4, 30_000, False), (4, 30_001, True), (0, 10, False)]
)
def test_a_follower_leaves_only_when_behind_for_longer_than_the_lag_time(end: int, silence_ms: int, out: bool) -> None:
    assert shrink_isr(2, end, 5, silence_ms, 30_000).granted == out


@pytest.mark.parametrize(
    ("end", "epoch", "registered", "joins"),
    [(7, 4, 4, True), (7, -1, 4, True), (6, 4, 4, False), (7, 3, 4, False), (7, 4, None, False)],
)
def test_a_follower_joins_when_it_has_what_is_committed_and_is_the_live_incarnation(
    end: int, epoch: int, registered: int | None, joins: bool
) -> None:
    assert expand_isr(2, end, 5, 7, epoch, registered).granted == joins


@pytest.mark.parametrize(
    ("end", "lacks"), [(4, "it is behind what is committed"), (6, "it is behind the start of the leader's epoch")]
)
def test_a_follower_that_may_not_join_is_told_what_it_lacks(end: int, lacks: str) -> None:
    assert expand_isr(2, end, 5, 7, 4, 4).reason == lacks


@pytest.mark.parametrize(
    ("theirs", "leads", "replica", "consumer", "error"),
    [
        (3, True, True, False, ErrorCode.NONE),
        (2, True, True, False, ErrorCode.FENCED_LEADER_EPOCH),
        (4, True, True, False, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (2, False, True, False, ErrorCode.FENCED_LEADER_EPOCH),
        (3, False, True, False, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (-1, False, False, True, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (-1, True, False, True, ErrorCode.NONE),
        (3, True, False, False, ErrorCode.UNKNOWN_LEADER_EPOCH),
    ],
)
def test_epochs_are_checked_before_the_role(
    theirs: int, leads: bool, replica: bool, consumer: bool, error: ErrorCode
) -> None:
    ruling = check_leader_epoch(theirs, 3, is_leader=leads, is_replica=replica, is_consumer=consumer)
    assert ruling.value == error


SEED = LeaderEpochs(((0, 0), (1, 300), (2, 500)))


def _diverging(epochs: LeaderEpochs, log_end_offset: int, epoch: int, fetch_offset: int) -> EpochEnd:
    end = diverging_epoch(epochs, log_end_offset, epoch, fetch_offset).value
    assert end is not None
    return end


def test_a_follower_of_epoch_1_up_to_520_is_cut_to_500() -> None:
    assert _diverging(SEED, 550, 1, 520) == EpochEnd(1, 500)
    assert truncation_point(LeaderEpochs(((0, 0), (1, 300))), 520, EpochEnd(1, 500)).value == (500, True)


@pytest.mark.parametrize(("epoch", "offset"), [(0, 300), (1, 500), (2, 550), (1, 400)])
def test_logs_that_agree_do_not_diverge(epoch: int, offset: int) -> None:
    assert diverging_epoch(SEED, 550, epoch, offset).value is None


def test_an_epoch_the_leader_never_saw_is_out_of_range() -> None:
    assert _diverging(SEED, 550, 3, 520) == UNKNOWN_END


def test_kip_279_cuts_to_the_end_of_the_own_earlier_epoch() -> None:
    leader, follower = LeaderEpochs(((1, 0), (3, 3))), LeaderEpochs(((1, 0), (2, 2)))
    found = _diverging(leader, 3, 2, 3)
    assert found == EpochEnd(1, 3)
    assert truncation_point(follower, 3, found).value == (2, True)


def test_logs_without_a_common_epoch_are_cut_to_nothing() -> None:
    leader, follower = LeaderEpochs(((1, 0), (4, 2))), LeaderEpochs(((2, 0), (3, 2)))
    found = _diverging(leader, 2, 3, 3)
    assert found == EpochEnd(1, 2)
    assert truncation_point(follower, 3, found).value == (0, True)


def test_without_own_epochs_the_cut_is_where_the_leader_says() -> None:
    assert truncation_point(LeaderEpochs(), 5, EpochEnd(1, 3)).value.end_offset == 3
    assert truncation_point(LeaderEpochs(), 2, EpochEnd(1, 3)).value.end_offset == 2


def test_a_broker_that_follows_few_partitions_asks_for_each_of_them_at_the_set_pace() -> None:
    assert [fetch_wait_ms(500, 30_000, quiet, FOLLOWED_FEW) for quiet in (0, 1, 99)] == [500] * 3


def test_a_broker_that_follows_many_asks_ever_less_often_for_those_that_are_quiet() -> None:
    many = FOLLOWED_FEW + 1
    assert [fetch_wait_ms(500, 30_000, quiet, many) for quiet in range(6)] == [500, 1000, 2000, 4000, 4000, 4000]


def test_an_idle_fetch_is_answered_well_before_its_sender_gives_up_on_it() -> None:
    many = FOLLOWED_FEW + 1
    assert fetch_wait_ms(500, 6_000, 3, many) == 1500
    assert fetch_wait_ms(9_000, 6_000, 3, many) == 9_000, "what was set by hand stays"


def test_a_follower_without_the_epoch_that_the_leader_named_asks_again_after_its_cut() -> None:
    assert truncation_point(LeaderEpochs(((1, 0), (4, 2))), 6, EpochEnd(3, 5)).value == (2, False)
