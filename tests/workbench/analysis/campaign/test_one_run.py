"""A run of a campaign does what its plan says, measures what happened, and does it again the same."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.traces.made_campaign import SMALL, made
from workbench.analysis.campaign.one_run import Run, engine_digest, run_all, run_cell
from workbench.analysis.campaign.plan import CellPlan, Step, Trouble


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str, str], CellPlan]:
    campaign = made(tmp_path_factory.mktemp("campaign"))
    return {tuple(level for _, level in cell.levels): cell.plan for cell in campaign.cells}  # type: ignore[misc]


class Heard(Run):
    """Keeps what it sends."""

    def __init__(self, *given: Any) -> None:
        self.said: list[str] = []
        super().__init__(*given)

    def send(self, text: str) -> Any:
        self.said.append(text)
        return super().send(text)


def _with(plan: CellPlan, *steps: tuple[int, str]) -> CellPlan:
    made_steps = tuple(Step(at_ms=at_ms, command=command) for at_ms, command in steps)
    return replace(plan, trouble=Trouble(name="t", text="t", steps=made_steps))


def test_without_a_fault_everything_is_acknowledged_and_nothing_is_lost(
    plans: dict[tuple[str, str, str], CellPlan],
) -> None:
    outcome = run_cell(plans["none", "all", "2"], 1)
    assert outcome.acknowledged > 150
    assert (outcome.lost, outcome.duplicated, outcome.refused, outcome.in_doubt) == (0, 0, 0, 0)
    assert (outcome.violated, outcome.excused, outcome.unrest) == ((), (), "")
    assert outcome.silence_us is not None and 15_000 < outcome.silence_us < 40_000
    assert (outcome.elections, outcome.leaderless_us, outcome.no_acks_all_us) == (0, 0, 0)


def test_a_killed_leader_is_missed_for_about_its_broker_session(plans: dict[tuple[str, str, str], CellPlan]) -> None:
    outcome = run_cell(plans["leader killed", "all", "2"], 1)
    session_us = 1_500_000
    assert session_us * 0.5 < outcome.no_acks_all_us < session_us * 1.4
    assert outcome.silence_us is not None and outcome.silence_us >= outcome.no_acks_all_us * 0.9
    assert (outcome.lost, outcome.violated) == (0, ())


def test_acks_1_loses_what_a_leader_that_is_cut_off_took_alone(plans: dict[tuple[str, str, str], CellPlan]) -> None:
    cut_off = _with(plans["none", "1", "1"], (0, "isolate $1"), (2500, "heal"))
    outcome = run_cell(cut_off, 1)
    assert 60 < outcome.lost < 130, "a record every 20 ms, for 2.5 s"
    assert "C1" in outcome.excused and outcome.violated == ()
    safe = run_cell(_with(plans["none", "all", "1"], (0, "isolate $1"), (2500, "heal")), 1)
    assert (safe.lost, safe.excused) == (0, ())


def test_a_paused_leader_and_too_small_an_isr_are_told_apart(plans: dict[tuple[str, str, str], CellPlan]) -> None:
    paused = run_cell(_with(plans["none", "all", "1"], (0, "pause $1"), (1000, "resume $1")), 1)
    assert paused.no_acks_all_us == pytest.approx(1_000_000, rel=0.05) and paused.under_min_isr_us == 0
    thin = run_cell(_with(plans["none", "all", "2"], (0, "kill $2"), (0, "kill $3")), 1)
    assert thin.under_min_isr_us == thin.no_acks_all_us > 1_000_000


def test_a_refused_command_is_an_outcome_and_stops_nothing(plans: dict[tuple[str, str, str], CellPlan]) -> None:
    outcome = run_cell(_with(plans["none", "all", "1"], (0, "kill $2"), (100, "kill $2")), 1)
    assert (outcome.unrest, outcome.violated) == ("", ())


def test_places_are_the_leader_and_then_the_others_by_number(plans: dict[tuple[str, str, str], CellPlan]) -> None:
    run = Heard(_with(plans["none", "all", "1"], (0, "kill $3"), (0, "kill $1")), 2, "t")
    run.play()
    killed = [int(text.split()[1]) for text in run.said if text.startswith("kill")]
    leader, others = killed[1], sorted({1, 2, 3} - {killed[1]})
    assert killed == [others[1], leader]


def test_what_a_bug_raises_is_told_like_a_broken_rule(
    plans: dict[tuple[str, str, str], CellPlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_run: Run) -> str:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(Run, "_calm", broken)
    assert run_cell(plans["none", "all", "1"], 1).violated == (
        "the simulation itself failed: ZeroDivisionError: a bug",
    )


def test_the_same_seed_gives_the_same_outcome_also_between_others(
    plans: dict[tuple[str, str, str], CellPlan],
) -> None:
    plan = plans["leader killed", "1", "1"]
    one, other, again = run_all([(plan, 3), (plan, 4), (plan, 3)])
    assert one == again
    assert one != other


def test_neither_the_hash_seed_nor_the_process_changes_an_outcome(tmp_path: Path) -> None:
    made(tmp_path, SMALL)
    text = (
        "from pathlib import Path; from workbench.analysis.campaign.read_file import read_campaign;"
        "from workbench.analysis.campaign.one_run import run_cell;"
        f"print(run_cell(read_campaign(Path({str(tmp_path / 'small.toml')!r})).cells[5].plan, 7))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", text], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1")
    }
    assert len(told) == 1


def test_the_engine_is_named_by_its_code() -> None:
    assert len(engine_digest()) == 16
    assert engine_digest() == engine_digest()
