"""The clean-shutdown marker is taken once."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.storage.clean_shutdown import NAME, leave_marker, take_marker
from cluster.storage.disk import Disk


def test_the_marker_is_taken_once(tmp_path: Path) -> None:
    leave_marker(Disk(tmp_path), 42)
    disk = Disk(tmp_path)
    assert take_marker(disk) == 42
    assert take_marker(disk) is None
    assert take_marker(Disk(tmp_path)) is None


@pytest.mark.parametrize("text", [b"", b"{}", b"3", b'{"brokerEpoch": true}'])
def test_a_marker_without_an_epoch_is_still_a_marker(tmp_path: Path, text: bytes) -> None:
    disk = Disk(tmp_path)
    disk.replace(NAME, text)
    assert take_marker(disk) == -1
