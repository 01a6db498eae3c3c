"""What the files of a node tell the trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model.effects import PersistElection
from cluster.model.events import ElectionPersisted, Event, Fsynced, LogRecovered
from cluster.model.identifiers import METADATA
from cluster.model.record_batch import Record, encode_batch
from cluster.storage.node_store import NodeStore
from cluster.storage.power_loss import cut_to_durable


@pytest.mark.parametrize("lying", [False, True])
def test_a_vote_on_disk_is_told_with_the_truth_about_it(tmp_path: Path, lying: bool) -> None:
    told: list[Event] = []
    world = NodeStore(tmp_path, host_fsync=False, emit=told.append)
    world.disk.lying = lying
    world.persist(PersistElection(3, -1, 102))
    world.disk.close()
    assert told[-1] == ElectionPersisted(epoch=3, leader_id=-1, voted_for=102, lied=lying)


def test_after_a_start_the_trace_says_how_far_the_metadata_log_is_durable(tmp_path: Path) -> None:
    first = NodeStore(tmp_path, host_fsync=False, emit=lambda _: None)
    first.append(METADATA, encode_batch([Record(None, b"x")], 0, 1))
    first.disk.close()
    told: list[Event] = []
    NodeStore(tmp_path, host_fsync=False, emit=told.append).disk.close()
    recovered, synced = told
    assert isinstance(recovered, LogRecovered) and recovered.log_end_offset == 1
    assert isinstance(synced, Fsynced) and (synced.claimed_offset, synced.durable_offset) == (1, 1)


def test_a_start_makes_durable_what_it_goes_on_from(tmp_path: Path) -> None:
    """A process that died between the rename and the sync of the directory left a file that power loss takes back."""

    class DiedError(Exception):
        pass

    def die(place: str) -> None:
        if place == "after rename":
            raise DiedError

    first = NodeStore(tmp_path, host_fsync=False, emit=lambda _: None)
    first.persist(PersistElection(3, -1, 102))
    first.disk.on_rename = die
    with pytest.raises(DiedError):
        first.persist(PersistElection(4, -1, 101))
    told: list[Event] = []
    second = NodeStore(tmp_path, host_fsync=False, emit=told.append)
    second.disk.close()
    assert told[0] == ElectionPersisted(epoch=4, leader_id=-1, voted_for=101, lied=False)
    cut_to_durable(tmp_path)
    third = NodeStore(tmp_path, host_fsync=False, emit=lambda _: None)
    third.disk.close()
    assert third.election is not None and third.election.epoch == 4
