"""Transactions of real clients: what was committed is read as a whole, what was not is never read by who asks for that.

The checker judges the whole run in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.model.events import PartitionApplied, TransactionStateChanged
from cluster.model.identifiers import TRANSACTIONS_TOPIC
from cluster.model.offsets_topic import partition_for
from cluster.model.settings import classroom_timing
from tests.support.clients.living_lab import LivingLab
from tests.support.processes.watching import until, workbench

ck = pytest.importorskip("confluent_kafka", reason="confluent_kafka is not installed: pip install -e '.[clients]'")
kafka = pytest.importorskip("kafka", reason="kafka-python is not installed: pip install -e '.[clients]'")

WAIT_S = 30.0
STATE_PARTITIONS = 3
NUMBERS = count(1)
EOF, FENCED = -191, (-144, 90)
"""Codes of librdkafka and of Kafka."""
PARTITIONS = (0, 1)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LivingLab]:
    """Three brokers; in the end nothing may be violated."""
    settings = replace(classroom_timing(), transaction_state_partitions=STATE_PARTITIONS, offsets_topic_partitions=3)
    home = tmp_path_factory.mktemp("transactions")
    made = LivingLab(home, ClusterSpec(title="Transactions", settings=settings))
    yield made
    done = workbench(home, "check", made.folder.name)
    made.close()
    assert "0 violated" in done.stdout, done.stdout


@pytest.fixture
def topic(lab: LivingLab) -> str:
    """A new one, of two partitions."""
    name = f"t{next(NUMBERS)}"
    lab.do(f"topic {name} partitions=2 replicas=3 min-isr=2")
    return name


def confluent(lab: LivingLab, transactional_id: str, **settings: Any) -> Any:
    """A producer that has its epoch."""
    made = ck.Producer(
        {
            "bootstrap.servers": lab.bootstrap,
            "transactional.id": transactional_id,
            "log_level": 0,
            **{name.replace("_", "."): value for name, value in settings.items()},
        }
    )
    made.init_transactions(WAIT_S)
    return made


def write(producer: Any, topic: str, what: str) -> None:
    """One record into each partition, in the producer's transaction."""
    for partition in PARTITIONS:
        producer.produce(topic, what.encode(), partition=partition)
    assert producer.flush(WAIT_S) == 0


def read(lab: LivingLab, topic: str, isolation: str = "read_committed") -> list[list[str]]:
    """All that a reader gets now, by partition."""
    consumer = ck.Consumer(
        {
            "bootstrap.servers": lab.bootstrap,
            "group.id": f"reader{next(NUMBERS)}",
            "isolation.level": isolation,
            "enable.partition.eof": True,
            "log_level": 0,
        }
    )
    consumer.assign([ck.TopicPartition(topic, partition, 0) for partition in PARTITIONS])
    found: list[list[str]] = [[] for _ in PARTITIONS]
    ended: set[int] = set()
    while len(ended) < len(PARTITIONS):
        message = consumer.poll(WAIT_S)
        assert message is not None, f"the reader waits: {found}"
        if message.error() is None:
            found[message.partition()].append(message.value().decode())
        else:
            assert message.error().code() == EOF, message.error()
            ended.add(message.partition())
    consumer.close()
    return found


@pytest.mark.first
def test_what_is_committed_is_read_and_what_is_aborted_is_not(lab: LivingLab, topic: str) -> None:
    producer = confluent(lab, f"{topic}-a")
    commit, abort = producer.commit_transaction, producer.abort_transaction
    for what, end in (("one", commit), ("two", abort), ("three", commit)):
        producer.begin_transaction()
        write(producer, topic, what)
        end(WAIT_S)
    assert read(lab, topic) == [["one", "three"]] * 2
    assert read(lab, topic, "read_uncommitted") == [["one", "two", "three"]] * 2


def test_an_open_transaction_holds_readers_of_committed_records_back(lab: LivingLab, topic: str) -> None:
    producer, plain = confluent(lab, f"{topic}-a"), ck.Producer({"bootstrap.servers": lab.bootstrap, "log_level": 0})
    producer.begin_transaction()
    write(producer, topic, "open")
    write(plain, topic, "plain")
    assert read(lab, topic) == [[], []]
    producer.commit_transaction(WAIT_S)
    assert read(lab, topic) == [["open", "plain"]] * 2


def test_the_next_producer_of_an_id_shuts_the_last_one_out(lab: LivingLab, topic: str) -> None:
    zombie = confluent(lab, f"{topic}-a")
    zombie.begin_transaction()
    write(zombie, topic, "zombie")
    successor = confluent(lab, f"{topic}-a")
    with pytest.raises(ck.KafkaException) as caught:
        zombie.commit_transaction(WAIT_S)
    assert caught.value.args[0].code() in FENCED, caught.value
    successor.begin_transaction()
    write(successor, topic, "successor")
    successor.commit_transaction(WAIT_S)
    assert read(lab, topic) == [["successor"]] * 2


def test_offsets_count_with_the_transaction_that_commits_them(lab: LivingLab, topic: str) -> None:
    source, group = topic, f"{topic}-group"
    plain = ck.Producer({"bootstrap.servers": lab.bootstrap, "log_level": 0})
    write(plain, source, "work")
    consumer = ck.Consumer(
        {
            "bootstrap.servers": lab.bootstrap, "group.id": group, "auto.offset.reset": "earliest",
            "enable.auto.commit": False, "isolation.level": "read_committed", "log_level": 0,
        }
    )  # fmt: skip
    consumer.subscribe([source])
    taken = [consumer.poll(WAIT_S) for _ in PARTITIONS]
    assert all(message is not None and message.error() is None for message in taken)
    wheres = [ck.TopicPartition(source, partition) for partition in PARTITIONS]
    producer = confluent(lab, f"{topic}-a")

    def transform(end: Callable[[float], None]) -> list[int]:
        producer.begin_transaction()
        producer.send_offsets_to_transaction(consumer.position(wheres), consumer.consumer_group_metadata(), WAIT_S)
        end(WAIT_S)
        return [each.offset for each in consumer.committed(wheres, WAIT_S)]

    assert transform(producer.abort_transaction) == [ck.OFFSET_INVALID] * 2
    assert transform(producer.commit_transaction) == [1, 1]
    consumer.close()


def test_a_transaction_out_of_time_is_aborted_and_readers_go_on(lab: LivingLab, topic: str) -> None:
    slow = confluent(lab, f"{topic}-a", transaction_timeout_ms=1500)
    slow.begin_transaction()
    write(slow, topic, "late")
    plain = ck.Producer({"bootstrap.servers": lab.bootstrap, "log_level": 0})
    write(plain, topic, "plain")
    until(lambda: states(lab, f"{topic}-a")[-1:] == ["CompleteAbort"], what="the transaction is aborted")
    assert read(lab, topic) == [["plain"]] * 2
    with pytest.raises(ck.KafkaException):
        slow.commit_transaction(WAIT_S)


def test_a_transaction_survives_its_coordinator(lab: LivingLab, topic: str) -> None:
    transactional_id = f"{topic}-a"
    producer = confluent(lab, transactional_id)
    producer.begin_transaction()
    write(producer, topic, "kept")
    partition = partition_for(transactional_id, STATE_PARTITIONS)
    coordinator = leader_of(lab, partition)
    lab.do(f"kill {coordinator}")
    producer.commit_transaction(WAIT_S)
    assert read(lab, topic) == [["kept"]] * 2
    lab.do(f"start {coordinator}")


def leader_of(lab: LivingLab, partition: int) -> int:
    """Who leads a partition of __transaction_state, by the newest word of a replica."""
    applied = [
        entry.event
        for entry in lab.entries()
        if isinstance(entry.event, PartitionApplied)
        and (entry.event.topic, entry.event.partition) == (TRANSACTIONS_TOPIC, partition)
    ]
    return max(applied, key=lambda event: event.partition_epoch).leader


def states(lab: LivingLab, transactional_id: str) -> list[str]:
    """Through which a transactional id went."""
    changes = [entry.event for entry in lab.entries() if isinstance(entry.event, TransactionStateChanged)]
    return [event.state for event in changes if event.transactional_id == transactional_id]


def test_kafka_python_commits_and_aborts(lab: LivingLab, topic: str) -> None:
    producer = kafka.KafkaProducer(
        bootstrap_servers=lab.bootstrap, transactional_id=f"{topic}-p", enable_idempotence=True, acks="all"
    )
    producer.init_transactions()
    for what, end in (("one", producer.commit_transaction), ("two", producer.abort_transaction)):
        producer.begin_transaction()
        sent = [producer.send(topic, what.encode(), partition=partition) for partition in PARTITIONS]
        for each in sent:
            each.get(WAIT_S)
        end()
    producer.close()
    consumer = kafka.KafkaConsumer(
        bootstrap_servers=lab.bootstrap, isolation_level="read_committed", auto_offset_reset="earliest"
    )
    wheres = [kafka.TopicPartition(topic, partition) for partition in PARTITIONS]
    consumer.assign(wheres)
    found: list[bytes] = []
    ends = consumer.end_offsets(wheres)
    while any(consumer.position(where) < ends[where] for where in wheres):
        for records in consumer.poll(1000).values():
            found += [record.value for record in records]
    consumer.close()
    assert found == [b"one"] * 2
