"""CreatePartitions: one request of an admin client, one for the controller for each topic. Source: KIP-195."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request, Whom
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, boolean, int16, int32, string
from cluster.kafka.errors import words_for
from cluster.kafka.exchange import EachOnce, Refused
from cluster.model import messages as core
from cluster.model.errors import ErrorCode


@dataclass(slots=True)
class CreatePartitionsAssignment:
    """The brokers of one new partition."""

    broker_ids: list[int] = array("int32")


@dataclass(slots=True)
class CreatePartitionsTopic:
    """One topic, and how many partitions it is to have."""

    name: str = string()
    count: int = int32()
    assignments: list[CreatePartitionsAssignment] | None = array(CreatePartitionsAssignment, null="0+")


@dataclass(slots=True)
class CreatePartitionsRequest:
    """Grow these topics."""

    topics: list[CreatePartitionsTopic] = array(CreatePartitionsTopic)
    timeout_ms: int = int32()
    validate_only: bool = boolean()


@dataclass(slots=True)
class CreatePartitionsTopicResult:
    """What became of one topic."""

    name: str = string()
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)


@dataclass(slots=True)
class CreatePartitionsResponse:
    """For each topic, whether it has the partitions that were asked for."""

    throttle_time_ms: int = int32()
    results: list[CreatePartitionsTopicResult] = array(CreatePartitionsTopicResult)


class CreatePartitionsExchange(EachOnce):
    """What becomes of one CreatePartitions request."""

    __slots__ = ()

    def __init__(self, request: Request, _view: BrokerView) -> None:
        times = Counter(topic.name for topic in request.message.topics)
        named = {topic.name: topic for topic in request.message.topics}
        twice = ErrorCode.INVALID_REQUEST, "a topic named twice"
        super().__init__(
            request,
            [
                Refused(CreatePartitionsTopicResult(name, *twice))
                if times[name] > 1
                else core.CreatePartitionsRequest(
                    topic=name,
                    count=topic.count,
                    assignments=tuple(tuple(each.broker_ids) for each in topic.assignments or ()),
                    validate_only=request.message.validate_only,
                )
                for name, topic in named.items()
            ],
        )

    def result(
        self, asked: core.CreatePartitionsRequest, response: core.CreatePartitionsResponse
    ) -> CreatePartitionsTopicResult:
        """Of one topic."""
        error = self._request.error(response.error)
        return CreatePartitionsTopicResult(asked.topic, error, words_for(error, response.reason))

    def response(self) -> CreatePartitionsResponse:
        """What the client is told; each name once."""
        return CreatePartitionsResponse(results=self._results)


CREATE_PARTITIONS: Final = Api(
    37,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsExchange,
    versions="0-3",
    flexible="2+",
    whom=Whom.CONTROLLER,
)
