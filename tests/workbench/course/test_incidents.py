"""Incidents by name; what is wrong with one is said with its place."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workbench.course.incidents import INCIDENTS, UnknownIncident, find_incident, incidents_of, read_incident
from workbench.course.lesson_error import LessonError

NAME = "04_kip_279_divergence"


@pytest.mark.parametrize("wanted", ["4", "04", NAME, "04_k", "kip_279"])
def test_an_incident_is_found_by_its_name_its_number_or_a_beginning(wanted: str) -> None:
    found = find_incident(wanted)
    assert (found.name, found.sections, found.sources) == (NAME, ("then", "since"), ("KIP-279", "KAFKA-6361"))


@pytest.mark.parametrize(
    ("wanted", "told"),
    [("99", "'99' is no incident; there are: 01_"), ("kip_101", "means several incidents; there are: 02_kip_101_loss")],
)
def test_what_is_no_incident_says_which_there_are(wanted: str, told: str) -> None:
    with pytest.raises(UnknownIncident, match=told):
        find_incident(wanted)


def test_a_lesson_knows_its_incidents() -> None:
    assert [found.number for found in incidents_of("05_cutting_a_log")] == ["02", "03", "04"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("year = 2018", "", "year is missing or of another type"),
        ("year = 2018", "year = 2018\nsize = 1", "unknown key 'size'"),
        ('["KIP-279", "KAFKA-6361"]', "[]", "name at least one"),
        ('"05_cutting_a_log"', '"05_x"', "no lesson '05_x'"),
        ('then = ["P4", "P5"]', 'before = ["P4"]', "no section 'before'"),
        ("## Which promise broke", "## Which", "the headings must be: What happened"),
        ("## What happened", "Text.\n\n## What happened", "text before the first heading"),
    ],
)
def test_a_mistake_is_told_with_file_and_line(tmp_path: Path, old: str, new: str, told: str) -> None:
    path = copied(tmp_path)
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(LessonError, match=rf"{NAME}\.md:\d+: .*{told}"):
        read_incident(path)


def test_a_script_that_is_none_or_is_missing_is_told_too(tmp_path: Path) -> None:
    path = copied(tmp_path)
    script = path.with_suffix(".txt")
    script.write_text("fly\n", "utf-8")
    with pytest.raises(LessonError, match=rf"{NAME}\.txt:1: "):
        read_incident(path)
    script.unlink()
    with pytest.raises(LessonError, match="cannot be read: No such file"):
        read_incident(path)


def copied(folder: Path) -> Path:
    for suffix in (".md", ".txt"):
        shutil.copy(INCIDENTS / f"{NAME}{suffix}", folder)
    return folder / f"{NAME}.md"
