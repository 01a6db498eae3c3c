"""Which node a process is: a KRaft node, a broker of ZooKeeper's era, or the coordinator of that."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from cluster.model.election_state import ElectionState
from cluster.model.log_view import SnapshotView
from cluster.node.config import LogStore, NodeConfig
from cluster.node.hosted_partitions import Replicas
from cluster.node.node import Node

if TYPE_CHECKING:
    from cluster.node.coordinator_node import CoordinatorNode
    from cluster.node.zookeeper_broker import ZooKeeperBroker

AnyNode: TypeAlias = "Node | ZooKeeperBroker | CoordinatorNode"


def make_node(
    config: NodeConfig,
    logs: LogStore,
    persisted: ElectionState | None,
    previous_broker_epoch: int,
    replicas: Replicas | None,
    snapshots: SnapshotView | None = None,
    directory_id: str = "",
) -> AnyNode:
    """As its config says. The arguments are those of Node."""
    if not config.settings.is_zookeeper:
        return Node(config, logs, persisted, previous_broker_epoch, replicas, snapshots, directory_id)
    if replicas is None:
        from cluster.node.coordinator_node import CoordinatorNode

        return CoordinatorNode(config, logs)
    from cluster.node.zookeeper_broker import ZooKeeperBroker

    return ZooKeeperBroker(config, logs, replicas)
