"""DescribeCluster: the brokers of a cluster. API key 60."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, boolean, int8, int16, int32, string


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
