"""InitProducerId: an id for an idempotent producer. Source: KIP-98, KIP-360."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api
from cluster.kafka.codec.fields import int16, int32, int64, string
from cluster.kafka.exchange import OneAnswer
from cluster.model import messages as core
from cluster.model.errors import ErrorCode


@dataclass(slots=True)
class InitProducerIdRequest:
    """Give me an id and an epoch; a null transactional id asks for idempotence alone."""

    transactional_id: str | None = string(null="0+")
    transaction_timeout_ms: int = int32()
    producer_id: int = int64("3+", default=-1)
    producer_epoch: int = int16("3+", default=-1)


@dataclass(slots=True)
class InitProducerIdResponse:
    """The id and the epoch."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    producer_id: int = int64(default=-1)
    producer_epoch: int = int16()


class InitProducerIdExchange(OneAnswer):
    """What becomes of one InitProducerId request. The broker that is asked decides, transactions included."""

    __slots__ = ()

    def _asked(self) -> core.InitProducerIdRequest:
        message = self._request.message
        return core.InitProducerIdRequest(
            client_id=self._request.client_id or "",
            transactional_id=message.transactional_id,
            producer_id=message.producer_id,
            producer_epoch=message.producer_epoch,
            transaction_timeout_ms=message.transaction_timeout_ms,
        )

    def response(self) -> InitProducerIdResponse:
        """What the client is told."""
        answer: core.InitProducerIdResponse = self._answer
        error = self._request.error(answer.error)
        if error != ErrorCode.NONE:
            return InitProducerIdResponse(error_code=error, producer_id=-1, producer_epoch=-1)
        return InitProducerIdResponse(producer_id=answer.producer_id, producer_epoch=answer.producer_epoch)


INIT_PRODUCER_ID: Final = Api(
    22,
    InitProducerIdRequest,
    InitProducerIdResponse,
    InitProducerIdExchange,
    versions="0-5",
    flexible="2+",
    younger_errors={ErrorCode.PRODUCER_FENCED: (4, ErrorCode.INVALID_PRODUCER_EPOCH)},
)
