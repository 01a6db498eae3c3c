"""Suites are had by the command itself, at their commits; where they cannot be, one sentence tells it."""

import subprocess
from pathlib import Path

import pytest

from judges.conformance import sources
from judges.conformance.sources import MIRROR, SOURCES, Source, address_of, got
from judges.conformance.suites import SUITES


def test_each_suite_has_a_source_at_a_commit() -> None:
    assert set(SOURCES) == {suite.name for suite in SUITES}
    assert all(len(source.commit) == 40 for source in SOURCES.values())


def test_a_suite_is_cloned_at_its_commit_and_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    origin = tmp_path / "mirror" / "some" / "suite"
    origin.mkdir(parents=True)
    git = ("git", "-C", str(origin), "-c", "user.name=n", "-c", "user.email=e@localhost")
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    said = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    monkeypatch.setitem(sources.SOURCES, "rskafka", Source("some/suite", said))
    monkeypatch.setattr(sources, "CLONES", tmp_path / "clones")
    monkeypatch.setenv(MIRROR, str(tmp_path / "mirror"))
    assert got("rskafka") == tmp_path / "clones" / "rskafka"
    monkeypatch.setenv(MIRROR, "/nowhere")
    assert got("rskafka") == tmp_path / "clones" / "rskafka", "what is there is not asked for again"


def test_a_repository_that_is_not_there_is_told_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "mirror" / "some" / "suite").mkdir(parents=True)
    monkeypatch.setitem(sources.SOURCES, "rskafka", Source("some/suite", "0" * 40))
    monkeypatch.setattr(sources, "CLONES", tmp_path / "clones")
    monkeypatch.setenv(MIRROR, str(tmp_path / "mirror"))
    assert "cannot be had from file:///" in str(got("rskafka"))
    monkeypatch.delenv(MIRROR)
    assert address_of(SOURCES["franz-go"]) == "https://github.com/twmb/franz-go"
