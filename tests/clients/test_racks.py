"""A real client that names its rack reads from the follower there; the trace says who served it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.model.events import FollowerRead, ReadReplicaChosen
from cluster.model.settings import BY_RACK, classroom_timing
from tests.support.clients.living_lab import LivingLab
from tests.support.processes.watching import workbench

pytest.importorskip("confluent_kafka", reason="confluent_kafka is not installed: pip install -e '.[clients]'")
from confluent_kafka import Consumer, Producer, TopicPartition  # noqa: E402  # only where the client is
from confluent_kafka.admin import AdminClient  # noqa: E402

COUNT = 200


@pytest.fixture(scope="module")
def racked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LivingLab]:
    """Each of three brokers in a rack of its own; in the end the checker judges what they gave."""
    settings = replace(classroom_timing(), broker_racks=3, replica_selector=BY_RACK)
    home = tmp_path_factory.mktemp("racks")
    made = LivingLab(home, ClusterSpec(title="Racks", settings=settings))
    yield made
    made.close()
    done = workbench(home, "check", made.folder.name)
    assert "0 violated" in done.stdout, done.stdout


def test_a_consumer_reads_from_the_follower_in_its_rack(racked: LivingLab) -> None:
    racked.do("topic near assign=1,2,3 min-isr=2")
    admin = AdminClient({"bootstrap.servers": racked.bootstrap})
    assert {node.id: node.rack for node in admin.describe_cluster().result(30).nodes} == {1: "r1", 2: "r2", 3: "r3"}
    producer = Producer({"bootstrap.servers": racked.bootstrap, "acks": "all", "log_level": 2})
    for number in range(COUNT):
        producer.produce("near", str(number).encode())
    assert producer.flush(30) == 0
    near = Consumer(
        {"bootstrap.servers": racked.bootstrap, "group.id": "near", "client.rack": "r3", "log_level": 2}
    )  # fmt: skip
    near.assign([TopicPartition("near", 0, 0)])
    values: list[bytes] = []
    while len(values) < COUNT:
        messages = near.consume(COUNT, 30)
        assert messages, f"{len(values)} of {COUNT} came"
        for message in messages:
            assert message.error() is None, message.error()
            values.append(message.value())
    near.close()
    assert values == [str(number).encode() for number in range(COUNT)], "all of them, once, in order"
    entries = [entry for entry in racked.entries() if getattr(entry.event, "topic", "") == "near"]
    chosen = [entry.event for entry in entries if isinstance(entry.event, ReadReplicaChosen)]
    assert {(event.rack, event.replica_id) for event in chosen} == {("r3", 3)}
    given = [(entry.node, entry.event) for entry in entries if isinstance(entry.event, FollowerRead)]
    assert {node for node, _ in given} == {3}
    assert max(event.end_offset for _, event in given) == COUNT
