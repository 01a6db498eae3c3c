from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from workbench.support.places import MARKER, examine, usable_home
from workbench.support.refusal import BUSY, ENVIRONMENT, Refusal


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def test_a_new_home_is_made_and_marked(tmp_path: Path) -> None:
    assert (usable_home(str(tmp_path / "home")) / MARKER).exists()


def test_a_full_disk_is_told_before_anything_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _place: Usage(1 << 40, 1 << 40, 5 << 20))
    with pytest.raises(Refusal, match="only 5 MiB are free at .*home; a run needs 1024 MiB") as refused:
        usable_home(str(tmp_path / "home"))
    assert refused.value.code == ENVIRONMENT and not (tmp_path / "home").exists()


def test_a_parent_that_is_a_file_or_missing_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Refusal, match="parent folder is a file"):
        usable_home(str(tmp_path / "file" / "home"))
    with pytest.raises(Refusal, match="parent folder is missing"):
        usable_home(str(tmp_path / "nowhere" / "home"))


def test_a_folder_with_the_files_of_another_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(Refusal, match="not one of ours") as refused:
        usable_home(str(tmp_path))
    assert refused.value.code == BUSY and [item.name for item in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_folder_that_is_gone_beneath_ones_feet_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(Refusal, match="'here': the folder you are in is gone"):
        usable_home("here")


@pytest.mark.parametrize("below", ["", "runs of mine"])
def test_a_link_that_leads_nowhere_or_to_itself_is_told_as_such(tmp_path: Path, below: str) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    for name in ("loop", "nowhere"):
        home = tmp_path / name / below
        with pytest.raises(Refusal, match=f"{tmp_path / name} is a link that leads nowhere") as refused:
            usable_home(str(home))
        assert refused.value.code == ENVIRONMENT
        with pytest.raises(Refusal, match="leads nowhere"):
            examine(home)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["loop", "nowhere"]
