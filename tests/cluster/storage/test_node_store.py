"""What the files of a node tell the trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model.effects import PersistElection
from cluster.model.events import DamageFound, ElectionPersisted, Event, Fsynced, LogRecovered, LogRemoved
from cluster.model.identifiers import METADATA, TopicPartition
from cluster.model.record_batch import Record, encode_batch
from cluster.storage.checkpoints import HIGH_WATERMARKS, LOG_STARTS
from cluster.storage.node_store import NodeStore
from cluster.storage.power_loss import cut_to_durable


@pytest.mark.parametrize("lying", [False, True])
def test_a_vote_on_disk_is_told_with_the_truth_about_it(tmp_path: Path, lying: bool) -> None:
    told: list[Event] = []
    world = NodeStore(tmp_path, host_fsync=False, emit=told.append)
    world.disk.faults.lying = lying
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


ORDERS = TopicPartition("orders", 0)


def store(folder: Path, told: list[Event]) -> NodeStore:
    return NodeStore(folder, host_fsync=False, emit=told.append)


def with_a_record(folder: Path, topic_id: int) -> NodeStore:
    made = store(folder, [])
    made.open(ORDERS, topic_id)
    made.append(ORDERS, encode_batch([Record(None, b"x")], 0, 1))
    made.note_high_watermark(ORDERS, 1)
    made.checkpoint()
    return made


def test_a_log_is_found_again_for_the_topic_it_was_made_for(tmp_path: Path) -> None:
    with_a_record(tmp_path, 5).disk.close()
    again = store(tmp_path, [])
    assert again.found() == (METADATA, ORDERS)
    log, high_watermark = again.open(ORDERS, 5)
    assert (log.log_end_offset, high_watermark) == (1, 1)
    assert again.open(ORDERS)[0] is log, "who knows no id takes it as it is"
    again.disk.close()


def test_a_log_of_another_topic_of_that_name_is_dropped(tmp_path: Path) -> None:
    with_a_record(tmp_path, 5).disk.close()
    told: list[Event] = []
    again = store(tmp_path, told)
    log, high_watermark = again.open(ORDERS, 9)
    assert (log.log_end_offset, high_watermark) == (0, 0)
    assert LogRemoved(topic="orders", partition=0, log_end_offset=1) in told
    again.disk.close()
    assert store(tmp_path, []).open(ORDERS, 9)[0].log_end_offset == 0


def test_a_log_that_names_no_topic_is_taken_and_named(tmp_path: Path) -> None:
    first = store(tmp_path, [])
    first.open(ORDERS)
    first.append(ORDERS, encode_batch([Record(None, b"x")], 0, 1))
    assert first.open(ORDERS, 5)[0].log_end_offset == 1
    first.disk.close()
    assert store(tmp_path, []).open(ORDERS, 9)[0].log_end_offset == 0


def test_a_removed_log_leaves_no_file_and_no_checkpoint(tmp_path: Path) -> None:
    made = with_a_record(tmp_path, 5)
    made.remove(ORDERS)
    made.remove(ORDERS)
    made.checkpoint()
    assert made.disk.names("orders-0") == []
    made.disk.close()
    again = store(tmp_path, [])
    assert again.found() == (METADATA,)
    assert again.open(ORDERS, 6)[1] == 0
    again.disk.close()


def test_records_deleted_from_the_front_stay_deleted(tmp_path: Path) -> None:
    first = store(tmp_path, [])
    first.open(ORDERS, 5)
    for base in range(4):
        first.append(ORDERS, encode_batch([Record(None, b"x")], base, base // 2))
    first.advance_start(ORDERS, 3)
    first.advance_start(ORDERS, 1)
    first.disk.close()
    again = store(tmp_path, [])
    log, high_watermark = again.open(ORDERS, 5)
    assert (log.log_start_offset, log.log_end_offset) == (3, 4)
    assert log.leader_epochs.entries() == ((1, 3),)
    assert high_watermark == 0
    again.remove(ORDERS)
    assert again.open(ORDERS, 6)[0].log_start_offset == 0, "the next topic of that name begins at 0"
    again.disk.close()


def test_a_log_that_ends_before_its_new_start_begins_anew(tmp_path: Path) -> None:
    first = with_a_record(tmp_path, 5)
    first.advance_start(ORDERS, 40)
    first.append(ORDERS, encode_batch([Record(None, b"y")], 40, 3))
    first.disk.close()
    log, _ = store(tmp_path, []).open(ORDERS, 5)
    assert (log.log_start_offset, log.log_end_offset) == (40, 41)
    assert log.leader_epochs.entries() == ((3, 40),)


@pytest.mark.parametrize("text", [b"", b"0\n9\n", b"0\n1\norders 0 x\n", b"\x80\xff"])
@pytest.mark.parametrize(("name", "instead"), [(HIGH_WATERMARKS, "0 for"), (LOG_STARTS, "first file")])
def test_a_damaged_checkpoint_is_told_and_the_log_is_used(tmp_path: Path, name: str, instead: str, text: bytes) -> None:
    first = with_a_record(tmp_path, 5)
    for offset in range(1, 4):
        first.append(ORDERS, encode_batch([Record(None, b"y")], offset, 1))
    first.note_high_watermark(ORDERS, 4)
    first.advance_start(ORDERS, 2)
    first.checkpoint()
    first.disk.replace(name, text)
    first.disk.close()
    told: list[Event] = []
    again = store(tmp_path, told)
    (damage,) = [event for event in told if isinstance(event, DamageFound)]
    assert damage.path == name and "no checkpoint" in damage.what and instead in damage.instead
    log, high_watermark = again.open(ORDERS, 5)
    kept = (2, 0) if name == HIGH_WATERMARKS else (0, 4)
    assert ((log.log_start_offset, high_watermark), log.log_end_offset) == (kept, 4)
    again.disk.close()


@pytest.mark.parametrize("text", [b"", b"\x00\xffgarbage", b"version: 0\ntopic_id: f"])
def test_a_damaged_id_of_a_topic_is_told_and_the_metadata_is_believed(tmp_path: Path, text: bytes) -> None:
    first = with_a_record(tmp_path, 5)
    first.disk.replace("orders-0/partition.metadata", text)
    first.disk.close()
    for damages in (1, 0):
        told: list[Event] = []
        again = store(tmp_path, told)
        assert again.open(ORDERS, 5)[0].log_end_offset == 1
        assert [type(event) for event in told].count(DamageFound) == damages
        again.disk.close()
