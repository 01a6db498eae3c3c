"""Marks of the viewer's own: set, found again, and kept with the recording."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.traces import story
from workbench.session.bookmarks import COUNT_MAX, FILE, Bookmarks
from workbench.session.recording import Recording

ENTRIES = story.full_story()


def opened(folder: Path, entries: int = len(ENTRIES)) -> tuple[Recording, Bookmarks]:
    recording = Recording()
    recording.extend(ENTRIES[:entries])
    marks = Bookmarks(recording)
    marks.follow(folder)
    return recording, marks


def own(recording: Recording) -> list[tuple[int, str]]:
    return [(mark.place, mark.text) for mark in recording.timeline.own]


def test_a_mark_is_there_again_when_the_run_is_opened_again(tmp_path: Path) -> None:
    recording, marks = opened(tmp_path)
    for cursor, text in ((30, "later"), (10, "first \x1b[31m"), (30, "later, in other words")):
        recording.seek(cursor)
        assert marks.add(text) == ""
    assert own(recording) == [(9, "first \u241b[31m"), (29, "later, in other words")]
    again, _ = opened(tmp_path)
    assert own(again) == own(recording)
    recording.seek(10)
    assert marks.remove() == "" and "no mark of yours is here" in marks.remove()
    assert own(opened(tmp_path)[0]) == [(29, "later, in other words")]


def test_a_mark_waits_for_its_event_and_is_not_lost_meanwhile(tmp_path: Path) -> None:
    recording, marks = opened(tmp_path)
    recording.seek(40)
    marks.add("far on")
    young, its_marks = opened(tmp_path, entries=20)
    assert own(young) == []
    its_marks.add("here")
    assert len(json.loads((tmp_path / FILE).read_text())["marks"]) == 2
    young.extend(ENTRIES[20:])
    its_marks.follow(tmp_path)
    assert own(young) == [(19, "here"), (39, "far on")]


def test_marks_of_the_viewer_are_passed_through_like_those_of_the_run() -> None:
    recording, marks = opened(Path())
    recording.seek(1)
    assert marks.add("the beginning") == ""
    recording.go_live()
    while text := recording.previous_mark():
        last = text
    assert last == "the beginning" and recording.cursor == 1
    assert recording.next_mark() == recording.timeline.marks[0].text


def test_another_run_has_marks_of_its_own(tmp_path: Path) -> None:
    recording, marks = opened(tmp_path)
    marks.add("of this run")
    recording.reset()
    recording.extend(ENTRIES)
    marks.follow(tmp_path / "other")
    assert own(recording) == []


@pytest.mark.parametrize(
    "content",
    ["", "[]", '{"marks": 3}', '{"marks": [3, {"event": [1, 2]}, {"event": [0, 0, true], "text": "x"}, '
     '{"event": [99, 0, 0], "text": "nobody"}, {"event": [0, 0, 0], "text": 7}]}'],
)  # fmt: skip
def test_a_damaged_file_is_passed_over(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    assert own(opened(tmp_path)[0]) == []


def test_a_mark_that_cannot_be_kept_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    recording, marks = opened(tmp_path / "file")
    assert marks.add("x").startswith("it holds only until you leave: ")
    assert own(recording) == [(len(ENTRIES) - 1, "x")]


def test_there_is_an_end_to_them() -> None:
    recording, marks = opened(Path())
    recording.seek(0)
    assert "before the first event" in marks.add("x")
    for cursor in range(1, len(ENTRIES) + 1):
        recording.seek(cursor)
        assert (marks.add("x") == "") == (cursor <= COUNT_MAX)
