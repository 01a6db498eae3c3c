from __future__ import annotations

import pytest
from typer.testing import CliRunner

from workbench.cli.app import app


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rule", "--example", "cut"], "def cut(own_epochs, log_end, leader_epoch, leader_epoch_end):"),
        (["challenge", "4"], "Challenge 4: Five voters and no leader"),
        (["hunt"], "level 1"),
    ],
)
def test_each_game_is_a_command(words: list[str], said: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0 and said in result.stdout
