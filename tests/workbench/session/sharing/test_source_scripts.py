"""A text names the script that made its run, and never a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.runtime.run.folder import read_facts
from tests.support.worlds.shared_runs import plain_run
from workbench.course.incidents import incident_names
from workbench.course.library import find_lesson, lesson_names
from workbench.runs.played import played
from workbench.session.sharing.source_scripts import (
    WORDS_MAX,
    script_of,
    scripts_by_source,
    sections_of,
    sources_of,
    words_of,
)


def test_every_lesson_and_incident_is_a_source() -> None:
    assert len(scripts_by_source()) == len(lesson_names()) + len(incident_names())
    title, script = script_of("lesson 4")
    lesson = find_lesson("4")
    assert (title, script) == (lesson.title, lesson.script)
    assert script_of("incident 2")[0].startswith("02_")


@pytest.mark.parametrize("source", ["lesson", "lesson 0", "lesson 04", "../lessons/04", "incident x"])
def test_nothing_else_is_one(source: str) -> None:
    with pytest.raises(ValueError, match=source):
        script_of(source)
    with pytest.raises(ValueError, match=source):
        words_of(source)


def test_words_are_those_of_the_lesson_and_its_script() -> None:
    assert b"cluster controllers" in words_of("lesson 4") and b"task:" in words_of("lesson 4")
    assert len(words_of("lesson 4")) <= WORDS_MAX and words_of("") == b""


def test_a_section_goes_on_until_the_next_cluster() -> None:
    script = script_of("lesson 1")[1]
    begin = next(place for place, section in enumerate(script.sections) if section.plan is not None)
    acting = list(sections_of(script, begin))
    assert len(acting) > 1 and acting[0].plan is not None and not any(section.plan for section in acting[1:])


def test_a_run_is_found_by_its_title_and_its_cluster(tmp_path: Path) -> None:
    runs = played(scripts_by_source()["incident 2"], tmp_path, script_of("incident 2")[0])
    facts = read_facts(runs[0])
    assert facts.title.startswith("02_")
    assert not list(sources_of(read_facts(plain_run(tmp_path))))
