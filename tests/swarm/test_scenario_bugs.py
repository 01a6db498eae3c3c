"""Scenarios kill mistakes that seeds seldom meet: each by what it expects, or by what the checker says."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.scenario.main import read_script
from tests.support.bugs.planted import PlantedBug, planted
from tests.support.bugs.scenario_bugs import SCENARIO_BUGS
from workbench.cli.run_script import run_script
from workbench.runs.launch import WorldChoice

SCENARIOS = Path(__file__).parents[1] / "scenarios"


@pytest.mark.parametrize(("scenario", "bug"), SCENARIO_BUGS, ids=lambda item: getattr(item, "name", item))
def test_a_mistake_is_killed_by_its_scenario(
    scenario: str, bug: PlantedBug, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By more than what it prints: in a copy without expected output."""
    path = tmp_path / "script.txt"
    text = (SCENARIOS / f"{scenario}.txt").read_text("utf-8")
    path.write_text(text.partition("\n[output")[0] + "\n", "utf-8")
    assert read_script(path).output is None
    with planted(bug):
        code = run_script(path, as_json=False, home=tmp_path, world=WorldChoice(simulated=True))
    assert code == 1, capsys.readouterr().out
