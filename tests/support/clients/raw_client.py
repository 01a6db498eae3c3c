"""A Kafka client of one socket, made of our own codec: it can also say what no real client says."""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from typing import Any

from cluster.kafka.api import Api, Request
from cluster.kafka.apis.create_topics import CREATE_TOPICS, CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from cluster.kafka.apis.fetch import FETCH, FetchPartition, FetchRequest, FetchTopic
from cluster.kafka.apis.produce import PRODUCE, PartitionProduceData, ProduceRequest, TopicProduceData
from cluster.kafka.frames import LENGTH_BYTES, decode_response, encode_request
from cluster.model.record_batch import Record, batches, decode_records, encode_batch

LIMIT_S = 30.0


def knock(port: int) -> socket.socket:
    """A connection on which nothing is said. One too many may be sent away before connect has returned."""
    made = socket.socket()
    made.settimeout(LIMIT_S)
    with suppress(ConnectionResetError):
        made.connect(("127.0.0.1", port))
    return made


class RawClient:
    """One connection. Used as a context manager."""

    def __init__(self, port: int, name: str = "raw") -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), LIMIT_S)
        self._name = name
        self._correlation = 0

    def __enter__(self) -> RawClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, api: Api, version: int, message: Any) -> Request:
        """Ask, without waiting for the answer."""
        self._correlation += 1
        request = Request(api, version, self._correlation, self._name, message)
        self.socket.sendall(encode_request(request))
        return request

    def receive(self, request: Request) -> Any:
        """The answer to a request."""
        correlation_id, message = decode_response(request.api, request.version, self.frame())
        assert correlation_id == request.correlation_id
        return message

    def ask(self, api: Api, version: int, message: Any) -> Any:
        """Ask and wait."""
        return self.receive(self.send(api, version, message))

    def frame(self) -> bytes:
        """The next frame. EOFError when the broker has closed the connection."""
        (length,) = struct.unpack(">i", self._read(LENGTH_BYTES))
        return self._read(length)

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self.socket.recv(size - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def is_closed(self) -> bool:
        """Whether the broker ends the connection without another byte, within the limit."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def create(self, topic: str, partitions: int = 1, replicas: int = 1, **settings: str) -> int:
        """Make a topic with these settings (message_timestamp_type); the error code."""
        configs = [CreatableTopicConfig(name.replace("_", "."), value) for name, value in settings.items()]
        wanted = CreateTopicsRequest([CreatableTopic(topic, partitions, replicas, [], configs)], 5_000, False)
        (found,) = self.ask(CREATE_TOPICS, 7, wanted).topics
        return int(found.error_code)

    def produce(self, topic: str, *values: bytes, acks: int = -1, records: bytes | None = None) -> Any:
        """Write one batch to partition 0; what the broker said of it, None without acks."""
        batch = encode_batch([Record(None, value) for value in values]) if records is None else records
        topics = [TopicProduceData(topic, partition_data=[PartitionProduceData(0, batch)])]
        request = self.send(PRODUCE, 9, ProduceRequest(None, acks, 5_000, topics))
        return None if acks == 0 else self.receive(request).responses[0].partition_responses[0]

    def fetch(self, topic: str, offset: int = 0, wait_ms: int = 0, min_bytes: int = 1) -> tuple[int, list[bytes]]:
        """Error code and values from an offset of partition 0."""
        request = self.send_fetch(topic, offset, wait_ms, min_bytes)
        return self.values(request)

    def send_fetch(self, topic: str, offset: int = 0, wait_ms: int = 0, min_bytes: int = 1) -> Request:
        """Ask for records, without waiting for them."""
        topics = [FetchTopic(topic, bytes(16), [FetchPartition(0, -1, offset, -1, -1, 1 << 20)])]
        message = FetchRequest(max_wait_ms=wait_ms, min_bytes=min_bytes, max_bytes=1 << 20, topics=topics)
        return self.send(FETCH, 12, message)

    def values(self, request: Request) -> tuple[int, list[bytes]]:
        """What a fetch was answered."""
        found = self.receive(request).responses[0].partitions[0]
        batch_list = [batch for _, batch in batches(bytes(found.records or b""))]
        return found.error_code, [record.value or b"" for batch in batch_list for record in decode_records(batch)]
