"""ConsumerGroupHeartbeat, ConsumerGroupDescribe: members and groups of the newer protocol.

The core knows topics by number and clients by sixteen bytes; who names partitions of a topic that is not of this
cluster owns nothing that concerns the group. Source: KIP-848; Kafka KafkaApis.handleConsumerGroupHeartbeat.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api
from cluster.kafka.apis.group_membership import CLIENT_HOST
from cluster.kafka.codec.fields import array, boolean, int8, int16, int32, string, struct, uuid
from cluster.kafka.errors import words_for
from cluster.kafka.exchange import OneAnswer
from cluster.model import messages as core
from cluster.model.uuids import topic_number, topic_uuid

_MAKES_MEMBER_ID_FROM = 1
_CONSUMER_MEMBER = 1
"""Member type of one that speaks the newer protocol. Source: KIP-1099."""


@dataclass(slots=True)
class TopicPartitions:
    """Partitions of one topic."""

    topic_id: bytes = uuid()
    partitions: list[int] = array("int32")


@dataclass(slots=True)
class ConsumerGroupHeartbeatRequest:
    """I am here, I want this, I own that."""

    group_id: str = string()
    member_id: str = string()
    member_epoch: int = int32()
    instance_id: str | None = string(null="0+", default=None)
    rack_id: str | None = string(null="0+", default=None)
    rebalance_timeout_ms: int = int32(default=-1)
    subscribed_topic_names: list[str] | None = array("string", null="0+", default=None)
    subscribed_topic_regex: str | None = string("1+", null="0+", default=None)
    server_assignor: str | None = string(null="0+", default=None)
    topic_partitions: list[TopicPartitions] | None = array(TopicPartitions, null="0+")


@dataclass(slots=True)
class Assignment:
    """All that the member is to own."""

    topic_partitions: list[TopicPartitions] = array(TopicPartitions)


@dataclass(slots=True)
class ConsumerGroupHeartbeatResponse:
    """What the member is to own."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)
    member_id: str | None = string(null="0+", default=None)
    member_epoch: int = int32()
    heartbeat_interval_ms: int = int32()
    assignment: Assignment | None = struct(Assignment, null="0+")


class ConsumerGroupHeartbeatExchange(OneAnswer):
    """What becomes of one ConsumerGroupHeartbeat request."""

    __slots__ = ()

    def _asked(self) -> core.ConsumerGroupHeartbeatRequest:
        message = self._request.message
        topics, owned = message.subscribed_topic_names, message.topic_partitions
        return core.ConsumerGroupHeartbeatRequest(
            group=message.group_id,
            member_id=message.member_id,
            member_epoch=message.member_epoch,
            instance_id=message.instance_id,
            rack_id=message.rack_id,
            rebalance_timeout_ms=message.rebalance_timeout_ms,
            topics=None if topics is None else tuple(topics),
            pattern=message.subscribed_topic_regex,
            assignor=message.server_assignor,
            owned=None if owned is None else _numbers(owned),
            client_id=self._request.client_id or "",
            client_host=CLIENT_HOST,
            makes_member_id=self._request.version >= _MAKES_MEMBER_ID_FROM,
        )

    def response(self) -> ConsumerGroupHeartbeatResponse:
        """The member's epoch, and its partitions when they are told."""
        answer: core.ConsumerGroupHeartbeatResponse = self._answer
        by_topic: dict[int, TopicPartitions] = {}
        for topic_id, partition in answer.assignment or ():
            topic = by_topic.setdefault(topic_id, TopicPartitions(topic_uuid(topic_id)))
            topic.partitions.append(partition)
        is_told = answer.assignment is not None
        error = self._request.error(answer.error)
        return ConsumerGroupHeartbeatResponse(
            error_code=error,
            error_message=words_for(error, answer.message),
            member_id=answer.member_id or None,
            member_epoch=answer.member_epoch,
            heartbeat_interval_ms=answer.heartbeat_interval_ms,
            assignment=Assignment(list(by_topic.values())) if is_told else None,
        )


def _numbers(owned: Iterable[TopicPartitions]) -> tuple[tuple[int, int], ...]:
    return tuple(
        (topic_id, partition)
        for topic in owned
        for topic_id in (topic_number(topic.topic_id),)
        if topic_id is not None
        for partition in topic.partitions
    )


CONSUMER_GROUP_HEARTBEAT: Final = Api(
    68,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    ConsumerGroupHeartbeatExchange,
    versions="0-1",
    flexible="0+",
)


@dataclass(slots=True)
class ConsumerGroupDescribeRequest:
    """Describe these groups."""

    group_ids: list[str] = array("string")
    include_authorized_operations: bool = boolean()


@dataclass(slots=True)
class DescribedTopicPartitions:
    """Partitions of one topic."""

    topic_id: bytes = uuid()
    topic_name: str = string()
    partitions: list[int] = array("int32")


@dataclass(slots=True)
class DescribedAssignment:
    """Partitions of one member."""

    topic_partitions: list[DescribedTopicPartitions] = array(DescribedTopicPartitions)


@dataclass(slots=True)
class Member:
    """One member of a described group, with the partitions it owns and those it is to own."""

    member_id: str = string()
    instance_id: str | None = string(null="0+", default=None)
    rack_id: str | None = string(null="0+", default=None)
    member_epoch: int = int32()
    client_id: str = string()
    client_host: str = string()
    subscribed_topic_names: list[str] = array("string")
    subscribed_topic_regex: str | None = string(null="0+", default=None)
    assignment: DescribedAssignment = struct(DescribedAssignment)
    target_assignment: DescribedAssignment = struct(DescribedAssignment)
    member_type: int = int8("1+", default=-1)


@dataclass(slots=True)
class DescribedGroup:
    """One group that was asked about, or the error that says why it is not described."""

    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)
    group_id: str = string()
    group_state: str = string()
    group_epoch: int = int32()
    assignment_epoch: int = int32()
    assignor_name: str = string()
    members: list[Member] = array(Member)
    authorized_operations: int = int32(default=-2147483648)


@dataclass(slots=True)
class ConsumerGroupDescribeResponse:
    """What the coordinator knows of them."""

    throttle_time_ms: int = int32()
    groups: list[DescribedGroup] = array(DescribedGroup)


class ConsumerGroupDescribeExchange(OneAnswer):
    """What becomes of one ConsumerGroupDescribe request."""

    __slots__ = ()

    def _asked(self) -> core.ConsumerGroupDescribeRequest:
        return core.ConsumerGroupDescribeRequest(groups=tuple(self._request.message.group_ids))

    def response(self) -> ConsumerGroupDescribeResponse:
        """One entry for each group asked for."""
        answer: core.ConsumerGroupDescribeResponse = self._answer
        groups = [
            DescribedGroup(
                error_code=self._request.error(error),
                error_message=words_for(self._request.error(error)),
                group_id=name,
                group_state=state,
                group_epoch=group_epoch,
                assignment_epoch=target_epoch,
                assignor_name=assignor,
                members=_members(answer, name),
            )
            for error, name, state, group_epoch, target_epoch, assignor in answer.groups
        ]
        return ConsumerGroupDescribeResponse(groups=groups)


def _members(told: core.ConsumerGroupDescribeResponse, name: str) -> list[Member]:
    return [
        Member(
            member_id=member_id,
            instance_id=instance_id or None,
            rack_id=rack_id or None,
            member_epoch=epoch,
            client_id=client_id,
            client_host=client_host,
            subscribed_topic_names=list(topics),
            subscribed_topic_regex=pattern or None,
            assignment=_assignment(told.current, name, member_id),
            target_assignment=_assignment(told.target, name, member_id),
            member_type=_CONSUMER_MEMBER,
        )
        for group, member_id, instance_id, rack_id, epoch, client_id, client_host, topics, pattern in told.members
        if group == name
    ]


def _assignment(rows: Iterable[tuple[str, str, int, str, int]], group: str, member_id: str) -> DescribedAssignment:
    by_topic: dict[int, DescribedTopicPartitions] = {}
    for name, owner, topic_id, topic, partition in rows:
        if (name, owner) == (group, member_id):
            described = by_topic.setdefault(topic_id, DescribedTopicPartitions(topic_uuid(topic_id), topic))
            described.partitions.append(partition)
    return DescribedAssignment(list(by_topic.values()))


CONSUMER_GROUP_DESCRIBE: Final = Api(
    69,
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    ConsumerGroupDescribeExchange,
    versions="0-1",
    flexible="0+",
)
