"""`workbench dump` says what a node's files hold, names the bad ones, and obeys nothing that stands in them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cluster.model.codec import encode_metadata_record
from cluster.model.election_state import ElectionState
from cluster.model.identifiers import METADATA, SnapshotId, TopicPartition
from cluster.model.metadata_records import KRaftVersionRecord, LeaderChangeRecord, TopicRecord, VotersRecord
from cluster.model.record_batch import Record, encode_batch, with_offset_and_epoch
from cluster.model.snapshot import encode_snapshot
from cluster.model.transaction_marker import Marker, encode_marker
from cluster.model.voters import Voter
from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.folder import write_facts
from cluster.storage.checkpoints import write_adopted_epoch, write_cleaned
from cluster.storage.damage import rot, spoil_snapshot
from cluster.storage.disk import Disk
from cluster.storage.election_file import write_election
from cluster.storage.host_files import HostFiles
from cluster.storage.meta_properties import format_disk
from cluster.storage.node_store import NodeStore
from workbench.cli.dump import dump
from workbench.support.refusal import BAD_DATA, Refusal

ORDERS = TopicPartition("orders", 0)
TOPIC = TopicRecord(topic="orders", topic_id=7, min_insync_replicas=2)
FACTS = RunFacts(
    id="r", title="t", created="2026-01-01T00:00:00", state="ended", controllers=(101,), brokers=(1,), settings={}
)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run with the files of node 101: a metadata log of two batches, a snapshot between them, and a topic's log."""
    write_facts(tmp_path, FACTS)
    (tmp_path / "data").mkdir()
    store = NodeStore(tmp_path / "data" / "101", host_fsync=False, emit=lambda _: None)
    change = encode_metadata_record(LeaderChangeRecord(leader_id=101, voters=(101,), granting_voters=(101,)))
    store.append(METADATA, encode_batch([change], 0, 4, control=True))
    store.write_snapshot(SnapshotId(1, 4), encode_snapshot(SnapshotId(1, 4), [TOPIC], 55))
    store.append(METADATA, encode_batch([encode_metadata_record(TOPIC)], 1, 4))
    store.open(ORDERS, 7)
    store.append(ORDERS, encode_batch([Record(None, b"one"), Record(b"\x1b[2J", b"\xff\x00")], 0, 2))
    store.note_high_watermark(ORDERS, 2)
    store.close(-1)
    return tmp_path


def _printed(run: Path, capsys: pytest.CaptureFixture[str], *, metadata: bool = False) -> tuple[int, str, str]:
    code = dump(run, 101, metadata=metadata)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_logs_checkpoints_and_snapshots_are_told_in_words(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _printed(run, capsys)
    assert (code, err) == (0, "")
    for words in (
        "control batch [0,1) epoch 4 at byte 0,",
        "LeaderChangeRecord leader_id 101, voters [101], granting_voters [101]",
        "TopicRecord topic 'orders', topic_id 7, min_insync_replicas 2",
        "snapshot of [0,1), last epoch 4,",
        "1 record, time 55",
        "orders-0: high watermark 2",
        "epoch 2 begins at 0",
        "topic_id: 7",
        "batch [0,2) epoch 2 at byte 0,",
        "key none, value 'one'",
    ):
        assert words in out


def test_what_a_client_wrote_is_made_visible(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = _printed(run, capsys)
    assert "\x1b" not in out and "\x00" not in out
    assert "key '\u241b[2J'" in out


def test_the_metadata_log_can_be_asked_for_alone(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = _printed(run, capsys, metadata=True)
    headings = [line for line in out.splitlines() if line.startswith("== ")]
    assert headings and all(line.startswith("== __cluster_metadata-0/") for line in headings)


@pytest.mark.parametrize("how", ["flip", "cut", "rename"])
def test_a_bad_snapshot_is_named_and_the_rest_is_told(run: Path, capsys: pytest.CaptureFixture[str], how: str) -> None:
    spoil_snapshot(HostFiles(run / "data" / "101"), how)
    code, out, err = _printed(run, capsys)
    assert code == BAD_DATA
    assert "BAD: " in out and "key none, value 'one'" in out
    assert err.startswith("bad: __cluster_metadata-0/0000000000000000000") and ".checkpoint" in err


def test_a_batch_with_a_wrong_bit_is_told_where_it_is(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rot(HostFiles(run / "data" / "101"), METADATA, 1)
    code, out, _ = _printed(run, capsys)
    assert code == BAD_DATA
    assert "BAD: at byte 0: its CRC does not match" in out


def test_a_cut_log_and_garbage_in_its_place(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = run / "data" / "101" / "orders-0" / f"{0:020d}.log"
    path.write_bytes(path.read_bytes()[:-3])
    assert "cut short" in _printed(run, capsys)[1]
    path.write_bytes(os.urandom(3) * 100)
    assert "no batch begins here" in _printed(run, capsys)[1]


@pytest.mark.parametrize("text", ["0\n5\norders 0 1\n", "0\n1\norders\n", "0\n1\n\x1b[2J a b c\n"])
def test_a_checkpoint_that_makes_no_sense_is_bad(run: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (run / "data" / "101" / "replication-offset-checkpoint").write_text(text)
    code, out, err = _printed(run, capsys)
    assert (code, err) == (BAD_DATA, "bad: replication-offset-checkpoint\n")
    assert "BAD: " in out and "\x1b" not in out


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("__cluster_metadata-0/quorum-state", "{"),
        ("__cluster_metadata-0/quorum-state", ""),
        ("__cluster_metadata-0/quorum-state", '{"leaderId": 101, "leaderEpoch": "4", "votedId": 101}'),
        ("__cluster_metadata-0/quorum-state", "[" * 100_000),
        ("meta.properties", "version=1\ndirectory.id=\n"),
        ("orders-0/partition.metadata", "version: 0\ntopic_id: seven\n"),
        ("orders-0/adopted-epoch-checkpoint", "0\n1\nfour\n"),
        ("orders-0/cleaner-offset-checkpoint", "0\n2\n4\n"),
        ("replication-offset-checkpoint", "0\n1\norders 0 two\n"),
        ("replication-offset-checkpoint", "1\n0\n"),
        ("replication-offset-checkpoint", ""),
    ],
)
def test_a_file_that_the_node_could_not_read_is_bad(
    run: Path, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    """A quorum-state that is no JSON was once printed as if all were well."""
    assert _printed(run, capsys)[0] == 0
    (run / "data" / "101" / name).write_text(text)
    code, out, err = _printed(run, capsys)
    assert (code, err) == (BAD_DATA, f"bad: {name}\n")
    assert "   BAD: " in out


def test_a_sound_quorum_state_and_its_companions_are_told_in_words(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    disk = Disk(HostFiles(run / "data" / "101"))
    write_election(disk, ElectionState(epoch=4, leader_id=101, voted_for=-1, voted_directory_id=""))
    write_cleaned(disk, "orders-0", 2)
    write_adopted_epoch(disk, "orders-0", 3)
    disk.close()
    format_disk(HostFiles(run / "data" / "101"), "r", 101, 0)
    code, out, err = _printed(run, capsys)
    assert (code, err) == (0, "")
    assert '"leaderEpoch": 4' in out
    assert "   compacted up to 2" in out
    assert "   adopted: epoch 3" in out


def test_an_unfinished_file_and_a_link_are_not_read(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = run / "data" / "101"
    (data / "quorum-state.tmp").write_text("half")
    (data / "passwd").symlink_to("/etc/passwd")
    _, out, err = _printed(run, capsys)
    assert "unfinished: it was to take the place of quorum-state" in out
    assert "root:" not in out and err == "bad: passwd\n"


def test_a_node_that_has_no_files_and_a_simulated_run_are_refused(run: Path) -> None:
    with pytest.raises(Refusal, match="node 7 has no files there; there are files of 101"):
        dump(run, 7, metadata=False)
    facts = {name: getattr(FACTS, name) for name in RunFacts.__slots__}
    write_facts(run, RunFacts(**facts | {"world": "simulated"}))
    with pytest.raises(Refusal, match="its disks were in memory"):
        dump(run, 101, metadata=False)


def _objects(run: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[dict[str, Any]]]:
    code = dump(run, 101, metadata=False, as_json=True)
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_for_machines_each_line_is_an_object_with_its_file(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = _objects(run, capsys)
    assert code == 0
    of = {file: [one for one in told if one["file"] == file] for file in {one["file"] for one in told}}
    head, first, second, end = of["orders-0/00000000000000000000.log"]
    assert (head["is"], head["base_offset"], head["end_offset"], head["is_good"]) == ("batch", 0, 2, True)
    assert (first["offset"], first["key"], first["value"]) == (0, None, "one")
    assert (second["offset"], second["key"], second["value"]) == (1, "\x1b[2J", "\\xff\x00")
    assert (end["is"], end["batches"]) == ("end", 1)
    assert of["replication-offset-checkpoint"][1] == {
        "file": "replication-offset-checkpoint", "is": "line", "topic": "orders", "partition": 0, "high_watermark": 2
    }  # fmt: skip
    snapshot, topic = of["__cluster_metadata-0/00000000000000000001-0000000004.checkpoint"]
    assert (snapshot["is"], snapshot["end_offset"], snapshot["records"]) == ("snapshot", 1, 1)
    assert (topic["type"], topic["topic"], topic["min_insync_replicas"]) == ("TopicRecord", "orders", 2)


def test_for_machines_a_bad_file_is_an_object_too(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "replication-offset-checkpoint"
    (run / "data" / "101" / name).write_bytes(b"0\n1\n\x1b[2J 0\n")
    code, told = _objects(run, capsys)
    (bad,) = [one for one in told if one["is"] == "bad"]
    assert (code, bad["file"]) == (BAD_DATA, name)
    assert "no such line" in bad["why"] and "\x1b" not in bad["why"]


def test_a_snapshot_tells_the_voters_that_it_names(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    control = (KRaftVersionRecord(version=1), VotersRecord(voters=(Voter(101, "disk"),)))
    store = NodeStore(run / "data" / "101", host_fsync=False, emit=lambda _: None)
    store.write_snapshot(SnapshotId(2, 4), encode_snapshot(SnapshotId(2, 4), [TOPIC], 55, control))
    store.close(-1)
    _, out, _ = _printed(run, capsys)
    assert "VotersRecord voters [Voter(node_id=101, directory_id='disk')]" in out
    _, told = _objects(run, capsys)
    (voters,) = [one["voters"] for one in told if one.get("type") == "VotersRecord"]
    assert voters == [[101, "disk"]]


def test_indexes_and_what_belongs_to_transactions_are_told_in_words(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = NodeStore(run / "data" / "101", host_fsync=False, emit=lambda _: None)
    paid = encode_batch([Record(None, b"x")], 2, 2, 55, transactional=True, sequenced=(7, 0, 0))
    store.append(ORDERS, paid)
    store.append(ORDERS, with_offset_and_epoch(encode_marker(7, 0, Marker(committed=False, coordinator_epoch=3)), 3, 2))
    store.roll(ORDERS, "segment.bytes")
    store.close(-1)
    code, out, _ = _printed(run, capsys)
    assert code == 0
    for words in (
        "transactional batch [2,3) epoch 2", "3  marker: abort, coordinator epoch 3",
        "== orders-0/00000000000000000000.index\n   offset 0 at byte 0\n",
        "== orders-0/00000000000000000000.timeindex\n   up to offset 0: time -1\n   up to offset 3: time 55\n",
    ):  # fmt: skip
        assert words in out, words
    index = run / "data" / "101" / "orders-0" / "00000000000000000000.index"
    index.write_bytes(bytes([index.read_bytes()[0] ^ 1]) + index.read_bytes()[1:])
    code, out, err = _printed(run, capsys)
    assert (code, "BAD: its check sum does not match" in out) == (BAD_DATA, True)
    assert err == "bad: orders-0/00000000000000000000.index\n"
