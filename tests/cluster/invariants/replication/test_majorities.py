"""Commits and elections by majority, told by hand: what is right is quiet, and each wrong is named."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import CONTROLLER, Partition
from tests.support.traces.traces import recovered


class Majority(Partition):
    """orders-0 on brokers 1, 2 and 3; 1 leads epoch 0, and 1 and 2 have adopted it."""

    def __init__(self, *adopted: int) -> None:
        super().__init__(commit_rule="majority")
        self.begin()
        for node in adopted or (1, 2):
            self.adopt(node, 0, 0)

    def adopt(self, node: int, epoch: int, start: int) -> None:
        end = start
        self.add(node, ev.EpochAdopted(**WHERE, leader_epoch=epoch, epoch_start_offset=start, log_end_offset=end))

    def report(self, node: int, epoch: int, end: int, *, adopted: int = 0, heard: bool = True) -> None:
        facts: dict[str, Any] = {"leader_epoch": epoch, "adopted_epoch": adopted, "log_end_offset": end}
        self.add(node, ev.LogEndReported(**WHERE, **facts))
        if heard:
            self.add(CONTROLLER, ev.LogEndHeard(**WHERE, broker_id=node, **facts))

    def commit(self, *ends: tuple[int, int], to: int = 1) -> None:
        """Leader 1 moves its high watermark, counting these."""
        event = ev.HighWatermarkAdvanced(
            **WHERE, high_watermark=to, leader_epoch=0, role="leader", log_end_offsets=ends
        )
        self.add(1, event)

    def depose(self) -> None:
        """Epoch 1 has no leader, and replicas 2 and 3 know it."""
        self.decide(leader=-1, leader_epoch=1, partition_epoch=1)
        for node in (2, 3):
            self.follow(node, -1, 1, end=1 if node == 2 else 0)

    def of(self, invariant: str) -> Verdict:
        return self.verdicts()[invariant].verdict

    def written(self) -> None:
        """One record on 1 and 2."""
        self.append(1, 0, "a")
        self.copy(2, 0, "a")
        self.progress(1, 2, 1)


def test_two_of_three_commit_and_the_more_complete_of_two_leads() -> None:
    trace = Majority()
    trace.written()
    trace.commit((1, 1), (2, 1))
    trace.depose()
    trace.report(2, 1, 1)
    trace.report(3, 1, 0, adopted=-1)
    trace.decide(leader=2, leader_epoch=2, partition_epoch=2)
    assert trace.holds("P30", "P31")
    for rule in ("P3", "P4", "P8"):
        assert trace.of(rule) is not Verdict.VIOLATED


def test_one_of_three_is_no_majority() -> None:
    trace = Majority()
    trace.append(1, 0, "a")
    trace.commit((1, 1), (2, 0))
    assert trace.sentence("P30") == "leader 1 commits below 1 with replicas [1] of [1, 2, 3]"


def test_who_has_not_adopted_the_epoch_does_not_count() -> None:
    trace = Majority(1)
    trace.written()
    trace.commit((1, 1), (2, 1))
    assert trace.sentence("P30") == "leader 1 of epoch 0 counts replica 2, whose newest adopted epoch is -1"


@pytest.mark.parametrize(("late", "is_right"), [(1, True), (2, False)])
def test_a_paused_leader_counts_what_a_follower_sent_before_it_left(late: int, is_right: bool) -> None:  # noqa: FBT001
    """The fetch lay there while the others elected; what it says of the old epoch is in the log of the new leader."""
    trace = Majority()
    trace.written()
    trace.append(1, 1, "b")
    trace.depose()
    trace.report(2, 1, 1)
    trace.report(3, 1, 0, adopted=-1)
    trace.decide(leader=2, leader_epoch=2, partition_epoch=2)
    trace.lead(2, 2, start=1)
    trace.adopt(2, 2, 1)
    trace.append(2, 1, "c", epoch=2)
    trace.commit((1, 2), (2, late), to=late)
    line = trace.verdicts()["P30"]
    assert (line.verdict is Verdict.HOLDS) is is_right
    assert is_right or "counts replica 2, whose newest adopted epoch is 2" in line.violations[0].sentence


def test_who_adopts_holds_what_the_epoch_began_with() -> None:
    trace = Majority()
    trace.written()
    trace.lead(1, 1, start=1)
    trace.follow(3, 1, 1)
    trace.adopt(3, 1, 0)
    assert "which begins at 1; its log ends at 0" in trace.sentence("P30")


@pytest.mark.parametrize(("leader", "behind"), [(3, "[3]"), (1, "[]")])
def test_a_less_complete_log_and_one_that_nobody_heard_of_do_not_lead(leader: int, behind: str) -> None:
    trace = Majority()
    trace.written()
    trace.depose()
    trace.report(2, 1, 1)
    trace.report(3, 1, 0, adopted=-1)
    trace.decide(leader=leader, leader_epoch=2, partition_epoch=2)
    assert trace.sentence("P31").endswith(f"a log as complete at most was heard of {behind}")


def test_one_report_elects_nobody_but_uncleanly() -> None:
    trace = Majority()
    trace.written()
    trace.depose()
    trace.report(2, 1, 1)
    trace.decide(leader=2, leader_epoch=2, partition_epoch=2)
    assert "was heard of [2]" in trace.sentence("P31")
    trace = Majority()
    trace.depose()
    trace.report(3, 1, 0, adopted=-1)
    trace.decide(leader=3, leader_epoch=2, partition_epoch=2, unclean=True)
    assert trace.of("P31") is Verdict.HOLDS


@pytest.mark.parametrize(("end", "adopted"), [(0, 0), (1, 1)])
def test_a_report_says_what_the_replica_holds(end: int, adopted: int) -> None:
    trace = Majority()
    trace.written()
    trace.depose()
    trace.report(2, 1, end, adopted=adopted)
    assert f"reports log end {end} and adopted epoch {adopted}" in trace.sentence("P31")
    assert "they are 1 and 0" in trace.sentence("P31")


def test_who_still_follows_a_leader_reports_nothing() -> None:
    trace = Majority()
    trace.written()
    trace.follow(2, 1, 0, end=1)
    trace.report(2, 1, 1)
    assert "its newest (epoch, leader) is (0, 1)" in trace.sentence("P31")


def test_a_controller_hears_what_was_said() -> None:
    trace = Majority()
    trace.depose()
    facts: dict[str, Any] = {"leader_epoch": 1, "adopted_epoch": 0, "log_end_offset": 9}
    trace.add(CONTROLLER, ev.LogEndHeard(**WHERE, broker_id=3, **facts))
    assert trace.sentence("P31") == "controller 101 heard of replica 3 (1, 0, 9)"


def test_a_single_copy_that_a_power_loss_took_excuses_what_a_majority_then_loses() -> None:
    """Committed on two of three: with one of these copies gone the other two replicas are a majority without it."""
    trace = Majority()
    trace.written()
    trace.commit((1, 1), (2, 1))
    trace.power_loss(2)
    trace.start(2, "broker")
    trace.recover(2)
    trace.lead(3, 2, start=0)
    assert trace.excuse("P2") == "A2"


def test_who_dies_as_it_adopts_an_epoch_may_have_it_or_not() -> None:
    trace = Majority()
    trace.exit(2)
    trace.start(2, "broker")
    trace.add(2, recovered(0, topic="orders"))
    trace.decide(leader=-1, leader_epoch=1, partition_epoch=1)
    trace.follow(2, -1, 1)
    trace.report(2, 1, 0, adopted=-1)
    assert trace.of("P31") is Verdict.HOLDS
