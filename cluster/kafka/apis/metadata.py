"""Metadata: what a broker's image looks like to clients. Source: Kafka KRaftMetadataCache, KafkaApis."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request, Whom
from cluster.kafka.broker_view import BrokerView, is_legal_topic
from cluster.kafka.codec.fields import NO_UUID, array, boolean, int16, int32, string, uuid
from cluster.kafka.exchange import Known
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import INTERNAL_TOPICS, NO_NODE
from cluster.model.partition_state import PartitionState
from cluster.model.uuids import topic_uuid

CREATED_MAX = 50
"""Topics that one request may have created."""
_NULL_NAME_FROM = 12


@dataclass(slots=True)
class MetadataRequestTopic:
    """One topic asked for."""

    topic_id: bytes = uuid("10+")
    name: str | None = string(null="10+")


@dataclass(slots=True)
class MetadataRequest:
    """Tell me about these topics; null asks for all, and so does an empty list in version 0."""

    topics: list[MetadataRequestTopic] | None = array(MetadataRequestTopic, null="1+")
    allow_auto_topic_creation: bool = boolean("4+", default=True)
    include_cluster_authorized_operations: bool = boolean("8-10")
    include_topic_authorized_operations: bool = boolean("8+")


@dataclass(slots=True)
class MetadataResponseBroker:
    """Where one broker listens."""

    node_id: int = int32()
    host: str = string()
    port: int = int32()
    rack: str | None = string("1+", null="0+", default=None)


@dataclass(slots=True)
class MetadataResponsePartition:
    """Leader and replicas of one partition."""

    error_code: int = int16()
    partition_index: int = int32()
    leader_id: int = int32()
    leader_epoch: int = int32("7+", default=-1)
    replica_nodes: list[int] = array("int32")
    isr_nodes: list[int] = array("int32")
    offline_replicas: list[int] = array("int32", "5+")


@dataclass(slots=True)
class MetadataResponseTopic:
    """One topic and its partitions."""

    error_code: int = int16()
    name: str | None = string(null="12+")
    topic_id: bytes = uuid("10+")
    is_internal: bool = boolean("1+")
    partitions: list[MetadataResponsePartition] = array(MetadataResponsePartition)
    topic_authorized_operations: int = int32("8+", default=-2147483648)


@dataclass(slots=True)
class MetadataResponse:
    """The brokers and topics that the answering broker knows."""

    throttle_time_ms: int = int32("3+")
    brokers: list[MetadataResponseBroker] = array(MetadataResponseBroker)
    cluster_id: str | None = string("2+", null="0+", default=None)
    controller_id: int = int32("1+", default=-1)
    topics: list[MetadataResponseTopic] = array(MetadataResponseTopic)
    cluster_authorized_operations: int = int32("8-10", default=-2147483648)
    error_code: int = int16("13+")


class MetadataExchange(Known):
    """What becomes of one Metadata request. It is answered at once, with what is known.

    Topics that nobody has created are asked for meanwhile, when the client and the run allow it; the client finds them
    when it asks again. Source: Kafka AutoTopicCreationManager.
    """

    __slots__ = ()

    def __init__(self, request: Request, view: BrokerView) -> None:
        response = metadata_response(request, view)
        super().__init__(response)
        wanted = request.message.allow_auto_topic_creation and view.settings.auto_create_topics
        defaults = view.defaults
        self.requests = [
            core.CreateTopicRequest(
                topic=topic.name or "",
                partitions=defaults.partitions,
                replication_factor=defaults.replication_factor,
                min_insync_replicas=defaults.min_insync_replicas,
            )
            for topic in response.topics[:CREATED_MAX]
            if wanted and topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION and topic.name not in INTERNAL_TOPICS
        ]


def metadata_response(request: Request, view: BrokerView) -> MetadataResponse:
    """The brokers, and the topics asked for: all of them for null, and for an empty list in version 0."""
    brokers = [MetadataResponseBroker(node, *endpoint) for node, endpoint in sorted(view.brokers.items())]
    topics: dict[str, dict[int, PartitionState]] = defaultdict(dict)
    for (name, index), state in sorted(view.partitions.items()):
        topics[name][index] = state
    asked = request.message.topics
    if asked is None or (not asked and request.version == 0):
        described = [_topic(request, view, name, partitions) for name, partitions in topics.items()]
    else:
        described = [_asked_topic(request, view, topics, each) for each in asked]
    return MetadataResponse(0, brokers, view.cluster_id, view.controller_id, described)


def _asked_topic(
    request: Request, view: BrokerView, topics: Mapping[str, Mapping[int, PartitionState]], asked: MetadataRequestTopic
) -> MetadataResponseTopic:
    if asked.topic_id == NO_UUID:
        name = asked.name or ""
        if name in topics:
            return _topic(request, view, name, topics[name])
        legal = is_legal_topic(name)
        error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if legal else ErrorCode.INVALID_TOPIC_EXCEPTION
        return MetadataResponseTopic(error, name)
    for name, partitions in topics.items():
        if _id_of(partitions) == asked.topic_id:
            return _topic(request, view, name, partitions)
    unnamed = None if request.version >= _NULL_NAME_FROM else ""
    return MetadataResponseTopic(ErrorCode.UNKNOWN_TOPIC_ID, unnamed, asked.topic_id)


def _id_of(partitions: Mapping[int, PartitionState]) -> bytes:
    return topic_uuid(next(iter(partitions.values())).topic_id)


def _topic(
    request: Request, view: BrokerView, name: str, partitions: Mapping[int, PartitionState]
) -> MetadataResponseTopic:
    described = [_partition(request.version, view, index, state) for index, state in partitions.items()]
    return MetadataResponseTopic(ErrorCode.NONE, name, _id_of(partitions), name in INTERNAL_TOPICS, described)


def _partition(version: int, view: BrokerView, index: int, state: PartitionState) -> MetadataResponsePartition:
    """Version 0 leaves dead replicas out and says that some are missing; later ones name them as offline."""
    alive = [node for node in state.replicas if node in view.brokers]
    in_sync = [node for node in state.isr if node in view.brokers]
    replicas, isr = (alive, in_sync) if version == 0 else (list(state.replicas), list(state.isr))
    leader, error = state.leader, ErrorCode.NONE
    if leader not in view.brokers:
        leader, error = NO_NODE, ErrorCode.LEADER_NOT_AVAILABLE
    elif len(replicas) < len(state.replicas) or len(isr) < len(state.isr):
        error = ErrorCode.REPLICA_NOT_AVAILABLE
    offline = [node for node in state.replicas if node not in view.brokers]
    return MetadataResponsePartition(error, index, leader, state.leader_epoch, replicas, isr, offline)


METADATA: Final = Api(
    3, MetadataRequest, MetadataResponse, MetadataExchange, versions="0-13", flexible="9+", whom=Whom.CONTROLLER
)
