"""CreatePartitions: one request of an admin client, one for the controller for each topic. Source: KIP-195."""

from __future__ import annotations

from collections import Counter

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import KafkaError, client_error, words_for
from cluster.kafka.exchanges.each_once import EachOnce, Refused
from cluster.kafka.frames import Request
from cluster.kafka.schema import create_partitions as schema
from cluster.model.messages import CreatePartitionsRequest, CreatePartitionsResponse


class CreatePartitionsExchange(EachOnce):
    """What becomes of one CreatePartitions request."""

    __slots__ = ()

    def __init__(self, request: Request) -> None:
        times = Counter(topic.name for topic in request.message.topics)
        named = {topic.name: topic for topic in request.message.topics}
        twice = KafkaError.INVALID_REQUEST, "a topic named twice"
        super().__init__(
            request,
            [
                Refused(schema.CreatePartitionsTopicResult(name, *twice))
                if times[name] > 1
                else CreatePartitionsRequest(
                    topic=name,
                    count=topic.count,
                    assignments=tuple(tuple(each.broker_ids) for each in topic.assignments or ()),
                    validate_only=request.message.validate_only,
                )
                for name, topic in named.items()
            ],
        )

    def result(
        self, asked: CreatePartitionsRequest, response: CreatePartitionsResponse
    ) -> schema.CreatePartitionsTopicResult:
        """Of one topic."""
        error = client_error(response.error, ApiKey.CREATE_PARTITIONS, self._request.version)
        return schema.CreatePartitionsTopicResult(asked.topic, error, words_for(error, response.reason))

    def response(self) -> schema.CreatePartitionsResponse:
        """What the client is told; each name once."""
        return schema.CreatePartitionsResponse(results=self._results)
