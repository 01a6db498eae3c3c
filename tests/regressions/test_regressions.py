"""A script for each bug that was found, with the seed that showed it. A bug that comes back fails here by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.scenario.main import read_script
from workbench.cli.run_script import run_script
from workbench.runs.launch import WorldChoice

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.txt")))
def test_a_bug_that_was_found_stays_away(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], rewrites: bool
) -> None:
    """The script says what should happen; its output, with the seed, is what happens since it does."""
    path = FOLDER / f"{name}.txt"
    assert path.read_text("utf-8").startswith("# "), "a script begins with what was wrong"
    assert read_script(path).output is not None, "workbench run --simulated --seed N --rewrite keeps the seed"
    code = run_script(path, as_json=False, home=tmp_path, world=WorldChoice(simulated=True), rewrites=rewrites)
    printed = capsys.readouterr()
    assert code == 0, printed.out + printed.err
