"""What the swarm's judge misses at rest, and what goes on for ever."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cluster.model.ruling import Ruling
from cluster.model.settings import KRAFT, ZOOKEEPER, classroom_timing
from cluster.replication.rules.acknowledgement import may_append
from cluster.simulation.swarm.judge import Judge
from cluster.zookeeper.rules.pushes import take_leader_epoch
from tests.support.traces.watched import Watched

WRITTEN = ("topic orders assign=1,2 min-isr=1", "produce orders 3")


def judged(*commands: str, control: str = KRAFT, rest_s: float = 0.0) -> Judge:
    """Of a cluster of one controller and three brokers, in which this was done, each after so much rest."""
    settings = replace(classroom_timing(), control=control)
    cluster, judge = Watched(seed=1, controllers=1, brokers=3, settings=settings), Judge()
    judge.attend(cluster)
    cluster.advance(3.0)
    for command in commands:
        cluster.do(command)
        cluster.advance(rest_s)
    return judge


@pytest.mark.parametrize("control", [KRAFT, ZOOKEEPER])
def test_nothing_goes_on_and_nothing_is_missing_where_all_is_written_and_copied(control: str) -> None:
    judge = judged(*WRITTEN, control=control, rest_s=2.0)
    assert (judge.lagging(), judge.missing()) == ("", "")


@pytest.mark.parametrize(
    ("commands", "rest_s", "told"),
    [
        (("kill 3", "reassign orders-0 1,3 wait=no"), 4.0, "orders-0 still moves from (2,) to (3,)"),
        (("kill 2", "produce orders 3 acks=1"), 4.0, "the high watermarks of orders-0 are {1: 6, 2: 3}"),
        (("pause 2", "produce orders 3 acks=1"), 0.3, "orders-0 is committed to 3 of 6"),
        (("fsync lie 2", "pause 2", "produce orders 3 acks=1"), 0.3, ""),
        (("kill 1", "kill 2"), 4.0, ""),
    ],
    ids=["a move", "a follower behind", "a leader behind", "a disk may be the cause", "nobody leads"],
)
def test_what_goes_on_is_a_move_or_a_high_watermark(commands: tuple[str, ...], rest_s: float, told: str) -> None:
    assert judged(*WRITTEN, *commands, rest_s=rest_s).lagging() == told


def test_a_topic_is_missed_only_where_those_who_would_make_it_are_there() -> None:
    assert judged().missing(["late"]) == "topics ['late'] were never made"
    down = judged("power-loss 101", "kill 1")
    assert down.missing(["late"]) == "", "a disk may be why they are down: nobody is there to make it"


def test_a_decision_without_the_numbers_that_it_is_judged_by_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def terse(*given: object, **named: object) -> Ruling[bool]:
        ruling = may_append(*given, **named)  # type: ignore[arg-type]
        ruling.numbers = {}
        return ruling

    monkeypatch.setattr("cluster.replication.leading.may_append", terse)
    judge = judged("topic orders assign=1,2 min-isr=2", "kill 2", "produce orders 1 wait=no", rest_s=4.0)
    assert [finding.sentence for finding in judge.end("")] == ["decisions lack numbers that ['P40'] judge them by"]


def test_a_leader_that_was_told_so_and_does_not_lead_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    def deaf(*given: object) -> Ruling[bool]:
        ruling = take_leader_epoch(*given)  # type: ignore[arg-type]
        ruling.value = ruling.granted = False
        return ruling

    monkeypatch.setattr("cluster.zookeeper.broker_side.take_leader_epoch", deaf)
    judge = judged("topic orders assign=1 wait=no", control=ZOOKEEPER, rest_s=1.0)
    assert judge.missing() == "node 1 does not lead orders-0 in leader epoch 0"


def test_a_fault_that_holds_messages_is_counted_apart_when_it_held_one() -> None:
    judge = judged(*WRITTEN, "withhold 1>2 Vote", "withhold 2>1 Fetch", "cut 2>101", rest_s=2.0)
    assert not judge.is_broken("R1")
    assert judge.watch.in_force == {"Withhold": 2, "Cut": 1} and judge.watch.held == {"Withhold": 1, "Cut": 1}
