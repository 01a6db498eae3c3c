"""The swarm catches bugs of which only the rules about time, and those about coordinators, can tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.bugs.late_bugs import COUNTS_ANYBODY, LATE_BUGS
from tests.support.bugs.majority_bugs import ELECTS_THE_LONGEST
from tests.support.bugs.planted import PlantedBug, hunt, planted
from workbench.cli.run_script import run_script
from workbench.runs.launch import WorldChoice

SEEDS = range(1, 31)
SCENARIOS = Path(__file__).parent.parent / "scenarios"
FOUR_VOTERS, LONGER_LOG = SCENARIOS / "r16_four_voters.txt", SCENARIOS / "m04_newer_epoch_beats_a_longer_log.txt"


def test_a_leader_that_observers_keep_in_office_is_caught(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with planted(COUNTS_ANYBODY):
        code = run_script(FOUR_VOTERS, as_json=False, home=tmp_path, world=WorldChoice(simulated=True))
    assert code == 1
    assert "VIOLATED (L12)" in capsys.readouterr().out


def test_a_longer_log_of_an_older_epoch_that_leads_is_caught(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with planted(ELECTS_THE_LONGEST):
        code = run_script(LONGER_LOG, as_json=False, home=tmp_path, world=WorldChoice(simulated=True))
    assert code == 1
    assert "VIOLATED (P31" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("bug", LATE_BUGS, ids=lambda bug: bug.name)
def test_what_comes_too_late_is_caught(bug: PlantedBug) -> None:
    seed, seen = hunt(bug, (*bug.seeds, *SEEDS))
    assert seed is not None, f"{bug.what}: none of {sorted(bug.breaks)} among {sorted(seen)}"
