"""Histories that look wrong and are right: no invariant may say a word. Contract 2.8, the part on partitions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cluster.model import events as ev
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import Partition


def begun(records: int = 2) -> Partition:
    trace = Partition()
    trace.begin()
    for offset in range(records):
        trace.replicate(offset, f"a{offset}")
    return trace


def a_followers_high_watermark_falls_when_the_leader_changes() -> Partition:
    trace = begun()
    trace.learn(3, 2)
    trace.elect(2, 1, (2, 3), start=2, high_watermark=1, followers=())
    trace.apply(3, 2, 1, 1, (2, 3))
    trace.follow(3, 2, 1, 2, 1)
    trace.progress(2, 3, 2)
    trace.advance(2, 2, 1, ((2, 2), (3, 2)))
    trace.learn(3, 2, 1)
    return trace


def a_new_leader_begins_below_the_true_high_watermark() -> Partition:
    trace = begun()
    trace.elect(2, 1, (2, 3), start=2, high_watermark=0)
    trace.progress(2, 3, 1)
    trace.advance(2, 1, 1, ((2, 2), (3, 1)))
    trace.progress(2, 3, 2)
    trace.advance(2, 2, 1, ((2, 2), (3, 2)))
    return trace


def two_leaders_of_different_epochs_at_once() -> Partition:
    trace = begun()
    trace.elect(2, 1, (2, 3), start=2, high_watermark=2)
    trace.append(1, 2, "b2")
    trace.append(2, 2, "c2", 1)
    trace.copy(3, 2, "c2", 1)
    trace.progress(2, 3, 3)
    trace.advance(2, 3, 1, ((2, 3), (3, 3)))
    trace.append(1, 3, "b3")
    return trace


def a_deposed_leader_acknowledges_acks_one() -> Partition:
    trace = two_leaders_of_different_epochs_at_once()
    trace.answer(1, 2, acks=1)
    trace.answer(1, 3, acks=1)
    return trace


def leader_epochs_jump_while_nobody_leads() -> Partition:
    trace = begun()
    trace.decide(-1, 1, 1, (), elr=(2, 3))
    trace.decide(2, 2, 2, (2,), elr=(3,), minimum=1)
    trace.apply(2, 2, 2, 2, (2,), elr=(3,), minimum=1)
    trace.lead(2, 2, 2, 2, (2,))
    trace.replicate(2, "c2", 2, leader=2, isr=(2,))
    return trace


def a_cut_in_several_rounds_above_what_is_committed() -> Partition:
    """KIP-279: broker 1 has epochs 0 and 2, the leader 0 and 3; the first answer names an epoch it does not share."""
    trace = Partition()
    trace.begin()
    trace.replicate(0, "a0")
    trace.elect(3, 1, start=1, high_watermark=1, followers=(1,))
    trace.append(3, 1, "b1", 1)
    trace.append(3, 2, "b2", 1)
    trace.copy(1, 1, "b1", 1)
    trace.elect(1, 2, start=2, high_watermark=1, followers=())
    trace.append(1, 2, "c2", 2)
    trace.elect(2, 3, start=1, high_watermark=1, followers=())
    trace.append(2, 1, "d1", 3)
    trace.apply(1, 2, 3, 3)
    trace.follow(1, 2, 3, 3, 1)
    for end, old_end, asked in ((2, 3, 2), (1, 2, 1)):
        answer = ev.ReplicaDiverged(
            **WHERE,
            replica_id=1,
            fetch_offset=old_end,
            last_fetched_epoch=asked,
            diverging_epoch=0,
            diverging_end_offset=1,
        )
        trace.add(2, answer)
        trace.truncate(1, end, old_end, high_watermark=1)
    trace.copy(1, 1, "d1", 3)
    return trace


def a_late_fetch_of_an_older_epoch_reaches_the_old_leader() -> Partition:
    """Held on the way: the follower has been cut since, and is counted with more than it holds now."""
    trace = begun()
    trace.append(1, 2, "b2")
    trace.copy(3, 2, "b2")
    trace.elect(2, 1, (2, 3), start=2, high_watermark=2)
    trace.truncate(3, 2, 3, high_watermark=1)
    trace.progress(1, 3, 3)
    return trace


def a_replica_returns_with_records_that_it_could_not_tell_of() -> Partition:
    """Killed between its write and its trace."""
    trace = begun()
    trace.exit(3)
    trace.start(3, "broker")
    trace.recover(3, "a0", "a1", "b2")
    trace.elect(2, 1, (1, 2), start=2, high_watermark=1)
    return trace


def a_high_watermark_stands_still_below_the_minimum_and_jumps_when_a_replica_returns() -> Partition:
    trace = begun()
    trace.decide(partition_epoch=1, isr=(1,), elr=(2, 3))
    trace.apply(1, partition_epoch=1, isr=(1,), elr=(2, 3))
    trace.committed(1, (1,), 1)
    trace.append(1, 2, "b2")
    trace.answer(1, 2, acks=1)
    trace.copy(2, 2, "b2")
    trace.progress(1, 2, 3)
    trace.propose(1, (1, 2), (1,), partition_epoch=1)
    trace.decide(partition_epoch=2, isr=(1, 2))
    trace.committed(1, (1, 2), 2)
    trace.advance(1, 3, 0, ((1, 3), (2, 3)))
    return trace


SURPRISES: tuple[Callable[[], Partition], ...] = (
    a_followers_high_watermark_falls_when_the_leader_changes,
    a_new_leader_begins_below_the_true_high_watermark,
    two_leaders_of_different_epochs_at_once,
    a_deposed_leader_acknowledges_acks_one,
    leader_epochs_jump_while_nobody_leads,
    a_cut_in_several_rounds_above_what_is_committed,
    a_late_fetch_of_an_older_epoch_reaches_the_old_leader,
    a_replica_returns_with_records_that_it_could_not_tell_of,
    a_high_watermark_stands_still_below_the_minimum_and_jumps_when_a_replica_returns,
)


@pytest.mark.parametrize("history", SURPRISES, ids=lambda history: history.__name__)
def test_a_legal_surprise_stays_quiet(history: Callable[[], Partition]) -> None:
    assert history().holds("P17")
