"""InitProducerId: an idempotent or transactional producer gets its id. API key 22."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import int16, int32, int64, string


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
