"""Every acceptance scenario, to the letter in simulation; tests/processes plays some for real."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.scenario.main import read_script
from workbench.cli.run_script import run_script
from workbench.runs.launch import WorldChoice

FOLDER = Path(__file__).parent
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.txt"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_scenario_ends_as_it_should_and_prints_what_it_did(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], rewrites: bool
) -> None:
    path = FOLDER / f"{name}.txt"
    assert rewrites or read_script(path).output is not None, "pytest tests/scenarios --rewrite gives it one"
    code = run_script(path, as_json=False, home=tmp_path, world=WorldChoice(simulated=True), rewrites=rewrites)
    printed = capsys.readouterr()
    assert code == 0, printed.out + printed.err


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("name", SCRIPTS)
def test_a_scenario_ends_the_same_under_other_seeds(
    name: str, seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run_script(FOLDER / f"{name}.txt", as_json=False, home=tmp_path, world=WorldChoice(True, seed))
    assert code == 0, capsys.readouterr().out


def test_every_scenario_of_the_spec_has_a_script() -> None:
    """And some have one that the spec does not tell of.

    T is about transactions and P40 to P44 about reassignments, of which the spec has no scenario.
    M is about partitions that a majority commits, beside P31.
    F is about consumers that read from followers, and about fetch sessions; G11 and G12 are about second lives of
    members and of offsets.
    P34 is about partitioners, P35 about batches in flight, D about segments and what goes, R16 about an even
    number of voters, R17 about five, R18 about one that dies as it votes, P36 about one kind of message, P37 about a
    follower whose last fetch is cut off, P38 about a setting that is altered, S about snapshots, V about voters that
    change: the spec has no scenario of these.
    """
    numbers = {f"r{number:02d}" for number in range(1, 19)} | {f"p{number:02d}" for number in range(1, 39)}
    numbers |= {f"g{number:02d}" for number in range(1, 13)} | {f"d{number:02d}" for number in range(1, 6)}
    numbers |= {f"m{number:02d}" for number in range(1, 5)} | {f"v{number:02d}" for number in range(1, 9)}
    numbers |= (
        {f"z{number:02d}" for number in range(1, 7)} | {f"s{number:02d}" for number in range(1, 6)} | {"f01", "f02"}
    )
    numbers |= {f"t{number:02d}" for number in range(1, 9)} | {f"p{number}" for number in range(40, 45)}
    assert {name[:3] for name in SCRIPTS} == numbers
