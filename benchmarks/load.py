"""Load on one partition leader: produce requests with acks=all, a fixed number in flight, as cheap as Python allows.

Frames are encoded once; only the correlation is written into each copy, and of an answer only the error is looked at.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import perf_counter

import msgpack

from benchmarks.caller import produce_request
from cluster.links.frame import Frame, encode_frame
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.runtime.transport import Connection

LOAD_ID: NodeId = 1901
FIRST_CORRELATION = (1 << 40) + 3
"""Large numbers take the same nine bytes each, so they can be written into an encoded frame."""
MARKER = FIRST_CORRELATION + 0x5A5A5A5A5A
REQUESTS_MAX = 5
"""max.in.flight.requests.per.connection of Kafka's producer."""
CONNECT_S = 5.0


class Template:
    """An encoded produce request whose correlation can be replaced."""

    __slots__ = ("_head", "_tail", "count")

    def __init__(self, topic_partition: TopicPartition, count: int) -> None:
        data = encode_frame(Frame(LOAD_ID, MARKER, produce_request(topic_partition, count)))
        place = data.index(MARKER.to_bytes(8, "big"))
        self._head, self._tail = data[:place], data[place + 8 :]
        self.count = count
        """Records."""

    def with_correlation(self, correlation: int) -> bytes:
        """The frame as it goes out."""
        return self._head + correlation.to_bytes(8, "big") + self._tail


@dataclass(slots=True)
class Sample:
    """What one measurement found."""

    records_per_second: float = 0.0
    """Acknowledged by all in-sync replicas."""
    latencies_ms: list[float] = field(default_factory=list)
    """Of each request."""
    refused: int = 0
    """Requests answered with an error."""


class _LoadConnection(Connection):
    """After the handshake, answers are cut and decoded here."""

    def send(self, data: bytes) -> None:
        """Queue an encoded frame; sent by the next flush."""
        self._out.append(data)

    def data_received(self, data: bytes) -> None:
        """Handshake in the usual way, then (correlation, error) of each answer."""
        if not self.is_ready:
            super().data_received(data)
            return
        buffer = self._buffer
        buffer += data
        position, end = 0, len(buffer)
        answers = []
        while end - position >= 4:
            after = position + 4 + int.from_bytes(buffer[position : position + 4], "big")
            if after > end:
                break
            plain = msgpack.unpackb(buffer[position + 4 : after])
            answers.append((plain[2], plain[6][0]))
            position = after
        del buffer[:position]
        assert isinstance(self._owner, Load)
        self._owner.on_answers(answers)


class Load:
    """Owner of one connection to a leader; begins a new request for each that is answered."""

    def __init__(self, secret: bytes, topic_partition: TopicPartition) -> None:
        self.node_id = LOAD_ID
        self.secret = secret
        self._topic_partition = topic_partition
        self._templates: dict[int, Template] = {}
        self._ready = asyncio.get_running_loop().create_future()
        self._lost = False
        self._connection: _LoadConnection | None = None
        self._began: dict[int, tuple[float, int]] = {}
        self._next = FIRST_CORRELATION
        self._sample = Sample()
        self._acknowledged = 0
        self.acknowledged_ever = 0
        """Records, since it connected."""
        self._is_on = False
        self._batches = False
        self._pending = 0
        self._drained: asyncio.Future[None] | None = None

    async def connect(self, leader: NodeId, port: int) -> None:
        """Connect and prove the secret."""
        loop = asyncio.get_running_loop()
        connection = _LoadConnection(self, loop, leader, 2_000)
        await loop.create_connection(lambda: connection, "127.0.0.1", port)
        await asyncio.wait_for(self._ready, CONNECT_S)
        self._connection = connection

    def on_ready(self, _connection: Connection) -> None:
        """The handshake is done."""
        self._ready.set_result(None)

    def on_frames(self, _connection: Connection, _frames: list[Frame]) -> None:
        """Never: answers are taken raw."""

    def on_stranger(self, _why: str) -> None:
        """Never: it calls and is not called."""

    def on_closed(self, _connection: Connection) -> None:
        """The leader is gone."""
        self._lost = True

    async def measure(self, in_flight: int, warm_s: float, seconds: float, *, batched: bool = False) -> Sample:
        """Keep in_flight records on their way: one request each, or batched as Kafka's producer does."""
        self._is_on, self._batches, self._pending = True, batched, in_flight
        self._send()
        await asyncio.sleep(warm_s)
        self._sample, self._acknowledged = Sample(), 0
        began = perf_counter()
        await asyncio.sleep(seconds)
        sample, took = self._sample, perf_counter() - began
        sample.records_per_second = self._acknowledged / took
        self._is_on = False
        self._sample = Sample()
        if self._began:
            self._drained = asyncio.get_running_loop().create_future()
            await asyncio.wait_for(self._drained, CONNECT_S)
        if self._lost:
            raise ConnectionError("the leader closed the connection")
        return sample

    def _send(self) -> None:
        connection = self._connection
        assert connection is not None
        now = perf_counter()
        while self._pending and (not self._batches or len(self._began) < REQUESTS_MAX):
            count = self._pending if self._batches else 1
            template = self._templates.get(count)
            if template is None:
                template = self._templates[count] = Template(self._topic_partition, count)
            self._next += 4
            connection.send(template.with_correlation(self._next))
            self._began[self._next] = now, count
            self._pending -= count
        connection.flush()

    def on_answers(self, answers: list[tuple[int, int]]) -> None:
        """Note them, and send as much again."""
        now = perf_counter()
        sample = self._sample
        for correlation, error in answers:
            began, count = self._began.pop(correlation)
            if error:
                sample.refused += 1
            else:
                self._acknowledged += count
                self.acknowledged_ever += count
                sample.latencies_ms.append((now - began) * 1000)
            self._pending += count
        if self._is_on:
            self._send()
        elif self._drained is not None and not self._began and not self._drained.done():
            self._drained.set_result(None)

    def close(self) -> None:
        """Drop the connection."""
        if self._connection is not None:
            self._connection.abort()
