"""Fetch sessions (KIP-227) on real processes: given, forgotten when a broker begins anew, and nothing is lost by it."""

from __future__ import annotations

import pytest

from cluster.kafka.apis.fetch import FETCH, FetchPartition, FetchRequest, FetchTopic
from cluster.model.errors import ErrorCode
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.raw_client import RawClient

pytest.importorskip("kafka", reason="kafka-python is not installed: pip install -e '.[clients]'")
from kafka import KafkaConsumer, TopicPartition  # noqa: E402  # only where the client is

COUNT = 20


def asked(*offsets: int, session: int, epoch: int, topic: str) -> FetchRequest:
    partitions = [FetchPartition(0, fetch_offset=offset, partition_max_bytes=1 << 20) for offset in offsets]
    topics = [FetchTopic(topic, partitions=partitions)] if offsets else []
    return FetchRequest(max_wait_ms=0, min_bytes=1, session_id=session, session_epoch=epoch, topics=topics)


def test_a_broker_answers_in_a_session_with_what_has_changed(lab: LivingLab) -> None:
    lab.do("topic told assign=2 replicas=1")
    lab.do("produce told 1")
    with RawClient(lab.ports[2]) as client:
        first = client.ask(FETCH, 12, asked(1, session=0, epoch=0, topic="told"))
        assert (first.error_code, len(first.responses)) == (0, 1)
        again = client.ask(FETCH, 12, asked(session=first.session_id, epoch=1, topic="told"))
        assert (again.session_id, again.responses) == (first.session_id, [])
        lab.do("produce told 1")
        more = client.ask(FETCH, 12, asked(session=first.session_id, epoch=2, topic="told"))
        assert more.responses[0].partitions[0].records
        wrong = client.ask(FETCH, 12, asked(session=first.session_id, epoch=9, topic="told"))
        assert (wrong.error_code, wrong.session_id) == (ErrorCode.INVALID_FETCH_SESSION_EPOCH, 0)


@pytest.mark.client("kafka-python")
def test_p32_a_consumer_whose_session_is_lost_reads_everything_once(healed: LivingLab) -> None:
    healed.do("topic kept assign=1 replicas=1")
    healed.do(f"produce kept {COUNT} value=before")
    consumer = KafkaConsumer(bootstrap_servers=healed.bootstrap.split(","), auto_offset_reset="earliest")
    consumer.assign([TopicPartition("kept", 0)])
    read = taken(consumer)
    before = session_of(consumer)
    healed.do("kill 1")
    healed.do("start 1")
    healed.do(f"produce kept {COUNT} value=after")
    read += taken(consumer)
    after = session_of(consumer)
    consumer.close()
    assert read == [f"{word}-{number}" for word in ("before", "after") for number in range(1, COUNT + 1)]
    assert before
    assert after
    assert before != after, "the broker that began anew gave another session"


def taken(consumer: KafkaConsumer) -> list[str]:
    """The next records, as many as were written."""
    values: list[str] = []
    while len(values) < COUNT:
        found = consumer.poll(30_000)
        assert found, f"{len(values)} of {COUNT} came"
        values += [record.value.decode() for records in found.values() for record in records]
    return values


def session_of(consumer: KafkaConsumer) -> int:
    """The session that it has with the one broker that it reads from."""
    consumer.poll(300)
    (handler,) = consumer._fetcher._session_handlers.values()  # noqa: SLF001  # it tells nobody else
    return int(handler.next_metadata.session_id)
