"""Checkpoints read back what was written and refuse the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model.identifiers import TopicPartition
from cluster.storage.checkpoints import (
    HIGH_WATERMARKS,
    DamagedCheckpointError,
    read_adopted_epoch,
    read_high_watermarks,
    write_adopted_epoch,
    write_high_watermarks,
)
from cluster.storage.disk import Disk


def test_high_watermarks_come_back(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    assert read_high_watermarks(disk) == {}
    marks = {TopicPartition("orders", 1): 7, TopicPartition("a-b", 0): 0}
    write_high_watermarks(disk, marks)
    assert read_high_watermarks(Disk(tmp_path)) == marks
    assert disk.read_whole(HIGH_WATERMARKS) == b"0\n2\na-b 0 0\norders 1 7\n"


def test_the_newest_adopted_epoch_comes_back(tmp_path: Path) -> None:
    assert read_adopted_epoch(Disk(tmp_path), "orders-0") == -1
    for epoch in (0, 3):
        write_adopted_epoch(Disk(tmp_path), "orders-0", epoch)
    assert read_adopted_epoch(Disk(tmp_path), "orders-0") == 3


@pytest.mark.parametrize(
    "text", [b"", b"0", b"1\n0\n", b"0\n2\na 0 1\n", b"0\n1\na 0\n", b"0\n1\na 0 x\n", b"0\n1\na 0 -5\n", b"\xff\n0\n"]
)
def test_a_damaged_checkpoint_is_named(tmp_path: Path, text: bytes) -> None:
    disk = Disk(tmp_path)
    disk.replace(HIGH_WATERMARKS, text)
    with pytest.raises(DamagedCheckpointError, match=HIGH_WATERMARKS):
        read_high_watermarks(disk)
