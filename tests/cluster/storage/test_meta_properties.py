"""A disk has an id from its formatting to its end."""

from __future__ import annotations

import pytest

from cluster.model.errors import StorageFailed
from cluster.model.voters import directory_id_of
from cluster.storage.damage import wipe
from cluster.storage.disk import Disk
from cluster.storage.memory_files import MemoryFiles
from cluster.storage.meta_properties import NAME, format_disk, read_directory_id
from cluster.storage.power_loss import cut_to_durable


def id_of(files: MemoryFiles) -> str:
    disk = Disk(files)
    found = read_directory_id(disk)
    disk.close()
    return found


def test_a_disk_keeps_its_id_through_starts_and_power_losses() -> None:
    files = MemoryFiles()
    assert id_of(files) == ""
    format_disk(files, "run", 101, 0)
    assert id_of(files) == directory_id_of("run", 101, 0)
    format_disk(files, "run", 101, 1)
    cut_to_durable(files, "durable", "1")
    assert id_of(files) == directory_id_of("run", 101, 0)


def test_a_disk_that_replaces_another_gets_an_id_of_its_own() -> None:
    files = MemoryFiles()
    format_disk(files, "run", 101, 0)
    wipe(files)
    format_disk(files, "run", 101, 3)
    assert id_of(files) == directory_id_of("run", 101, 3)


@pytest.mark.parametrize("text", [b"version=1\n", b"directory.id=\n", b"\xff\xfe"])
def test_a_file_that_names_no_id_stops_the_node(text: bytes) -> None:
    disk = Disk(MemoryFiles())
    disk.replace(NAME, text)
    with pytest.raises(StorageFailed):
        read_directory_id(disk)
