"""OffsetCommit, OffsetFetch, OffsetDelete: how far groups have read. Source: KIP-211, KIP-496, KIP-709 (many groups).

Retention that old clients name in a commit (versions 2 to 4) is not looked at: the brokers' own holds for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from cluster.kafka.api import Api, Exchange, Request
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, boolean, int16, int32, int64, string
from cluster.kafka.exchange import OneAnswer
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import UNKNOWN_OFFSET
from cluster.model.messages import Message

_TOP_ERROR_FROM, _MANY_GROUPS_FROM, _MEMBER_EPOCHS_FROM = 2, 8, 9


@dataclass(slots=True)
class OffsetCommitRequestPartition:
    """The offset of one partition: the next one to read."""

    partition_index: int = int32()
    committed_offset: int = int64()
    committed_leader_epoch: int = int32("6+", default=-1)
    committed_metadata: str | None = string(null="0+")


@dataclass(slots=True)
class OffsetCommitRequestTopic:
    """The offsets of one topic."""

    name: str = string()
    partitions: list[OffsetCommitRequestPartition] = array(OffsetCommitRequestPartition)


@dataclass(slots=True)
class OffsetCommitRequest:
    """Remember these offsets."""

    group_id: str = string()
    generation_id_or_member_epoch: int = int32(default=-1)
    member_id: str = string()
    retention_time_ms: int = int64("0-4", default=-1)
    group_instance_id: str | None = string("7+", null="0+", default=None)
    topics: list[OffsetCommitRequestTopic] = array(OffsetCommitRequestTopic)


@dataclass(slots=True)
class OffsetCommitResponsePartition:
    """Whether the offset of one partition was kept."""

    partition_index: int = int32()
    error_code: int = int16()


@dataclass(slots=True)
class OffsetCommitResponseTopic:
    """Whether the offsets of one topic were kept."""

    name: str = string()
    partitions: list[OffsetCommitResponsePartition] = array(OffsetCommitResponsePartition)


@dataclass(slots=True)
class OffsetCommitResponse:
    """Whether each offset was kept."""

    throttle_time_ms: int = int32("3+")
    topics: list[OffsetCommitResponseTopic] = array(OffsetCommitResponseTopic)


def offsets_of(message: Any) -> tuple[tuple[str, int, int, int, str], ...]:
    """What a commit names, inside a transaction or not: (topic, partition, offset, leader epoch, metadata) each."""
    return tuple(
        (
            topic.name,
            item.partition_index,
            item.committed_offset,
            item.committed_leader_epoch,
            item.committed_metadata or "",
        )
        for topic in message.topics
        for item in topic.partitions
    )


def fates(request: Request, partitions: Sequence[tuple[str, int, int]]) -> list[OffsetCommitResponseTopic]:
    """What became of each, in the order of the request."""
    errors = iter(partitions)
    return [
        OffsetCommitResponseTopic(
            topic.name,
            [
                OffsetCommitResponsePartition(item.partition_index, request.error(next(errors)[2]))
                for item in topic.partitions
            ],
        )
        for topic in request.message.topics
    ]


class OffsetCommitExchange(OneAnswer):
    """What becomes of one OffsetCommit request."""

    __slots__ = ()

    def _asked(self) -> core.OffsetCommitRequest:
        message = self._request.message
        return core.OffsetCommitRequest(
            group=message.group_id,
            generation=message.generation_id_or_member_epoch,
            member_id=message.member_id,
            instance_id=message.group_instance_id or "",
            offsets=offsets_of(message),
            knows_member_epochs=self._request.version >= _MEMBER_EPOCHS_FROM,
        )

    def response(self) -> OffsetCommitResponse:
        """What became of each, in the order of the request."""
        return OffsetCommitResponse(topics=fates(self._request, self._answer.partitions))


OFFSET_COMMIT: Final = Api(
    8, OffsetCommitRequest, OffsetCommitResponse, OffsetCommitExchange, versions="2-9", flexible="8+"
)


@dataclass(slots=True)
class OffsetFetchRequestTopic:
    """Partitions of one topic."""

    name: str = string()
    partition_indexes: list[int] = array("int32")


@dataclass(slots=True)
class OffsetFetchRequestGroup:
    """One group, from version 8 on."""

    group_id: str = string()
    member_id: str | None = string("9+", null="0+", default=None)
    member_epoch: int = int32("9+", default=-1)
    topics: list[OffsetFetchRequestTopic] | None = array(OffsetFetchRequestTopic, null="0+")


@dataclass(slots=True)
class OffsetFetchRequest:
    """Which offsets did the group commit? Version 8 and later ask for many groups."""

    group_id: str = string("0-7")
    topics: list[OffsetFetchRequestTopic] | None = array(OffsetFetchRequestTopic, "0-7", null="2+")
    groups: list[OffsetFetchRequestGroup] = array(OffsetFetchRequestGroup, "8+")
    require_stable: bool = boolean("7+")


@dataclass(slots=True)
class OffsetFetchResponsePartition:
    """The offset of one partition."""

    partition_index: int = int32()
    committed_offset: int = int64()
    committed_leader_epoch: int = int32("5+", default=-1)
    metadata: str | None = string(null="0+")
    error_code: int = int16()


@dataclass(slots=True)
class OffsetFetchResponseTopic:
    """The offsets of one topic."""

    name: str = string()
    partitions: list[OffsetFetchResponsePartition] = array(OffsetFetchResponsePartition)


@dataclass(slots=True)
class OffsetFetchResponseGroup:
    """The offsets of one group."""

    group_id: str = string()
    topics: list[OffsetFetchResponseTopic] = array(OffsetFetchResponseTopic)
    error_code: int = int16()


@dataclass(slots=True)
class OffsetFetchResponse:
    """The committed offsets."""

    throttle_time_ms: int = int32("3+")
    topics: list[OffsetFetchResponseTopic] = array(OffsetFetchResponseTopic, "0-7")
    error_code: int = int16("2-7")
    groups: list[OffsetFetchResponseGroup] = array(OffsetFetchResponseGroup, "8+")


class OffsetFetchExchange(Exchange):
    """What becomes of one OffsetFetch request: of one group, or from version 8 on of many."""

    __slots__ = ("_answers", "_request")

    def __init__(self, request: Request, _view: BrokerView) -> None:
        self._request = request
        self._answers: dict[str, core.OffsetFetchResponse] = {}
        message = request.message
        if request.version < _MANY_GROUPS_FROM:
            asked = {message.group_id: _asked(message.group_id, message.topics)}
        else:
            asked = {each.group_id: _asked_by_member(each) for each in message.groups}
        for each in asked.values():
            each.require_stable = message.require_stable
        self.requests = list(asked.values())

    @property
    def is_complete(self) -> bool:
        """Whether every group is answered for."""
        return len(self._answers) == len(self.requests)

    def answer(self, asked: core.OffsetFetchRequest, response: core.OffsetFetchResponse) -> Sequence[Message]:
        """Take the answer for one group."""
        self._answers.setdefault(asked.group, response)
        return ()

    def response(self) -> OffsetFetchResponse:
        """The offsets by group, or of the one group that old versions ask for."""
        message = self._request.message
        if self._request.version >= _MANY_GROUPS_FROM:
            return OffsetFetchResponse(groups=[self._group(each.group_id) for each in message.groups])
        answer = self._answers[message.group_id]
        error = self._request.error(answer.error)
        if not error:
            return OffsetFetchResponse(topics=_topics(answer))
        if self._request.version >= _TOP_ERROR_FROM:
            return OffsetFetchResponse(error_code=error)
        topics = [
            OffsetFetchResponseTopic(
                topic.name,
                [
                    OffsetFetchResponsePartition(index, UNKNOWN_OFFSET, -1, "", error)
                    for index in topic.partition_indexes
                ],
            )
            for topic in message.topics
        ]
        return OffsetFetchResponse(topics=topics)

    def _group(self, group: str) -> OffsetFetchResponseGroup:
        answer = self._answers[group]
        error = self._request.error(answer.error)
        return OffsetFetchResponseGroup(group, _topics(answer), error)


def _asked(
    group: str,
    topics: Sequence[OffsetFetchRequestTopic | OffsetFetchRequestTopic] | None,
) -> core.OffsetFetchRequest:
    """No topics at all ask for every offset of the group."""
    if topics is None:
        return core.OffsetFetchRequest(group=group)
    partitions = tuple((topic.name, index) for topic in topics for index in topic.partition_indexes)
    return core.OffsetFetchRequest(group=group, partitions=partitions)


def _asked_by_member(asked: OffsetFetchRequestGroup) -> core.OffsetFetchRequest:
    """Members of groups of the newer protocol say who they are, from version 9 on."""
    request = _asked(asked.group_id, asked.topics)
    request.member_id, request.member_epoch = asked.member_id, asked.member_epoch
    return request


def _topics(told: core.OffsetFetchResponse) -> list[OffsetFetchResponseTopic]:
    topics: dict[str, OffsetFetchResponseTopic] = {}
    for topic, partition, offset, leader_epoch, metadata in told.offsets:
        item = OffsetFetchResponsePartition(partition, offset, leader_epoch, metadata)
        if (topic, partition) in told.unstable:
            item = OffsetFetchResponsePartition(partition, UNKNOWN_OFFSET, -1, "", ErrorCode.UNSTABLE_OFFSET_COMMIT)
        topics.setdefault(topic, OffsetFetchResponseTopic(topic)).partitions.append(item)
    return list(topics.values())


OFFSET_FETCH: Final = Api(
    9, OffsetFetchRequest, OffsetFetchResponse, OffsetFetchExchange, versions="1-9", flexible="6+"
)


@dataclass(slots=True)
class OffsetDeleteRequestPartition:
    """A partition whose committed offset is to be forgotten."""

    partition_index: int = int32()


@dataclass(slots=True)
class OffsetDeleteRequestTopic:
    """Partitions of one topic."""

    name: str = string()
    partitions: list[OffsetDeleteRequestPartition] = array(OffsetDeleteRequestPartition)


@dataclass(slots=True)
class OffsetDeleteRequest:
    """Forget these offsets."""

    group_id: str = string()
    topics: list[OffsetDeleteRequestTopic] = array(OffsetDeleteRequestTopic)


@dataclass(slots=True)
class OffsetDeleteResponsePartition:
    """What became of one offset."""

    partition_index: int = int32()
    error_code: int = int16()


@dataclass(slots=True)
class OffsetDeleteResponseTopic:
    """What became of the offsets of one topic."""

    name: str = string()
    partitions: list[OffsetDeleteResponsePartition] = array(OffsetDeleteResponsePartition)


@dataclass(slots=True)
class OffsetDeleteResponse:
    """Which were forgotten."""

    error_code: int = int16()
    throttle_time_ms: int = int32()
    topics: list[OffsetDeleteResponseTopic] = array(OffsetDeleteResponseTopic)


class OffsetDeleteExchange(OneAnswer):
    """What becomes of one OffsetDelete request."""

    __slots__ = ()

    def _asked(self) -> core.OffsetDeleteRequest:
        message = self._request.message
        partitions = tuple((topic.name, item.partition_index) for topic in message.topics for item in topic.partitions)
        return core.OffsetDeleteRequest(group=message.group_id, partitions=partitions)

    def response(self) -> OffsetDeleteResponse:
        """What became of each; with an error for all there is nothing else."""
        answer: core.OffsetDeleteResponse = self._answer
        if answer.error:
            return OffsetDeleteResponse(error_code=self._request.error(answer.error))
        topics: dict[str, OffsetDeleteResponseTopic] = {}
        for topic, partition, error in answer.partitions:
            item = OffsetDeleteResponsePartition(partition, self._request.error(error))
            topics.setdefault(topic, OffsetDeleteResponseTopic(topic)).partitions.append(item)
        return OffsetDeleteResponse(topics=list(topics.values()))


OFFSET_DELETE: Final = Api(
    47, OffsetDeleteRequest, OffsetDeleteResponse, OffsetDeleteExchange, versions="0", flexible=None
)
