"""CreateTopics: one request of an admin client, one for the controller for each topic. Source: KIP-4, KIP-525."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request, Whom
from cluster.kafka.broker_view import BrokerView, TopicDefaults
from cluster.kafka.codec.fields import NO_UUID, array, boolean, int8, int16, int32, string, uuid
from cluster.kafka.errors import words_for
from cluster.kafka.exchange import EachOnce, Refused
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.uuids import topic_uuid

_DEFAULT = -1


@dataclass(slots=True)
class CreatableReplicaAssignment:
    """The brokers of one partition."""

    partition_index: int = int32()
    broker_ids: list[int] = array("int32")


@dataclass(slots=True)
class CreatableTopicConfig:
    """A setting of the new topic."""

    name: str = string()
    value: str | None = string(null="0+")


@dataclass(slots=True)
class CreatableTopic:
    """One topic to make."""

    name: str = string()
    num_partitions: int = int32()
    replication_factor: int = int16()
    assignments: list[CreatableReplicaAssignment] = array(CreatableReplicaAssignment)
    configs: list[CreatableTopicConfig] = array(CreatableTopicConfig)


@dataclass(slots=True)
class CreateTopicsRequest:
    """Topics to be made, and how long the client waits for them."""

    topics: list[CreatableTopic] = array(CreatableTopic)
    timeout_ms: int = int32(default=60000)
    validate_only: bool = boolean()


@dataclass(slots=True)
class CreatableTopicConfigs:
    """A setting that the topic has now."""

    name: str = string()
    value: str | None = string(null="0+")
    read_only: bool = boolean()
    config_source: int = int8(default=-1)
    is_sensitive: bool = boolean()


@dataclass(slots=True)
class CreatableTopicResult:
    """What became of one topic."""

    name: str = string()
    topic_id: bytes = uuid("7+")
    error_code: int = int16()
    error_message: str | None = string(null="0+")
    topic_config_error_code: int = int16("5+", tag=0)
    num_partitions: int = int32("5+", default=-1)
    replication_factor: int = int16("5+", default=-1)
    configs: list[CreatableTopicConfigs] | None = array(CreatableTopicConfigs, "5+", null="0+")


@dataclass(slots=True)
class CreateTopicsResponse:
    """Which were made, or why not."""

    throttle_time_ms: int = int32()
    topics: list[CreatableTopicResult] = array(CreatableTopicResult)


class CreateTopicsExchange(EachOnce):
    """What becomes of one CreateTopics request."""

    __slots__ = ()

    def __init__(self, request: Request, view: BrokerView) -> None:
        times = Counter(topic.name for topic in request.message.topics)
        named = {topic.name: topic for topic in request.message.topics}
        super().__init__(
            request,
            [
                _refused(topic, ErrorCode.INVALID_REQUEST, "a topic named twice")
                if times[topic.name] > 1
                else _translated(topic, view.defaults, validate_only=request.message.validate_only)
                for topic in named.values()
            ],
        )

    def result(self, asked: core.CreateTopicRequest, response: core.CreateTopicResponse) -> CreatableTopicResult:
        """Of one topic: its size and settings, or why it was not made."""
        error = self._request.error(response.error)
        if error != ErrorCode.NONE:
            return CreatableTopicResult(asked.topic, NO_UUID, error, words_for(error, response.reason), configs=[])
        return CreatableTopicResult(
            asked.topic,
            NO_UUID if asked.validate_only else topic_uuid(response.topic_id),
            error_message=None,
            num_partitions=asked.partitions,
            replication_factor=len(asked.assignments[0]) if asked.assignments else asked.replication_factor,
            configs=[
                CreatableTopicConfigs(name, value, is_read_only, source)
                for name, value, source, is_read_only, _, _ in response.configs
            ],
        )

    def response(self) -> CreateTopicsResponse:
        """What the client is told; each topic once."""
        return CreateTopicsResponse(topics=self._results)


def _translated(
    topic: CreatableTopic, defaults: TopicDefaults, *, validate_only: bool
) -> core.CreateTopicRequest | Refused:
    configs = {config.name: config.value for config in topic.configs}
    empty = [name for name, value in configs.items() if value is None]
    if empty:
        return _refused(topic, ErrorCode.INVALID_CONFIG, f"{empty[0][:60]!a} has no value")
    if topic.assignments and (topic.num_partitions != _DEFAULT or topic.replication_factor != _DEFAULT):
        words = "an assignment comes without a number of partitions or replicas"
        return _refused(topic, ErrorCode.INVALID_REQUEST, words)
    assigned = {each.partition_index: tuple(each.broker_ids) for each in topic.assignments}
    if len(assigned) != len(topic.assignments) or sorted(assigned) != list(range(len(assigned))):
        words = "partitions are numbered from 0 without a gap, each once"
        return _refused(topic, ErrorCode.INVALID_REPLICA_ASSIGNMENT, words)
    partitions = defaults.partitions if topic.num_partitions == _DEFAULT else topic.num_partitions
    replication = topic.replication_factor
    return core.CreateTopicRequest(
        topic=topic.name,
        partitions=len(assigned) or partitions,
        replication_factor=defaults.replication_factor if replication == _DEFAULT else replication,
        min_insync_replicas=defaults.min_insync_replicas,
        assignments=tuple(assigned[index] for index in range(len(assigned))),
        configs=tuple((name, value or "") for name, value in configs.items()),
        validate_only=validate_only,
    )


def _refused(topic: CreatableTopic, error: ErrorCode, words: str) -> Refused:
    return Refused(CreatableTopicResult(topic.name, error_code=error, error_message=words, configs=[]))


CREATE_TOPICS: Final = Api(
    19,
    CreateTopicsRequest,
    CreateTopicsResponse,
    CreateTopicsExchange,
    versions="2-7",
    flexible="5+",
    whom=Whom.CONTROLLER,
)
