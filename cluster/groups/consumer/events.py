"""What is told of a group of the newer protocol once a change of it is committed: follows from before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from cluster.groups.consumer.assignors import ASSIGNORS
from cluster.groups.consumer.rules.members import preferred_assignor
from cluster.groups.consumer.state import ConsumerGroup, ConsumerMember, Parts
from cluster.model.effects import Effect, Emit
from cluster.model.events import (
    ConsumerGroupLoaded,
    ConsumerGroupTargeted,
    ConsumerMemberReconciled,
    GroupMemberJoined,
    GroupMemberLeft,
)
from cluster.model.identifiers import Offset
from cluster.model.ruling import Decision

NameOf = Callable[[int], str]
"""The name of the topic with an id; empty when there is none."""


class Change(Struct, frozen=True, kw_only=True):
    """What happened to a group, and why."""

    before: ConsumerGroup
    after: ConsumerGroup
    decision: Decision | None = None
    """Why the member that spoke is where it is, or why one is out."""
    why: str = ""
    """Why a member is out: left, session_expired, rebalance_expired, replaced."""
    silent_ms: Mapping[str, int] = field(default_factory=dict)
    """Since the last sign of life, by member id, of those that are out."""


def tell(group: str, change: Change, offset: Offset, session_timeout_ms: int, name_of: NameOf) -> list[Effect]:
    """Who left, who came, what the target is, and which member went a step towards it."""
    before, after = change.before, change.after
    effects: list[Effect] = []
    for member_id, member in before.members.items():
        if member_id not in after.members:
            left = GroupMemberLeft(
                group=group,
                member_id=member_id,
                instance_id=member.instance_id,
                generation=after.epoch,
                why=change.why,
                silent_ms=change.silent_ms.get(member_id, 0),
            )
            effects.append(Emit(left, change.decision))
    for member_id, member in after.members.items():
        if member_id not in before.members:
            effects.append(Emit(_joined(group, after, member, session_timeout_ms)))
    if after.target_epoch != before.target_epoch:
        effects.append(_targeted(group, after, offset, name_of))
    for member_id, member in after.members.items():
        if _where(member) != _where(before.members.get(member_id)):
            effects.append(Emit(_reconciled(group, after, member, offset, name_of), change.decision))
    return effects


def loaded(group: str, found: ConsumerGroup, end_offset: Offset, name_of: NameOf) -> Emit:
    """A new coordinator has read it."""
    event = ConsumerGroupLoaded(
        group=group,
        group_epoch=found.epoch,
        target_epoch=found.target_epoch,
        end_offset=end_offset,
        members=tuple((item.member_id, item.client_id, item.epoch) for item in found.members.values()),
        held=tuple(
            (item.member_id, topic, partition)
            for item in found.members.values()
            for topic, partition in named(item.assigned | item.revoking, name_of)
        ),
    )
    return Emit(event)


def named(parts: Parts, name_of: NameOf) -> tuple[tuple[str, int], ...]:
    """(topic, partition) each; a topic that is gone has no name."""
    return tuple((name_of(topic_id), partition) for topic_id, partition in sorted(parts))


def _where(member: ConsumerMember | None) -> tuple[object, ...] | None:
    return None if member is None else (member.epoch, member.state, member.assigned, member.revoking)


def _joined(group: str, after: ConsumerGroup, member: ConsumerMember, session_timeout_ms: int) -> GroupMemberJoined:
    return GroupMemberJoined(
        group=group,
        member_id=member.member_id,
        instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        generation=after.epoch,
        session_timeout_ms=session_timeout_ms,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
    )


def _targeted(group: str, after: ConsumerGroup, offset: Offset, name_of: NameOf) -> Emit:
    assignor, decision = preferred_assignor(after.members, ASSIGNORS).with_evidence
    event = ConsumerGroupTargeted(
        group=group,
        group_epoch=after.epoch,
        assignor=assignor,
        offset=offset,
        members=tuple(after.members),
        subscriptions=tuple(
            (item.member_id, topic)
            for item in after.members.values()
            for topic in _subscribed(item, after.target_of(item.member_id), name_of)
        ),
        assignments=tuple(
            (member_id, topic, partition)
            for member_id in after.members
            for topic, partition in named(after.target_of(member_id), name_of)
        ),
    )
    return Emit(event, decision)


def _subscribed(member: ConsumerMember, target: Parts, name_of: NameOf) -> list[str]:
    """Topics it names; of those that match its pattern only the ones it is given, for the others are not known here."""
    given = {name_of(topic_id) for topic_id, _ in target} if member.pattern else set()
    return sorted({*member.topics, *given})


def _reconciled(
    group: str, after: ConsumerGroup, member: ConsumerMember, offset: Offset, name_of: NameOf
) -> ConsumerMemberReconciled:
    return ConsumerMemberReconciled(
        group=group,
        member_id=member.member_id,
        member_epoch=member.epoch,
        target_epoch=after.target_epoch,
        state=member.state.name.lower(),
        offset=offset,
        assigned=named(member.assigned, name_of),
        revoking=named(member.revoking, name_of),
    )
