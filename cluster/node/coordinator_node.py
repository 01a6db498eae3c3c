"""The node of the process that stands for a ZooKeeper ensemble. It knows nothing of Kafka."""

from __future__ import annotations

from typing import assert_never

from cluster.controller.image import MetadataImage
from cluster.model.effects import Effect, Send, StopNode
from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from cluster.model.inputs import (
    BrokersChanged,
    ClientRequest,
    Disconnected,
    FetchAbandoned,
    Flushed,
    Input,
    NodeStarted,
    PartitionChanged,
    QuorumStatus,
    Received,
    StopRequested,
    TimerFired,
    WallClockRead,
)
from cluster.model.messages import CloseSessionRequest, SessionEventsRequest, SessionRequest, ZooKeeperRequest
from cluster.node.answers import refuse
from cluster.node.config import LogStore, NodeConfig
from cluster.zookeeper.coordinator import Coordinator
from cluster.zookeeper.transactions import TRANSACTIONS

ASKED = (SessionRequest, SessionEventsRequest, ZooKeeperRequest, CloseSessionRequest)


class CoordinatorNode:
    """A coordinator as a node of the cluster."""

    __slots__ = ("_coordinator", "config", "image", "leaderless")

    def __init__(self, config: NodeConfig, logs: LogStore) -> None:
        log, _ = logs.open(TRANSACTIONS)
        self.config = config
        self.image = MetadataImage()
        """Of brokers and partitions it knows nothing."""
        self.leaderless: frozenset[TopicPartition] = frozenset()
        self._coordinator = Coordinator(log)

    @property
    def controller_id(self) -> NodeId:
        """It reads no znode."""
        return NO_NODE

    @property
    def is_active_controller(self) -> bool:
        """Controllers are brokers."""
        return False

    def log_sizes(self) -> dict[TopicPartition, tuple[int, int]]:
        """It keeps no partitions."""
        return {}

    def handle(self, happened: Input, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""
        match happened:
            case Received(message=message) if not isinstance(message, ASKED):
                refusal = refuse(message, NO_NODE)
                return [] if refusal is None else [Send(happened.sender, refusal, happened.correlation)]
            case NodeStarted() | Received() | TimerFired() | Flushed():
                return self._coordinator.handle(happened, now_ms)
            case StopRequested():
                return [StopNode()]
            case Disconnected() | FetchAbandoned() | WallClockRead():
                return []
            case PartitionChanged() | BrokersChanged() | ClientRequest() | QuorumStatus():
                return []
            case _:
                assert_never(happened)
