"""kafka-python 3."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from contextlib import closing
from typing import Any

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic

from tests.support.clients.driver import WAIT_S, Item, Sent


def _quick(bootstrap: str) -> dict[str, Any]:
    return {
        "bootstrap_servers": bootstrap.split(","),
        "client_id": "matrix-kafka-python",
        "request_timeout_ms": 5000,
        "metadata_max_age_ms": 1000,
        "reconnect_backoff_max_ms": 500,
    }


class KafkaPython:
    """Driver of kafka-python."""

    name = "kafka-python"
    retries_safely = ""
    classic_only = "classic only: kafka-python 3.0 has no ConsumerGroupHeartbeat"

    def create(self, bootstrap: str, topic: str) -> None:
        with closing(KafkaAdminClient(**_quick(bootstrap))) as admin:
            admin.create_topics([NewTopic(topic, 3, 3)])

    def topics(self, bootstrap: str) -> set[str]:
        with closing(KafkaAdminClient(**_quick(bootstrap))) as admin:
            return set(admin.list_topics())

    def describe(self, bootstrap: str, topic: str) -> dict[int, int]:
        with closing(KafkaAdminClient(**_quick(bootstrap))) as admin:
            (found,) = admin.describe_topics([topic])
        return {each["partition_index"]: each["leader_id"] for each in found["partitions"]}

    def produce(
        self,
        bootstrap: str,
        topic: str,
        items: Iterable[Item],
        *,
        acks: int = -1,
        idempotent: bool = False,
        compression: str = "none",
    ) -> Sent:
        producer = KafkaProducer(
            **_quick(bootstrap),
            acks="all" if acks == -1 else acks,
            enable_idempotence=idempotent,
            compression_type=None if compression == "none" else compression,
            linger_ms=5,
            delivery_timeout_ms=int(WAIT_S * 1000),
            max_in_flight_requests_per_connection=5,
        )
        sent = Sent()
        futures = [(value, producer.send(topic, key=key, value=value)) for key, value in items]
        for value, future in futures:
            try:
                future.get(WAIT_S)
                sent.acknowledged.append(value)
            except Exception as error:  # whatever it says is the outcome
                sent.failed.append(repr(error))
        producer.close(WAIT_S)
        return sent

    def consume(self, bootstrap: str, topic: str, partitions: int, count: int) -> list[Item]:
        consumer = KafkaConsumer(**_quick(bootstrap), group_id=None)
        wheres = [TopicPartition(topic, index) for index in range(partitions)]
        consumer.assign(wheres)
        consumer.seek_to_beginning(*wheres)
        found: list[Item] = []
        deadline_s = time.monotonic() + WAIT_S
        while len(found) < count and time.monotonic() < deadline_s:
            found += _items(consumer.poll(1000))
        found += _items(consumer.poll(200))
        consumer.close()
        return found

    def in_group(self, bootstrap: str, topic: str, group: str, member: str) -> KafkaPythonMember:
        return KafkaPythonMember(bootstrap, topic, group, member)


def _items(polled: Any) -> list[Item]:
    return [(each.key or b"", each.value or b"") for batch in polled.values() for each in batch]


class KafkaPythonMember:
    """Reads in a thread of its own."""

    def __init__(self, bootstrap: str, topic: str, group: str, member: str) -> None:
        self.values: list[bytes] = []
        self.partitions: set[int] = set()
        self._stop = threading.Event()
        settings = _quick(bootstrap) | {"client_id": member, "group_id": group, "auto_offset_reset": "earliest"}
        timers = {"session_timeout_ms": 6000, "heartbeat_interval_ms": 300, "auto_commit_interval_ms": 200}
        self._consumer = KafkaConsumer(topic, **settings, **timers)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            self.values += [value for _, value in _items(self._consumer.poll(200))]
            self.partitions = {each.partition for each in self._consumer.assignment()}
        self._consumer.close()

    def leave(self) -> None:
        self._stop.set()
        self._thread.join(WAIT_S)
