"""What a broker says and keeps of records inside compressed batches, whichever client sent them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any, TypeAlias

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.model.compression import Compression
from cluster.model.record_batch import batches, codec_of
from cluster.model.settings import classroom_timing
from tests.support.clients.living_lab import LivingLab
from tests.support.processes.watching import until, workbench

for package in ("confluent_kafka", "kafka", "aiokafka"):
    pytest.importorskip(package, reason=f"{package} is not installed: pip install -e '.[clients]'")
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer  # noqa: E402  # only where the clients are
from confluent_kafka import Producer  # noqa: E402
from confluent_kafka import TopicPartition as Where  # noqa: E402
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec  # noqa: E402
from kafka import KafkaConsumer, KafkaProducer, TopicPartition  # noqa: E402

Row: TypeAlias = tuple[bytes | None, bytes | None, int]
"""Key, value, and time in ms since 1970."""
Kept: TypeAlias = list[tuple[int, bytes | None, bytes | None]]
WAIT_S = 30
VALUE = b"v" * 200
DAY_MS = 86_400_000


def librdkafka(bootstrap: str, topic: str, codec: str, rows: list[Row]) -> set[str]:
    """Sends the rows as one batch; the names of errors."""
    errors: set[str] = set()
    producer = Producer(
        {"bootstrap.servers": bootstrap, "compression.type": codec, "linger.ms": 300, "retries": 1, "log_level": 2}
    )
    for key, value, time_ms in rows:
        producer.produce(
            topic, value, key, 0, timestamp=time_ms, on_delivery=lambda error, _: errors.add(error and error.name())
        )
    assert producer.flush(WAIT_S) == 0
    return errors - {None}


def kafka_python(bootstrap: str, topic: str, codec: str, rows: list[Row]) -> set[str]:
    errors = set()
    producer = KafkaProducer(
        bootstrap_servers=bootstrap.split(","), compression_type=None if codec == "none" else codec, linger_ms=300
    )
    futures = [
        producer.send(topic, key=key, value=value, partition=0, timestamp_ms=time_ms) for key, value, time_ms in rows
    ]
    for future in futures:
        try:
            future.get(WAIT_S)
        except Exception as error:  # whatever it says is the outcome
            errors.add(_plain(error))
    producer.close(WAIT_S)
    return errors


def aiokafka(bootstrap: str, topic: str, codec: str, rows: list[Row]) -> set[str]:
    async def run() -> set[str]:
        kind = None if codec == "none" else codec
        producer = AIOKafkaProducer(bootstrap_servers=bootstrap, compression_type=kind, linger_ms=300)
        await producer.start()
        futures = [
            await producer.send(topic, key=key, value=value, partition=0, timestamp_ms=time_ms)
            for key, value, time_ms in rows
        ]
        outcomes = await asyncio.gather(*futures, return_exceptions=True)
        await producer.stop()
        return {_plain(each) for each in outcomes if isinstance(each, BaseException)}

    return asyncio.run(run())


def _plain(error: BaseException) -> str:
    """INVALID_RECORD of InvalidRecordError. aiokafka 0.14 does not know it, and takes it for an unknown error."""
    name = type(error).__name__.removesuffix("Error").replace("Unknown", "InvalidRecord")
    return "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in name).lstrip("_")


SENDERS: dict[str, Callable[[str, str, str, list[Row]], set[str]]] = {
    "confluent-kafka": librdkafka,
    "kafka-python": kafka_python,
    "aiokafka": aiokafka,
}
NUMBERS = iter(range(10_000))


@pytest.fixture(scope="module")
def compacting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LivingLab]:
    """Looks for logs to compact twice a second; in the end the checker judges it."""
    home = tmp_path_factory.mktemp("compressed")
    settings = replace(classroom_timing(), log_cleaner_backoff_ms=500)
    made = LivingLab(home, ClusterSpec(title="Compressed records", settings=settings))
    yield made
    made.close()
    done = workbench(home, "check", made.folder.name)
    assert "0 violated" in done.stdout, done.stdout


def made_topic(lab: LivingLab, **config: str) -> str:
    name = f"compressed-{next(NUMBERS)}"
    admin = AdminClient({"bootstrap.servers": lab.bootstrap})
    admin.create_topics([NewTopic(name, 1, 3, config=config)])[name].result(WAIT_S)
    until(lambda: name in admin.list_topics(timeout=WAIT_S).topics, what="the brokers have read of the topic")
    return name


def codecs_of(lab: LivingLab, topic: str) -> set[int]:
    """How the batches in the files of its replicas are compressed."""
    codecs: set[int] = set()
    for file in list(lab.folder.rglob(f"{topic}-0/*.log")):
        with suppress(FileNotFoundError):  # a compaction removes segments at any time
            codecs |= {codec_of(batch) for header, batch in batches(file.read_bytes()) if header.records}
    return codecs


def asked(lab: LivingLab, topic: str, spec: Any) -> tuple[int, int]:
    where = Where(topic, 0)
    admin = AdminClient({"bootstrap.servers": lab.bootstrap})
    found = admin.list_offsets({where: spec})[where].result(WAIT_S)
    return found.offset, found.timestamp


def by_time(lab: LivingLab, topic: str, time_ms: int) -> set[tuple[int, int]]:
    """What each client is told is the first record of that time or later."""

    async def of_aiokafka() -> tuple[int, int]:
        consumer = AIOKafkaConsumer(bootstrap_servers=lab.bootstrap)
        await consumer.start()
        try:
            (found,) = (await consumer.offsets_for_times({TopicPartition(topic, 0): time_ms})).values()
        finally:
            await consumer.stop()
        return found.offset, found.timestamp

    consumer = KafkaConsumer(bootstrap_servers=lab.bootstrap.split(","))
    (found,) = consumer.offsets_for_times({TopicPartition(topic, 0): time_ms}).values()
    consumer.close()
    told = asked(lab, topic, OffsetSpec.for_timestamp(time_ms))
    return {told, (found.offset, found.timestamp), asyncio.run(of_aiokafka())}


def read(lab: LivingLab, topic: str) -> Kept:
    consumer = KafkaConsumer(bootstrap_servers=lab.bootstrap.split(","), auto_offset_reset="earliest")
    where = TopicPartition(topic, 0)
    consumer.assign([where])
    end = consumer.end_offsets([where])[where]
    found: Kept = []
    while consumer.position(where) < end:
        found += [(each.offset, each.key, each.value) for part in consumer.poll(1_000).values() for each in part]
    consumer.close()
    return found


@pytest.mark.parametrize("codec", [each.name.lower() for each in Compression])
@pytest.mark.parametrize("client", SENDERS)
def test_records_are_found_by_their_own_times(compacting: LivingLab, client: str, codec: str) -> None:
    topic, now_ms = made_topic(compacting), int(time.time() * 1_000) - DAY_MS
    rows: list[Row] = [(None, VALUE, now_ms + later_ms) for later_ms in (0, 9_000, 3_000)]
    assert SENDERS[client](compacting.bootstrap, topic, codec, rows) == set()
    assert codecs_of(compacting, topic) == {Compression[codec.upper()]}
    assert asked(compacting, topic, OffsetSpec.max_timestamp()) == (1, now_ms + 9_000)
    assert by_time(compacting, topic, now_ms + 1) == {(1, now_ms + 9_000)}
    assert by_time(compacting, topic, now_ms) == {(0, now_ms)}


@pytest.mark.parametrize("codec", [each.name.lower() for each in Compression])
@pytest.mark.parametrize("client", SENDERS)
def test_one_bad_record_has_its_batch_refused(compacting: LivingLab, client: str, codec: str) -> None:
    now_ms, send = int(time.time() * 1_000), SENDERS[client]
    keyed = made_topic(compacting, **{"cleanup.policy": "compact"})
    rows: list[Row] = [(b"k", VALUE, now_ms), (None, VALUE, now_ms), (b"k", VALUE, now_ms)]
    assert send(compacting.bootstrap, keyed, codec, rows) == {"INVALID_RECORD"}
    bounded = made_topic(compacting, **{"message.timestamp.before.max.ms": str(DAY_MS)})
    rows = [(None, VALUE, now_ms), (None, VALUE, now_ms - 2 * DAY_MS), (None, VALUE, now_ms)]
    assert send(compacting.bootstrap, bounded, codec, rows) == {"INVALID_TIMESTAMP"}
    assert codecs_of(compacting, keyed) == codecs_of(compacting, bounded) == set()


@pytest.mark.parametrize("codec", [each.name.lower() for each in Compression])
@pytest.mark.parametrize("client", SENDERS)
def test_of_each_key_the_newest_record_stays_and_answers_by_its_time(
    compacting: LivingLab, client: str, codec: str
) -> None:
    """The largest time goes with its record, which is in the first batch."""
    topic, now_ms = f"compressed-{next(NUMBERS)}", int(time.time() * 1_000) - DAY_MS
    compacting.do(f"topic {topic} min-isr=2 segment-bytes=1200 cleanup=compact dirty-percent=1")
    rng = Random(7)
    # a part that no codec makes smaller, so that the segments are closed, and one that each does, so that it is used
    values = [rng.randbytes(60).hex().encode() + VALUE for _ in range(8)]
    old, stays, *newer = values
    rounds: list[list[Row]] = [[(b"a", old, now_ms + 9_000), (b"b", stays, now_ms + 70), (b"c", old, now_ms)]]
    for n, value in enumerate(newer):
        rounds.append([(b"a", value, now_ms + n), (b"c", None, now_ms + n), (b"d", value[::-1], now_ms)])
    for rows in rounds:
        assert SENDERS[client](compacting.bootstrap, topic, codec, rows) == set()
    until(lambda: [offset for offset, _, _ in read(compacting, topic)][0] == 1, WAIT_S, "the first record has gone")
    newest = {key: value for _, key, value in read(compacting, topic)}
    assert newest == {b"a": newer[-1], b"b": stays, b"c": None, b"d": newer[-1][::-1]}
    assert codecs_of(compacting, topic) == {Compression[codec.upper()]}
    assert asked(compacting, topic, OffsetSpec.max_timestamp()) == (1, now_ms + 70)
    assert by_time(compacting, topic, now_ms + 6) == {(1, now_ms + 70)}
