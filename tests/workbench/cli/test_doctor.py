"""`workbench doctor`: what it looks at is what the workbench needs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from workbench.cli.doctor import PACKAGES, findings

PROJECT = Path(__file__).parents[3] / "pyproject.toml"


def test_every_package_that_is_needed_is_looked_for() -> None:
    needed = tomllib.loads(PROJECT.read_text())["project"]["dependencies"]
    assert [re.split("[<>=]", name)[0] for name in needed] == list(PACKAGES)
    assert all(finding.ok for finding in findings() if finding.what in PACKAGES)


def test_a_place_where_no_run_can_be_kept_is_a_lack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def told(home: Path) -> tuple[bool, str]:
        monkeypatch.setenv("WORKBENCH_HOME", str(home))
        return next((item.ok, item.text) for item in findings() if item.what == "space for runs")

    (tmp_path / "file").touch()
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "draft.txt").touch()
    assert told(tmp_path / "new")[0]
    assert told(tmp_path / "file") == (False, f"{tmp_path}/file exists and is a file; choose a folder with --data-dir")
    assert told(tmp_path / "file" / "x") == (False, f"{tmp_path}/file/x: {tmp_path}/file is a file, not a folder")
    assert told(tmp_path / "thesis")[1].endswith("not one of ours; choose an empty one with --data-dir")
    assert sorted(item.name for item in tmp_path.iterdir()) == ["file", "thesis"], "nothing is made by looking"


def test_a_configuration_that_is_wrong_is_a_lack_and_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "config.toml"
    monkeypatch.setenv("WORKBENCH_CONFIG", str(path))
    for content, ok, told in (
        ("mouse = 3\n", False, f"{path}:1: mouse: needs true"),
        ("plain = true\n", True, "plain"),
    ):
        path.write_text(content)
        (found,) = [item for item in findings() if item.what == "configuration"]
        assert (found.ok, found.needed) == (ok, True) and told in found.text


def test_whom_brokers_serve_is_told_before_the_first_run() -> None:
    (told,) = [finding.text for finding in findings() if finding.what == "Kafka clients"]
    assert "every account of this machine" in told and "--client-auth" in told
