"""What no text of a lesson may have: HTML, too many words, letters of options."""

from __future__ import annotations

import re
from pathlib import Path

from workbench.course.lesson_error import LessonError
from workbench.course.reading.frame import Piece
from workbench.course.values import VALUE

WORDS_MAX = 90
"""Of prose before a question, and of a reveal."""
_HTML = re.compile(r"</?[A-Za-z][^>]*>|<!--|&[a-z]{2,8};")
_CODE = re.compile(r"`[^`]*`")
_LETTER = re.compile(
    r"\b(?:options?|answers?|letters?) (?:[b-d]\b|a(?= (?:and|or)\b|\s*[.,;:!?)]|\s*$))|\([a-d]\)|^[a-d][.)] |"
    r"\bof the above\b",
    re.IGNORECASE,
)


def word_count(text: str) -> int:
    """Words of a text; a value counts as one."""
    return len(VALUE.sub("1", text).split())


def check_length(path: Path, line: int, text: str, what: str, most: int = WORDS_MAX) -> None:
    """LessonError when a text has more words than that."""
    count = word_count(text)
    if count > most:
        raise LessonError(path, line, f"{what} has {count} words; at most {most}")


def check_plain(path: Path, piece: Piece) -> None:
    """LessonError when a text has HTML outside of `code`."""
    for number, text in piece.numbered():
        tag = _HTML.search(_CODE.sub("", text))
        if tag:
            raise LessonError(path, number, f"HTML: {tag[0][:40]}; allowed: paragraphs, **term**, *word*, `code`")


def check_letters(path: Path, line: int, text: str, what: str) -> None:
    """LessonError when a text names an option by its letter: letters come from the shuffle."""
    letter = _LETTER.search(text)
    if letter:
        wrong = f"{what} names an option by its place: '{letter[0].strip()}'"
        raise LessonError(path, line, f"{wrong}; letters come from the shuffle, say what the option says")
