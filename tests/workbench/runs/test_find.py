"""What to type for a run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cluster.runtime.run.folder import create_run
from workbench.runs.find import called, folder_of


def made(home: Path) -> Path:
    folder, lock = create_run(home, "A title", 1, 1, {}, combined=False)
    os.close(lock)
    return folder


def test_a_run_is_called_by_what_leads_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, other = made(tmp_path / "home"), made(tmp_path / "two words")
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home"))
    assert called(mine) == mine.name
    assert called(other) == f"'{other}'"
    assert (folder_of(called(mine)), folder_of(called(other).strip("'"))) == (mine, other)


def test_a_path_is_safe_to_print(tmp_path: Path) -> None:
    assert "\x1b" not in called(tmp_path / "a\x1b[31mb")
