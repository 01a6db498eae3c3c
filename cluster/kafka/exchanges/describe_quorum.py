"""DescribeQuorum: the controller quorum as its leader sees it. Source: KIP-595, KIP-836."""

from __future__ import annotations

from typing import Any

from cluster.kafka.errors import KafkaError, words_for
from cluster.kafka.exchanges.each_once import EachOnce
from cluster.kafka.exchanges.exchange import BrokerView
from cluster.kafka.frames import Request
from cluster.kafka.schema import describe_quorum as schema
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import METADATA
from cluster.model.messages import DescribeQuorumRequest, DescribeQuorumResponse

UNKNOWN_TIME_MS = -1


class DescribeQuorumExchange(EachOnce):
    """What becomes of one DescribeQuorum request: the leader is asked when it is about the metadata log alone."""

    __slots__ = ("_wall_ms",)

    def __init__(self, request: Request, view: BrokerView) -> None:
        named = [
            (topic.topic_name, each.partition_index) for topic in request.message.topics for each in topic.partitions
        ]
        super().__init__(request, [DescribeQuorumRequest()] if named == [METADATA] else [])
        self._wall_ms = view.wall_ms()

    def result(self, asked: DescribeQuorumRequest, response: DescribeQuorumResponse) -> schema.PartitionData:
        """Of the metadata log. A node that does not lead the quorum is to clients what it is in Kafka: no leader."""
        del asked
        if response.error != ErrorCode.NONE:
            refused = KafkaError.NOT_LEADER_OR_FOLLOWER
            return schema.PartitionData(0, refused, words_for(refused), response.leader_id, response.leader_epoch, -1)
        return schema.PartitionData(
            0,
            KafkaError.NONE,
            None,
            response.leader_id,
            response.leader_epoch,
            response.high_watermark,
            [self._replica(*each) for each in response.voters],
            [self._replica(*each) for each in response.observers],
        )

    def _replica(self, node: int, end_offset: int, fetched_ms: int, caught_up_ms: int) -> schema.ReplicaState:
        state = schema.ReplicaState(node, log_end_offset=end_offset)
        state.last_fetch_timestamp, state.last_caught_up_timestamp = self._time(fetched_ms), self._time(caught_up_ms)
        return state

    def _time(self, ago_ms: int) -> int:
        return UNKNOWN_TIME_MS if min(ago_ms, self._wall_ms) < 0 else self._wall_ms - ago_ms

    def response(self) -> schema.DescribeQuorumResponse:
        """What the client is told; of any other partition that it is unknown."""
        if not self._results:
            return schema.DescribeQuorumResponse(topics=[_unknown(topic) for topic in self._request.message.topics])
        (partition,) = self._results
        nodes = [schema.Node(each.replica_id) for each in partition.current_voters]
        topic = schema.TopicData(METADATA.topic, [partition])
        return schema.DescribeQuorumResponse(topics=[topic], nodes=nodes)


def _unknown(topic: Any) -> schema.TopicData:
    error = KafkaError.UNKNOWN_TOPIC_OR_PARTITION
    partitions = [
        schema.PartitionData(each.partition_index, error, words_for(error), -1, -1, -1) for each in topic.partitions
    ]
    return schema.TopicData(topic.topic_name, partitions)
