"""What the five documents claim, and what is so: `claims.toml` beside the lessons, and which lesson teaches what."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from workbench.course.content import Document, Lesson

FILE = "claims.toml"
VERDICTS = ("ok", "old", "partly", "wrong", "wording")
CLAIM = re.compile(r"S[0-4]\.[1-9][0-9]?")


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of one document."""

    name: str
    """S2.12 is claim 12 of document S2."""
    verdicts: tuple[str, ...]
    """One of VERDICTS, or several: which one depends on what is quoted."""
    sentence: str
    """What is claimed, and what is so instead."""
    lesson: str
    """Number of the lesson that is to teach it, two digits."""


@dataclass(frozen=True, slots=True)
class Claims:
    """All of them."""

    titles: dict[str, str]
    """S0 to S4, and which document that is."""
    by_name: dict[str, Claim]
    """In the order of the documents."""


NO_CLAIMS = Claims({}, {})
"""For lessons without such a file beside them."""


def claims_beside(folder: Path) -> Claims:
    """The claims that the lessons of this folder are held against."""
    path = folder / FILE
    return read_claims(path) if path.is_file() else NO_CLAIMS


@lru_cache(maxsize=8)
def read_claims(path: Path) -> Claims:
    """The claims of a file. OSError or TOMLDecodeError when it is none, ValueError for a line of another form."""
    plain = tomllib.loads(path.read_text(encoding="utf-8"))
    titles = {document: str(table.pop("title")) for document, table in plain.items()}
    by_name: dict[str, Claim] = {}
    for document, table in plain.items():
        for number, value in table.items():
            claim = _claim(f"{document}.{number}", value)
            by_name[claim.name] = claim
    return Claims(titles, by_name)


def _claim(name: str, value: object) -> Claim:
    match value:
        case [str(verdict), str(sentence), int(lesson)]:
            verdicts = tuple(verdict.split(" or "))
            if CLAIM.fullmatch(name) and set(verdicts) <= set(VERDICTS):
                return Claim(name, verdicts, sentence, f"{lesson:02d}")
    raise ValueError(f"{FILE}: {name}: the form is: NUMBER = [VERDICT, SENTENCE, LESSON]")


def documents_of(lesson: Lesson) -> Iterator[Document]:
    """All document blocks of a lesson, in its order."""
    for step in lesson.steps:
        yield from (block for block in (*step.before, *step.after) if isinstance(block, Document))
    yield from lesson.last.documents


def taught(lessons: Iterable[Lesson]) -> dict[str, tuple[str, ...]]:
    """Each claim that is taught, with the names of the lessons that do."""
    lessons_of: dict[str, list[str]] = {}
    for lesson in lessons:
        for name in dict.fromkeys(name for document in documents_of(lesson) for name in document.claims):
            lessons_of.setdefault(name, []).append(lesson.name)
    return {name: tuple(names) for name, names in lessons_of.items()}
