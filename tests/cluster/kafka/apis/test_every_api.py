"""Every row serves whatever a client may say, in every version."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from cluster.kafka.apis import APIS
from cluster.kafka.apis.produce import PRODUCE
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import fields_of
from cluster.model.messages import MESSAGES
from cluster.node.answers import refuse
from tests.support.clients.client_world import ENDPOINTS, request_of, told
from tests.support.clients.random_messages import random_message

VIEW = BrokerView(node_id=1, cluster_id="c1", controller_id=1, brokers=ENDPOINTS, partitions={})
EACH = [(api, version) for api in APIS.values() for version in api.versions]
ROUNDS = 20


@pytest.mark.parametrize(("api", "version"), EACH, ids=lambda it: str(getattr(it, "name", it)))
def test_a_row_answers_every_message_that_can_be_read(api: Any, version: int) -> None:
    rng = Random(f"{api.name} {version}")
    for _ in range(ROUNDS):
        request = request_of(api, version, random_message(rng, api.request, version))
        exchange = api.begin(request, VIEW)
        waiting = list(exchange.requests)
        while not exchange.is_complete:
            asked = waiting.pop(rng.randrange(len(waiting)))
            refused = refuse(asked, -1)
            assert refused is not None, f"a broker without that part must refuse {type(asked).__name__}"
            waiting += exchange.answer(asked, refused)
        response = exchange.response()
        if response is None:
            assert api is PRODUCE
            continue
        for each in refusals(told(request, response), version):
            if api is not PRODUCE:  # which is told in words of what is wrong with a batch, as in Kafka
                assert each.error_message, f"{api.name} {version} says nothing with error {each.error_code}"


def refusals(message: Any, version: int) -> Iterator[Any]:
    """Each part of a response that has an error, and in this version a field for words."""
    if isinstance(message, list):
        for each in message:
            yield from refusals(each, version)
    elif dataclasses.is_dataclass(kind := type(message)):
        names = [item.name for item in fields_of(kind) if version in item.versions]
        if "error_message" in names and getattr(message, "error_code", None):
            yield message
        for name in names:
            yield from refusals(getattr(message, name), version)


def test_what_is_asked_of_the_core_are_messages_of_the_core() -> None:
    rng = Random(1)
    for api, version in EACH:
        request = request_of(api, version, random_message(rng, api.request, version))
        for asked in api.begin(request, VIEW).requests:
            assert type(asked) is MESSAGES[type(asked).__name__]
