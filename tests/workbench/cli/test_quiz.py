from __future__ import annotations

from pathlib import Path

import pytest

from workbench.cli.quiz import quiz
from workbench.support.refusal import Refusal


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    return tmp_path


def test_a_table_has_a_row_for_each_question(capsys: pytest.CaptureFixture[str]) -> None:
    assert quiz("", None, as_table=True) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 13 and lines[0].startswith("question,lesson,text,answers_before,right_before,difficulty_")


def test_what_is_asked_wrongly_is_refused(home: Path) -> None:
    with pytest.raises(Refusal, match="say before or after the course"):
        quiz("during", None, as_table=False)
    with pytest.raises(Refusal, match="has no folder with a quiz.json"):
        quiz("", str(home), as_table=False)
