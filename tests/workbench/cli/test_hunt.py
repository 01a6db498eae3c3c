from __future__ import annotations

import json
from pathlib import Path

import pytest

from cluster.runtime.run.folder import update_facts
from workbench.challenges.bugs.sealed import SEALED
from workbench.cli.check import check
from workbench.cli.hunt import hunt
from workbench.support.refusal import Refusal

BUG = next(item for item in SEALED if item.bug.id == "replication/answers-at-once")


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    (tmp_path / "mine.txt").write_text("produce orders 2 acks=all\n", "utf-8")
    return str(tmp_path / "mine.txt")


def test_a_bug_is_found_and_listed_and_its_run_is_not_judged(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert hunt(BUG.name, "R1", script, None, None, as_json=False) == 1
    assert hunt(BUG.name, "p18", script, None, None, as_json=True) == 0
    row = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert row["found"] and row["seed"] == 0
    with pytest.raises(Refusal, match="is a bug hunt: the rule is yours to find"):
        check(Path(row["run"]), as_json=False)
    update_facts(Path(row["run"]), title="Free lab")
    with pytest.raises(Refusal, match="the title in run.json of .* was changed"):
        check(Path(row["run"]), as_json=False)
    hunt("", "", "", None, None, as_json=False)
    told = capsys.readouterr().out
    assert f"{BUG.name:<14} found: P18, 2 commands" in told and f"1 of {len(SEALED)} found" in told


def test_nothing_that_is_said_names_a_bug(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    hunt("", "", "", None, None, as_json=False)
    hunt("1", "", "", None, None, as_json=False)
    told = "".join(capsys.readouterr())
    assert not [item.bug.name for item in SEALED if item.bug.name in told or item.bug.what in told]


def test_what_is_asked_wrongly_is_refused(script: str) -> None:
    with pytest.raises(Refusal, match="no level 4; there are 1 to 3"):
        hunt("4", "", "", None, None, as_json=False)
    with pytest.raises(Refusal, match="a rule and a script"):
        hunt("1", "P1", "", None, None, as_json=False)
    with pytest.raises(Refusal, match="no sealed bug"):
        hunt("otter", "P1", script, None, None, as_json=False)
