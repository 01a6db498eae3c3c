"""`workbench check RUN --against SPEC` from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judges.check_against import Asked, check_against
from tests.support.specification.outside import SCENARIOS, tools
from workbench.runs.played import played
from workbench.support.refusal import Refusal


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return played(SCENARIOS / "p06_classic_loss.txt", tmp_path, "p06")[0]


@pytest.mark.judges
def test_the_exit_code_is_the_verdict(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tools("kip320")
    assert check_against(run, Asked("own", None, None, "", as_json=False)) == 0
    assert check_against(run, Asked("kip320", None, None, "orders-0", as_json=False)) == 1
    out = capsys.readouterr().out
    assert "KafkaTruncateToHighWatermark: ACCEPTED" in out and "What led to that step:" in out
    assert check_against(run, Asked("kip320", None, None, "orders-5", as_json=True)) == 3
    plain = json.loads(capsys.readouterr().out)
    assert (plain["verdict"], plain["why"]) == ("not judged", "the run has no partition orders-5")


def test_words_that_need_a_specification_are_refused_without_one(run: Path) -> None:
    with pytest.raises(Refusal, match="need --against: own, hw"):
        check_against(run, Asked("", "specs", None, "", as_json=False))


def test_what_is_no_partition_and_no_recording_is_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="not a partition"):
        check_against(run, Asked("hw", None, None, "orders", as_json=False))
    with pytest.raises(Refusal, match="holds no events"):
        check_against(tmp_path / "none", Asked("hw", None, None, "", as_json=False))
