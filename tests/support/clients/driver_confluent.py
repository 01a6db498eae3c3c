"""confluent-kafka, which is librdkafka."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

import confluent_kafka as ck
from confluent_kafka.admin import AdminClient, NewTopic

from tests.support.clients.consumer_process import ConsumerProcess
from tests.support.clients.driver import WAIT_S, Item, Sent


def _quick(bootstrap: str, **more: Any) -> dict[str, Any]:
    """Timeouts that fit a lab: a silent broker is given up within seconds."""
    return {
        "bootstrap.servers": bootstrap,
        "client.id": "matrix-confluent",
        "socket.timeout.ms": 3000,
        "topic.metadata.refresh.interval.ms": 1000,
        "reconnect.backoff.max.ms": 500,
        "log_level": 2,
    } | more


class Confluent:
    """Driver of confluent-kafka."""

    name = "confluent-kafka"
    retries_safely = ""
    classic_only = ""

    def create(self, bootstrap: str, topic: str) -> None:
        admin = AdminClient(_quick(bootstrap))  # its futures die with it
        for future in admin.create_topics([NewTopic(topic, 3, 3)]).values():
            future.result(WAIT_S)

    def topics(self, bootstrap: str) -> set[str]:
        return set(AdminClient(_quick(bootstrap)).list_topics(timeout=WAIT_S).topics)

    def describe(self, bootstrap: str, topic: str) -> dict[int, int]:
        found = AdminClient(_quick(bootstrap)).list_topics(topic, timeout=WAIT_S).topics[topic]
        return {index: partition.leader for index, partition in found.partitions.items()}

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
        sent = Sent()
        producer = ck.Producer(
            _quick(
                bootstrap,
                acks=acks,
                **{"enable.idempotence": idempotent, "compression.type": compression, "linger.ms": 5},
                **{"delivery.timeout.ms": int(WAIT_S * 1000)},
            )
        )

        def told(error: Any, message: Any) -> None:
            if error is None:
                sent.acknowledged.append(message.value())
            else:
                sent.failed.append(str(error))

        for key, value in items:
            producer.produce(topic, key=key, value=value, on_delivery=told)
            producer.poll(0)
        assert producer.flush(WAIT_S) == 0
        return sent

    def consume(self, bootstrap: str, topic: str, partitions: int, count: int) -> list[Item]:
        consumer = ck.Consumer(_quick(bootstrap, **{"group.id": "none", "enable.auto.commit": False}))
        consumer.assign([ck.TopicPartition(topic, index, 0) for index in range(partitions)])
        found: list[Item] = []
        for _ in range(int(WAIT_S)):
            for message in consumer.consume(10_000, 1.0 if len(found) < count else 0.2):
                assert message.error() is None, message.error()
                found.append((message.key() or b"", message.value() or b""))
            if len(found) >= count:
                break
        consumer.close()
        return found

    def end(self, bootstrap: str, topic: str, partitions: int) -> int:
        """How many records there are to read: its watermarks, added up."""
        consumer = ck.Consumer(_quick(bootstrap, **{"group.id": "none"}))
        wheres = [ck.TopicPartition(topic, index) for index in range(partitions)]
        found = sum(consumer.get_watermark_offsets(where, timeout=WAIT_S)[1] for where in wheres)
        consumer.close()
        return int(found)

    def in_group(self, bootstrap: str, topic: str, group: str, member: str) -> ConfluentMember:
        return ConfluentMember(bootstrap, topic, group, member)

    def in_consumer_group(
        self, bootstrap: str, topic: str, group: str, member: str, **settings: str
    ) -> ConsumerProcess:
        return ConsumerProcess(bootstrap, topic, group, member, **settings)


class ConfluentMember:
    """Reads in a thread of its own."""

    def __init__(self, bootstrap: str, topic: str, group: str, member: str) -> None:
        self.values: list[bytes] = []
        self.partitions: set[int] = set()
        self._stop = threading.Event()
        self._consumer = ck.Consumer(
            _quick(bootstrap, **{"group.id": group, "auto.offset.reset": "earliest", "client.id": member})
            | {"session.timeout.ms": 6000, "heartbeat.interval.ms": 300, "auto.commit.interval.ms": 200}
        )
        self._consumer.subscribe([topic], on_assign=self._assigned, on_revoke=self._revoked)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _assigned(self, _consumer: Any, partitions: list[Any]) -> None:
        self.partitions = {each.partition for each in partitions}

    def _revoked(self, _consumer: Any, _partitions: list[Any]) -> None:
        self.partitions = set()

    def _run(self) -> None:
        while not self._stop.is_set():
            message = self._consumer.poll(0.2)
            if message is not None and message.error() is None:
                self.values.append(message.value() or b"")
        self._consumer.close()

    def leave(self) -> None:
        self._stop.set()
        self._thread.join(WAIT_S)
