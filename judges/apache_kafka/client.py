"""A client of Apache Kafka: our own codec, one connection for each question."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from cluster.kafka.api import Api, Request
from cluster.kafka.codec.limits import CodecError
from cluster.kafka.frames import LENGTH_BYTES, check_frame_length, decode_response, encode_request
from cluster.model.identifiers import NodeId
from judges.apache_kafka.links import LOOPBACK

CLIENT_ID = "workbench"


class NoAnswer(OSError):
    """Nobody answered in time, or the connection ended; whether it was carried out is not known."""


class KafkaClient:
    """Asks brokers by their number. It reaches them without the proxies: a client is not cut off."""

    def __init__(self, ports: Mapping[NodeId, int]) -> None:
        self._ports = ports

    async def ask(self, node: NodeId, api: Api, version: int, message: Any, patience_s: float) -> Any:
        """The response. NoAnswer when there is none, CodecError when it is not one of this kind."""
        frame = encode_request(Request(api, version, 1, CLIENT_ID, message))
        try:
            async with asyncio.timeout(patience_s):
                reader, writer = await asyncio.open_connection(LOOPBACK, self._ports[node])
                try:
                    writer.write(frame)
                    head = await reader.readexactly(LENGTH_BYTES)
                    body = await reader.readexactly(check_frame_length(head))
                finally:
                    writer.transport.abort()
        except (TimeoutError, OSError, EOFError) as error:
            raise NoAnswer(f"node {node} does not answer") from error
        correlation_id, found = decode_response(api, version, body)
        if correlation_id != 1:
            raise CodecError(f"an answer to question {correlation_id}")
        return found
