"""A compacted topic as Kafka's own clients see it: newest values, offsets with gaps, tombstones, and keys demanded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.model.events import LogCleaned
from cluster.model.settings import classroom_timing
from tests.support.clients.living_lab import LivingLab
from tests.support.processes.watching import workbench

pytest.importorskip("confluent_kafka", reason="confluent_kafka is not installed: pip install -e '.[clients]'")
pytest.importorskip("kafka", reason="kafka-python is not installed: pip install -e '.[clients]'")
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer  # noqa: E402  # only where the clients are
from confluent_kafka import TopicPartition as Where  # noqa: E402
from confluent_kafka.admin import AdminClient, ConfigResource, ResourceType  # noqa: E402
from kafka import KafkaConsumer, TopicPartition  # noqa: E402

KEYS, ROUNDS = 5, 20
COUNT = KEYS * ROUNDS
READS_MAX = 60
Record = tuple[int, str, str | None]


@pytest.fixture(scope="module")
def compacting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LivingLab]:
    """Looks for logs to compact twice a second; in the end the checker judges it."""
    home = tmp_path_factory.mktemp("compaction")
    settings = replace(classroom_timing(), log_cleaner_backoff_ms=500)
    made = LivingLab(home, ClusterSpec(title="Compaction", settings=settings))
    made.do("topic users assign=1,2,3 min-isr=2 segment-bytes=400 cleanup=compact dirty-percent=1 delete-retention=1s")
    yield made
    made.close()
    done = workbench(home, "check", made.folder.name)
    assert "0 violated" in done.stdout, done.stdout


def read_by_librdkafka(lab: LivingLab) -> list[Record]:
    consumer = Consumer(
        {"bootstrap.servers": lab.bootstrap, "group.id": "reader", "enable.partition.eof": True, "log_level": 2}
    )
    consumer.assign([Where("users", 0, OFFSET_BEGINNING)])
    found: list[Record] = []
    while (message := consumer.poll(30)) is not None and message.error() is None:
        value = message.value()
        found.append((message.offset(), message.key().decode(), None if value is None else value.decode()))
    consumer.close()
    return found


def read_by_kafka_python(lab: LivingLab) -> list[Record]:
    consumer = KafkaConsumer(bootstrap_servers=lab.bootstrap.split(","), auto_offset_reset="earliest")
    where = TopicPartition("users", 0)
    consumer.assign([where])
    end = consumer.end_offsets([where])[where]
    found: list[Record] = []
    while consumer.position(where) < end:
        for record in (record for records in consumer.poll(1_000).values() for record in records):
            value = record.value
            found.append((record.offset, record.key.decode(), None if value is None else value.decode()))
    consumer.close()
    return found


def produce(lab: LivingLab, rows: list[tuple[str | None, str | None]]) -> list[str]:
    """Each in a batch of its own; the names of errors."""
    errors: list[str] = []
    producer = Producer({"bootstrap.servers": lab.bootstrap, "acks": "all", "log_level": 2, "linger.ms": 0})
    for key, value in rows:
        producer.produce(
            "users",
            None if value is None else value.encode(),
            None if key is None else key.encode(),
            on_delivery=lambda error, _message: errors.append("" if error is None else error.name()),
        )
        assert producer.flush(30) == 0
    return errors


@pytest.mark.first
@pytest.mark.client("confluent-kafka")
def test_clients_read_the_newest_of_each_key_at_its_own_offset(compacting: LivingLab) -> None:
    admin = AdminClient({"bootstrap.servers": compacting.bootstrap})
    (told,) = admin.describe_configs([ConfigResource(ResourceType.TOPIC, "users")]).values()
    assert told.result(30)["cleanup.policy"].value == "compact"
    rows: list[tuple[str | None, str | None]] = [(f"k{n % KEYS}", f"v{n}") for n in range(COUNT)]
    assert set(produce(compacting, [*rows, ("k0", None), ("last", "1"), ("last", "2"), ("last", "3")])) == {""}
    for _ in range(READS_MAX):
        python = read_by_kafka_python(compacting)
        if len(python) < COUNT // 2:
            break
    assert len(python) < COUNT // 2, "it was never compacted"
    librdkafka = read_by_librdkafka(compacting)
    for found in (python, librdkafka):
        offsets = [offset for offset, _, _ in found]
        assert offsets == sorted(set(offsets)) and offsets[-1] == COUNT + 3
        newest = {key: value for _, key, value in found if value is not None or key == "k0"}
        assert newest.get("k0") is None
        assert {key: value for key, value in newest.items() if value} == {
            **{f"k{n}": f"v{COUNT - KEYS + n}" for n in range(1, KEYS)},
            "last": "3",
        }
    passes = [(entry.node, entry.event) for entry in compacting.entries() if isinstance(entry.event, LogCleaned)]
    assert {node for node, event in passes if event.topic == "users"} == {1, 2, 3}


@pytest.mark.client("confluent-kafka")
def test_a_record_without_a_key_is_refused(compacting: LivingLab) -> None:
    assert produce(compacting, [(None, "keyless")]) == ["INVALID_RECORD"]
