"""DeleteTopics: one request of an admin client, one for the controller for each topic. Source: KIP-4, KIP-516."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request, Whom
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import NO_UUID, array, int16, int32, string, uuid
from cluster.kafka.errors import words_for
from cluster.kafka.exchange import EachOnce, Refused
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.messages import Message

_BY_ID_FROM = 6


@dataclass(slots=True)
class DeleteTopicState:
    """One topic, by name or by id."""

    name: str | None = string(null="0+", default=None)
    topic_id: bytes = uuid()


@dataclass(slots=True)
class DeleteTopicsRequest:
    """Remove these; by name, from version 6 on by name or id."""

    topic_names: list[str] = array("string", "0-5")
    topics: list[DeleteTopicState] = array(DeleteTopicState, "6+")
    timeout_ms: int = int32()


@dataclass(slots=True)
class DeletableTopicResult:
    """What became of one topic."""

    name: str | None = string(null="6+")
    topic_id: bytes = uuid("6+")
    error_code: int = int16()
    error_message: str | None = string("5+", null="0+", default=None)


@dataclass(slots=True)
class DeleteTopicsResponse:
    """Which were removed."""

    throttle_time_ms: int = int32()
    responses: list[DeletableTopicResult] = array(DeletableTopicResult)


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
            return self._refused(named, ErrorCode.INVALID_REQUEST, "either a name or an id")
        topic_name = view.topic_names.get(topic_id) if name is None else name
        if topic_name is None:
            return self._refused(named, ErrorCode.UNKNOWN_TOPIC_ID, "no topic with this id")
        if times[topic_name] > 1:
            return self._refused(named, ErrorCode.INVALID_REQUEST, "a topic named twice")
        return core.DeleteTopicRequest(topic=topic_name)

    @staticmethod
    def _refused(named: tuple[str | None, bytes], error: ErrorCode, words: str) -> Refused:
        return Refused(DeletableTopicResult(named[0], named[1], error, words))

    def result(self, asked: core.DeleteTopicRequest, response: core.DeleteTopicResponse) -> DeletableTopicResult:
        """Of one topic, with both its names."""
        error = self._request.error(response.error)
        topic_id = self._ids.get(asked.topic, NO_UUID)
        return DeletableTopicResult(asked.topic, topic_id, error, words_for(error, response.reason))

    def response(self) -> DeleteTopicsResponse:
        """What the client is told; each topic once."""
        return DeleteTopicsResponse(responses=self._results)


DELETE_TOPICS: Final = Api(
    20,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicsExchange,
    versions="1-6",
    flexible="4+",
    whom=Whom.CONTROLLER,
)
