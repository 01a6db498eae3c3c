"""The file says what it holds, and nothing in it reaches further than it may."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path

import pytest

from workbench.course.library import find_lesson
from workbench.submissions import form
from workbench.submissions.form import QuizPart, Recording, digest_of, pack, read_submission, unpack, write_submission
from workbench.support.refusal import BUSY, VERSION, Refusal

QUIZ = QuizPart(before={"01": "right"}, after={})


def packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content)).decode()


def test_a_file_is_read_as_it_was_written_and_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_submission(str(path), "Ada Łukasz", (QUIZ,))
    read = read_submission(path)
    assert (read.learner, read.parts, read.sum) == ("Ada Łukasz", (QUIZ,), read.right_sum)
    assert json.loads(path.read_text("utf-8"))["learner"] == "Ada Łukasz"
    with pytest.raises(Refusal) as refusal:
        write_submission(str(path), "Eve", (QUIZ,))
    assert refusal.value.code == BUSY and read_submission(path) == read


def test_a_newer_form_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"form": 2, "what": "nobody knows"}')
    with pytest.raises(Refusal, match="form 2, and this tool reads form 1") as refusal:
        read_submission(tmp_path / "a.json")
    assert refusal.value.code == VERSION


def test_a_recording_is_the_same_bytes_again(tmp_path: Path) -> None:
    trace = tmp_path / "run" / "trace"
    trace.mkdir(parents=True)
    contents = {"0-0.trace": b"lab", "101-1.trace": bytes(1000)}
    for name, content in contents.items():
        (trace / name).write_bytes(content)
    (trace / "notes.txt").write_text("stays at home")
    unpack(pack(tmp_path / "run"), tmp_path / "again")
    assert {path.name: path.read_bytes() for path in (tmp_path / "again" / "trace").iterdir()} == contents


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("../../etc/passwd", packed(b"x"), "no name of a trace file"), ("1-1.trace\n", packed(b"x"), "no name"),
        ("1-1.trace", "%%%", "damaged"), ("1-1.trace", base64.b64encode(b"not zlib").decode(), "damaged"),
        ("1-1.trace", base64.b64encode(zlib.compress(b"x" * 100)[:-4]).decode(), "cut short"),
    ],
)  # fmt: skip
def test_a_strange_recording_writes_nothing_elsewhere(tmp_path: Path, name: str, content: str, why: str) -> None:
    with pytest.raises(Refusal, match=why):
        unpack(Recording("run", {name: content}), tmp_path / "run")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_bomb_stops_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(form, "RECORDING_MAX", 1 << 20)
    bomb = packed(bytes(1 << 26))
    assert len(bomb) < 100_000
    with pytest.raises(Refusal, match="unfolds to more than 1 MiB"):
        unpack(Recording("run", {"1-0.trace": bomb}), tmp_path / "run")


def test_another_script_has_another_digest(tmp_path: Path) -> None:
    one, other = find_lesson("1"), find_lesson("2")
    assert len({digest_of(one), digest_of(other), digest_of(one)}) == 2
