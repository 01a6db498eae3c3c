"""ConsumerGroupHeartbeat, ConsumerGroupDescribe: members and groups of the newer protocol.

The core knows topics by number and clients by sixteen bytes; who names partitions of a topic that is not of this
cluster owns nothing that concerns the group. Source: KIP-848; Kafka KafkaApis.handleConsumerGroupHeartbeat.
"""

from __future__ import annotations

from collections.abc import Iterable

from cluster.kafka.errors import words_for
from cluster.kafka.exchanges.groups_membership import CLIENT_HOST, OneAnswer
from cluster.kafka.exchanges.topics import topic_number, topic_uuid
from cluster.kafka.schema import consumer_group_describe as describe_schema
from cluster.kafka.schema import consumer_group_heartbeat as heartbeat_schema
from cluster.model.messages import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)

_MAKES_MEMBER_ID_FROM = 1
_CONSUMER_MEMBER = 1
"""Member type of one that speaks the newer protocol. Source: KIP-1099."""


class ConsumerGroupHeartbeatExchange(OneAnswer):
    """What becomes of one ConsumerGroupHeartbeat request."""

    __slots__ = ()

    def _asked(self) -> ConsumerGroupHeartbeatRequest:
        message = self._request.message
        topics, owned = message.subscribed_topic_names, message.topic_partitions
        return ConsumerGroupHeartbeatRequest(
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

    def response(self) -> heartbeat_schema.ConsumerGroupHeartbeatResponse:
        """The member's epoch, and its partitions when they are told."""
        told: ConsumerGroupHeartbeatResponse = self._answer
        by_topic: dict[int, heartbeat_schema.TopicPartitions] = {}
        for topic_id, partition in told.assignment or ():
            topic = by_topic.setdefault(topic_id, heartbeat_schema.TopicPartitions(topic_uuid(topic_id)))
            topic.partitions.append(partition)
        is_told = told.assignment is not None
        error = self._error(told.error)
        return heartbeat_schema.ConsumerGroupHeartbeatResponse(
            error_code=error,
            error_message=words_for(error, told.message),
            member_id=told.member_id or None,
            member_epoch=told.member_epoch,
            heartbeat_interval_ms=told.heartbeat_interval_ms,
            assignment=heartbeat_schema.Assignment(list(by_topic.values())) if is_told else None,
        )


def _numbers(owned: Iterable[heartbeat_schema.TopicPartitions]) -> tuple[tuple[int, int], ...]:
    return tuple(
        (topic_id, partition)
        for topic in owned
        for topic_id in (topic_number(topic.topic_id),)
        if topic_id is not None
        for partition in topic.partitions
    )


class ConsumerGroupDescribeExchange(OneAnswer):
    """What becomes of one ConsumerGroupDescribe request."""

    __slots__ = ()

    def _asked(self) -> ConsumerGroupDescribeRequest:
        return ConsumerGroupDescribeRequest(groups=tuple(self._request.message.group_ids))

    def response(self) -> describe_schema.ConsumerGroupDescribeResponse:
        """One entry for each group asked for."""
        told: ConsumerGroupDescribeResponse = self._answer
        groups = [
            describe_schema.DescribedGroup(
                error_code=self._error(error),
                error_message=words_for(self._error(error)),
                group_id=name,
                group_state=state,
                group_epoch=group_epoch,
                assignment_epoch=target_epoch,
                assignor_name=assignor,
                members=_members(told, name),
            )
            for error, name, state, group_epoch, target_epoch, assignor in told.groups
        ]
        return describe_schema.ConsumerGroupDescribeResponse(groups=groups)


def _members(told: ConsumerGroupDescribeResponse, name: str) -> list[describe_schema.Member]:
    return [
        describe_schema.Member(
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


def _assignment(
    rows: Iterable[tuple[str, str, int, str, int]], group: str, member_id: str
) -> describe_schema.Assignment:
    by_topic: dict[int, describe_schema.TopicPartitions] = {}
    for name, owner, topic_id, topic, partition in rows:
        if (name, owner) == (group, member_id):
            found = by_topic.setdefault(topic_id, describe_schema.TopicPartitions(topic_uuid(topic_id), topic))
            found.partitions.append(partition)
    return describe_schema.Assignment(list(by_topic.values()))
