"""Reads the speaker's notes of a step, and the three sentences of the last page."""

from __future__ import annotations

import re
from pathlib import Path

from workbench.course.content import Notes
from workbench.course.lesson_error import LessonError
from workbench.course.reading.frame import Piece
from workbench.course.reading.text_checks import check_length

MINUTES_MAX = 60
KEEP_WORDS_MAX = 30
_TIME = re.compile(r"time: ([1-9][0-9]?)")


def read_notes(path: Path, piece: Piece, *, is_asked: bool) -> Notes:
    """The notes; with a question in the step they say what to expect."""
    lines = piece.numbered()
    time = _TIME.fullmatch(lines[0][1].strip()) if lines else None
    if time is None or int(time[1]) > MINUTES_MAX:
        wrong = f"notes begin with 'time: N', whole minutes of 1 to {MINUTES_MAX}"
        raise LessonError(path, lines[0][0] if lines else piece.line, wrong)
    expect: list[str] = []
    remarks: list[str] = []
    for number, text in lines[1:]:
        if text.startswith("expect: ") and not remarks:
            expect.append(text.removeprefix("expect: ").strip())
        elif text.startswith("- "):
            remarks.append(text.removeprefix("- ").strip())
        else:
            wrong = f"not a line of notes: '{text[:60]}'; allowed: time, then expect: TEXT, then - TEXT, one line each"
            raise LessonError(path, number, wrong)
    if is_asked and not expect:
        raise LessonError(path, piece.line, "notes of a step with a question say 'expect: the usual wrong answer'")
    return Notes(int(time[1]), tuple(expect), tuple(remarks))


def read_keep(path: Path, piece: Piece) -> tuple[str, str, str]:
    """The three sentences to keep."""
    lines = piece.numbered()
    sentences: list[str] = []
    for place, (number, text) in enumerate(lines, start=1):
        mark, _, sentence = text.partition(". ")
        if mark != str(place) or not sentence.strip():
            raise LessonError(path, number, f"keep has three lines, this one begins with '{place}. '")
        check_length(path, number, sentence, "a sentence to keep", KEEP_WORDS_MAX)
        sentences.append(sentence.strip())
    if len(sentences) != 3:
        raise LessonError(path, piece.line, f"keep has three numbered lines, not {len(sentences)}")
    return sentences[0], sentences[1], sentences[2]
