"""What has settings."""

from __future__ import annotations

import pytest

from cluster.kafka.apis.describe_configs import LIST_CONFIG_RESOURCES, ListConfigResourcesRequest
from cluster.kafka.broker_view import BrokerView
from cluster.model.errors import ErrorCode
from tests.support.clients.client_world import ENDPOINTS, request_of, told

VIEW = BrokerView(
    node_id=1, cluster_id="c1", controller_id=1, brokers=ENDPOINTS, partitions={}, topic_names={b"x" * 16: "orders"}
)
BROKERS = [("1", 4), ("2", 4), ("3", 4)]


@pytest.mark.parametrize(
    ("version", "types", "found"),
    [
        (1, [], [("orders", 2), *BROKERS]),
        (1, [2], [("orders", 2)]),
        (1, [4], BROKERS),
        (1, [16, 32], []),
        (0, [], []),
    ],
)
def test_topics_and_brokers_are_listed(version: int, types: list[int], found: list[tuple[str, int]]) -> None:
    request = request_of(LIST_CONFIG_RESOURCES, version, ListConfigResourcesRequest(types))
    response = told(request, request.api.begin(request, VIEW).response())
    assert response.error_code == 0
    assert [(each.resource_name, each.resource_type) for each in response.config_resources] == found


def test_a_type_that_is_none_is_refused() -> None:
    request = request_of(LIST_CONFIG_RESOURCES, 1, ListConfigResourcesRequest([2, 99]))
    response = told(request, request.api.begin(request, VIEW).response())
    assert (response.error_code, response.config_resources) == (ErrorCode.UNSUPPORTED_VERSION, [])
