"""What every lesson of the course keeps to: its questions, its length, and that it names what its runs turn on."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from cluster.faults.grammar import parse_command
from cluster.language.topics import CreateTopic
from cluster.language.words import CommandError
from cluster.model.entry import Entry
from cluster.model.events import PartitionDecided
from cluster.scenario.given import Given, GivenElection, GivenHighWatermark, GivenLog, GivenNetwork, GivenTopic
from cluster.scenario.runner import ScriptRunner
from cluster.scenario.script import ClusterPlan, Do, Section, settings_of
from workbench.course.lesson import Lesson, LessonStep, read_lesson
from workbench.course.library import LESSONS, lesson_names
from workbench.runs.launch import simulated_launcher

OPTIONS_MIN, PROSE_WORDS_MAX, LETTER_SHARE_MAX = 3, 90, 0.4
WORDS_OF: dict[str, str] = {
    "truncation_mode": "high watermark",
    "unclean_leader_election": "unclean.leader.election.enable",
    "elr": "eligible leader replicas",
    "hw_gate": "stands still",
    "pre_vote": "pre-vote",
    "flush_partitions": "log.flush.interval.messages",
    "fetch_max_bytes": "replica.fetch.max.bytes",
    "lag_max_messages": "replica.lag.max.messages",
}
"""Setting to what a text must say when a script sets it. A timer is named by its figure, any other by its own name."""
WORDS_OF_GIVEN: dict[type[Given], str] = {
    GivenLog: "log",
    GivenHighWatermark: "high watermark",
    GivenElection: "vote",
    GivenTopic: "topic",
    GivenNetwork: "network",
}
"""What a cluster finds when it starts, to what a text must say of it."""


@cache
def lesson_of(name: str) -> Lesson:
    return read_lesson(LESSONS / name)


def clusters_of(lesson: Lesson) -> Iterator[tuple[ClusterPlan, list[LessonStep]]]:
    """Each cluster of a lesson with the steps that are played on it; text before the first belongs to it."""
    plan: ClusterPlan | None = None
    steps: list[LessonStep] = []
    for step in lesson.steps:
        section = lesson.script.section(step.do)
        if section is not None and section.plan is not None:
            if plan is not None:
                yield plan, steps
                steps = []
            plan = section.plan
        steps.append(step)
    assert plan is not None
    yield plan, steps


def text_of(steps: list[LessonStep]) -> str:
    """What a learner reads there, in small letters, one blank between words."""
    return " ".join(" ".join(f"{step.heading} {step.prose} {step.reveal}" for step in steps).lower().split())


def wanted_words(lesson: Lesson, plan: ClusterPlan, steps: list[LessonStep]) -> set[str]:
    """What the text beside a cluster must say: a word for each switch that its script turns."""
    usual = settings_of(replace(plan, overrides=()))
    turned = [name for name, value in plan.overrides if value != getattr(usual, name)]
    wanted = {f"{{{name}}}" if name.endswith("_ms") else WORDS_OF.get(name, name) for name in turned}
    wanted |= {WORDS_OF_GIVEN[type(given)] for given in plan.given} | ({"combined"} if plan.combined else set())
    sections = [section for step in steps if (section := lesson.script.section(step.do)) is not None]
    for command in (item.text for section in sections for item in section.steps if isinstance(item, Do)):
        try:
            order = parse_command(command)
        except CommandError:
            continue  # it names a remembered node
        if isinstance(order, CreateTopic) and order.min_isr > 1:
            wanted.add("min.insync.replicas")
    return wanted


@pytest.mark.parametrize("name", lesson_names())
def test_a_lesson_names_every_switch_that_its_script_turns(name: str) -> None:
    """A switch that is not named teaches a wrong cause."""
    lesson = lesson_of(name)
    found = {
        steps[0].do or steps[0].heading: missing
        for plan, steps in clusters_of(lesson)
        if (missing := {words for words in wanted_words(lesson, plan, steps) if words not in text_of(steps)})
    }
    assert not found


@pytest.mark.parametrize("name", lesson_names())
def test_a_question_has_at_least_three_options_and_little_prose_before_it(name: str) -> None:
    steps = lesson_of(name).steps
    few = [step.heading for step in steps if step.prediction and len(step.prediction.options) < OPTIONS_MIN]
    long = {step.heading: count for step in steps if (count := len(step.prose.split())) > PROSE_WORDS_MAX and step.do}
    assert (few, long) == ([], {})


class Played:
    """Every lesson, played once in virtual time."""

    def __init__(self, home: Path) -> None:
        self.right: dict[tuple[str, str], str] = {}
        """Lesson and question to the letter that is right."""
        self.unclean: set[tuple[str, str]] = set()
        """Lesson and section of each unclean election."""
        for name in lesson_names():
            asyncio.run(self._play(lesson_of(name), home / name))

    async def _play(self, lesson: Lesson, home: Path) -> None:
        runner = ScriptRunner(lesson.script, simulated_launcher(home, 1), lambda _step: None, title=lesson.title)
        asked = {step.do: step.prediction for step in lesson.steps if step.prediction is not None}
        elections: list[PartitionDecided] = []

        def heard(entry: Entry) -> None:
            if isinstance(entry.event, PartitionDecided) and entry.event.unclean:
                elections.append(entry.event)

        def over(section: Section) -> None:
            if section.name in asked:
                prediction = asked[section.name]
                self.right[lesson.name, prediction.id] = prediction.right_answer(runner.state, runner.memory)
            if elections:
                self.unclean.add((lesson.name, section.name))
                elections.clear()

        runner.on_entry, runner.on_section = heard, over
        assert await runner.run()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return Played(tmp_path_factory.mktemp("course"))


def test_no_letter_is_right_in_more_than_two_of_five_questions(played: Played) -> None:
    counts = Counter(played.right.values())
    assert "" not in counts, "a question without one right answer"
    assert max(counts.values()) <= LETTER_SHARE_MAX * len(played.right), counts


def test_a_lesson_that_elects_uncleanly_says_so(played: Played) -> None:
    assert played.unclean, "one lesson at least shows it"
    silent = {
        (name, section)
        for name, section in played.unclean
        for _, steps in clusters_of(lesson_of(name))
        if section in [step.do for step in steps] and "unclean" not in text_of(steps)
    }
    assert not silent
