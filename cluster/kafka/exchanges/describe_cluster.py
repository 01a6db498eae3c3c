"""DescribeCluster: the brokers of a cluster, without its topics. Source: KIP-700, KIP-919."""

from __future__ import annotations

from cluster.kafka.errors import KafkaError
from cluster.kafka.exchanges.exchange import BrokerView
from cluster.kafka.frames import Request
from cluster.kafka.schema.describe_cluster import DescribeClusterBroker, DescribeClusterResponse

BROKERS, CONTROLLERS = 1, 2
"""What a client may ask for. Controllers serve no clients here, and would be the ones to answer for controllers."""


def describe_cluster(request: Request, view: BrokerView) -> DescribeClusterResponse:
    """What the answering broker has applied."""
    kind = request.message.endpoint_type
    if kind != BROKERS:
        known = kind == CONTROLLERS
        error = KafkaError.MISMATCHED_ENDPOINT_TYPE if known else KafkaError.UNSUPPORTED_ENDPOINT_TYPE
        return DescribeClusterResponse(error_code=error, error_message="a broker answers for brokers")
    brokers = [DescribeClusterBroker(node, *endpoint) for node, endpoint in sorted(view.brokers.items())]
    return DescribeClusterResponse(
        error_code=KafkaError.NONE, cluster_id=view.cluster_id, controller_id=view.controller_id, brokers=brokers
    )
