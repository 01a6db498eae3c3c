"""What stands between a broker and its clients, with a real client: the effects that lessons are about."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest

from cluster.kafka.apis.metadata import METADATA, MetadataRequest, MetadataRequestTopic, MetadataResponsePartition
from cluster.model.events import FaultReverted
from tests.support.clients.driver import Sent, paced
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.losing import produce_with_lost_answers
from tests.support.clients.raw_client import RawClient
from tests.support.clients.whole import check_whole, items, new_topic
from tests.support.processes.watching import until

pytest.importorskip("confluent_kafka", reason="confluent_kafka is not installed: pip install -e '.[clients]'")
from confluent_kafka import Producer  # noqa: E402  # only where the client is

from tests.support.clients.driver_confluent import Confluent  # noqa: E402


def test_lost_answers_make_duplicates_when_the_producer_is_not_idempotent(lab: LivingLab) -> None:
    topic = new_topic(lab)
    values = produce_with_lost_answers(lab, Confluent(), topic, idempotent=False)
    end = Confluent().end(lab.bootstrap, topic, 3)
    found = Counter(value for _, value in Confluent().consume(lab.bootstrap, topic, 3, end))
    assert set(found) == set(values), "nothing is lost"
    assert max(found.values()) > 1, "some records were appended, not acknowledged, and sent again"


def told(port: int, topic: str) -> MetadataResponsePartition:
    """What the broker at this port tells of partition 0."""
    with RawClient(port) as client:
        found = client.ask(METADATA, 9, MetadataRequest([MetadataRequestTopic(name=topic)])).topics[0]
    partition: MetadataResponsePartition = found.partitions[0]
    return partition


def test_a_producer_without_acks_finds_the_next_leader(lab: LivingLab) -> None:
    """It is told nothing, and its own look at the metadata is minutes away: the end of its connection is the sign."""
    topic = new_topic(lab, partitions=1)
    preferred = Confluent().describe(lab.bootstrap, topic)[0]
    other = next(port for broker, port in lab.ports.items() if broker != preferred)
    lab.do(f"kill {preferred}")
    until(lambda: told(other, topic).leader_id not in (-1, preferred), what="another leader")
    producer = Producer({"bootstrap.servers": lab.bootstrap, "acks": 0, "linger.ms": 0, "log_level": 2})
    try:
        producer.produce(topic, b"before")
        assert producer.flush(30) == 0
    finally:
        lab.do(f"start {preferred}")
    until(lambda: preferred in told(other, topic).isr_nodes, what="the preferred leader is in sync")
    lab.do(f"elect {topic}-0")

    def has_arrived() -> bool:
        producer.produce(topic, b"after")
        producer.flush(30)
        return b"after" in {value for _, value in Confluent().consume(lab.bootstrap, topic, 1, 1)}

    until(has_arrived, what="a record without acks at the next leader")


def test_slow_clients_wait_longer_for_their_answers(lab: LivingLab) -> None:
    topic = new_topic(lab)
    for broker in lab.ports:
        lab.do(f"client slow {broker} 300ms")
    began_s = time.monotonic()
    sent = Confluent().produce(lab.bootstrap, topic, items(1))
    took_s = time.monotonic() - began_s
    lab.do("heal")
    assert (len(sent.acknowledged), sent.failed) == (1, [])
    assert took_s >= 0.9, "ApiVersions, Metadata and Produce wait 300 ms each"


def test_a_cut_client_goes_on_when_it_heals_and_nothing_is_lost_or_doubled(lab: LivingLab) -> None:
    topic, wanted = new_topic(lab), items(2_000)
    told: list[Sent] = []
    producing = threading.Thread(
        target=lambda: told.append(Confluent().produce(lab.bootstrap, topic, paced(wanted, 1_000), idempotent=True))
    )
    producing.start()
    for broker in lab.ports:
        lab.do(f"client cut {broker}")
    assert "client cut" in lab.do("status")
    producing.join(1.5)
    for broker in lab.ports:
        lab.do(f"client ok {broker}")
    producing.join(60)
    assert [sent.failed for sent in told] == [[]]
    check_whole([value for _, value in wanted], Confluent().consume(lab.bootstrap, topic, 3, 2_000))


def test_an_injected_error_is_what_the_client_is_told_and_healing_ends_it(lab: LivingLab) -> None:
    topic = new_topic(lab, partitions=1)
    seen: list[str] = []
    producer = Producer({"bootstrap.servers": lab.bootstrap, "linger.ms": 0, "log_level": 2})
    for broker in lab.ports:
        lab.do(f"inject-error {broker} api=produce error=MESSAGE_TOO_LARGE")
    producer.produce(topic, b"refused", on_delivery=lambda error, _: seen.append(error.name()))
    assert producer.flush(30) == 0
    lab.do("heal")
    producer.produce(topic, b"taken", on_delivery=lambda error, _: seen.append("" if error is None else error.name()))
    assert producer.flush(30) == 0
    assert seen == ["MSG_SIZE_TOO_LARGE", ""]
    assert [value for _, value in Confluent().consume(lab.bootstrap, topic, 1, 1)] == [b"taken"]


def test_an_injected_error_ends_when_its_time_is_over_and_the_lab_says_so(lab: LivingLab) -> None:
    broker = min(lab.ports)
    lab.do(f"inject-error {broker} api=heartbeat error=UNKNOWN_MEMBER_ID")
    before = len(lab.entries())
    lab.do(f"inject-error {broker} api=produce error=MESSAGE_TOO_LARGE for=500ms")

    def ended() -> list[str]:
        return [dict(e.event.parameters)["api"] for e in lab.entries()[before:] if isinstance(e.event, FaultReverted)]

    assert until(ended, what="the lab takes the error back") == ["produce"], "the other request has its own error still"
    lab.do("heal")
