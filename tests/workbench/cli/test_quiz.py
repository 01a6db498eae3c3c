from __future__ import annotations

import io
from pathlib import Path

import pytest

from workbench.cli.quiz import quiz
from workbench.support.refusal import Refusal


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    return tmp_path


def test_it_is_left_and_goes_on_and_tells_its_score_at_the_end_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("z\na\nb\n"))
    assert quiz("before", None, as_table=False) == 0
    told = capsys.readouterr().out
    assert "1 of 12: " in told and "type one of a, b, c" in told and "right" not in told.split("1 of 12")[0]
    assert "2 of 12 are answered; workbench quiz before goes on there" in told
    monkeypatch.setattr("sys.stdin", io.StringIO("a\n" * 10))
    quiz("before", None, as_table=False)
    told = capsys.readouterr().out
    assert "3 of 12: " in told and "\n1 of 12: " not in told
    assert "of 12 right" in told and "after   not done yet" in told
    assert "Three topics, rides, fares and tips" in " ".join(told.split()), "marks of emphasis are no text"


def test_a_table_has_a_row_for_each_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert quiz("", None, as_table=True) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 13 and lines[0].startswith("question,lesson,text,answers_before,right_before,difficulty_")


def test_what_is_asked_wrongly_is_refused(home: Path) -> None:
    with pytest.raises(Refusal, match="say before or after the course"):
        quiz("during", None, as_table=False)
    with pytest.raises(Refusal, match="has no folder with a quiz.json"):
        quiz("", str(home), as_table=False)
