"""What stands above a lesson's text: TOML between two lines +++, and what both schemas say in it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from cluster.ordinary_file import StrangeFile, read_ordinary
from workbench.course.lesson_error import LessonError
from workbench.support.refusal import VERSION

LESSON_MAX = 1 << 20
BREAKS, MINIMUM = "breaks", "minimum"
_LINE = re.compile(r" \(at line (\d+), column \d+\)")
"""Of the front matter alone; what is told is the line of the file."""
_MARK = "+++"


def text_of(path: Path) -> str:
    """The text of a lesson.md. LessonError when it cannot be read, is too large, or not UTF-8."""
    try:
        data = read_ordinary(path, LESSON_MAX, follow=True)
        return data.decode("utf-8")
    except StrangeFile as error:
        raise LessonError(path, 1, str(error.strerror)) from error
    except OSError as error:
        raise LessonError(path, 1, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise LessonError(path, line, f"not UTF-8 at byte {error.start}") from error


def toml_of(path: Path, lines: list[str], newest: int) -> tuple[dict[str, Any], int]:
    """What stands between the marks, and the index of the first line below; `newest` is the newest schema known."""
    if not lines or lines[0] != _MARK or _MARK not in lines[1:]:
        raise LessonError(path, 1, f"the front matter must stand between two lines {_MARK}")
    end = lines.index(_MARK, 1)
    try:
        facts = tomllib.loads("\n".join(lines[1:end]))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = _LINE.search(str(error))
        line = int(place[1]) + 1 if place else end
        raise LessonError(path, line, f"front matter: {_LINE.sub('', str(error))}") from error
    if "schema" not in facts:
        raise LessonError(path, 2, f"no schema version; write: schema = {newest}")
    if type(facts["schema"]) is int and facts["schema"] > newest:
        wrong = f"schema {facts['schema']} needs a newer workbench; this one reads {newest}"
        raise LessonError(path, 2, wrong, VERSION)
    return facts, end + 1


def breaks_of(path: Path, plain: Any, sections: list[str], line: int = 2) -> dict[str, tuple[str, ...]]:
    """Rules that each section promises to break."""
    if not isinstance(plain, dict) or not all(isinstance(rules, list) for rules in plain.values()):
        raise LessonError(path, line, f'{BREAKS}: expected a table, for example {{ cut = ["C1"] }}')
    if plain:  # else nobody needs the rules to open a lesson
        from cluster.invariants.all_invariants import INVARIANTS
    for section, rules in plain.items():
        if section not in sections:
            raise LessonError(path, line, f"{BREAKS}: no section {section[:40]!r}; there are {', '.join(sections)}")
        strange = [rule for rule in rules if rule not in INVARIANTS]
        if strange:
            raise LessonError(path, line, f"{BREAKS}: no rule {str(strange[0])[:40]!r}; workbench check names them all")
    return {section: tuple(rules) for section, rules in plain.items()}


def minimum_of(path: Path, plain: Any, sections: list[str], line: int = 2) -> dict[str, dict[str, int]]:
    """What must have happened by the end of each section."""
    example = "for example { kill = { elections = 2 } }"
    if not isinstance(plain, dict) or not all(isinstance(counts, dict) for counts in plain.values()):
        raise LessonError(path, line, f"{MINIMUM}: expected a table of tables, {example}")
    if plain:
        from cluster.invariants.trace import COUNTED_WORDS
    for section, counts in plain.items():
        if section not in sections:
            raise LessonError(path, line, f"{MINIMUM}: no section {section[:40]!r}; there are {', '.join(sections)}")
        strange = [word for word, count in counts.items() if word not in COUNTED_WORDS or type(count) is not int]
        if strange:
            allowed = ", ".join(sorted(COUNTED_WORDS))
            raise LessonError(path, line, f"{MINIMUM}: {strange[0][:40]!r} is no number of {allowed}")
    return {section: dict(counts) for section, counts in plain.items()}
