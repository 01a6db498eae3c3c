"""Every row serves whatever a client may say, in every version."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from client_world import ENDPOINTS, request_of, told
from random_messages import random_message

from cluster.kafka.apis import APIS, ApiKey
from cluster.kafka.exchanges.exchange import BrokerView
from cluster.kafka.exchanges.table import TABLE
from cluster.model.messages import MESSAGES
from cluster.node.answers import refuse

VIEW = BrokerView(node_id=1, cluster_id="c1", controller_id=1, brokers=ENDPOINTS, partitions={})
EACH = [(APIS[key], version) for key in TABLE for version in APIS[key].versions]
ROUNDS = 20


@pytest.mark.parametrize(("api", "version"), EACH, ids=lambda it: str(getattr(it, "name", it)))
def test_a_row_answers_every_message_that_can_be_read(api: Any, version: int) -> None:
    rng = Random(f"{api.name} {version}")
    for _ in range(ROUNDS):
        request = request_of(api.key, version, random_message(rng, api.request, version))
        exchange = TABLE[api.key].begin(request, VIEW)
        waiting = list(exchange.requests)
        while not exchange.is_complete:
            asked = waiting.pop(rng.randrange(len(waiting)))
            refused = refuse(asked, -1)
            assert refused is not None, f"a broker without that part must refuse {type(asked).__name__}"
            waiting += exchange.answer(asked, refused)
        response = exchange.response()
        if response is None:
            assert api.key == ApiKey.PRODUCE
            continue
        told(request, response)


def test_what_is_asked_of_the_core_are_messages_of_the_core() -> None:
    rng = Random(1)
    for api, version in EACH:
        request = request_of(api.key, version, random_message(rng, api.request, version))
        for asked in TABLE[api.key].begin(request, VIEW).requests:
            assert type(asked) is MESSAGES[type(asked).__name__]
