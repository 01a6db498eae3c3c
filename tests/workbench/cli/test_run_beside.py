"""`run A --beside B`: the same commands in two worlds, and a table of what came of each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.cli.run_beside import run_beside
from workbench.runs.launch import WorldChoice
from workbench.support.refusal import Refusal

SCRIPT = """cluster controllers=1 brokers=3
topic orders assign=1,2,3 min-isr=1
at 1s delay 1-3 200ms
at 1.1s produce orders 2 acks=all
expect acked orders-0 = 2
"""


def beside(home: Path, other: str, capsys: pytest.CaptureFixture[str], *, as_json: bool = False) -> tuple[int, str]:
    script = home / "a.txt"
    script.write_text(SCRIPT)
    code = run_beside(str(script), other, 1.0, as_json, WorldChoice(simulated=True, seed=3), str(home / "data"))
    return code, capsys.readouterr().out


def test_a_change_of_the_rule_is_seen_in_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = beside(tmp_path, "commit_rule=majority", capsys, as_json=True)
    told = json.loads(out.strip().splitlines()[-1])
    assert code == 0
    assert [world["title"] for world in told["worlds"]] == ["a", "commit_rule=majority"]
    isr, majority = told["outcome"]["commit orders, mean/most"]
    assert float(isr.split(",")[0]) > 300 > 100 > float(majority.split(",")[0])
    assert told["outcome"]["records acknowledged"] == ["2", "2"]


def test_another_script_may_stand_beside_it_and_its_failure_is_the_outcome(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "b.txt"
    other.write_text(SCRIPT.replace("= 2\n", "= 3 within 1s\n"))
    code, out = beside(tmp_path, str(other), capsys)
    assert code == 1
    assert "outcome" in out and "  b  simulated, seed 3" in out


@pytest.mark.parametrize("wrong", ["acks=7", "nonsense=1", "acks=1 acks=all"])
def test_what_cannot_be_changed_is_refused_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: str
) -> None:
    with pytest.raises(Refusal, match="--beside: "):
        beside(tmp_path, wrong, capsys)
    assert not (tmp_path / "data").exists()


def test_a_script_that_is_not_there_is_named_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = beside(tmp_path, str(tmp_path / "none.txt"), capsys)
    assert code == 3
    assert not out
