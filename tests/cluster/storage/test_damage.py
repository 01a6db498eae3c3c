"""What befalls a disk, in memory and on a host alike, and what a log makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model.identifiers import TopicPartition
from cluster.model.record_batch import Record, encode_batch
from cluster.storage.damage import rot, tear, wipe
from cluster.storage.disk import Disk
from cluster.storage.files import Files
from cluster.storage.host_files import HostFiles
from cluster.storage.log import open_log
from cluster.storage.memory_files import MemoryFiles

TP = TopicPartition("orders", 0)


@pytest.fixture(params=["memory", "host"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Files:
    made: Files = MemoryFiles() if request.param == "memory" else HostFiles(tmp_path / "data")
    disk = Disk(made)
    log, _ = open_log(disk, "orders-0", TP, clean=True, high_watermark=0)
    for offset in range(4):
        log.append(encode_batch([Record(None, b"value")], offset))
    log.close()
    disk.close()
    return made


def _end(files: Files) -> tuple[int, str]:
    log, recovered = open_log(Disk(files), "orders-0", TP, clean=False, high_watermark=0)
    return log.log_end_offset, recovered.why


def test_a_torn_batch_is_the_only_one_that_recovery_cuts(files: Files) -> None:
    tear(files, TP)
    assert _end(files) == (3, "torn tail")


def test_a_rotten_bit_takes_everything_behind_it(files: Files) -> None:
    rot(files, TP, 1)
    assert _end(files) == (1, "bad batch")


def test_a_wiped_disk_holds_nothing(files: Files) -> None:
    wipe(files)
    assert files.names() == []
    assert _end(files) == (0, "scanned")


def test_what_is_not_there_cannot_be_damaged(files: Files) -> None:
    with pytest.raises(LookupError, match="no offset 4"):
        rot(files, TP, 4)
    with pytest.raises(LookupError, match="no batch"):
        tear(files, TopicPartition("other", 0))
