"""Ids for idempotent producers."""

from __future__ import annotations

import pytest
from client_world import request_of, told

from cluster.kafka.apis import APIS, ApiKey
from cluster.kafka.errors import KafkaError
from cluster.kafka.exchanges.init_producer_id import given, refusal
from cluster.kafka.schema.init_producer_id import InitProducerIdRequest


@pytest.mark.parametrize("version", APIS[ApiKey.INIT_PRODUCER_ID].versions)
def test_an_idempotent_producer_gets_an_id_in_every_version(version: int) -> None:
    request = request_of(ApiKey.INIT_PRODUCER_ID, version, InitProducerIdRequest(None, 60_000))
    assert refusal(request) is None
    response = told(request, given(4_001))
    assert (response.error_code, response.producer_id, response.producer_epoch) == (0, 4_001, 0)


def test_a_transactional_producer_is_refused() -> None:
    request = request_of(ApiKey.INIT_PRODUCER_ID, 4, InitProducerIdRequest("tx", 60_000))
    found = refusal(request)
    assert found is not None
    response = told(request, found)
    assert response.error_code == KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    assert (response.producer_id, response.producer_epoch) == (-1, -1)


@pytest.mark.parametrize(("producer_id", "epoch"), [(5, -1), (-1, 0)])
def test_an_id_comes_with_its_epoch(producer_id: int, epoch: int) -> None:
    request = request_of(ApiKey.INIT_PRODUCER_ID, 4, InitProducerIdRequest(None, 60_000, producer_id, epoch))
    found = refusal(request)
    assert found is not None
    assert found.error_code == KafkaError.INVALID_REQUEST
