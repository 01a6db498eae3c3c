"""A lesson played without a screen: all that its text says of the run must be true of the run."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.worlds.steps_lesson import SCRIPT, steps_lesson
from workbench.course.content import Lesson, Option, Question
from workbench.course.trial import Trial
from workbench.runs.launch import simulated_launcher


def mistakes(lesson: Lesson, home: Path) -> list[str]:
    trial = Trial(lesson, simulated_launcher(home, 1), lambda _step: None)
    assert asyncio.run(trial.run()) == (not trial.mistakes)
    return trial.mistakes


def test_a_lesson_that_is_true_has_no_mistakes_and_answers_its_questions(tmp_path: Path) -> None:
    lesson = steps_lesson(tmp_path)
    answered: list[tuple[str, str]] = []
    trial = Trial(lesson, simulated_launcher(tmp_path / "home", 1), lambda _step: None)

    def heard(question: Question, option: Option) -> None:
        answered.append((question.id, option.text))

    trial.on_answer = heard
    assert asyncio.run(trial.run())
    assert trial.mistakes == []
    assert answered == [("who", "Broker 2 leads."), ("other", "Broker 2 leads.")]
    assert len(trial.run_folders) == 2


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "when: leader orders-0 = 2",
            "when: leader orders-0 = 2 and idle and isr orders-0 = 1",
            "lesson.md:41: who: no option holds; of the one without a misconception: isr orders-0 was 2",
        ),
        (
            "when: no leader orders-0",
            "when: isr orders-0 = 2",
            "lesson.md:41: who: 2 options hold: 'Broker 2 leads.', 'Nobody leads.'",
        ),
        (
            "when: leader orders-0 = 2\n  why: Broker 2 was in the ISR.\n- Nobody leads. !nobody\n  when: no leader",
            "when: leader orders-0 = 7\n  why: Broker 2 was in the ISR.\n- Nobody leads. !nobody\n  when: leader",
            "lesson.md:50: who: 'Nobody leads.' holds, !nobody, and not the one without a misconception",
        ),
        (
            "hold at part.became_leader on 1",
            "hold at part.became_leader on 2",
            "lesson.md:22: this hold never came in [begin]: part.became_leader on 2 topic=orders",
        ),
        (
            "hold when log_end orders-0 on 1 = 2",
            "hold when log_end orders-0 on 1 = 9",
            "lesson.md:24: this hold never came in [begin]: log_end orders-0 on 1 = 9 and acked orders-0 = 2",
        ),
        (
            "done when: isr orders-0 = 1,2",
            "done when: isr orders-0 = 2",
            "lesson.md:83: done when does not hold after [back]: isr orders-0 was 1,2",
        ),
        (
            "done when: isr orders-0 = 1,2",
            "done when: leader orders-0 = 2",
            "lesson.md:83: done when holds already before the learner has done anything",
        ),
        (
            "hold at part.became_leader on 1 topic=orders",
            "hold when no leader of quorum",
            "lesson.md:22: hold when holds already before [begin] begins: no leader of quorum",
        ),
        (
            "There are {acked orders-0} records.",
            "It is {committed orders-0 in g}.",
            "lesson.md:28: the reveal names {committed orders-0 in g}, which is not known then",
        ),
        (
            "why: One more is alive.",
            "why: One {committed orders-0 in g}.",
            "lesson.md:50: the why names {committed orders-0 in g}, which is not known then",
        ),
        (
            "logs: Broker 1 leads with {log_end orders-0 on 1} records.",
            "logs: {committed orders-0 in g}.",
            "lesson.md:22: the look names {committed orders-0 in g}, which is not known then",
        ),
    ],
)
def test_what_is_not_true_of_the_run_is_told_with_its_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    found = mistakes(steps_lesson(tmp_path, (old, new)), tmp_path / "home")
    assert f"01_small/{told}" in found


def test_a_reveal_that_is_not_shown_may_name_what_is_not_known(tmp_path: Path) -> None:
    lesson = steps_lesson(tmp_path, ("It leads on.", "It has {committed orders-0 in g}."))
    assert mistakes(lesson, tmp_path / "home") == []


def test_a_script_that_does_not_hold_ends_the_play(tmp_path: Path) -> None:
    script = SCRIPT.replace("expect isr orders-0 = 2\n", "expect isr orders-0 = 1\n")
    found = mistakes(steps_lesson(tmp_path, script=script), tmp_path / "home")
    assert len(found) == 1
    assert found[0].startswith("01_small/scenario.txt:12: expect isr orders-0 = 1: not reached within 10 s")


def test_holds_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    """The second hold waits for the first, although its own condition held before."""
    first = "hold at part.became_leader on 1 topic=orders\n"
    turned = (f"{first}look: logs: Broker 1 leads with {{log_end orders-0 on 1}} records.\n", "")
    late = (
        "look: events: Two records.",
        "look: events: Two records.\nhold at part.became_leader on 1 topic=orders\nlook: logs: Broker 1 leads.",
    )
    found = mistakes(steps_lesson(tmp_path, turned, late), tmp_path / "home")
    assert found == ["01_small/lesson.md:24: this hold never came in [begin]: part.became_leader on 1 topic=orders"]
