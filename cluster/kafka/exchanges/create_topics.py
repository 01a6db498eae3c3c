"""CreateTopics: one request of an admin client, one for the controller for each topic. Source: KIP-4, KIP-525."""

from __future__ import annotations

from collections import Counter

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import KafkaError, client_error, words_for
from cluster.kafka.exchanges.each_once import EachOnce, Refused
from cluster.kafka.exchanges.exchange import BrokerView, TopicDefaults
from cluster.kafka.exchanges.topics import topic_uuid
from cluster.kafka.fields import NO_UUID
from cluster.kafka.frames import Request
from cluster.kafka.schema.create_topics import (
    CreatableTopic,
    CreatableTopicConfigs,
    CreatableTopicResult,
    CreateTopicsResponse,
)
from cluster.model.messages import CreateTopicRequest, CreateTopicResponse

_DEFAULT = -1


class CreateTopicsExchange(EachOnce):
    """What becomes of one CreateTopics request."""

    __slots__ = ()

    def __init__(self, request: Request, defaults: TopicDefaults) -> None:
        times = Counter(topic.name for topic in request.message.topics)
        named = {topic.name: topic for topic in request.message.topics}
        super().__init__(
            request,
            [
                _refused(topic, KafkaError.INVALID_REQUEST, "a topic named twice")
                if times[topic.name] > 1
                else _translated(topic, defaults, validate_only=request.message.validate_only)
                for topic in named.values()
            ],
        )

    @classmethod
    def begin(cls, request: Request, view: BrokerView) -> CreateTopicsExchange:
        """With the broker's defaults."""
        return cls(request, view.defaults)

    def result(self, asked: CreateTopicRequest, response: CreateTopicResponse) -> CreatableTopicResult:
        """Of one topic: its size and settings, or why it was not made."""
        error = client_error(response.error, ApiKey.CREATE_TOPICS, self._request.version)
        if error != KafkaError.NONE:
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


def _translated(topic: CreatableTopic, defaults: TopicDefaults, *, validate_only: bool) -> CreateTopicRequest | Refused:
    configs = {config.name: config.value for config in topic.configs}
    empty = [name for name, value in configs.items() if value is None]
    if empty:
        return _refused(topic, KafkaError.INVALID_CONFIG, f"{empty[0][:60]!a} has no value")
    if topic.assignments and (topic.num_partitions != _DEFAULT or topic.replication_factor != _DEFAULT):
        words = "an assignment comes without a number of partitions or replicas"
        return _refused(topic, KafkaError.INVALID_REQUEST, words)
    assigned = {each.partition_index: tuple(each.broker_ids) for each in topic.assignments}
    if len(assigned) != len(topic.assignments) or sorted(assigned) != list(range(len(assigned))):
        words = "partitions are numbered from 0 without a gap, each once"
        return _refused(topic, KafkaError.INVALID_REPLICA_ASSIGNMENT, words)
    partitions = defaults.partitions if topic.num_partitions == _DEFAULT else topic.num_partitions
    replication = topic.replication_factor
    return CreateTopicRequest(
        topic=topic.name,
        partitions=len(assigned) or partitions,
        replication_factor=defaults.replication_factor if replication == _DEFAULT else replication,
        min_insync_replicas=defaults.min_insync_replicas,
        assignments=tuple(assigned[index] for index in range(len(assigned))),
        configs=tuple((name, value or "") for name, value in configs.items()),
        validate_only=validate_only,
    )


def _refused(topic: CreatableTopic, error: KafkaError, words: str) -> Refused:
    return Refused(CreatableTopicResult(topic.name, error_code=error, error_message=words, configs=[]))
