"""What the checker says of one run and of several, on traces written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.invariants.checker import Checker
from cluster.invariants.verdicts.verdict import Invariant, InvariantVerdict, Verdict
from cluster.model.events import RunStarted
from cluster.scenario.main import run_script
from tests.support.traces.made_runs import bad, good, recorded
from tests.support.traces.traces import Trace
from workbench.course.library import LESSONS
from workbench.runs.judgement import Judgement, Verdicts, judge, judge_all
from workbench.runs.launch import WorldChoice
from workbench.support.refusal import Refusal


def test_several_runs_are_summed_up_by_the_worst_verdict(tmp_path: Path) -> None:
    folders = [good(tmp_path), bad(tmp_path)]
    verdicts = judge_all(folders)
    assert not verdicts.is_good
    assert "VIOLATED (R1, R3" in verdicts.line
    assert verdicts.line.endswith(f"see workbench check {tmp_path / 'bad'}")
    assert judge_all(folders[:1]).is_good


def test_a_promise_that_is_not_kept_is_no_pass(tmp_path: Path) -> None:
    run = good(tmp_path)
    verdicts = judge_all([run], {run: ["R9"]})
    assert not verdicts.is_good
    assert "1 UNEXPECTED-PASS, held against the promise (R9)" in verdicts.line


def test_a_run_that_cannot_be_judged_is_a_failure_in_words(tmp_path: Path) -> None:
    (tmp_path / "none" / "trace").mkdir(parents=True)
    verdicts = judge_all([good(tmp_path), tmp_path / "none"])
    assert not verdicts.is_good
    assert "holds no events" in verdicts.line


@pytest.mark.parametrize("is_simulated", [True, False])
def test_a_deadline_that_real_processes_missed_is_told_and_fails_no_lesson(tmp_path: Path, is_simulated: bool) -> None:
    lines = tuple(
        InvariantVerdict(Invariant(rule, "by hand", "here"), verdict, 1, 0, ())
        for rule, verdict in (("R1", Verdict.HOLDS), ("L1", Verdict.VIOLATED))
    )
    verdicts = Verdicts((Judgement(tmp_path, lines, (), 1, {}, 0, is_simulated),))
    assert verdicts.is_good is not is_simulated
    wanted = "1 VIOLATED (L1)" if is_simulated else "0 violated, 1 late on this machine (L1)"
    assert wanted in verdicts.line


@pytest.mark.parametrize("world", ["processes", "simulated"])
def test_the_run_says_whose_its_time_is(tmp_path: Path, world: str) -> None:
    trace = Trace()
    trace.add(0, RunStarted(config="{}", world=world, title="by hand"))
    assert judge(recorded(tmp_path / "run", trace.entries)).is_simulated is (world == "simulated")


def test_a_run_that_is_judged_as_it_goes_has_the_verdicts_of_its_files(tmp_path: Path) -> None:
    checkers: dict[Path, Checker] = {}
    launch = WorldChoice(simulated=True, seed=1).launcher(tmp_path, 1.0, checkers)
    assert run_script(LESSONS / "06_unclean_or_unavailable" / "scenario.txt", as_json=False, launch=launch) == 0
    runs = [(judge(folder, checker=checker), judge(folder)) for folder, checker in checkers.items()]
    assert all(told == read for told, read in runs)
    assert any(line.verdict is Verdict.EXPECTED for told, _ in runs for line in told.table)


def test_who_plays_a_lesson_counts_one_rule_more_than_check_and_says_which(tmp_path: Path) -> None:
    folder = good(tmp_path)
    alone, played = judge_all([folder]), judge_all([folder], minimums={folder: {"elections": 1}})
    assert len(played.by_verdict()[Verdict.HOLDS]) == len(alone.by_verdict()[Verdict.HOLDS]) + 1
    assert "(T8, the lesson's own minimum, is one of them)" in played.line
    assert "T8" not in alone.line


def test_damage_is_told_with_what_can_still_be_done(tmp_path: Path) -> None:
    folder = good(tmp_path)
    whole = sorted((folder / "trace").iterdir())
    whole[0].write_bytes(whole[0].read_bytes() + bytes(100))
    with pytest.raises(Refusal, match=r"an entry of 0 bytes.*; workbench check \S+ --salvage judges what comes before"):
        judge(folder)
    assert judge(folder, salvage=True).entry_count
    for file in whole:
        file.write_bytes(bytes(100))
    with pytest.raises(Refusal, match="no event comes before the damage: .*an entry of 0 bytes"):
        judge(folder, salvage=True)
