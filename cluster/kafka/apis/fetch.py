"""Fetch: one request of a consumer, one or two for the core for each partition.

Kafka answers when enough bytes are there, when something is wrong, or when the wait is over. The core holds each
partition's fetch by itself, so the first round asks all partitions, a few at a time and without a wait; only when that
brings too little, those without records are asked again with it, and the exchange ends as soon as there is enough. A
partition that has given records is not asked twice: when all have given, the client gets them, even if it wanted to
wait for more.
Source: Kafka ReplicaManager.fetchMessages, DelayedFetch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cluster.fetch_sessions.session_cache import Fetching, PartitionKey
from cluster.kafka.api import Api, Exchange, Request
from cluster.kafka.broker_view import BrokerView, LeaderIdAndEpoch, NodeEndpoint, endpoints_of, who_leads
from cluster.kafka.codec.fields import RecordSet, array, int8, int16, int32, int64, record_set, string, struct, uuid
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, UNKNOWN_OFFSET, NodeId, TopicPartition
from cluster.model.messages import Message

READ_COMMITTED = 1
PORTION = 8
"""Partitions that are asked at a time in the first round."""
RESPONSE_BYTES_MAX = 8 << 20
"""The most record bytes of one response, whatever the client allows; one partition's first batch is always given."""
_SESSIONS_FROM, _RACKS_FROM, _IDS_FROM, _LEADER_FROM = 7, 11, 13, 16
_MOVED = (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH)
"""With these the client is told who leads."""


@dataclass(slots=True)
class ReplicaState:
    """The follower that asks."""

    replica_id: int = int32(default=-1)
    replica_epoch: int = int64(default=-1)


@dataclass(slots=True)
class FetchPartition:
    """Where to read in one partition."""

    partition: int = int32()
    current_leader_epoch: int = int32("9+", default=-1)
    fetch_offset: int = int64()
    last_fetched_epoch: int = int32("12+", default=-1)
    log_start_offset: int = int64("5+", default=-1)
    partition_max_bytes: int = int32()
    replica_directory_id: bytes = uuid("17+", tag=0)
    high_watermark: int = int64("18+", tag=1, default=(1 << 63) - 1)


@dataclass(slots=True)
class FetchTopic:
    """Where to read in one topic; by name up to version 12, then by id."""

    topic: str = string("0-12")
    topic_id: bytes = uuid("13+")
    partitions: list[FetchPartition] = array(FetchPartition)


@dataclass(slots=True)
class ForgottenTopic:
    """What to drop from the fetch session."""

    topic: str = string("0-12")
    topic_id: bytes = uuid("13+")
    partitions: list[int] = array("int32")


@dataclass(slots=True)
class FetchRequest:
    """Give me what follows these offsets."""

    cluster_id: str | None = string("12+", null="0+", tag=0, default=None)
    replica_id: int = int32("0-14", default=-1)
    replica_state: ReplicaState | None = struct(ReplicaState, "15+", tag=1)
    max_wait_ms: int = int32()
    min_bytes: int = int32()
    max_bytes: int = int32(default=2147483647)
    isolation_level: int = int8()
    session_id: int = int32("7+")
    session_epoch: int = int32("7+", default=-1)
    topics: list[FetchTopic] = array(FetchTopic)
    forgotten_topics_data: list[ForgottenTopic] = array(ForgottenTopic, "7+")
    rack_id: str = string("11+")


@dataclass(slots=True)
class EpochEndOffset:
    """Where the logs part: the largest epoch they may share and its exclusive end on the leader."""

    epoch: int = int32(default=-1)
    end_offset: int = int64(default=-1)


@dataclass(slots=True)
class SnapshotId:
    """The snapshot to fetch instead."""

    end_offset: int = int64(default=-1)
    epoch: int = int32(default=-1)


@dataclass(slots=True)
class AbortedTransaction:
    """A transaction that a reader of committed records must skip."""

    producer_id: int = int64()
    first_offset: int = int64()


@dataclass(slots=True)
class PartitionData:
    """What one partition answers."""

    partition_index: int = int32()
    error_code: int = int16()
    high_watermark: int = int64()
    last_stable_offset: int = int64(default=-1)
    log_start_offset: int = int64("5+", default=-1)
    diverging_epoch: EpochEndOffset | None = struct(EpochEndOffset, "12+", tag=0)
    current_leader: LeaderIdAndEpoch | None = struct(LeaderIdAndEpoch, "12+", tag=1)
    snapshot_id: SnapshotId | None = struct(SnapshotId, "12+", tag=2)
    aborted_transactions: list[AbortedTransaction] | None = array(AbortedTransaction, null="0+")
    preferred_read_replica: int = int32("11+", default=-1)
    records: RecordSet | None = record_set()


@dataclass(slots=True)
class FetchableTopicResponse:
    """What the partitions of one topic answer."""

    topic: str = string("0-12")
    topic_id: bytes = uuid("13+")
    partitions: list[PartitionData] = array(PartitionData)


@dataclass(slots=True)
class FetchResponse:
    """Record batches of each partition, or why there are none."""

    throttle_time_ms: int = int32()
    error_code: int = int16("7+")
    session_id: int = int32("7+")
    responses: list[FetchableTopicResponse] = array(FetchableTopicResponse)
    node_endpoints: list[NodeEndpoint] = array(NodeEndpoint, "16+", tag=0)


class FetchExchange(Exchange):
    """What becomes of one Fetch request of a consumer."""

    __slots__ = (
        "_answers",
        "_asked",
        "_fetching",
        "_given_bytes",
        "_is_second_round",
        "_lacks_topic",
        "_request",
        "_top_error",
        "_unasked",
        "_view",
        "_waiting",
    )

    def __init__(self, request: Request, view: BrokerView) -> None:
        self._request = request
        self._view = view
        self._asked: dict[TopicPartition, FetchPartition] = {}
        self._answers: dict[TopicPartition, core.FetchResponse] = {}
        self._lacks_topic = False
        self._fetching = self._begin()
        self._top_error = self._fetching.error
        for key, asked in self._fetching.wanted.items() if self._top_error == ErrorCode.NONE else ():
            where = self._place(key)
            if where is None:
                self._lacks_topic = True
            else:
                self._asked[where] = asked
        self._is_second_round = False
        self._given_bytes = 0
        self._unasked = deque(self._asked)
        self._waiting: set[TopicPartition] = set()
        self.requests = self._next_portion()

    @property
    def is_complete(self) -> bool:
        """Whether the response can be made; answers that come later are dropped."""
        return not self._waiting or (self._is_second_round and self._has_enough())

    def answer(self, asked: core.FetchRequest, response: core.FetchResponse) -> Sequence[Message]:
        """Take one answer of the core; what to ask of it next."""
        topic_partition = TopicPartition(asked.topic, asked.partition)
        if topic_partition not in self._waiting:
            return []
        self._waiting.remove(topic_partition)
        if self._given_bytes >= self._bytes_max:
            response.records = b""  # the response is full; what was read is not kept until all have answered
        self._given_bytes += len(response.records)
        self._answers[topic_partition] = response
        if self._waiting or self._is_second_round:
            return []
        if self._unasked:
            return self._next_portion()
        if self._has_enough():
            return []
        self._is_second_round = True
        self._waiting = {each for each in self._asked if not self._answers[each].records}
        wait_ms = self._request.message.max_wait_ms
        return [self._core_request(each, wait_ms) for each in self._asked if each in self._waiting]

    def response(self) -> FetchResponse:
        """What the client is told, in the order in which it asked."""
        if self._top_error != ErrorCode.NONE and self._request.version >= _SESSIONS_FROM:
            return FetchResponse(error_code=self._top_error)
        left = max(0, min(self._request.message.max_bytes, RESPONSE_BYTES_MAX))
        read: dict[PartitionKey, PartitionData] = {}
        given = 0
        for key in self._fetching.wanted:
            where = self._place(key)
            answer = None if where is None else self._answers.get(where)
            data = read[key] = self._partition(key[2], answer, known=where is not None)
            if data.records and given and given + len(data.records) > left:
                data.records = b""
            given += len(data.records or b"")
        error, session_id, keys = self._fetching.finish(read)
        topics: list[FetchableTopicResponse] = []
        leaders: list[NodeId] = []
        for key in keys:
            topic, topic_id, _ = key
            if not topics or (topics[-1].topic, topics[-1].topic_id) != (topic, topic_id):
                topics.append(FetchableTopicResponse(topic, topic_id, []))
            topics[-1].partitions.append(read[key])
            leader = read[key].current_leader
            leaders += [] if leader is None else [leader.leader_id]
        endpoints = endpoints_of(leaders, self._view.brokers)
        return FetchResponse(error_code=error, session_id=session_id, responses=topics, node_endpoints=endpoints)

    @property
    def _bytes_max(self) -> int:
        return max(1, min(int(self._request.message.max_bytes), RESPONSE_BYTES_MAX))

    def _next_portion(self) -> list[Message]:
        """The next few partitions of the first round: what is read and not given stays small."""
        portion = [self._unasked.popleft() for _ in range(min(PORTION, len(self._unasked)))]
        self._waiting.update(portion)
        return [self._core_request(asked, 0) for asked in portion]

    def _begin(self) -> Fetching:
        """What is to be read. A replica is refused: whoever says to be one would move the high watermark."""
        message, uses_ids = self._request.message, self._request.version >= _IDS_FROM
        wanted = {
            (topic.topic, topic.topic_id, each.partition): each for topic in message.topics for each in topic.partitions
        }
        replica_id = message.replica_id if message.replica_state is None else message.replica_state.replica_id
        if replica_id >= 0:
            return Fetching(wanted, ErrorCode.INVALID_REQUEST)
        forgotten = [
            (topic.topic, topic.topic_id, index)
            for topic in message.forgotten_topics_data
            for index in topic.partitions
        ]
        return self._view.fetch_sessions.begin(
            message.session_id, message.session_epoch, wanted, forgotten, uses_ids=uses_ids
        )

    def _place(self, key: PartitionKey) -> TopicPartition | None:
        """Which partition is meant; None for one of a topic id that nobody has."""
        topic, topic_id, index = key
        name = topic if self._request.version < _IDS_FROM else self._view.topic_names.get(topic_id)
        return None if name is None else TopicPartition(name, index)

    def _core_request(self, topic_partition: TopicPartition, wait_ms: int) -> core.FetchRequest:
        asked = self._asked[topic_partition]
        return core.FetchRequest(
            replica_id=NO_NODE,
            topic=topic_partition.topic,
            partition=topic_partition.partition,
            current_leader_epoch=asked.current_leader_epoch,
            fetch_offset=asked.fetch_offset,
            last_fetched_epoch=asked.last_fetched_epoch,
            max_wait_ms=wait_ms,
            max_bytes=max(0, min(asked.partition_max_bytes, self._request.message.max_bytes, RESPONSE_BYTES_MAX)),
            client_rack=self._request.message.rack_id if self._request.version >= _RACKS_FROM else None,
            read_committed=self._request.message.isolation_level == READ_COMMITTED,
        )

    def _has_enough(self) -> bool:
        """Something is wrong or to be read elsewhere, or there are the bytes that the client waits for, if it waits."""
        answers = self._answers.values()
        if self._lacks_topic or any(each.error or each.diverging or _is_elsewhere(each) for each in answers):
            return True
        wait_ms, least = self._request.message.max_wait_ms, self._request.message.min_bytes
        return bool(wait_ms <= 0 or self._given_bytes >= min(least, self._bytes_max))

    def _partition(self, index: int, found: core.FetchResponse | None, *, known: bool) -> PartitionData:
        """An empty record set is empty bytes, never null: librdkafka takes null for a broken message set."""
        if self._top_error != ErrorCode.NONE or not known:
            refused = self._top_error or ErrorCode.UNKNOWN_TOPIC_ID
            return PartitionData(index, refused, UNKNOWN_OFFSET, aborted_transactions=None, records=b"")
        if found is None:
            return PartitionData(index, ErrorCode.NONE, UNKNOWN_OFFSET, aborted_transactions=None, records=b"")
        led = who_leads(found, self._view.partitions)
        error = self._request.error(led.error)
        data = PartitionData(index, error, UNKNOWN_OFFSET, aborted_transactions=None, records=b"")
        if found.error == ErrorCode.NONE:
            data.high_watermark = data.last_stable_offset = found.high_watermark
            data.log_start_offset = found.log_start_offset
            data.records = found.records
            data.preferred_read_replica = found.preferred_read_replica
            if self._request.message.isolation_level == READ_COMMITTED:
                data.last_stable_offset = found.last_stable_offset
                data.aborted_transactions = [AbortedTransaction(*each) for each in found.aborted]
            if found.diverging is not None:
                data.diverging_epoch = EpochEndOffset(found.diverging.epoch, found.diverging.end_offset)
        elif error in _MOVED and self._request.version >= _LEADER_FROM:
            data.current_leader = LeaderIdAndEpoch(led.leader_id, led.leader_epoch)
        return data


def _is_elsewhere(answer: core.FetchResponse) -> bool:
    """Whether the consumer is to read from another replica."""
    return answer.preferred_read_replica != NO_NODE


FETCH: Final = Api(
    1,
    FetchRequest,
    FetchResponse,
    FetchExchange,
    versions="4-18",
    flexible="12+",
    younger_errors={ErrorCode.KAFKA_STORAGE_ERROR: (6, ErrorCode.NOT_LEADER_OR_FOLLOWER)},
)
