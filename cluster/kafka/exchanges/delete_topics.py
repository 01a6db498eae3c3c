"""DeleteTopics: one request of an admin client, one for the controller for each topic. Source: KIP-4, KIP-516."""

from __future__ import annotations

from collections import Counter

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import KafkaError, client_error, words_for
from cluster.kafka.exchanges.each_once import EachOnce, Refused
from cluster.kafka.exchanges.exchange import BrokerView
from cluster.kafka.fields import NO_UUID
from cluster.kafka.frames import Request
from cluster.kafka.schema import delete_topics as schema
from cluster.model.messages import DeleteTopicRequest, DeleteTopicResponse, Message

_BY_ID_FROM = 6


class DeleteTopicsExchange(EachOnce):
    """What becomes of one DeleteTopics request: by name, from version 6 on by name or by id."""

    __slots__ = ("_ids",)

    def __init__(self, request: Request, view: BrokerView) -> None:
        self._ids = {name: topic_id for topic_id, name in view.topic_names.items()}
        if request.version < _BY_ID_FROM:
            named: list[tuple[str | None, bytes]] = [(name, NO_UUID) for name in request.message.topic_names]
        else:
            named = [(topic.name, topic.topic_id) for topic in request.message.topics]
        times = Counter(view.topic_names.get(topic_id) if name is None else name for name, topic_id in named)
        super().__init__(request, [self._step(view, each, times) for each in dict.fromkeys(named)])

    def _step(self, view: BrokerView, named: tuple[str | None, bytes], times: Counter[str | None]) -> Message | Refused:
        name, topic_id = named
        if (name is None) == (topic_id == NO_UUID):
            return self._refused(named, KafkaError.INVALID_REQUEST, "either a name or an id")
        found = view.topic_names.get(topic_id) if name is None else name
        if found is None:
            return self._refused(named, KafkaError.UNKNOWN_TOPIC_ID, "no topic with this id")
        if times[found] > 1:
            return self._refused(named, KafkaError.INVALID_REQUEST, "a topic named twice")
        return DeleteTopicRequest(topic=found)

    @staticmethod
    def _refused(named: tuple[str | None, bytes], error: KafkaError, words: str) -> Refused:
        return Refused(schema.DeletableTopicResult(named[0], named[1], error, words))

    def result(self, asked: DeleteTopicRequest, response: DeleteTopicResponse) -> schema.DeletableTopicResult:
        """Of one topic, with both its names."""
        error = client_error(response.error, ApiKey.DELETE_TOPICS, self._request.version)
        topic_id = self._ids.get(asked.topic, NO_UUID)
        return schema.DeletableTopicResult(asked.topic, topic_id, error, words_for(error, response.reason))

    def response(self) -> schema.DeleteTopicsResponse:
        """What the client is told; each topic once."""
        return schema.DeleteTopicsResponse(responses=self._results)
