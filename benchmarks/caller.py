"""Asks nodes one thing and waits for the answer: topics, leaders, single records. Not for load."""

from __future__ import annotations

import asyncio
from typing import Any

from cluster.links.frame import Frame
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, NodeId, Offset, TopicPartition
from cluster.model.messages import CreateTopicRequest, Message, MetadataRequest, MetadataResponse, ProduceRequest
from cluster.model.record_batch import Record, encode_batch
from cluster.runtime.connections import Connections

CALLER_ID: NodeId = 1900
POLL_S = 0.002
ANSWER_S = 0.5
VALUE = b"x" * 100


class Caller:
    """A client of its own, beside those of the lab."""

    def __init__(self, ports: dict[NodeId, int], secret: bytes) -> None:
        self._waiting: dict[int, tuple[NodeId, asyncio.Future[Any]]] = {}
        self._count = 0
        self._connections = Connections(
            CALLER_ID,
            secret,
            ports,
            patience_ms=2_000,
            deliver=self._on_frames,
            emit=lambda _event, _trigger: None,
            lost=self._on_lost,
        )

    async def ask(self, node: NodeId, message: Message, timeout_s: float = ANSWER_S) -> Any:
        """The node's answer; None when there is none."""
        self._count += 1
        correlation = self._count * 4 + 3
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[correlation] = node, answer
        self._connections.request(node, Frame(CALLER_ID, correlation, message))
        self._connections.flush()
        try:
            return await asyncio.wait_for(answer, timeout_s)
        except TimeoutError:
            return None
        finally:
            self._waiting.pop(correlation, None)

    def _on_frames(self, frames: list[Frame]) -> None:
        for frame in frames:
            found = self._waiting.get(frame.correlation)
            if found is not None and not found[1].done():
                found[1].set_result(frame.message)

    def _on_lost(self, peer: NodeId) -> None:
        for node, answer in list(self._waiting.values()):
            if node == peer and not answer.done():
                answer.set_result(None)

    async def metadata(
        self, brokers: tuple[NodeId, ...], least_brokers: int, not_controller: NodeId = NO_NODE
    ) -> MetadataResponse:
        """From the first broker that knows at least so many unfenced ones and another active controller."""
        while True:
            for broker in brokers:
                found = await self.ask(broker, MetadataRequest())
                if (
                    found is not None
                    and len(found.brokers) >= least_brokers
                    and (found.controller_id not in (NO_NODE, not_controller))
                ):
                    answer: MetadataResponse = found
                    return answer
            await asyncio.sleep(POLL_S)

    async def create_topic(self, controllers: tuple[NodeId, ...], topic: str, replicas: int, min_isr: int) -> None:
        """Ask each controller until one has done it."""
        request = CreateTopicRequest(
            topic=topic, partitions=1, replication_factor=replicas, min_insync_replicas=min_isr
        )
        while True:
            for controller in controllers:
                answer = await self.ask(controller, request)
                if answer is not None and answer.error in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS):
                    return
            await asyncio.sleep(POLL_S)

    async def leader(self, brokers: tuple[NodeId, ...], topic_partition: TopicPartition, isr: int = 1) -> NodeId:
        """The leader, once one of the brokers names itself so with an ISR at least that large."""
        while True:
            for broker in brokers:
                found = await self.ask(broker, MetadataRequest(topics=(topic_partition.topic,)))
                for topic, partition, state in found.partitions if found else ():
                    is_it = (topic, partition) == topic_partition and state.leader == broker
                    if is_it and len(state.isr) >= isr:
                        return broker
            await asyncio.sleep(POLL_S)

    async def commit(self, brokers: tuple[NodeId, ...], topic_partition: TopicPartition) -> tuple[NodeId, Offset]:
        """Produce one record with acks=all; who led, and its offset, once it is committed."""
        request = produce_request(topic_partition, 1)
        while True:
            leader = await self.leader(brokers, topic_partition)
            answer = await self.ask(leader, request, timeout_s=2.0)
            if answer is not None and answer.error == ErrorCode.NONE:
                return leader, answer.base_offset
            await asyncio.sleep(POLL_S)

    def close(self) -> None:
        """Drop all connections."""
        self._connections.close()


def produce_request(topic_partition: TopicPartition, count: int, acks: int = -1) -> ProduceRequest:
    """A batch of count records of 100 bytes."""
    topic, partition = topic_partition
    records = encode_batch([Record(None, VALUE)] * count)
    return ProduceRequest(
        client_id="bench", topic=topic, partition=partition, acks=acks, timeout_ms=2_000, records=records
    )
