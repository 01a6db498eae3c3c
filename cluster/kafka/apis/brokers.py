"""DescribeCluster, UnregisterBroker: the brokers of a cluster. Source: KIP-700, KIP-919, KIP-631."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, boolean, int8, int16, int32, string
from cluster.kafka.exchange import Known
from cluster.model.errors import ErrorCode

BROKERS, CONTROLLERS = 1, 2
"""What a client may ask for. Controllers serve no clients here, and would be the ones to answer for controllers."""


@dataclass(slots=True)
class DescribeClusterRequest:
    """Describe the cluster."""

    include_cluster_authorized_operations: bool = boolean()
    endpoint_type: int = int8("1+", default=1)
    include_fenced_brokers: bool = boolean("2+")


@dataclass(slots=True)
class DescribeClusterBroker:
    """Where one broker listens."""

    broker_id: int = int32()
    host: str = string()
    port: int = int32()
    rack: str | None = string(null="0+", default=None)
    is_fenced: bool = boolean("2+")


@dataclass(slots=True)
class DescribeClusterResponse:
    """Its id, controller and brokers."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)
    endpoint_type: int = int8("1+", default=1)
    cluster_id: str = string()
    controller_id: int = int32(default=-1)
    brokers: list[DescribeClusterBroker] = array(DescribeClusterBroker)
    cluster_authorized_operations: int = int32(default=-2147483648)


def describe_cluster(request: Request, view: BrokerView) -> DescribeClusterResponse:
    """What the answering broker has applied."""
    kind = request.message.endpoint_type
    if kind != BROKERS:
        is_known = kind == CONTROLLERS
        error = ErrorCode.MISMATCHED_ENDPOINT_TYPE if is_known else ErrorCode.UNSUPPORTED_ENDPOINT_TYPE
        return DescribeClusterResponse(error_code=error, error_message="a broker answers for brokers")
    nodes = dict(view.fenced) | dict(view.brokers) if request.message.include_fenced_brokers else view.brokers
    brokers = [
        DescribeClusterBroker(node, *endpoint, is_fenced=node not in view.brokers)
        for node, endpoint in sorted(nodes.items())
    ]
    return DescribeClusterResponse(
        error_code=ErrorCode.NONE, cluster_id=view.cluster_id, controller_id=view.controller_id, brokers=brokers
    )


DESCRIBE_CLUSTER: Final = Api(
    60, DescribeClusterRequest, DescribeClusterResponse, Known.by(describe_cluster), versions="0-2", flexible="0+"
)


@dataclass(slots=True)
class UnregisterBrokerRequest:
    """Asks the controller to forget a broker that is gone for good."""

    broker_id: int = int32()


@dataclass(slots=True)
class UnregisterBrokerResponse:
    """Done, or why not."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+")


def unregister_broker(request: Request, view: BrokerView) -> UnregisterBrokerResponse:
    """Why it is not forgotten."""
    broker = request.message.broker_id
    if broker not in view.brokers and broker not in view.fenced:
        error, words = ErrorCode.BROKER_ID_NOT_REGISTERED, f"broker {broker} is not registered"
    else:
        error, words = ErrorCode.UNSUPPORTED_VERSION, "the brokers of a run stay registered: each may be started again"
    return UnregisterBrokerResponse(error_code=error, error_message=words)


UNREGISTER_BROKER: Final = Api(
    64, UnregisterBrokerRequest, UnregisterBrokerResponse, Known.by(unregister_broker), versions="0", flexible="0+"
)
