"""One step of a group of the newer protocol: a heartbeat, a leave, an expiry. Pure: a new group of the old one.

Source: KIP-848; Kafka GroupMetadataManager.consumerGroupHeartbeat, TargetAssignmentBuilder.
"""

from __future__ import annotations

from msgspec.structs import replace

from cluster.groups.consumer.assignors import ASSIGNORS, ordered
from cluster.groups.consumer.rules.members import preferred_assignor
from cluster.groups.consumer.rules.reconciliation import reconcile
from cluster.groups.consumer.state import (
    JOIN,
    LEAVE_FOR_A_WHILE,
    NOTHING,
    ConsumerGroup,
    ConsumerMember,
    Parts,
    Topics,
    union,
)
from cluster.model.messages import ConsumerGroupHeartbeatRequest
from cluster.model.ruling import Decision


def heartbeat(
    group: ConsumerGroup, member_id: str, request: ConsumerGroupHeartbeatRequest, topics: Topics
) -> tuple[ConsumerGroup, Decision]:
    """A member joins, or stays: the group after it, and why the member is where it is.

    The group epoch grows when its subscription is new, or when the topics have other partitions than the target covers.
    Then the target assignment is computed anew, and this member goes one step towards it; the others do when they come.
    """
    holder = None if request.instance_id is None else group.static_member(request.instance_id)
    if request.member_epoch == JOIN and holder is not None and holder.member_id != member_id:
        group = _take_over(group, holder, member_id)
    before = group.members.get(member_id, ConsumerMember(member_id=member_id))
    member = _described(before, request)
    group = group.with_member(member)
    is_new = group.epoch == 0 or (member.topics, member.pattern) != (before.topics, before.pattern)
    if is_new or (group.epoch == group.target_epoch and wanted(group, topics) != union(group.target.values())):
        group = replace(group, epoch=group.epoch + 1)
    if group.epoch > group.target_epoch:
        group = retarget(group, topics)
    owned = None if request.owned is None else frozenset(request.owned)
    member, decision = reconcile(
        member,
        group.target_epoch,
        group.target_of(member_id),
        member.wanted(topics),
        group.held_by_others(member_id),
        owned,
    ).with_evidence
    return group.with_member(member), decision


def leave(group: ConsumerGroup, member_id: str) -> ConsumerGroup:
    """A member is gone: what it had is free at once, and the others divide it from their next heartbeats on."""
    return replace(group.without(member_id), epoch=group.epoch + 1)


def leave_for_a_while(group: ConsumerGroup, member: ConsumerMember) -> ConsumerGroup:
    """A static member keeps its place until its session ends."""
    return group.with_member(replace(member, epoch=LEAVE_FOR_A_WHILE, revoking=NOTHING))


def retarget(group: ConsumerGroup, topics: Topics) -> ConsumerGroup:
    """Compute what each member is to have in this group epoch."""
    name = preferred_assignor(group.members, ASSIGNORS).value
    wants = {item.member_id: item.wanted(topics) for item in ordered(group.members)}
    return replace(group, target=ASSIGNORS[name](wants, group.target), target_epoch=group.epoch)


def wanted(group: ConsumerGroup, topics: Topics) -> Parts:
    """All partitions of all topics that somebody subscribes to."""
    return union(item.wanted(topics) for item in group.members.values())


def _take_over(group: ConsumerGroup, holder: ConsumerMember, member_id: str) -> ConsumerGroup:
    """A static member is back under a new member id: it has what its former self had and was to have."""
    target = group.target_of(holder.member_id)
    back = replace(holder, member_id=member_id, epoch=0, previous_epoch=0)
    group = group.without(holder.member_id).with_member(back)
    return replace(group, target={**group.target, member_id: target})


def _described(member: ConsumerMember, request: ConsumerGroupHeartbeatRequest) -> ConsumerMember:
    """The member with what it says of itself; what it does not say stays."""
    return replace(
        member,
        instance_id=request.instance_id or member.instance_id,
        rack_id=request.rack_id or member.rack_id,
        client_id=request.client_id,
        client_host=request.client_host,
        rebalance_timeout_ms=member.rebalance_timeout_ms
        if request.rebalance_timeout_ms == -1
        else request.rebalance_timeout_ms,
        topics=member.topics if request.topics is None else tuple(sorted(set(request.topics))),
        pattern=member.pattern if request.pattern is None else request.pattern,
        assignor=member.assignor if request.assignor is None else request.assignor,
    )
