"""The brokers of a cluster."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.kafka.apis.brokers import DESCRIBE_CLUSTER, DescribeClusterRequest, describe_cluster
from cluster.kafka.broker_view import BrokerView
from cluster.model.errors import ErrorCode
from tests.support.clients.client_world import ENDPOINTS, request_of, told

VIEW = BrokerView(node_id=2, cluster_id="c1", controller_id=2, brokers=ENDPOINTS, partitions={})


@pytest.mark.parametrize("version", DESCRIBE_CLUSTER.versions)
def test_the_cluster_is_described_in_every_version(version: int) -> None:
    request = request_of(DESCRIBE_CLUSTER, version, DescribeClusterRequest())
    found = told(request, describe_cluster(request, VIEW))
    assert (found.error_code, found.cluster_id, found.controller_id) == (0, "c1", 2)
    assert [(each.broker_id, each.port) for each in found.brokers] == [(1, 19_091), (2, 19_092), (3, 19_093)]


@pytest.mark.parametrize("wanted", [False, True])
def test_fenced_brokers_are_told_when_they_are_asked_for(wanted: bool) -> None:
    view = replace(VIEW, brokers={2: ENDPOINTS[2]}, fenced={1: ENDPOINTS[1]})
    request = request_of(DESCRIBE_CLUSTER, 2, DescribeClusterRequest(include_fenced_brokers=wanted))
    found = told(request, describe_cluster(request, view)).brokers
    expected = [(1, 19_091, True), (2, 19_092, False)]
    assert [(each.broker_id, each.port, each.is_fenced) for each in found] == expected[0 if wanted else 1 :]


@pytest.mark.parametrize(
    ("kind", "error"), [(2, ErrorCode.MISMATCHED_ENDPOINT_TYPE), (0, ErrorCode.UNSUPPORTED_ENDPOINT_TYPE)]
)
def test_a_broker_answers_for_brokers(kind: int, error: ErrorCode) -> None:
    request = request_of(DESCRIBE_CLUSTER, 1, DescribeClusterRequest(endpoint_type=kind))
    found = told(request, describe_cluster(request, VIEW))
    assert (found.error_code, found.brokers) == (error, [])
