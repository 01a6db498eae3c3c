"""A failing seed becomes a short script that fails with the bug and holds without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.scenario.main import read_script
from cluster.scenario.script import At
from cluster.simulation.swarm.judge import CRASH
from cluster.simulation.swarm.seed import Seed, run
from cluster.simulation.swarm.shrink import rule_to_keep, shrink
from tests.support.bugs.all_bugs import BUGS as ALL_BUGS
from tests.support.bugs.planted import PlantedBug, planted
from workbench.cli.run_script import run_script
from workbench.cli.swarm import write_script
from workbench.runs.launch import WorldChoice

BUGS = {f"{bug.part}/{bug.name}": bug for bug in ALL_BUGS}
SMALL = 30
"""Commands of which a short schedule may need most."""
SOME = ("quorum/votes-for-short-logs", "quorum/small-majority")


def _failing(bug: PlantedBug) -> Seed:
    for seed in (*bug.seeds, *range(1, 41)):
        seen = run(seed, bug.trouble_s)
        broken = {finding.rule for finding in seen.findings}
        if bug.breaks & (broken | ({"T5"} if CRASH in broken else set())):
            return seen
    raise AssertionError(f"no seed breaks any of {sorted(bug.breaks)}")


def _prove(bug: PlantedBug, home: Path) -> None:
    simulated = WorldChoice(simulated=True)
    with planted(bug):
        seen = _failing(bug)
        path = Path(write_script(home, seen))
        assert path.is_file(), "the whole schedule fails again"
        assert run_script(path, as_json=False, home=home, world=simulated) == 1
    assert run_script(path, as_json=False, home=home, world=simulated) == 0
    text = path.read_text("utf-8")
    assert text.startswith(f"# {rule_to_keep(seen.findings)}")
    commands = [step for step in read_script(path).sections[0].steps if isinstance(step, At)]
    assert len(commands) <= max(SMALL, len(seen.schedule.timed) // 4), text


@pytest.mark.parametrize("name", SOME)
def test_a_seed_that_fails_becomes_a_script_that_fails_only_with_the_bug(name: str, tmp_path: Path) -> None:
    _prove(BUGS[name], tmp_path)


@pytest.mark.slow
def test_a_long_schedule_is_made_small_for_a_limited_time_only() -> None:
    bug = BUGS["quorum/commits-alone"]
    with planted(bug):
        schedule, rule = (seen := _failing(bug)).schedule, rule_to_keep(seen.findings)
        hasty, patient = (shrink(schedule, rule, played_s_max=seconds) for seconds in (0.0, 60.0))
    assert hasty is not None and patient is not None
    assert hasty.runs <= 3 < patient.runs
    assert len(patient.schedule.timed) < len(hasty.schedule.timed)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(BUGS) - set(SOME)))
def test_every_planted_bug_becomes_such_a_script(name: str, tmp_path: Path) -> None:
    _prove(BUGS[name], tmp_path)
