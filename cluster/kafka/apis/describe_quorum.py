"""DescribeQuorum: the controller quorum as its leader sees it. Source: KIP-595, KIP-836, KIP-853."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from cluster.kafka.api import Api, Request, Whom
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, int16, int32, int64, string, uint16, uuid
from cluster.kafka.errors import words_for
from cluster.kafka.exchange import EachOnce
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import METADATA, NodeId, Offset
from cluster.model.uuids import uuid_bytes

UNKNOWN_TIME_MS = -1


@dataclass(slots=True)
class RequestedPartition:
    """One partition asked for."""

    partition_index: int = int32()


@dataclass(slots=True)
class RequestedTopic:
    """Partitions of one topic asked for."""

    topic_name: str = string()
    partitions: list[RequestedPartition] = array(RequestedPartition)


@dataclass(slots=True)
class DescribeQuorumRequest:
    """Describe the quorum of these partitions."""

    topics: list[RequestedTopic] = array(RequestedTopic)


@dataclass(slots=True)
class ReplicaState:
    """How far one voter or observer is."""

    replica_id: int = int32()
    replica_directory_id: bytes = uuid("2+")
    log_end_offset: int = int64()
    last_fetch_timestamp: int = int64("1+", default=-1)
    last_caught_up_timestamp: int = int64("1+", default=-1)


@dataclass(slots=True)
class PartitionData:
    """One partition's quorum."""

    partition_index: int = int32()
    error_code: int = int16()
    error_message: str | None = string("2+", null="0+")
    leader_id: int = int32()
    leader_epoch: int = int32()
    high_watermark: int = int64()
    current_voters: list[ReplicaState] = array(ReplicaState)
    observers: list[ReplicaState] = array(ReplicaState)


@dataclass(slots=True)
class TopicData:
    """The quorums of one topic's partitions."""

    topic_name: str = string()
    partitions: list[PartitionData] = array(PartitionData)


@dataclass(slots=True)
class Listener:
    """One of its listeners."""

    name: str = string()
    host: str = string()
    port: int = uint16()


@dataclass(slots=True)
class Node:
    """Where one voter listens."""

    node_id: int = int32()
    listeners: list[Listener] = array(Listener)


@dataclass(slots=True)
class DescribeQuorumResponse:
    """Leader, voters and observers."""

    error_code: int = int16()
    error_message: str | None = string("2+", null="0+")
    topics: list[TopicData] = array(TopicData)
    nodes: list[Node] = array(Node, "2+")


class DescribeQuorumExchange(EachOnce):
    """What becomes of one DescribeQuorum request: the leader is asked when it is about the metadata log alone."""

    __slots__ = ("_wall_ms",)

    def __init__(self, request: Request, view: BrokerView) -> None:
        named = [
            (topic.topic_name, each.partition_index) for topic in request.message.topics for each in topic.partitions
        ]
        super().__init__(request, [core.DescribeQuorumRequest()] if named == [METADATA] else [])
        self._wall_ms = view.wall_ms()

    def result(self, asked: core.DescribeQuorumRequest, response: core.DescribeQuorumResponse) -> PartitionData:
        """Of the metadata log. A node that does not lead the quorum is to clients what it is in Kafka: no leader."""
        del asked
        if response.error != ErrorCode.NONE:
            refused = ErrorCode.NOT_LEADER_OR_FOLLOWER
            return PartitionData(0, refused, words_for(refused), response.leader_id, response.leader_epoch, -1)
        return PartitionData(
            0,
            ErrorCode.NONE,
            None,
            response.leader_id,
            response.leader_epoch,
            response.high_watermark,
            self._replicas(response.voters, response.directories),
            self._replicas(response.observers, response.observer_directories),
        )

    def _replicas(
        self, replicas: Iterable[tuple[NodeId, Offset, int, int]], directories: Iterable[tuple[NodeId, str]]
    ) -> list[ReplicaState]:
        disks = dict(directories)
        return [self._replica(uuid_bytes(disks.get(each[0], "")), *each) for each in replicas]

    def _replica(
        self, directory_id: bytes, node: NodeId, end_offset: Offset, fetched_ms: int, caught_up_ms: int
    ) -> ReplicaState:
        state = ReplicaState(node, directory_id, end_offset)
        state.last_fetch_timestamp, state.last_caught_up_timestamp = self._time(fetched_ms), self._time(caught_up_ms)
        return state

    def _time(self, ago_ms: int) -> int:
        return UNKNOWN_TIME_MS if min(ago_ms, self._wall_ms) < 0 else self._wall_ms - ago_ms

    def response(self) -> DescribeQuorumResponse:
        """What the client is told; of any other partition that it is unknown."""
        if not self._results:
            return DescribeQuorumResponse(topics=[_unknown(topic) for topic in self._request.message.topics])
        (partition,) = self._results
        nodes = [Node(each.replica_id) for each in partition.current_voters]
        topic = TopicData(METADATA.topic, [partition])
        return DescribeQuorumResponse(topics=[topic], nodes=nodes)


def _unknown(topic: Any) -> TopicData:
    error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    partitions = [PartitionData(each.partition_index, error, words_for(error), -1, -1, -1) for each in topic.partitions]
    return TopicData(topic.topic_name, partitions)


DESCRIBE_QUORUM: Final = Api(
    55,
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeQuorumExchange,
    versions="0-2",
    flexible="0+",
    whom=Whom.CONTROLLER,
)
