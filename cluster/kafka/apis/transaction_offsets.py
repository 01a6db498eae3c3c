"""TxnOffsetCommit: offsets that count once the transaction commits. Source: KIP-98, KIP-447."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api
from cluster.kafka.apis.group_offsets import OffsetCommitResponseTopic, fates, offsets_of
from cluster.kafka.codec.fields import array, int16, int32, int64, string
from cluster.kafka.exchange import OneAnswer
from cluster.model import messages as core
from cluster.model.errors import ErrorCode

_ADDS_FROM = 5


@dataclass(slots=True)
class TxnOffsetCommitRequestPartition:
    """The offset of one partition: the next one to read."""

    partition_index: int = int32()
    committed_offset: int = int64()
    committed_leader_epoch: int = int32("2+", default=-1)
    committed_metadata: str | None = string(null="0+")


@dataclass(slots=True)
class TxnOffsetCommitRequestTopic:
    """The offsets of one topic."""

    name: str = string()
    partitions: list[TxnOffsetCommitRequestPartition] = array(TxnOffsetCommitRequestPartition)


@dataclass(slots=True)
class TxnOffsetCommitRequest:
    """Remember these offsets if the transaction commits."""

    transactional_id: str = string()
    group_id: str = string()
    producer_id: int = int64()
    producer_epoch: int = int16()
    generation_id: int = int32("3+", default=-1)
    member_id: str = string("3+")
    group_instance_id: str | None = string("3+", null="3+", default=None)
    topics: list[TxnOffsetCommitRequestTopic] = array(TxnOffsetCommitRequestTopic)


@dataclass(slots=True)
class TxnOffsetCommitResponse:
    """Whether each offset was kept."""

    throttle_time_ms: int = int32()
    topics: list[OffsetCommitResponseTopic] = array(OffsetCommitResponseTopic)


class TxnOffsetCommitExchange(OneAnswer):
    """What becomes of one TxnOffsetCommit request."""

    __slots__ = ()

    def _asked(self) -> core.TxnOffsetCommitRequest:
        message = self._request.message
        return core.TxnOffsetCommitRequest(
            group=message.group_id,
            transactional_id=message.transactional_id,
            producer_id=message.producer_id,
            producer_epoch=message.producer_epoch,
            generation=message.generation_id,
            member_id=message.member_id,
            instance_id=message.group_instance_id or "",
            offsets=offsets_of(message),
            adds_partition=self._request.version >= _ADDS_FROM,
        )

    def response(self) -> TxnOffsetCommitResponse:
        """What became of each, in the order of the request."""
        return TxnOffsetCommitResponse(topics=fates(self._request, self._answer.partitions))


TXN_OFFSET_COMMIT: Final = Api(
    28,
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
    TxnOffsetCommitExchange,
    versions="0-5",
    flexible="3+",
    younger_errors={ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: (2, ErrorCode.COORDINATOR_NOT_AVAILABLE)},
)
