"""aiokafka."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from tests.support.clients.driver import WAIT_S, Item, Sent

IN_FLIGHT = 2_000


class Aiokafka:
    """Driver of aiokafka; each call runs a loop of its own."""

    name = "aiokafka"
    retries_safely = ""
    classic_only = "classic only: aiokafka 0.14 has no group.protocol"

    def create(self, bootstrap: str, topic: str) -> None:
        asyncio.run(_with_admin(bootstrap, lambda admin: admin.create_topics([NewTopic(topic, 3, 3)])))

    def topics(self, bootstrap: str) -> set[str]:
        return set(asyncio.run(_with_admin(bootstrap, lambda admin: admin.list_topics())))

    def describe(self, bootstrap: str, topic: str) -> dict[int, int]:
        (found,) = asyncio.run(_with_admin(bootstrap, lambda admin: admin.describe_topics([topic])))
        return {each["partition"]: each["leader"] for each in found["partitions"]}

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
        async def run() -> Sent:
            sent = Sent()
            producer = AIOKafkaProducer(
                bootstrap_servers=bootstrap,
                client_id="matrix-aiokafka",
                acks="all" if acks == -1 else acks,
                enable_idempotence=idempotent,
                compression_type=None if compression == "none" else compression,
                linger_ms=5,
                request_timeout_ms=10_000,
                metadata_max_age_ms=1000,
                retry_backoff_ms=100,
            )
            await producer.start()
            waiting: list[tuple[bytes, Any]] = []
            for key, value in items:
                waiting.append((value, await producer.send(topic, key=key, value=value)))
                if len(waiting) >= IN_FLIGHT:
                    await settle(waiting, sent)
            await settle(waiting, sent)
            await producer.stop()
            return sent

        async def settle(waiting: list[tuple[bytes, Any]], sent: Sent) -> None:
            told = await asyncio.gather(*(future for _, future in waiting), return_exceptions=True)
            for (value, _), outcome in zip(waiting, told, strict=True):
                if isinstance(outcome, BaseException):
                    sent.failed.append(repr(outcome))
                else:
                    sent.acknowledged.append(value)
            waiting.clear()

        return asyncio.run(run())

    def consume(self, bootstrap: str, topic: str, partitions: int, count: int) -> list[Item]:
        async def run() -> list[Item]:
            consumer = AIOKafkaConsumer(
                bootstrap_servers=bootstrap, client_id="matrix-aiokafka", metadata_max_age_ms=1000
            )
            consumer.assign([TopicPartition(topic, index) for index in range(partitions)])
            await consumer.start()
            await consumer.seek_to_beginning()
            found: list[Item] = []
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(WAIT_S):
                    while len(found) < count:
                        found += _items(await consumer.getmany(timeout_ms=1000))
            found += _items(await consumer.getmany(timeout_ms=200))
            await consumer.stop()
            return found

        return asyncio.run(run())

    def in_group(self, bootstrap: str, topic: str, group: str, member: str) -> AiokafkaMember:
        return AiokafkaMember(bootstrap, topic, group, member)


async def _with_admin(bootstrap: str, act: Callable[[Any], Awaitable[Any]]) -> Any:
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap, client_id="matrix-aiokafka")
    await admin.start()
    try:
        return await act(admin)
    finally:
        await admin.close()


def _items(polled: Any) -> list[Item]:
    return [(each.key or b"", each.value or b"") for batch in polled.values() for each in batch]


class AiokafkaMember:
    """Reads on a loop in a thread of its own."""

    def __init__(self, bootstrap: str, topic: str, group: str, member: str) -> None:
        self.values: list[bytes] = []
        self.partitions: set[int] = set()
        self._stop = threading.Event()
        arguments = (bootstrap, topic, group, member)
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run(*arguments)), daemon=True)
        self._thread.start()

    async def _run(self, bootstrap: str, topic: str, group: str, member: str) -> None:
        consumer = AIOKafkaConsumer(
            topic,
            bootstrap_servers=bootstrap,
            client_id=member,
            group_id=group,
            auto_offset_reset="earliest",
            session_timeout_ms=6000,
            heartbeat_interval_ms=300,
            auto_commit_interval_ms=200,
            metadata_max_age_ms=1000,
        )
        await consumer.start()
        while not self._stop.is_set():
            self.values += [value for _, value in _items(await consumer.getmany(timeout_ms=200))]
            self.partitions = {each.partition for each in consumer.assignment()}
        await consumer.stop()

    def leave(self) -> None:
        self._stop.set()
        self._thread.join(WAIT_S)
