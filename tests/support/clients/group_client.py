"""A Kafka client that talks to one coordinator: bytes in, bytes out."""

from __future__ import annotations

from typing import Any

from cluster.kafka.api import Api, Exchange, Request
from cluster.kafka.broker_view import BrokerView
from tests.support.clients.client_world import ENDPOINTS, request_of, told
from tests.support.worlds.group_world import GroupWorld

VIEW = BrokerView(node_id=1, cluster_id="c1", controller_id=1, brokers=ENDPOINTS, partitions={})


class Call:
    """One request of the client and, once it is there, what it reads."""

    def __init__(self, world: GroupWorld, api: Api, version: int, message: Any) -> None:
        self._world = world
        self._request: Request = request_of(api, version, message)
        self._exchange: Exchange = api.begin(self._request, VIEW)
        self._waiting = {world.send(asked): asked for asked in self._exchange.requests}

    def read(self) -> Any:
        """What the client reads; None while the coordinator has not answered."""
        for correlation in [number for number in self._waiting if number in self._world.answers]:
            self._exchange.answer(self._waiting.pop(correlation), self._world.answers[correlation])
        return told(self._request, self._exchange.response()) if self._exchange.is_complete else None


def ask(world: GroupWorld, api: Api, version: int, message: Any) -> Any:
    """What the client reads at once."""
    response = Call(world, api, version, message).read()
    assert response is not None
    return response
