"""The changed script of an other world."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cluster.scenario.parse import parse_script
from cluster.scenario.script import Do, Expect, Keep, Script, ScriptError
from cluster.scenario.terms import GrammarError
from tests.support.worlds.steps_lesson import steps_lesson
from workbench.course.content import Lesson, OtherWorld, Replace, Set
from workbench.course.other_world import (
    PlayedWorld,
    changes_of,
    clusters_before,
    in_words,
    lenient,
    other_script,
    play_other_world,
)
from workbench.runs.launch import simulated_launcher

SCENARIO = """[first]
cluster controllers=1 brokers=2 timing=classroom elr=on
topic orders replicas=2 min-isr=1 assign=1,2
kill 1

# Once more.
[second]
cluster controllers=1 brokers=2 timing=classroom
topic orders replicas=2 min-isr=1 assign=1,2

[third]
kill 2
try consume orders
kill 2

[fourth]
kill 1
"""


def other(changes: str, section: str = "third") -> Script:
    return other_script(SCENARIO, section, OtherWorld(changes, changes_of(changes)))


def commands(script: Script) -> list[str]:
    (section,) = script.sections
    return [step.text for step in section.steps if isinstance(step, Do)]


def test_it_has_the_sections_of_this_cluster_up_to_the_step() -> None:
    assert commands(other("cluster brokers=3")) == [
        "topic orders replicas=2 min-isr=1 assign=1,2",
        "kill 2",
        "consume orders",
        "kill 2",
    ]
    assert commands(other("cluster brokers=3", "second")) == ["topic orders replicas=2 min-isr=1 assign=1,2"]
    assert commands(other("without kill 1", "first")) == ["topic orders replicas=2 min-isr=1 assign=1,2"]


def test_settings_take_the_place_of_those_with_the_same_key() -> None:
    script = other("cluster elr=off brokers=3 ; topic replicas=3 assign=3,2,1")
    plan = script.sections[0].plan
    assert plan is not None
    assert (plan.brokers, dict(plan.overrides)) == (3, {"elr": False})
    assert commands(script)[0] == "topic orders min-isr=1 replicas=3 assign=3,2,1"


def test_a_command_is_replaced_wherever_it_stands_or_left_out() -> None:
    assert commands(other("kill 2 -> kill 1 + start 1"))[1:] == [
        "kill 1",
        "start 1",
        "consume orders",
        "kill 1",
        "start 1",
    ]
    assert commands(other("without kill 2 ; try consume orders -> heal"))[1:] == ["heal"]


def test_the_forms_of_a_change() -> None:
    assert changes_of("kill  2 -> kill 1 + heal ; without  kill 3 ; cluster a=1 b=2 ; topic c=3") == (
        Replace("kill 2", ("kill 1", "heal")),
        Replace("kill 3", ()),
        Set("cluster", ("a=1", "b=2")),
        Set("topic", ("c=3",)),
    )
    assert changes_of("topic orders replicas=2 -> heal") == (Replace("topic orders replicas=2", ("heal",)),)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ("cluster elr=off ; topic replicas=3", "elr=off; a topic with replicas=3"),
        ("without try kill $a", "without kill $a"),
        ("kill 1 -> stop 1", "stop 1 instead of kill 1"),
        ("kill 1 -> wait isr t-0 = 1 within 40s + kill 1 + heal", "isr t-0 = 1 before kill 1 and heal after kill 1"),
        ("produce t 3 batch=1 key=ann -> try produce t 3 batch=6 key=ann", "batch=6 in produce t"),
        ("consume t a=1 -> consume t b=2 ; consume t x=7 a=1 -> consume t x=7 b=2", "b=2, without a=1 in consume t"),
        (
            "when rep.appended on 2 topic=t then kill 1 -> kill 1",
            "kill 1 instead of kill 1 as soon as a replica wrote records on 2",
        ),
        (
            "when rep.appended on 2 topic=t then kill 1 -> when rep.appended on 1 topic=t then kill 1",
            "kill 1 as soon as a replica wrote records on 1 instead of 2",
        ),
    ],
)
def test_a_caption_says_what_is_other_and_no_more(changes: str, told: str) -> None:
    assert in_words(OtherWorld(changes, changes_of(changes))) == told


@pytest.mark.parametrize("changes", ["", "kill 2", "without", "cluster", "cluster elr", "topic min-isr"])
def test_what_is_no_change_is_refused(changes: str) -> None:
    with pytest.raises(GrammarError, match="is no change; allowed: cluster KEY=VALUE|not key=value"):
        changes_of(changes)


def test_a_change_that_finds_nothing_is_refused() -> None:
    with pytest.raises(GrammarError, match="no command 'kil 2' in these sections; the nearest is 'kill 2'"):
        other("without kil 2")
    with pytest.raises(GrammarError, match="no command 'kill 1' in these sections; the nearest is 'kill 2'"):
        other("without kill 1")


def test_what_comes_out_must_be_a_script() -> None:
    with pytest.raises(ScriptError, match="unknown key 'elrr'"):
        other("cluster elrr=on")


def test_what_a_world_may_lack_is_passed_over() -> None:
    script = parse_script(
        "cluster controllers=1 brokers=1\nkill 1\nwait idle\nexpect verdict P1 holds\nkeep idle for 1s\ntry start 1"
    )
    steps = lenient(script).sections[0].steps
    assert [(type(step), getattr(step, "may_fail", None)) for step in steps] == [
        (Do, True),
        (Expect, None),
        (Keep, None),
        (Do, True),
    ]


def played(lesson: Lesson, home: Path, of: int = 0) -> PlayedWorld:
    step, option, world = list(lesson.worlds)[of]
    launch = simulated_launcher(home, clusters_before(lesson, step))
    return asyncio.run(play_other_world(lesson, step, option, world, launch))


def test_the_option_of_a_world_holds_in_it(tmp_path: Path) -> None:
    lesson = steps_lesson(tmp_path)
    found = played(lesson, tmp_path / "home")
    assert [option.text for option in found.held] == ["Broker 1 leads."]
    assert (found.run_folder / "run.json").exists()


def test_steps_that_do_not_hold_there_are_passed_over(tmp_path: Path) -> None:
    """The second expectation of [kill] waits in vain for a new leader, and a broker that runs cannot be started."""
    lesson = steps_lesson(tmp_path, ("without kill 1", "kill 1 -> start 1"))
    assert [option.text for option in played(lesson, tmp_path / "home").held] == ["Broker 1 leads."]


def test_a_world_that_changes_nothing_leaves_the_right_option(tmp_path: Path) -> None:
    lesson = steps_lesson(tmp_path, ("without kill 1", "cluster elr=off"))
    assert [option.text for option in played(lesson, tmp_path / "home").held] == ["Broker 2 leads."]


def test_each_cluster_of_a_lesson_has_a_seed_of_its_own(tmp_path: Path) -> None:
    lesson = steps_lesson(tmp_path)
    assert [clusters_before(lesson, step) for step in lesson.steps] == [0, 0, 0, 1]
