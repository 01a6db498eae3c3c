"""What the first screen offers."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import create_run, take_lock, update_facts
from tests.support.worlds.small_lesson import write_lesson
from workbench.challenges.catalogue import CHALLENGES
from workbench.challenges.quiz.questions import items
from workbench.challenges.quiz.results import record
from workbench.course.progress import record_finished
from workbench.tui.screens.home_choices import (
    Choice,
    all_choices,
    began_said,
    challenge_choices,
    go_on_choices,
    incident_choices,
    lesson_choices,
    quiz_choices,
    run_choices,
)


def made_run(home: Path, title: str, state: str) -> Path:
    folder, lock = create_run(home, ClusterSpec(title=title, controllers=3, brokers=3))
    os.close(lock)
    update_facts(folder, state=state)
    return folder


def test_finished_lessons_are_marked(tmp_path: Path) -> None:
    write_lesson(tmp_path / "lessons", title="Who leads?")
    (before,) = lesson_choices(tmp_path / "lessons", tmp_path)
    record_finished("01_small", tmp_path)
    (after,) = lesson_choices(tmp_path / "lessons", tmp_path)
    assert (before.note, after.note) == ("5 min", "\u2713 finished") and "Who leads?" in after.text
    assert "Say who leads." in before.about and "3 steps" in before.about


def test_who_has_begun_goes_on_where_the_last_lesson_was_left_and_sees_how_many_are_finished() -> None:
    def lesson(name: str, kind: str = "", left_s: float = 0.0) -> Choice:
        return Choice("Lessons", "lesson", name, name, "5 min", kind, "", left_s)

    assert go_on_choices([lesson("1"), lesson("2")]) == []
    (following,) = go_on_choices([lesson("1", "done"), lesson("2"), lesson("3")])
    assert (following.group, following.name, following.note) == ("Go on", "2", "1 of 3 lessons finished")
    (left,) = go_on_choices([lesson("1", "done"), lesson("2", "up", 10.0), lesson("3", "up", 20.0)])
    assert (left.name, left.note) == ("3", "5 min   1 of 3 lessons finished")
    assert go_on_choices([lesson("1", "done")]) == [] and go_on_choices([]) == []


def test_a_lesson_that_cannot_be_read_is_listed_with_its_mistake(tmp_path: Path) -> None:
    (tmp_path / "02_broken").mkdir()
    (tmp_path / "02_broken" / "lesson.md").write_text("no front matter \x1b[2J")
    (choice,) = lesson_choices(tmp_path, tmp_path)
    assert choice.note == "cannot be read" and choice.text.isprintable()


def test_runs_say_whether_they_are_up_ended_or_ended_abruptly(tmp_path: Path) -> None:
    made_run(tmp_path, "first", "ended")
    made_run(tmp_path, "killed \x1b[31m", "running")
    alive = made_run(tmp_path, "alive", "running")
    lock = take_lock(alive)
    assert lock is not None
    found = {choice.text.partition("  ")[2]: (choice.verb, choice.kind) for choice in run_choices(tmp_path)}
    assert found == {"first": ("replay", ""), "killed \u241b[31m": ("replay", "abrupt"), "alive": ("attach", "up")}
    assert all_choices(tmp_path)[-1].group == "Recorded runs"


def test_a_date_is_said_as_one_would() -> None:
    now = datetime(2026, 11, 22, 10, 0)
    assert began_said("2026-11-22T09:41:00", now) == "today 09:41"
    assert began_said("2026-11-21T23:59:00+01:00", now) == "yesterday"
    assert began_said("2026-11-03T09:41:00", now) == "3 Nov"
    assert began_said("soon", now) == ""


def test_every_challenge_is_offered_with_its_task_and_how_it_is_graded() -> None:
    found = challenge_choices()
    assert len(found) == len(CHALLENGES) and {choice.group for choice in found} == {"Challenges"}
    for choice, listed in zip(found, CHALLENGES, strict=True):
        assert listed.title in choice.text and listed.task in choice.about and listed.graded in choice.about
        assert (choice.verb == "challenge") == (listed.number not in (8, 9)) and choice.note == "open"


def test_the_quiz_is_offered_twice_with_how_far_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    first = items()[0]
    record("before", first, first.right)
    told = [(choice.verb, choice.name, choice.note) for choice in quiz_choices()]
    assert told == [("quiz", "before", "1 of 12 answered"), ("quiz", "after", "")]


def test_incidents_are_told_before_they_are_opened() -> None:
    first = incident_choices()[0]
    assert (first.verb, first.name, first.note) == ("incident", "01_isr_of_one", "2013")
    assert "KAFKA-1555" in first.about and "Which promise broke: " in first.about
