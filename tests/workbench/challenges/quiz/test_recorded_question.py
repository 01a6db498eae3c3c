from __future__ import annotations

from pathlib import Path

import pytest

from workbench.challenges.quiz.questions import items
from workbench.challenges.quiz.recorded_question import digest, make, right_option
from workbench.support.refusal import Refusal


def test_a_lesson_that_is_played_again_gives_the_same_answer(tmp_path: Path) -> None:
    item = next(item for item in items() if item.id == "10")
    data = make(item.lesson, item.question)
    assert data == make(item.lesson, item.question)
    path = tmp_path / "10.rec"
    path.write_bytes(data)
    assert right_option(path, digest(data), item.lesson, item.question) is item.right


def test_a_recording_that_was_edited_is_named(tmp_path: Path) -> None:
    item = items()[0]
    path = tmp_path / "01.rec"
    data = item.recording.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(Refusal, match="the recording '.*01.rec' was changed"):
        right_option(path, item.digest, item.lesson, item.question)
    path.write_bytes(b"no recording")
    with pytest.raises(Refusal, match="01.rec' is no recording"):
        right_option(path, digest(b"no recording"), item.lesson, item.question)
    with pytest.raises(Refusal, match="cannot read '.*gone.rec'"):
        right_option(tmp_path / "gone.rec", "", item.lesson, item.question)


def test_the_recording_of_another_question_answers_nothing() -> None:
    first, second = items()[0], items()[5]
    with pytest.raises(Refusal, match="options of .* hold in"):
        right_option(second.recording, second.digest, first.lesson, first.question)
