"""Suites that are not there are told with where to get them, and what a suite did is held against our rules."""

import os
from pathlib import Path

import pytest

from judges.conformance.__main__ import NOTHING, checked_run, folder_of, main
from judges.conformance.suites import FAILED, PASSED, SUITES
from tests.support.traces.made_runs import bad, good


@pytest.fixture(autouse=True)
def no_suites(monkeypatch: pytest.MonkeyPatch) -> None:
    for suite in SUITES:
        monkeypatch.delenv(suite.variable, raising=False)


def test_nothing_is_run_without_a_clone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == NOTHING
    assert "SUITE_KAFKA_PYTHON names no folder; git clone" in capsys.readouterr().out


def test_a_suite_that_is_none_is_told() -> None:
    assert main(["kafkajs"]) == 2


def test_a_folder_with_something_else_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    suite = SUITES[0]
    monkeypatch.setenv(suite.variable, str(tmp_path))
    assert f"{tmp_path} holds no {suite.marks}" in str(folder_of(suite))
    (tmp_path / suite.marks).parent.mkdir(parents=True)
    (tmp_path / suite.marks).touch()
    assert folder_of(suite) == tmp_path


def test_what_a_suite_did_is_held_against_our_rules(tmp_path: Path) -> None:
    said = tmp_path / "said"
    assert checked_run(str(good(tmp_path / "good")), os.environ, said) == PASSED
    assert checked_run(str(bad(tmp_path / "bad")), os.environ, said) == FAILED
    assert "VIOLATED (R1" in said.read_text("utf-8")
