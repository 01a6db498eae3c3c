"""The list of incidents, and one that is told and played."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.cli.incidents import Asked, incidents
from workbench.support.refusal import Refusal


def test_all_are_listed_with_their_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert incidents("", Asked()) == 0
    out = capsys.readouterr().out
    assert "04  Two elections, one after the other (2018, Apache Kafka before 2.0)" in out and "KIP-966" in out
    assert incidents("", Asked(as_json=True)) == 0
    assert [json.loads(line)["name"][:2] for line in capsys.readouterr().out.splitlines()][:3] == ["01", "02", "03"]


def test_one_is_told_and_played_and_says_what_it_breaks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert incidents("kip_279", Asked(data_dir=str(tmp_path))) == 0
    out = capsys.readouterr().out
    assert "then: breaks P4 (" in out and "since: breaks nothing" in out and "10 expectations held" in out


def test_what_is_not_there_and_a_seed_of_real_processes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="'moon' is no incident"):
        incidents("moon", Asked())
    with pytest.raises(Refusal, match="--seed is for simulations"):
        incidents("1", Asked(real=True, seed=3, data_dir=str(tmp_path)))
