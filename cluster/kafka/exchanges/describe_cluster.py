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
        is_known = kind == CONTROLLERS
        error = KafkaError.MISMATCHED_ENDPOINT_TYPE if is_known else KafkaError.UNSUPPORTED_ENDPOINT_TYPE
        return DescribeClusterResponse(error_code=error, error_message="a broker answers for brokers")
    known = dict(view.fenced) | dict(view.brokers) if request.message.include_fenced_brokers else view.brokers
    brokers = [
        DescribeClusterBroker(node, *endpoint, is_fenced=node not in view.brokers)
        for node, endpoint in sorted(known.items())
    ]
    return DescribeClusterResponse(
        error_code=KafkaError.NONE, cluster_id=view.cluster_id, controller_id=view.controller_id, brokers=brokers
    )
