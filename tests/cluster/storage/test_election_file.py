"""quorum-state reads back what was written and refuses the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model.election_state import ElectionState
from cluster.model.errors import StorageFailed
from cluster.storage.disk import Disk
from cluster.storage.election_file import NAME, read_election, write_election


def test_the_election_state_comes_back(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    assert read_election(disk) is None
    state = ElectionState(epoch=4, leader_id=-1, voted_for=102)
    write_election(disk, state)
    assert read_election(Disk(tmp_path)) == state
    assert disk.books(NAME).settled


@pytest.mark.parametrize(
    "text", [b"", b"{}", b"[1]", b"\xff", b'{"leaderId":1,"leaderEpoch":"1","votedId":1}', b"[" * 100_000]
)
def test_a_damaged_file_stops_the_node(tmp_path: Path, text: bytes) -> None:
    disk = Disk(tmp_path)
    disk.replace(NAME, text)
    with pytest.raises(StorageFailed):
        read_election(disk)


def test_a_full_disk_keeps_the_old_vote(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    write_election(disk, ElectionState(epoch=1))
    disk.faults.budget_bytes = 0
    with pytest.raises(StorageFailed):
        write_election(disk, ElectionState(epoch=2))
    assert read_election(Disk(tmp_path)) == ElectionState(epoch=1)
