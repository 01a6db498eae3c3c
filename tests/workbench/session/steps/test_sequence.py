from __future__ import annotations

from tests.support.traces.watched import Watched
from workbench.session.recording import Recording
from workbench.session.steps.sequence import CALM_NS, Step, Steps
from workbench.telling.telling import DEED


def steps_of(world: Watched) -> Steps:
    recording = Recording()
    recording.extend(world.entries)
    return recording.steps


def ready() -> Watched:
    world = Watched(seed=5, controllers=3, brokers=3)
    world.until(lambda: world.cluster().quorum_leader > 0)
    world.do("topic orders replicas=3 min-isr=2", "produce orders 3")
    world.run_until(lambda: False, 2.0)
    return world


def texts(step: Step) -> list[str]:
    return [word.text for word in step.words]


def test_steps_are_in_order_and_do_not_overlap() -> None:
    world = ready()
    world.do("kill controller")
    world.run_until(lambda: False, 3.0)
    steps = steps_of(world).all
    for one, other in zip(steps, steps[1:], strict=False):
        assert one.first <= one.last < other.first and one.end_ns <= other.t_ns


def test_a_kill_and_the_end_of_its_process_are_one_step_that_opens() -> None:
    world = ready()
    before = len(steps_of(world).all)
    leader = world.cluster().quorum_leader
    world.do(f"kill {leader}")
    (step,) = steps_of(world).all[before:]
    assert (texts(step), step.phase, step.opens, step.misses) == ([f"\u2717 n{leader}"], DEED, True, True)


def test_a_follower_s_death_opens_nothing() -> None:
    world = ready()
    world.do("kill 3")
    assert not any(step.opens for step in steps_of(world).all)


def test_a_round_that_is_asked_again_with_the_same_end_is_no_step() -> None:
    world = ready()
    leader = world.cluster().quorum_leader
    world.do(f"kill {leader}", f"kill {min({101, 102, 103} - {leader})}")
    world.run_until(lambda: False, 5.0)
    few = len(steps_of(world).all)
    world.run_until(lambda: False, 20.0)
    rounds = world.cluster().rounds
    assert len(steps_of(world).all) == few and len(rounds) > 10


def test_acknowledgements_that_follow_one_another_are_one_step() -> None:
    world = ready()
    steps = steps_of(world)
    for _ in range(5):
        world.do("produce orders 2")
    assert len(steps_of(world).all) == len(steps.all)
    assert sum(texts(step) == ["n1 ack"] for step in steps.all) == 1


def test_what_is_told_begins_with_the_deed_or_with_what_led_to_it() -> None:
    world = ready()
    world.do("kill 3")
    steps = steps_of(world)
    calm = next(index for index in range(1, len(steps.all)) if steps.are_apart(index))
    assert steps.all[calm].t_ns - steps.all[calm - 1].end_ns > CALM_NS
    deed = next(index for index, step in enumerate(steps.all) if step.phase == DEED)
    assert steps.beginning_of(deed) == deed and steps.beginning_of(calm) == calm
    assert steps.beginning_of(calm - 1) < calm - 1
    assert steps.first_from(steps.all[calm].first) == calm == steps.first_from(steps.all[calm - 1].last + 1)
