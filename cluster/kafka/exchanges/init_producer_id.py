"""InitProducerId: an id for an idempotent producer. Source: KIP-98, KIP-360."""

from __future__ import annotations

from collections.abc import Sequence

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import KafkaError, client_error
from cluster.kafka.exchanges.exchange import Exchange
from cluster.kafka.frames import Request
from cluster.kafka.schema import init_producer_id as schema
from cluster.model.messages import InitProducerIdRequest, InitProducerIdResponse, Message


class InitProducerIdExchange(Exchange):
    """What becomes of one InitProducerId request. The broker that is asked decides, transactions included."""

    __slots__ = ("_answer", "_request")

    def __init__(self, request: Request) -> None:
        self._request = request
        self._answer: InitProducerIdResponse | None = None
        message = request.message
        asked = InitProducerIdRequest(
            client_id=request.client_id or "",
            transactional_id=message.transactional_id,
            producer_id=message.producer_id,
            producer_epoch=message.producer_epoch,
        )
        self.requests = [asked]

    @property
    def is_complete(self) -> bool:
        """Whether the response can be made."""
        return self._answer is not None

    def answer(self, asked: InitProducerIdRequest, response: InitProducerIdResponse) -> Sequence[Message]:
        """Take the core's answer."""
        del asked
        self._answer = response
        return ()

    def response(self) -> schema.InitProducerIdResponse:
        """What the client is told."""
        assert self._answer is not None, "the core has answered"
        error = client_error(self._answer.error, ApiKey.INIT_PRODUCER_ID, self._request.version)
        if error != KafkaError.NONE:
            return schema.InitProducerIdResponse(error_code=error, producer_id=-1, producer_epoch=-1)
        return schema.InitProducerIdResponse(
            producer_id=self._answer.producer_id, producer_epoch=self._answer.producer_epoch
        )
