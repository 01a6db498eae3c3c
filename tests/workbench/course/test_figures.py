"""Figures in a lesson's text are those of the run that the learner watches."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.lesson_world import SCRIPT, write_lesson
from workbench.course.figures import duration
from workbench.course.lesson import LessonError, read_lesson
from workbench.course.timing import with_figures, with_timing

PROSE = "After the fetch timeout ({quorum_fetch_timeout_ms} here)."


@pytest.mark.parametrize(
    ("timing", "slow", "says"),
    [("", 1.0, "333 ms"), ("kafka", 1.0, "2 s"), ("", 20.0, "6.66 s"), ("kafka", 0.5, "1 s")],
)
def test_a_figure_is_what_the_timer_is_in_the_run(tmp_path: Path, timing: str, slow: float, says: str) -> None:
    lesson = with_figures(with_timing(write_lesson(tmp_path, prose=PROSE), timing), slow)
    assert lesson.steps[0].prose == f"After the fetch timeout ({says} here)."


def test_a_timer_that_the_script_sets_is_told_as_it_is_set(tmp_path: Path) -> None:
    folder = write_lesson(tmp_path, prose=PROSE).folder
    script = SCRIPT.format(expectation="").replace("timing=classroom", "timing=classroom quorum_fetch_timeout_ms=750")
    (folder / "scenario.txt").write_text(script)
    assert "(750 ms here)" in with_figures(with_timing(read_lesson(folder), "kafka")).steps[0].prose


@pytest.mark.parametrize("prose", ["It takes {no_such_timer_ms}.", "It takes {fetch_max_bytes}."])
def test_a_figure_that_is_no_timer_is_refused(tmp_path: Path, prose: str) -> None:
    with pytest.raises(LessonError, match="no timer"):
        write_lesson(tmp_path, prose=prose)


def test_a_figure_needs_a_cluster(tmp_path: Path) -> None:
    folder = write_lesson(tmp_path).folder
    path = folder / "lesson.md"
    path.write_text(path.read_text().replace("## Three voters", "## Before\n{request_timeout_ms}\n\n## Three voters"))
    with pytest.raises(LessonError, match="before the first step with a cluster"):
        read_lesson(folder)


def test_a_question_is_the_same_in_every_run(tmp_path: Path) -> None:
    folder = write_lesson(tmp_path).folder
    path = folder / "lesson.md"
    path.write_text(path.read_text().replace("Who leads afterwards?", "Who leads after {request_timeout_ms}?"))
    with pytest.raises(LessonError, match="has no figures"):
        read_lesson(folder)


@pytest.mark.parametrize(
    ("milliseconds", "says"),
    [
        (1, "1 ms"),
        (999, "999 ms"),
        (1000, "1 s"),
        (1500, "1.5 s"),
        (60_000, "60 s"),
        (90_000, "90 s"),
        (1_200_000, "20 min"),
    ],
)
def test_times_are_told_as_people_say_them(milliseconds: int, says: str) -> None:
    assert duration(milliseconds) == says
