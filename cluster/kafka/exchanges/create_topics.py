"""CreateTopics: one request of an admin client, one for the controller for each topic. Source: KIP-4, KIP-464."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import KafkaError, client_error
from cluster.kafka.exchanges.exchange import BrokerView, Exchange, TopicDefaults
from cluster.kafka.frames import Request
from cluster.kafka.schema.create_topics import CreatableTopic, CreatableTopicResult, CreateTopicsResponse
from cluster.model.identifiers import NodeId
from cluster.model.messages import CreateTopicRequest, CreateTopicResponse, Message

MIN_ISR = "min.insync.replicas"
_DEFAULT = -1


class _Wish(Struct, frozen=True):
    """Why a topic cannot be asked of the controller."""

    error: KafkaError
    words: str


class CreateTopicsExchange(Exchange):
    """What becomes of one CreateTopics request.

    The core knows fewer wishes than Kafka: one setting, and one list of replicas for all partitions of a topic. What it
    does not know is refused, never left out in silence.
    """

    __slots__ = ("_defaults", "_request", "_results", "_waiting")

    def __init__(self, request: Request, defaults: TopicDefaults) -> None:
        self._request = request
        self._defaults = defaults
        self._results: dict[str, CreatableTopicResult] = {}
        wishes: list[CreateTopicRequest] = []
        times = Counter(topic.name for topic in request.message.topics)
        for topic in request.message.topics:
            wish = self._translate(topic, times[topic.name])
            if isinstance(wish, _Wish):
                self._results[topic.name] = CreatableTopicResult(
                    topic.name, error_code=wish.error, error_message=wish.words
                )
            else:
                wishes.append(wish)
        self._waiting = {asked.topic: asked for asked in wishes}
        self.requests = [*wishes]

    @classmethod
    def begin(cls, request: Request, view: BrokerView) -> CreateTopicsExchange:
        """With the broker's defaults."""
        return cls(request, view.defaults)

    @property
    def is_complete(self) -> bool:
        """Whether the response can be made."""
        return not self._waiting

    def answer(self, asked: CreateTopicRequest, response: CreateTopicResponse) -> Sequence[Message]:
        """Take the controller's answer to one of the requests. What nobody waits for is dropped."""
        if self._waiting.pop(asked.topic, None) is None:
            return ()
        error = client_error(response.error, ApiKey.CREATE_TOPICS, self._request.version)
        result = CreatableTopicResult(asked.topic, error_code=error, error_message=None, configs=[])
        if error == KafkaError.NONE:
            result.num_partitions = asked.partitions
            result.replication_factor = len(asked.assignment) or asked.replication_factor
        self._results[asked.topic] = result
        return ()

    def response(self) -> CreateTopicsResponse:
        """What the client is told; each name once. Raises KeyError when it is not complete."""
        names = dict.fromkeys(topic.name for topic in self._request.message.topics)
        return CreateTopicsResponse(topics=[self._results[name] for name in names])

    def _translate(self, topic: CreatableTopic, times: int) -> CreateTopicRequest | _Wish:
        if times > 1:
            return _Wish(KafkaError.INVALID_REQUEST, "a topic named twice")
        if self._request.message.validate_only:
            return _Wish(KafkaError.INVALID_REQUEST, "a topic cannot be checked without being created here")
        min_insync_replicas = self._min_insync_replicas(topic)
        if isinstance(min_insync_replicas, _Wish):
            return min_insync_replicas
        assignment = _assignment(topic)
        if isinstance(assignment, _Wish):
            return assignment
        defaults = self._defaults
        partitions = defaults.partitions if topic.num_partitions == _DEFAULT else topic.num_partitions
        replication = topic.replication_factor
        return CreateTopicRequest(
            topic=topic.name,
            partitions=len(topic.assignments) or partitions,
            replication_factor=defaults.replication_factor if replication == _DEFAULT else replication,
            min_insync_replicas=min_insync_replicas,
            assignment=assignment,
        )

    def _min_insync_replicas(self, topic: CreatableTopic) -> int | _Wish:
        found = self._defaults.min_insync_replicas
        for config in topic.configs:
            if config.name != MIN_ISR:
                return _Wish(KafkaError.INVALID_CONFIG, f"only {MIN_ISR} can be set here")
            if config.value is None or not config.value.isascii() or not config.value.isdigit():
                return _Wish(KafkaError.INVALID_CONFIG, f"{MIN_ISR} is a whole number from 1 on")
            found = int(config.value)
        return found if found >= 1 else _Wish(KafkaError.INVALID_CONFIG, f"{MIN_ISR} is a whole number from 1 on")


def _assignment(topic: CreatableTopic) -> tuple[NodeId, ...] | _Wish:
    """The replicas of every partition; empty when the controller may place them."""
    if not topic.assignments:
        return ()
    if topic.num_partitions != _DEFAULT or topic.replication_factor != _DEFAULT:
        return _Wish(KafkaError.INVALID_REQUEST, "an assignment comes without a number of partitions or replicas")
    if sorted(each.partition_index for each in topic.assignments) != list(range(len(topic.assignments))):
        return _Wish(KafkaError.INVALID_REPLICA_ASSIGNMENT, "partitions are numbered from 0 without a gap")
    lists = {tuple(each.broker_ids) for each in topic.assignments}
    if len(lists) > 1:
        return _Wish(KafkaError.INVALID_REPLICA_ASSIGNMENT, "all partitions have the same replicas here")
    return lists.pop()
