from __future__ import annotations

import io
from pathlib import Path

import pytest

from workbench.challenges.quiz.asking import ask


def test_it_is_left_and_goes_on_and_tells_its_score_at_the_end_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.StringIO("z\na\nb\n"))
    ask("before")
    told = capsys.readouterr().out
    assert "1 of 12: " in told and "type one of a, b, c" in told and "right" not in told.split("1 of 12")[0]
    assert "2 of 12 are answered; workbench quiz before goes on there" in told
    monkeypatch.setattr("sys.stdin", io.StringIO("a\n" * 10))
    ask("before")
    told = capsys.readouterr().out
    assert "3 of 12: " in told and "\n1 of 12: " not in told
    assert "of 12 right" in told and "after   not done yet" in told
    assert "Three topics, rides, fares and tips" in " ".join(told.split()), "marks of emphasis are no text"
