"""A whole folder: what it becomes, and files that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.steps_lesson import LESSON, NAME, SCRIPT, mistake, steps_lesson
from workbench.course.lesson_error import LessonError
from workbench.course.reading.lesson_folder import read_folder


def test_a_lesson_is_read_as_it_is_written(tmp_path: Path) -> None:
    lesson = steps_lesson(tmp_path)
    assert (lesson.name, lesson.title, lesson.goal, lesson.minutes) == (NAME, "A small one", "Say who leads.", 9)
    assert (lesson.needs, lesson.sources, lesson.next, lesson.challenge) == ((), ("S0", "S2"), "02_next", 1)
    assert [step.heading for step in lesson.steps] == ["Watch", "It dies", "Your turn", "Another shop"]
    assert [step.do.section for step in lesson.steps if step.do is not None] == ["begin", "kill", "back", "other"]
    assert [question.is_transfer for _, question in lesson.questions] == [False, True]
    assert lesson.last.keep[2] == "Who comes back follows."
    assert [document.claims for document in lesson.last.documents] == [("S0.16",)]
    assert lesson.minimum == {"kill": {"faults": 1}}
    assert (lesson.number, lesson.scenario, lesson.folder) == ("01", SCRIPT, tmp_path / NAME)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("lesson.md", b"+++\nschema = 2\n\xff", "lesson.md:3: not UTF-8 at byte 15"),
        ("lesson.md", b"x" * ((1 << 20) + 1), "lesson.md:1: "),
        ("lesson.md", b"# No front matter", "lesson.md:1: the front matter must stand between two lines +++"),
        ("lesson.md", b"+++\nschema = 2\ntitle = \n+++", "lesson.md:3: front matter: "),
        ("scenario.txt", b"[begin]\ncluster brokers=none\n", "scenario.txt:2: cluster: brokers: "),
        ("scenario.txt", b"cluster brokers=1\n", "scenario.txt:1: the script of a lesson has sections"),
    ],
    ids=["no text", "too large", "no front matter", "no TOML", "no script", "no sections"],
)
def test_a_file_that_is_none_is_told(tmp_path: Path, name: str, data: bytes, told: str) -> None:
    steps_lesson(tmp_path)
    (tmp_path / NAME / name).write_bytes(data)
    with pytest.raises(LessonError) as refused:
        read_folder(tmp_path / NAME)
    assert str(refused.value).startswith(f"{NAME}/{told}")


@pytest.mark.parametrize("name", ["lesson.md", "scenario.txt"])
def test_a_file_that_is_missing_is_told(tmp_path: Path, name: str) -> None:
    steps_lesson(tmp_path)
    (tmp_path / NAME / name).unlink()
    with pytest.raises(LessonError, match=rf"{NAME}/{name}:1: cannot be read: No such file"):
        read_folder(tmp_path / NAME)


def test_a_transfer_stands_in_the_last_step(tmp_path: Path) -> None:
    line, said = mistake(tmp_path, ("```predict who", "```transfer who"))
    assert line == "```transfer who"
    assert said == "transfer stands in the last step; here it is predict"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lesson.md", "scenario.txt"])
def test_whatever_is_missing_or_twice_is_read_or_told(tmp_path: Path, name: str) -> None:
    """Each line left out, each doubled, each cut at its colon, and the file ended before it."""
    steps_lesson(tmp_path)
    path = tmp_path / NAME / name
    lines, told = path.read_text(encoding="utf-8").splitlines(), 0
    for place, line in enumerate(lines):
        head, tail = lines[:place], lines[place + 1 :]
        for changed in ([*head, *tail], [*head, line, line, *tail], [*head, line.partition(":")[0], *tail], head):
            path.write_text("\n".join(changed), encoding="utf-8")
            try:
                read_folder(tmp_path / NAME)
            except LessonError as error:
                assert 1 <= error.line <= len(LESSON.splitlines()) + 1, str(error)
                told += 1
    assert told > len(lines)
