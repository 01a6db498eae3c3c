"""Who asks for quotas of clients is told that there are none, and who sets one that it is not built."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.kafka.api import Api
from cluster.kafka.apis.client_quotas import (
    ALTER_CLIENT_QUOTAS,
    DESCRIBE_CLIENT_QUOTAS,
    NO_QUOTAS,
    AlterClientQuotasRequest,
    AlteredEntryData,
    ComponentData,
    DescribeClientQuotasRequest,
    EntityData,
    OpData,
)
from cluster.kafka.broker_view import BrokerView
from cluster.model.errors import ErrorCode
from tests.support.clients.client_world import ENDPOINTS, request_of, told

VIEW = BrokerView(node_id=1, cluster_id="c1", controller_id=1, brokers=ENDPOINTS, partitions={})
ANY_USER = ComponentData("user", 2, None)


def answer(api: Api, version: int, message: Any) -> Any:
    request = request_of(api, version, message)
    return told(request, api.begin(request, VIEW).response())


@pytest.mark.parametrize("version", DESCRIBE_CLIENT_QUOTAS.versions)
@pytest.mark.parametrize(
    "asked", [[], [ANY_USER], [ComponentData("ip", 0, "127.0.0.1")], [ComponentData("user", 1, None)]]
)
def test_there_are_none_whatever_is_asked_for(version: int, asked: list[ComponentData]) -> None:
    """Kafka 4.1 gives the same."""
    found = answer(DESCRIBE_CLIENT_QUOTAS, version, DescribeClientQuotasRequest(asked, strict=True))
    assert (found.error_code, found.entries) == (ErrorCode.NONE, [])


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (ComponentData("planet", 2, None), ErrorCode.UNSUPPORTED_VERSION),
        (ComponentData("user", 0, None), ErrorCode.INVALID_REQUEST),
        (ComponentData("user", 2, "ann"), ErrorCode.INVALID_REQUEST),
        (ComponentData("user", 3, None), ErrorCode.INVALID_REQUEST),
    ],
)
def test_a_question_that_kafka_does_not_take_is_refused(asked: ComponentData, error: ErrorCode) -> None:
    found = answer(DESCRIBE_CLIENT_QUOTAS, 1, DescribeClientQuotasRequest([ANY_USER, asked], strict=False))
    assert (found.error_code, found.entries) == (error, None)


@pytest.mark.parametrize("version", ALTER_CLIENT_QUOTAS.versions)
def test_each_entry_that_sets_one_is_refused_and_to_remove_none_is_no_error(version: int) -> None:
    ann, all_others = [EntityData("user", "ann")], [EntityData("user", None)]
    setting, removing = OpData("consumer_byte_rate", 1024.5, remove=False), OpData("producer_byte_rate", 0, remove=True)
    asked = [AlteredEntryData(ann, [removing, setting]), AlteredEntryData(all_others, [removing])]
    refused, done = answer(ALTER_CLIENT_QUOTAS, version, AlterClientQuotasRequest(asked)).entries
    assert (refused.error_code, refused.error_message) == (ErrorCode.UNSUPPORTED_VERSION, NO_QUOTAS)
    assert (done.error_code, done.error_message) == (ErrorCode.NONE, None)
    assert (refused.entity, done.entity) == (ann, all_others)
