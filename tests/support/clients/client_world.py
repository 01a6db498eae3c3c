"""A client that speaks Kafka's protocol to brokers of the replica world: bytes in, bytes out."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView, Endpoint
from cluster.kafka.frames import LENGTH_BYTES, decode_request, decode_response, encode_request, encode_response
from cluster.model.identifiers import NodeId
from cluster.model.uuids import topic_uuid
from tests.support.worlds.replica_world import ReplicaWorld

ENDPOINTS = {node: Endpoint("127.0.0.1", 19_090 + node) for node in (1, 2, 3)}
CLIENT_ID = "kcat"
VIEW = BrokerView(node_id=1, cluster_id="c1", controller_id=1, brokers=ENDPOINTS, partitions={})
"""Of a broker that knows the others and no topic."""


def view_of(world: ReplicaWorld, node: NodeId) -> BrokerView:
    """What this broker knows without asking anybody."""
    image = world.nodes[node].image
    names = {topic_uuid(topic.topic_id): name for name, topic in image.topics.items()}
    return replace(VIEW, node_id=node, partitions=image.partitions, topic_names=names)


def request_of(api: Api, version: int, message: Any, client_id: str | None = CLIENT_ID) -> Request:
    """What a broker reads when a client sends this."""
    frame = encode_request(Request(api, version, 7, client_id, message))
    return decode_request(frame[LENGTH_BYTES:])


def told(request: Request, response: Any) -> Any:
    """What the client reads when a broker answers this."""
    frame = encode_response(request.api, request.version, request.correlation_id, response)
    correlation_id, message = decode_response(request.api, request.version, frame[LENGTH_BYTES:])
    assert correlation_id == request.correlation_id
    return message


def give(exchange: Any, response: Any) -> list[Any]:
    """Answer what the exchange asked about this partition; what it asks next. Strangers answer what nobody asked."""
    where = (response.topic, response.partition)
    asked = next((each for each in exchange.requests if (each.topic, each.partition) == where), response)
    return list(exchange.answer(asked, response))


def run(world: ReplicaWorld, node: NodeId, request: Request, exchange: Any) -> Any:
    """Hand the exchange's requests to a broker and its answers back until it is complete; what the client reads."""
    waiting = {}
    for asked in exchange.requests:
        waiting[world.send_as_edge(node, asked)] = asked
    while not exchange.is_complete:
        world.until(lambda: any(correlation in world.answered for correlation in waiting))
        for correlation in [each for each in waiting if each in world.answered]:
            asked = waiting.pop(correlation)
            for more in exchange.answer(asked, world.answered[correlation]):
                waiting[world.send_as_edge(node, more)] = more
    response = exchange.response()
    return None if response is None else told(request, response)
