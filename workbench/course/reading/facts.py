"""Reads the front matter of schema 2: what a lesson says of itself, and where it stands in the course."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from workbench.course.content import About
from workbench.course.front_matter import BREAKS, MINIMUM, toml_of
from workbench.course.lesson_error import LessonError

SCHEMA = 2
SOURCES = ("S0", "S1", "S2", "S3", "S4")
CHALLENGES = 10
_KEYS: dict[str, tuple[type, str]] = {
    "schema": (int, "2"),
    "title": (str, '"One record, three copies"'),
    "goal": (str, '"Say of a record which copies exist."'),
    "minutes": (int, "30"),
    "needs": (list, '["01_one_record_three_copies"]'),
    "sources": (list, '["S0", "S2"]'),
    "next": (str, '"02_in_sync_means_caught_up", or "" after the last'),
    "challenge": (int, f"1 to {CHALLENGES}, or 0 for none"),
}
_OPTIONAL = (BREAKS, MINIMUM)


@dataclass(frozen=True, slots=True)
class Facts(About):
    """The checked front matter."""

    breaks: Any
    """Not checked yet: it names sections."""
    minimum: Any
    body: int
    """Index of the first line below it."""
    lines: dict[str, int]
    """Line of each key, from 1."""

    def line_of(self, key: str) -> int:
        """Where a key stands."""
        return self.lines.get(key, 2)


def read_facts(path: Path, lines: list[str]) -> Facts:
    """The front matter. LessonError on the first mistake."""
    plain, body = toml_of(path, lines, SCHEMA)
    places: dict[str, int] = {}
    for number, text in enumerate(lines[1 : body - 1], start=2):
        key_there = re.match(r"\s*\[?([a-z]+)[\s.=\]]", text)
        if key_there:
            places.setdefault(key_there[1], number)
    unknown = sorted(set(plain) - {*_KEYS, *_OPTIONAL})
    if unknown:
        near = get_close_matches(unknown[0], [*_KEYS, *_OPTIONAL], n=1)
        hint = f"did you mean {near[0]}?" if near else f"allowed: {', '.join([*_KEYS, *_OPTIONAL])}"
        raise LessonError(path, places.get(unknown[0], 2), f"unknown key {unknown[0][:40]!r}; {hint}")
    for key, (kind, example) in _KEYS.items():
        if key not in plain:
            raise LessonError(path, body, f"{key} is missing; for example: {key} = {example}")
        if type(plain[key]) is not kind or (kind is list and not all(isinstance(item, str) for item in plain[key])):
            raise LessonError(path, places.get(key, 2), f"{key}: not of this form: {key} = {example}")
    if plain["schema"] != SCHEMA:
        wrong = f"schema {plain['schema']} is another format; this reader is for {SCHEMA}"
        raise LessonError(path, places.get("schema", 2), wrong)
    facts = Facts(
        plain["title"],
        plain["goal"],
        plain["minutes"],
        tuple(plain["needs"]),
        tuple(plain["sources"]),
        plain["next"],
        plain["challenge"],
        plain.get(BREAKS, {}),
        plain.get(MINIMUM, {}),
        body,
        places,
    )
    _check(path, facts)
    return facts


def _check(path: Path, facts: Facts) -> None:
    """What the values must be beyond their kind."""
    for key in ("title", "goal"):
        if not getattr(facts, key).strip():
            raise LessonError(path, facts.line_of(key), f"{key} is empty")
    for source in facts.sources:
        if source not in SOURCES:
            wrong = f"sources: no document {source[:40]!r}; there are {', '.join(SOURCES)}"
            raise LessonError(path, facts.line_of("sources"), wrong)
    if not 0 <= facts.challenge <= CHALLENGES:
        wrong = f"challenge: no challenge {facts.challenge}; there are 1 to {CHALLENGES}, 0 for none"
        raise LessonError(path, facts.line_of("challenge"), wrong)
    planned_names = planned(path.parent.parent)
    for key, names in (("needs", facts.needs), ("next", (facts.next,) if facts.next else ())):
        for name in names:
            if name == path.parent.name:
                raise LessonError(path, facts.line_of(key), f"{key}: the lesson itself")
            if name not in planned_names:
                near = get_close_matches(name, planned_names, n=1)
                hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(planned_names)}"
                raise LessonError(path, facts.line_of(key), f"{key}: no lesson {name[:60]!r}; {hint}")


def planned(folder: Path) -> tuple[str, ...]:
    """Names of the lessons of a folder, and of those that its course is still to have."""
    return tuple(sorted({item.parent.name for item in folder.glob("*/lesson.md")} | set(_course(folder))))


def _course(folder: Path) -> tuple[str, ...]:
    try:
        return tuple((folder / "course.txt").read_text(encoding="utf-8").split())
    except (OSError, UnicodeDecodeError):
        return ()
