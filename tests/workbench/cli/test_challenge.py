from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.challenges.best import kept_solution
from workbench.challenges.catalogue import CHALLENGES
from workbench.cli.challenge import challenge
from workbench.support.refusal import Refusal

LINES = "partition 1|2,3\nproduce orders 3 acks=1\nkill 1\nexpect event part.became_leader on 2 topic=orders\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    (tmp_path / "mine.txt").write_text(LINES, "utf-8")
    return tmp_path


def run(number: int | None, solution: str = "", seed: int | None = None, *, as_json: bool = False) -> int:
    return challenge(number, solution, seed, None, real=False, as_json=as_json)


def test_a_solution_is_graded_scored_kept_and_listed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(2, str(home / "mine.txt")) == 0
    told = capsys.readouterr().out
    assert "challenge 2: solved: 3 lost" in told and "score: 3 commands, 2.0 s, your best" in told
    assert "workbench replay" in told
    assert run(None) == 0
    assert " 2  Lose exactly three: 3 commands, 2.0 s" in capsys.readouterr().out
    kept_solution(2).write_text("kill 1\n")
    run(None)
    said = capsys.readouterr()
    assert "02.txt was changed after it was graded" in said.err and "changed since it was graded" in said.out
    with pytest.raises(Refusal, match="was changed after it was graded"):
        run(2, str(kept_solution(2)))


@pytest.mark.parametrize(("columns", "most"), [(80, 80), (60, 60), (200, 100)])
def test_no_word_of_a_task_is_cut_at_the_edge_of_the_terminal(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: int, most: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert home.exists() and run(None) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= most
    assert all(listed.task in " ".join(" ".join(lines).split()) for listed in CHALLENGES)


def test_what_solves_nothing_is_told_and_ends_with_1(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "mine.txt").write_text("kill 1\n", "utf-8")
    assert run(2, str(home / "mine.txt"), as_json=True) == 1
    row = json.loads(capsys.readouterr().out)
    assert (row["solved"], row["best"], row["commands"]) == (False, False, 1)


def test_a_challenge_says_its_task_and_what_a_solution_begins_with(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(9, seed=3) == 0
    told = capsys.readouterr().out
    assert "The recording of case 3: workbench replay" in told and "at 4.2s pause 2" in told
    run(1, seed=1, as_json=True)
    assert "min-isr=2" in json.loads(capsys.readouterr().out)["begin"]


def test_what_is_asked_wrongly_is_refused(home: Path) -> None:
    with pytest.raises(Refusal, match="no challenge 11; there are 1 to 10"):
        run(11)
    with pytest.raises(Refusal, match="workbench hunt NAME RULE SCRIPT.txt"):
        run(7, "x.txt")
    with pytest.raises(Refusal, match="real processes have none|--real processes have none"):
        challenge(2, "x.txt", 3, None, real=True, as_json=False)
