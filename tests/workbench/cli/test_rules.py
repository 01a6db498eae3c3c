from __future__ import annotations

import json

import pytest

from cluster.rule_list import listed_rules
from workbench.cli.rules import rules
from workbench.support.refusal import Refusal


def test_all_rules_are_listed_with_sentence_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert rules("", as_json=False) == 0
    said = capsys.readouterr().out
    for item in listed_rules():
        assert f"  {item.rule.name}\n      {item.rule.says}\n      Source: {item.rule.told_source}" in said


def test_a_name_shows_the_code_of_each_machines_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert rules("truncation_point", as_json=False) == 0
    said = capsys.readouterr().out
    assert "raft.truncation_point, cluster/raft/rules/truncation.py:" in said
    assert "replication.truncation_point, cluster/replication/rules/truncation.py:" in said
    assert said.count("def truncation_point(") == 2


def test_a_machine_before_the_name_chooses_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert rules("raft.truncation_point", as_json=True) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["machine"], row["kafka"]) == ("raft", "ReplicatedLog.truncateToEndOffset")
    assert row["code"].startswith("@rule(")


def test_a_name_that_no_rule_has_is_answered_with_those_that_are_near() -> None:
    with pytest.raises(Refusal, match="no rule 'grant_vot'; did you mean grant_vote") as refused:
        rules("grant_vot", as_json=False)
    assert refused.value.code == 2
