"""Seeds of the swarm: drawn from the seed alone, judged, and able to fail."""

from __future__ import annotations

import gc
from dataclasses import replace

import pytest

from cluster.faults.processes import CRASH_POINTS
from cluster.model.entry import Entry
from cluster.model.errors import StorageFailed
from cluster.model.events import FaultApplied, FaultInjected, FaultReverted, ProcessExited
from cluster.model.messages import FetchResponse
from cluster.node.node import Node
from cluster.raft.rules import votes
from cluster.replication import watermark
from cluster.replication.rules.high_watermark import advance_high_watermark
from cluster.simulation.swarm.plan import AIMED, ALL_KINDS, DAMAGES, OF_SNAPSHOTS, draw_plan
from cluster.simulation.swarm.seed import run_seed
from cluster.storage.log import Log
from tests.support.kinds import as_kind
from tests.support.traces.watched import Watched


def test_a_plan_is_drawn_from_its_seed_alone() -> None:
    assert draw_plan(7, 5.0) == draw_plan(7, 5.0)
    plans = [draw_plan(seed, 5.0) for seed in range(200)]
    assert {kind for plan in plans for kind in plan.kinds} == {*ALL_KINDS, *AIMED}
    assert {plan.loss_percent for plan in plans} == {0, 2, 20}
    assert "seed=7 " in str(plans[7])


@pytest.mark.parametrize("seed", range(1, 13))
def test_what_must_hold_holds(seed: int) -> None:
    result = run_seed(seed, 4.0)
    assert result.unexpected == (), result.plan
    assert result.events > 100


def test_a_seed_that_was_played_leaves_nothing_in_memory() -> None:
    left = []
    for _ in range(3):
        run_seed(2, 4.0)
        gc.collect()
        left.append(len(gc.get_objects()))
    assert left[2] - left[1] < 100, "thousands are left when one of them cannot be collected"


def test_a_log_may_be_dropped_while_a_flush_of_it_is_on_its_way() -> None:
    """The flush found no log, and the process ended with an error."""
    assert run_seed(118, 8.0).unexpected == ()


def test_a_partition_that_moved_from_the_core_to_a_dead_broker_owes_the_core_no_leader() -> None:
    """A broker that is dead and not fenced yet is in sync, so a reassignment to it alone is done at once."""
    assert run_seed(395, 8.0).unexpected == ()


@pytest.mark.slow
def test_what_must_hold_holds_in_many_seeds() -> None:
    surprising = [result for seed in range(10_000, 10_400) if (result := run_seed(seed, 10.0)).unexpected]
    assert [(result.seed, result.unexpected) for result in surprising] == []


def test_disks_are_damaged_in_a_third_of_the_seeds_and_asking_for_it_changes_nothing_else() -> None:
    plans = [(draw_plan(seed, 5.0), draw_plan(seed, 5.0, disk_faults=True)) for seed in range(300)]
    damaged = [usual for usual, _ in plans if usual.damages]
    assert 80 <= len(damaged) <= 120
    assert all(harsh.damages and replace(harsh, damages=usual.damages) == usual for usual, harsh in plans)
    assert {kind for _, harsh in plans for kind in harsh.damages} == {*DAMAGES, OF_SNAPSHOTS}
    assert all(("damages=" in str(plan)) == bool(plan.damages) for pair in plans[:9] for plan in pair)


@pytest.mark.parametrize(
    ("seed", "excused"),
    [
        pytest.param(205, {"R12"}, id="what a voter had committed is gone with its disk"),
        pytest.param(155, {"L2"}, id="the quorum forgets brokers and partitions"),
    ],
)
def test_damage_to_disks_excuses_what_it_takes_away_and_nothing_else(seed: int, excused: set[str]) -> None:
    result = run_seed(seed, 10.0, disk_faults=True)
    assert result.unexpected == (), result.plan
    assert excused <= set(result.excused)


def test_a_broker_that_halts_for_good_as_before_kip_101_is_excused() -> None:
    result = run_seed(1464, 10.0)
    assert result.unexpected == () and "T5" in result.excused, result.plan


@pytest.mark.slow
def test_what_must_hold_holds_where_disks_are_damaged() -> None:
    results = [run_seed(seed, 10.0, disk_faults=True) for seed in range(1, 301)]
    assert [(result.seed, result.unexpected) for result in results if result.unexpected] == []


def test_a_seed_is_the_same_run_every_time() -> None:
    told: list[list[Entry]] = [[], []]
    results = [run_seed(18, 4.0, [entries.extend]) for entries in told]
    assert results[0] == results[1]
    assert told[0] == told[1]
    assert results[0].faults > 0


def _surprises(seeds: range) -> str:
    return " | ".join(sentence for seed in seeds for sentence in run_seed(seed, 4.0).unexpected)


def test_a_high_watermark_ahead_of_the_replicas_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(*given: object, **named: object) -> object:
        ruling = advance_high_watermark(*given, **named)  # type: ignore[arg-type]
        ruling.value += ruling.granted
        return ruling

    monkeypatch.setattr(watermark, "advance_high_watermark", careless)
    assert "P6" in _surprises(range(2, 3))


def test_a_leader_elected_without_a_majority_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(votes, "majority", lambda _voters: 1)
    assert "R3" in _surprises(range(1, 2))


def test_what_a_node_raises_is_told_as_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Node.handle

    def brittle(node: Node, happened: object, now_ms: int) -> object:
        if isinstance(getattr(happened, "message", None), FetchResponse):
            raise RuntimeError("no answers, please")
        return real(node, happened, now_ms)  # type: ignore[arg-type]

    monkeypatch.setattr(Node, "handle", brittle)
    assert "exit 70: RuntimeError: no answers, please" in run_seed(3, 1.0).unexpected


@pytest.mark.parametrize("point", CRASH_POINTS)
def test_a_node_dies_exactly_at_its_crash_point_and_comes_back(point: str) -> None:
    world = Watched(seed=4)
    world.do("topic orders min-isr=2", "produce orders 3")
    is_about_votes = point.endswith(("vote", "rename"))
    node = 101 if is_about_votes else world.leader()
    world.do(f"crash {node} {point}")
    if is_about_votes:
        others = [other for other in (101, 102, 103) if other != node]
        world.do(*(f"kill {other}" for other in others), *(f"start {other}" for other in others))
    else:
        world.do("produce orders 5 wait=no")
    world.until(lambda: not world.is_up(node))
    last = [entry for entry in world.entries if entry.node == 0][-4:]
    assert [type(entry.event) for entry in last] == [FaultInjected, FaultReverted, ProcessExited, FaultApplied]
    assert as_kind(ProcessExited, last[2].event).exit_code == -9
    assert world.logs[-1] == (node, f"killed {point}")
    world.do(f"start {node}", "produce orders 2")


def test_a_disk_that_fails_in_a_step_ends_the_node_and_nothing_of_the_step_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = Watched(seed=4, brokers=1, controllers=1)
    world.do("topic orders replicas=1")

    def refuse(*_given: object) -> None:
        raise StorageFailed(5, "append")

    monkeypatch.setattr(Log, "append", refuse)
    world.do("produce orders 1 acks=1 retries=no")
    assert not world.is_up(1)
    assert world.cluster().acked == {}
