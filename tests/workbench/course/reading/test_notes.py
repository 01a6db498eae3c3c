"""Notes of a step, and what is kept at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.steps_lesson import mistake, steps_lesson


@pytest.mark.parametrize(
    ("old", "new", "at", "told"),
    [
        ("time: 1\n", "", "```notes", "notes begin with 'time: N'"),
        ("time: 1\n", "time: 61\n", "time: 61", "whole minutes of 1 to 60"),
        ("time: 1\n", "time: 1.5\n", "time: 1.5", "whole minutes of 1 to 60"),
        ('expect: "Broker 1". Ask why.\n', "", "```notes", "notes of a step with a question say"),
        ("- A remark.", "A remark.", "A remark", "not a line of notes"),
        ("- A remark.", "- A remark.\nexpect: More.", "expect: More", "allowed: time, then expect: TEXT, then - TEXT"),
        ("3. Who comes back follows.\n", "", "```keep", "keep has three numbered lines, not 2"),
        ("3. Who", "4. Who", "4. Who", "keep has three lines, this one begins with '3. '"),
        (
            "2. The dead do not lead.",
            "2. " + "word " * 31,
            "2. word",
            "a sentence to keep has 31 words; at most 30",
        ),
    ],
)
def test_notes_and_keep_that_make_no_sense_are_told(tmp_path: Path, old: str, new: str, at: str, told: str) -> None:
    line, said = mistake(tmp_path, (old, new))
    assert at in line
    assert told in said


def test_notes_are_read(tmp_path: Path) -> None:
    notes = steps_lesson(tmp_path).steps[1].notes
    assert (notes.minutes, notes.expect, notes.remarks) == (4, ('"Broker 1". Ask why.',), ("A remark.",))
