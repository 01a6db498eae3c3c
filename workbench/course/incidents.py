"""Public incidents: what happened, which promise broke, what the vendor changed, and a script that plays it."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from cluster.scenario.main import read_script
from cluster.scenario.script import Script, ScriptError
from workbench.course.front_matter import BREAKS, breaks_of, text_of, toml_of
from workbench.course.lesson_error import LessonError
from workbench.course.library import NAME, lesson_names
from workbench.support.shipped import shipped

INCIDENTS = shipped("incidents")
SCHEMA = 1
HEADINGS = ("What happened", "Which promise broke", "What the vendor changed", "What is played here")
_KEYS = {"schema": int, "title": str, "year": int, "system": str, "sources": list, "lesson": str, BREAKS: dict}


class UnknownIncident(Exception):
    """No such incident; str() says which there are."""


@dataclass(frozen=True, slots=True)
class Incident:
    """One incident, checked."""

    name: str
    title: str
    year: int
    system: str
    """What it happened to."""
    sources: tuple[str, ...]
    lesson: str
    """The lesson that it belongs to; empty for none."""
    breaks: dict[str, tuple[str, ...]]
    """By section of the script: the rules that must be broken in it."""
    parts: tuple[tuple[str, str], ...]
    """Heading and text, in the order of HEADINGS."""
    path: Path
    """Of its script."""
    sections: tuple[str, ...]
    """Of its script; each begins a cluster."""

    @property
    def number(self) -> str:
        """As 01."""
        return self.name.partition("_")[0]


def incident_names() -> tuple[str, ...]:
    """Of all incidents, in order."""
    return tuple(item.stem for item in sorted(INCIDENTS.glob("*_*.md")) if NAME.fullmatch(item.stem))


def find_incident(typed: str) -> Incident:
    """The incident of that name, number (1 or 01) or unique beginning. UnknownIncident when there is none."""
    names = incident_names()
    if typed.isdecimal():
        fitting = [name for name in names if name.partition("_")[0].lstrip("0") == typed.lstrip("0")]
    else:
        fitting = [name for name in names if typed and name.startswith(typed)]
        fitting = fitting or [name for name in names if typed and name.partition("_")[2].startswith(typed)]
    if len(fitting) == 1:
        return read_incident(INCIDENTS / f"{fitting[0]}.md")
    shown = "".join(char if char.isprintable() else "\ufffd" for char in typed[:80])
    near = fitting or get_close_matches(typed, names, n=3, cutoff=0.4) or list(names)
    what = "means several incidents" if fitting else "is no incident"
    raise UnknownIncident(f"'{shown}' {what}; there are: {', '.join(near)}")


def incidents_of(lesson: str) -> list[Incident]:
    """Those that belong to a lesson. LessonError for the first that cannot be read."""
    return [each for each in all_incidents() if each.lesson == lesson]


def all_incidents() -> list[Incident]:
    """In order. LessonError for the first that cannot be read."""
    return [read_incident(INCIDENTS / f"{name}.md") for name in incident_names()]


def read_incident(path: Path) -> Incident:
    """One incident with its script checked. LessonError on the first mistake in either file."""
    lines = text_of(path).splitlines()
    facts, start = toml_of(path, lines, SCHEMA)
    wrong = next((key for key, kind in _KEYS.items() if type(facts.get(key)) is not kind), None)
    unknown = sorted(set(facts) - set(_KEYS))
    if wrong or unknown:
        complaint = f"{wrong} is missing or of another type" if wrong else f"unknown key {unknown[0][:40]!r}"
        raise LessonError(path, 2, f"{complaint}; it has {', '.join(_KEYS)}")
    if not facts["sources"] or not all(isinstance(source, str) for source in facts["sources"]):
        raise LessonError(path, 2, 'sources: name at least one, for example ["KIP-101"]')
    if facts["lesson"] and facts["lesson"] not in lesson_names():
        raise LessonError(path, 2, f"lesson: no lesson {facts['lesson'][:40]!r}")
    sections = tuple(section.name for section in _script_of(path.with_suffix(".txt")).sections)
    return Incident(
        path.stem, facts["title"], facts["year"], facts["system"], tuple(facts["sources"]), facts["lesson"],
        breaks_of(path, facts[BREAKS], list(sections)), _parts_of(path, lines, start), path.with_suffix(".txt"),
        sections,
    )  # fmt: skip


def _script_of(path: Path) -> Script:
    try:
        script = read_script(path)
    except ScriptError as error:
        raise LessonError(path, error.line, error.what) from error
    except OSError as error:
        raise LessonError(path, 1, f"cannot be read: {error.strerror}") from error
    if any(section.plan is None for section in script.sections):
        raise LessonError(path, 1, "each section of an incident begins a cluster")
    return script


def _parts_of(path: Path, lines: list[str], start: int) -> tuple[tuple[str, str], ...]:
    """The text below each heading, paragraphs flowed."""
    parts: list[tuple[str, list[str]]] = []
    for number, line in enumerate(lines[start:], start=start + 1):
        if line.startswith("## "):
            parts.append((line.removeprefix("## "), []))
        elif parts:
            parts[-1][1].append(line)
        elif line.strip():
            raise LessonError(path, number, "text before the first heading")
    if tuple(heading for heading, _ in parts) != HEADINGS:
        raise LessonError(path, start + 1, f"the headings must be: {'; '.join(HEADINGS)}")
    return tuple((heading, "\n".join(text).strip()) for heading, text in parts)
