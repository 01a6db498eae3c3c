"""Files as Apache Kafka writes them, told as our events and folded as a run of ours."""

import json
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.model.entry import Entry
from cluster.model.events import Event, ReplicaTruncated
from cluster.model.identifiers import METADATA, TopicPartition
from cluster.model.record_batch import Record, encode_batch
from cluster.model.settings import classroom_timing
from cluster.picture.cluster_state import ClusterState
from judges.apache_kafka.disks import Disks
from judges.apache_kafka.jars import Jars
from judges.apache_kafka.nodes import KafkaNodes
from tests.judges.apache_kafka.test_metadata_log import CREATED, TOPIC, changed, nodes, record

ORDERS = TopicPartition("orders", 0)
ORDERS_LOG = "orders-0/00000000000000000000.log"


class Seen:
    """Disks of three controllers and two brokers that a test writes, and what is told of them."""

    def __init__(self, folder: Path) -> None:
        self.nodes = KafkaNodes(
            Jars(folder, folder, "4.1.2"), folder, classroom_timing(), (101, 102, 103), (1, 2),
            dict.fromkeys((101, 102, 103, 1, 2), 0),
        )  # fmt: skip
        for node in self.nodes.ports:
            self.nodes.processes[node] = subprocess.Popen(["sleep", "60"])
        self.state, self.events = ClusterState(), list[Event]()
        self.disks = Disks(self.nodes, self.tell)

    def tell(self, node: int, event: Event) -> None:
        self.events.append(event)
        self.state.apply(Entry("", node, 0, len(self.events), 0, 0, 0, None, "", None, event))

    def write(self, node: int, name: str, data: bytes | str) -> None:
        path = self.nodes.log_dir(node) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)

    def write_metadata(self, *values: bytes, on: tuple[int, ...] = (101, 102)) -> None:
        for node in on:
            batches = [encode_batch([Record(None, value)], at, 1) for at, value in enumerate(values)]
            self.write(node, f"{METADATA}/00000000000000000000.log", b"".join(batches))


@pytest.fixture
def seen(tmp_path: Path) -> Iterator[Seen]:
    found = Seen(tmp_path)
    yield found
    found.nodes.kill_all()


def records(*texts: str, base: int = 0, epoch: int = 0) -> bytes:
    each = enumerate(texts, base)
    return b"".join(encode_batch([Record(None, text.encode())], at, epoch) for at, text in each)


def test_a_partition_is_as_the_committed_part_of_the_metadata_log_has_it(seen: Seen) -> None:
    seen.write_metadata(TOPIC, CREATED)
    seen.write_metadata(TOPIC, CREATED, changed(t0=nodes(1)), on=(103,))
    seen.disks.look()
    facts = seen.state.facts(ORDERS)
    assert facts is not None
    assert (facts.leader, facts.isr, facts.partition_epoch) == (1, (1, 2, 3), 0), "one controller of three has the rest"
    seen.write_metadata(TOPIC, CREATED, changed(t0=nodes(1)), on=(102,))
    seen.disks.look()
    assert (seen.state.partition(ORDERS).isr, seen.disks.leader_of(ORDERS)) == ((1,), 1)


def test_replicas_tell_their_records_and_what_was_cut(seen: Seen) -> None:
    seen.write_metadata(TOPIC, CREATED)
    seen.write(1, ORDERS_LOG, records("a", "b", "c"))
    seen.write(2, ORDERS_LOG, records("a"))
    seen.disks.look()
    assert [seen.state.log(node, ORDERS).log_end_offset for node in (1, 2)] == [3, 1]
    seen.write(1, ORDERS_LOG, records("a") + records("x", base=1, epoch=4))
    seen.disks.look()
    assert (seen.state.log(1, ORDERS).log_end_offset, seen.state.log(1, ORDERS).epochs) == (2, [(0, 0), (4, 1)])
    cut = [event for event in seen.events if isinstance(event, ReplicaTruncated)]
    assert [(event.end_offset, event.old_end_offset) for event in cut] == [(1, 3)]


def test_a_batch_that_is_being_written_is_not_there_yet(seen: Seen) -> None:
    seen.write_metadata(TOPIC, CREATED)
    seen.write(1, ORDERS_LOG, records("a", "b")[:-3])
    seen.disks.look()
    assert seen.state.log(1, ORDERS).log_end_offset == 1


def test_high_watermarks_and_log_starts_come_from_checkpoints(seen: Seen) -> None:
    seen.write_metadata(TOPIC, CREATED)
    seen.write(1, ORDERS_LOG, records("a", "b", "c"))
    seen.write(1, "replication-offset-checkpoint", "0\n1\norders 0 2\n")
    seen.write(1, "log-start-offset-checkpoint", "0\n1\norders 0 1\n")
    seen.disks.look()
    log = seen.state.log(1, ORDERS)
    assert (log.high_watermark, log.log_start_offset) == (2, 1)
    count = len(seen.events)
    seen.disks.look()
    assert len(seen.events) == count, "nothing has changed"


def test_a_log_that_begins_with_a_segment_is_in_no_checkpoint_of_log_starts(seen: Seen) -> None:
    """A follower that lacked what is deleted begins anew there: scenario d02 waited for it for ever."""
    seen.write_metadata(TOPIC, CREATED)
    seen.write(1, ORDERS_LOG.replace("0.log", "5.log"), b"")
    seen.disks.look()
    assert seen.state.log(1, ORDERS).log_start_offset == 5


def test_the_quorum_is_as_its_leader_says_of_itself(seen: Seen) -> None:
    for node in (101, 102):
        seen.write(node, f"{METADATA}/quorum-state", json.dumps({"leaderId": 102, "leaderEpoch": 3}))
    seen.disks.look()
    assert (seen.state.quorum_leader, seen.state.quorum_epoch) == (102, 3)
    assert [seen.state.node(node).quorum_role for node in (101, 102)] == ["follower", "leader"]


def test_brokers_are_fenced_and_in_service_as_the_log_says(seen: Seen) -> None:
    seen.write_metadata(record(8, 0, struct.pack(">iq", 2, 5) + b"\x00"))
    seen.disks.look()
    assert seen.state.node(2).fenced is False
