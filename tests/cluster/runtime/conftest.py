"""A living broker for a whole file, and a client that speaks bytes to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.clients.kafka_broker import Broker
from tests.support.clients.raw_client import RawClient


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """It has the topic orders; a file shares it."""
    made = Broker(tmp_path_factory.mktemp("broker"))
    with RawClient(made.port) as client:
        assert client.create("orders") == 0
    yield made
    made.end()


@pytest.fixture
def client(broker: Broker) -> Iterator[RawClient]:
    """A connection of its own for each test."""
    with RawClient(broker.port) as made:
        yield made
