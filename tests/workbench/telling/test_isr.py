from __future__ import annotations

from typing import Any

import pytest

from cluster.model import events as ev
from cluster.model.identifiers import TopicPartition
from cluster.model.ruling import Decision
from cluster.replication.rules.in_sync_replicas import expand_isr, shrink_isr
from tests.support.traces import story
from workbench.session.views.cluster import ClusterView
from workbench.telling.isr import isr_words

ORDERS = TopicPartition("orders", 0)
WHERE: dict[str, Any] = {"topic": "orders", "partition": 0}


def told() -> story.Story:
    run = story.Story()
    run.partition((1, 2, 3), 1, 0, 0, (1, 2, 3))
    return run


def lags(run: story.Story, node: int, silence_ms: Any, leader: int = 1, limit_ms: Any = 5000) -> int:
    """Says so, and returns when."""
    decision = shrink_isr(node, 3, 7, silence_ms, limit_ms).decision if isinstance(silence_ms, int) else Decision(
        "shrink_isr", False, "x", "x", {"not_caught_up_ms": silence_ms, "replica.lag.time.max.ms": limit_ms}
    )  # fmt: skip
    run.say(leader, ev.ReplicaLagging(**WHERE, replica_id=node, lagging=True), decision=decision)
    return run.now_ms


def view_of(run: story.Story) -> ClusterView:
    view = ClusterView()
    for entry in run.entries:
        view.apply(entry)
    return view


def test_the_time_left_counts_from_when_the_leader_says_that_the_follower_was_caught_up() -> None:
    run = told()
    at_ms = lags(run, 3, 2600)
    (lag,) = view_of(run).partition(ORDERS).lagging.values()
    assert lag is not None
    assert [lag.left_ms((at_ms + later) * 1_000_000) for later in (0, 1000, 2400, 9000)] == [2400, 1400, 0, 0]


def test_nobody_lags_any_more_who_caught_up_or_left_or_has_another_leader() -> None:
    for end in ("caught up", "left", "leader"):
        run = told()
        lags(run, 3, 2600)
        lags(run, 2, 2700)
        assert sorted(view_of(run).partition(ORDERS).lagging) == [2, 3]
        if end == "caught up":
            run.say(1, ev.ReplicaLagging(**WHERE, replica_id=3, lagging=False))
        elif end == "left":
            run.partition((1,), 1, 0, 1, (1, 2))
        else:
            run.partition((1,), 2, 1, 1, (1, 2, 3))
        left = [] if end == "leader" else [2]
        assert sorted(view_of(run).partition(ORDERS).lagging) == left, end


def test_a_leader_that_is_no_more_puts_nobody_on_the_clock() -> None:
    run = told()
    lags(run, 3, 2600, leader=2)
    assert not view_of(run).partition(ORDERS).lagging


@pytest.mark.parametrize("nonsense", ("soon", -1, 1 << 70, [1], True))
def test_without_a_number_that_makes_sense_there_is_no_countdown(nonsense: Any) -> None:
    run = told()
    decision = Decision("x", True, "x", "x", {"not_caught_up_ms": nonsense, "replica.lag.time.max.ms": 5000})
    run.say(1, ev.ReplicaLagging(**WHERE, replica_id=3, lagging=True), decision=decision)
    item = view_of(run).partition(ORDERS)
    assert item.lagging == {3: None}


def propose(run: story.Story, isr: tuple[int, ...], old: tuple[int, ...], decision: Decision) -> None:
    run.say(1, ev.IsrProposed(**WHERE, isr=isr, old_isr=old, leader_epoch=0, partition_epoch=0, why="its leader asked"),
            decision=decision)  # fmt: skip


def test_a_change_of_the_isr_says_what_the_leader_compared() -> None:
    run = told()
    propose(run, (1, 2), (1, 2, 3), shrink_isr(3, 3, 7, 5200, 5000).decision)
    assert view_of(run).partition(ORDERS).change is None, "asked for is not committed"
    run.partition((1,), 1, 0, 1, (1, 2))
    found = view_of(run).partition(ORDERS).change
    assert found is not None and isr_words(found) == "n3 out: behind for 5.2 s, allowed 5.0 s"
    propose(run, (1, 2, 3), (1, 2), expand_isr(3, 9, 7, 0, 1, 1).decision)
    run.say(1, ev.IsrCommitted(**WHERE, isr=(1, 2, 3), partition_epoch=2))
    run.partition((1, 2), 1, 0, 2, (1, 2, 3))
    found = view_of(run).partition(ORDERS).change
    assert found is not None and isr_words(found) == "n3 in: its LEO 9 has reached HW 7"


def test_a_change_that_the_controller_makes_of_itself_has_its_reason() -> None:
    run = told()
    decided = {**WHERE, "leader": 2, "leader_epoch": 1, "partition_epoch": 1, "isr": (2, 3), "elr": (),
               "replicas": (1, 2, 3), "min_insync_replicas": 2, "unclean": False}  # fmt: skip
    run.say(101, ev.PartitionDecided(**decided, why="session expired"))
    run.partition((2, 3), 2, 1, 1, (2, 3))
    found = view_of(run).partition(ORDERS).change
    assert found is not None and isr_words(found) == "n1 out: session expired"
    run.partition((2, 3), 2, 1, 2, (2,))
    found = view_of(run).partition(ORDERS).change
    assert found is not None and isr_words(found) == "n3 out", "a reason is for the ISR that it was given for"
