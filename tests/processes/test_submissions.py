"""A lesson that was taken on real processes: its recording is handed in, judged, and named when it was changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.handed_in import in_lesson, in_recording, tampered
from workbench.course.library import find_lesson
from workbench.runs.launch import process_launcher
from workbench.session.lesson.player import LessonPlayer
from workbench.submissions.collecting import lesson_part
from workbench.submissions.form import LessonPart, Recording, write_submission
from workbench.submissions.grading import grade_file, grade_files
from workbench.support.places import usable_home

pytestmark = pytest.mark.processes


async def taken(home: Path) -> None:
    """Lesson 1, with the right answer to each question."""
    player = LessonPlayer(find_lesson("1"), process_launcher(home), lambda _lab: None, progress_folder=home)
    try:
        while not player.is_last_page:
            for letter, option in player.options.items():
                if not option.misconception:
                    player.predict(letter)
            if player.task is not None:
                player.begin_what_is_due()
                player.own.hints = len(player.task.hints)
            assert player.step.do is None or await player.run_step(), player.own.seen
            assert player.turn(1) == ""
    finally:
        await player.close()


async def test_a_recording_of_processes_is_judged_and_a_changed_one_is_named(tmp_path: Path) -> None:
    home = usable_home(str(tmp_path / "home"))
    await taken(home)
    part = lesson_part(find_lesson("1"), home)
    folder = tmp_path / "in"
    folder.mkdir()
    write_submission(str(folder / "ada.json"), "ada", (part,))
    honest = grade_file(folder / "ada.json", "ada.json")
    assert (honest.points, honest.points_max, honest.reasons) == (5, 5, ())

    changes = {
        "gone": in_recording("101-0.trace", lambda _: None),
        "shorter": in_recording("1-0.trace", lambda content: content[: len(content) // 2]),
        "garbage": in_recording("1-0.trace", lambda content: content[:200] + b"\xff" * 50 + content[250:]),
        "other topic": in_recording("2-0.trace", lambda content: content.replace(b"orders", b"0rders")),
    }
    for name, change in changes.items():
        one = grade_file(tampered(folder / "ada.json", change, tmp_path / f"{name}.json"), name)
        assert one.reasons and one.points < honest.points, name
        assert all(reason.isprintable() for reason in one.reasons)

    def only_first(first: LessonPart) -> LessonPart:
        assert isinstance(first.runs[0], Recording)
        return LessonPart(first.name, first.digest, first.answers, first.runs[:1])

    tampered(folder / "ada.json", in_lesson(only_first), folder / "eve.json")
    reasons = {one.file: one.reasons for one in grade_files(folder)}
    assert reasons["ada.json"] == ("a recording of processes in it is also in eve.json",), (
        "who had it first, none can say"
    )
    assert "a recording of processes in it is also in ada.json" in reasons["eve.json"]
