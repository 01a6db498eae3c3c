"""The scripts that come along and make runs: of lessons and incidents. A text of a run names its script only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path

from cluster.runtime.run.facts import RunFacts
from cluster.scenario.main import read_script
from cluster.scenario.script import Script, ScriptError, Section, settings_of
from workbench.course.front_matter import text_of
from workbench.course.incidents import INCIDENTS, incident_names
from workbench.course.lesson_error import LessonError
from workbench.course.library import LESSONS, lesson_names
from workbench.course.reading.facts import read_facts

LESSON = "lesson.md"
"""Stands beside the script of a lesson, not of an incident."""
WORDS_MAX = 30_000
"""Bytes of a lesson's text and its script that help to fold a text."""


def words_of(source: str) -> bytes:
    """What a source says: most of what a learner types there stands in it. ValueError for a source that is none."""
    if not source:
        return b""
    path = _path_of(source)
    about = path.with_name(LESSON)
    return ((about.read_bytes() if about.is_file() else b"") + path.read_bytes())[-WORDS_MAX:]


def script_of(source: str) -> tuple[str, Script]:
    """The title that runs of a source have, and its script. ValueError for a source that is none."""
    path = _path_of(source)
    about = path.with_name(LESSON)
    try:
        title = read_facts(about, text_of(about).splitlines()).title if about.is_file() else path.stem
        return title[:80], read_script(path)
    except (LessonError, ScriptError, OSError) as error:
        raise ValueError(source) from error


def sources_of(facts: RunFacts) -> Iterator[tuple[str, int]]:
    """(source, index of the section) of everything that may have made a run with these facts."""
    for source in scripts_by_source():
        title, script = script_of(source)
        number = title.partition("_")[0]
        if facts.title.startswith((title, f"Incident {number}:")):
            for place, section in enumerate(script.sections):
                if _is_like(section, facts):
                    yield source, place


def sections_of(script: Script, first: int) -> Iterator[Section]:
    """Those that act on the cluster which one of them began."""
    for place, section in enumerate(script.sections[first:]):
        if place and section.plan is not None:
            return
        yield section


def _path_of(source: str) -> Path:
    path = scripts_by_source().get(source)
    if path is None:
        raise ValueError(source)
    return path


@cache
def scripts_by_source() -> dict[str, Path]:
    """Where each lies. A source has the number of its lesson or incident, which is short and is never another's."""
    lessons = {f"lesson {_number(name)}": LESSONS / name / "scenario.txt" for name in lesson_names()}
    return lessons | {f"incident {_number(name)}": INCIDENTS / f"{name}.txt" for name in incident_names()}


def _number(name: str) -> int:
    return int(name.partition("_")[0])


def _is_like(section: Section, facts: RunFacts) -> bool:
    plan = section.plan
    return (
        plan is not None
        and (plan.controllers, plan.brokers) == (len(facts.controllers), len(facts.brokers))
        and plan.combined == bool(set(facts.controllers) & set(facts.brokers))
        and plan.given_lines == tuple(facts.given)
        and asdict(settings_of(plan)) == facts.settings
    )
