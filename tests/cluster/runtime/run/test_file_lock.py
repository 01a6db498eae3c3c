"""A lock is held as long as its descriptor is open anywhere, and by one holder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from cluster.runtime.run.file_lock import is_held, take_lock


def test_a_lock_has_one_holder_until_its_last_descriptor_is_closed(tmp_path: Path) -> None:
    held = take_lock(tmp_path / "lock")
    assert held is not None
    inherited = os.dup(held)
    os.close(held)
    assert take_lock(tmp_path / "lock") is None
    os.close(inherited)
    again = take_lock(tmp_path / "lock")
    assert again is not None
    os.close(again)


def test_a_lock_is_never_taken_through_a_symbolic_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").touch()
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"):
        take_lock(tmp_path / "lock")


def test_who_looks_whether_a_lock_is_held_needs_no_right_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = take_lock(tmp_path / "lock")
    assert held is not None
    asked: list[int] = []
    real_open = os.open

    def noting(path: Path, flags: int) -> int:
        asked.append(flags)
        return real_open(path, flags)

    monkeypatch.setattr(os, "open", noting)
    assert is_held(tmp_path / "lock")
    os.close(held)
    assert not is_held(tmp_path / "lock") and not is_held(tmp_path / "nothing")
    assert not any(flags & (os.O_RDWR | os.O_WRONLY | os.O_CREAT) for flags in asked)


def test_two_who_look_at_a_lock_do_not_take_each_other_for_its_holder(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    with (tmp_path / "lock").open() as looked_at:
        fcntl.flock(looked_at, fcntl.LOCK_SH | fcntl.LOCK_NB)
        assert not is_held(tmp_path / "lock")
