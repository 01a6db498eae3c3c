"""A lock is held as long as its descriptor is open anywhere, and by one holder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cluster.runtime.run.file_lock import take_lock


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
