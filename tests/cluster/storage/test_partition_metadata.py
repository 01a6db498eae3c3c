"""The id of a log's topic, and a file that says nothing of use."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.storage.disk import Disk
from cluster.storage.partition_metadata import UNKNOWN, read_topic_id, write_topic_id


def test_what_was_written_last_is_read(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    assert read_topic_id(disk, "orders-0") == UNKNOWN
    for topic_id in (5, 12):
        write_topic_id(disk, "orders-0", topic_id)
        assert read_topic_id(disk, "orders-0") == topic_id


@pytest.mark.parametrize(
    "data", [b"", b"topic_id: -4\n", b"topic_id: 1\ntopic_id: 2\n", b"\xff\x00", b"topic_id: five\n"]
)
def test_a_damaged_file_names_no_topic(tmp_path: Path, data: bytes) -> None:
    disk = Disk(tmp_path)
    disk.create("orders-0/partition.metadata")
    disk.append("orders-0/partition.metadata", data)
    assert read_topic_id(disk, "orders-0") == UNKNOWN
