"""ConsumerGroupDescribe: groups of the newer protocol as administrators see them. Source: KIP-848."""

from __future__ import annotations

from collections.abc import Iterable

from cluster.groups.consumer.assignors import ASSIGNORS
from cluster.groups.consumer.events import named
from cluster.groups.consumer.rules.members import preferred_assignor
from cluster.groups.consumer.state import ConsumerGroup, Parts, Topics
from cluster.groups.state import Group
from cluster.model.errors import ErrorCode
from cluster.model.messages import ConsumerGroupDescribeResponse


def describe(groups: Iterable[tuple[str, Group | None, ErrorCode]], topics: Topics) -> ConsumerGroupDescribeResponse:
    """One entry for each; a group of the classic protocol is none that could be described so.

    Args:
        groups: (name, the group when it is here, why it is not served here) each.
    """
    response = ConsumerGroupDescribeResponse()
    for name, group, error in groups:
        consumer_group = None if group is None else group.consumer
        if error == ErrorCode.NONE and consumer_group is None:
            error = ErrorCode.GROUP_ID_NOT_FOUND
        if consumer_group is None or error != ErrorCode.NONE:
            response.groups += ((int(error), name, "", 0, 0, ""),)
            continue
        assignor = preferred_assignor(consumer_group.members, ASSIGNORS).value
        response.groups += (
            (0, name, str(consumer_group.state), consumer_group.epoch, consumer_group.target_epoch, assignor),
        )
        _describe_members(response, name, consumer_group, topics)
    return response


def _describe_members(found: ConsumerGroupDescribeResponse, name: str, group: ConsumerGroup, topics: Topics) -> None:
    for member_id, item in group.members.items():
        found.members += (
            (
                name,
                member_id,
                item.instance_id,
                item.rack_id,
                item.epoch,
                item.client_id,
                item.client_host,
                item.topics,
                item.pattern,
            ),
        )
        found.current += _rows(name, member_id, item.assigned, topics)
        found.target += _rows(name, member_id, group.target_of(member_id), topics)


def _rows(name: str, member_id: str, parts: Parts, topics: Topics) -> tuple[tuple[str, str, int, str, int], ...]:
    names = named(parts, topics.name)
    return tuple(
        (name, member_id, topic_id, topic, partition)
        for (topic_id, partition), (topic, _) in zip(sorted(parts), names, strict=True)
    )
