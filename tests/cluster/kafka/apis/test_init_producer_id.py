"""Ids for idempotent producers, from brokers that really give them."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.kafka.apis.init_producer_id import INIT_PRODUCER_ID, InitProducerIdExchange, InitProducerIdRequest
from cluster.model.errors import ErrorCode
from cluster.model.messages import InitProducerIdRequest as CoreRequest
from cluster.model.messages import InitProducerIdResponse
from tests.support.clients.client_world import VIEW, request_of, run
from tests.support.kinds import as_kind
from tests.support.worlds.replica_world import ReplicaWorld


@pytest.fixture(scope="module")
def world() -> ReplicaWorld:
    return ReplicaWorld()


def ask(world: ReplicaWorld, version: int, message: InitProducerIdRequest) -> Any:
    request = request_of(INIT_PRODUCER_ID, version, message)
    return run(world, 1, request, InitProducerIdExchange(request, VIEW))


@pytest.mark.parametrize("version", INIT_PRODUCER_ID.versions)
def test_an_idempotent_producer_gets_an_id_in_every_version(world: ReplicaWorld, version: int) -> None:
    first, second = (ask(world, version, InitProducerIdRequest(None, 60_000)) for _ in range(2))
    assert (first.error_code, first.producer_epoch) == (0, 0)
    assert second.producer_id == first.producer_id + 1


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (InitProducerIdRequest(None, 60_000, 5, -1), ErrorCode.INVALID_REQUEST),
        (InitProducerIdRequest(None, 60_000, -1, 0), ErrorCode.INVALID_REQUEST),
    ],
)
def test_half_an_id_is_refused(world: ReplicaWorld, message: InitProducerIdRequest, error: ErrorCode) -> None:
    response = ask(world, 4, message)
    assert (response.error_code, response.producer_id, response.producer_epoch) == (error, -1, -1)


def test_the_exchange_is_complete_once_the_core_has_answered() -> None:
    exchange = InitProducerIdExchange(request_of(INIT_PRODUCER_ID, 4, InitProducerIdRequest(None, 60_000)), VIEW)
    assert not exchange.is_complete
    asked = as_kind(CoreRequest, exchange.requests[0])
    assert asked.client_id == "kcat"
    exchange.answer(asked, InitProducerIdResponse(producer_id=4, producer_epoch=0))
    assert exchange.is_complete
