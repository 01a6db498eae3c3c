"""What is opened from the first screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.support.refusal import Refusal
from workbench.tui.at_home import carry_out, open_home
from workbench.tui.screens.home_choices import Choice


@pytest.mark.parametrize("verb", ("lab", "challenge", "quiz", "incident", "replay", "compare"))
def test_without_a_terminal_nothing_begins_and_it_is_said_why(
    tmp_path: Path, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    names = {"challenge": "1", "quiz": "before", "incident": "07_kafka_15021"}
    name = names.get(verb, "20260101-000000-000aa")
    with pytest.raises(Refusal):
        carry_out(Choice("", verb, name, "20260102-000000-000bb"), tmp_path)
    assert not (tmp_path / "runs").exists()


def test_for_a_terminal_that_moves_no_cursor_it_is_a_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORKBENCH_PLAIN", "on")
    assert open_home(tmp_path) == 0
    out = capsys.readouterr().out
    assert out.isascii() and "Challenges: " in out and "Lessons: " in out and "workbench --help" in out
