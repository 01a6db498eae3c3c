"""One true sentence per event of consumer groups and of built-in group members. Names are made safe here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from cluster.model.errors import ErrorCode
from cluster.model.events import consumer, group
from workbench.session.describe.counted import counted
from workbench.session.describe.tones import BAD, DIM, GOOD, INFO, WARN
from workbench.support.safe_text import safe_text

SHOWN = 4


def _name(text: str) -> str:
    return safe_text(text, 40) or "nobody"


def _error(code: int) -> str:
    if code == -1:
        return "no answer"
    return ErrorCode(code).name if code in set(ErrorCode) else f"error {code}"


def _partitions(partitions: Iterable[tuple[str, int]]) -> str:
    """orders-0,1,2 users-0, the first few topics."""
    by_topic: dict[str, list[str]] = {}
    for topic, partition in partitions:
        by_topic.setdefault(topic, []).append(str(partition))
    shown = [f"{safe_text(topic, 40)}-{','.join(indexes)}" for topic, indexes in list(by_topic.items())[:SHOWN]]
    return " ".join(shown) or "nothing"


def _offsets(offsets: Iterable[tuple[str, int, int]]) -> str:
    told = [f"{safe_text(topic, 40)}-{partition}@{offset}" for topic, partition, offset in offsets]
    return ", ".join(told[:SHOWN]) + (f" and {len(told) - SHOWN} more" if len(told) > SHOWN else "")


def _member(e: Any) -> str:
    instance = f" (static {_name(e.instance_id)})" if e.instance_id else ""
    return f"{_name(e.member_id)}{instance}"


def _assigned(e: group.GroupAssigned) -> str:
    parts: dict[str, list[tuple[str, int]]] = {}
    for member, topic, partition in e.assignments:
        parts.setdefault(member, []).append((topic, partition))
    shown = "; ".join(f"{_name(member)}: {_partitions(owned)}" for member, owned in list(parts.items())[:SHOWN])
    return f"group {_name(e.group)} generation {e.generation} assigned by {_name(e.protocol)}: {shown or 'nothing'}"


def _targeted(e: group.ConsumerGroupTargeted) -> str:
    return (
        f"group {_name(e.group)} has a target assignment for epoch {e.group_epoch}, by {_name(e.assignor)}: "
        f"{counted(len(e.assignments), 'partition')} for {counted(len(e.members), 'member')}"
    )


def _reconciled(e: group.ConsumerMemberReconciled) -> str:
    first = f"group {_name(e.group)}: {_name(e.member_id)} is in epoch {e.member_epoch}, may have "
    gives = f", has to give up {_partitions(e.revoking)}" if e.revoking else ""
    waits = ", waits for what others have yet to give up" if e.state == "unreleased_partitions" else ""
    return first + _partitions(e.assigned) + gives + waits


def _polled(e: consumer.ConsumerPolled) -> str:
    last = f" to {e.base_offset + e.count - 1}" if e.count > 1 else ""
    return f"{_name(e.client_id)} reads {safe_text(e.topic, 40)}-{e.partition} offset {e.base_offset}{last}"


def _committed(e: consumer.ConsumerCommitted) -> str:
    if e.error:
        return f"{_name(e.client_id)} could not commit {_offsets(e.offsets)}: {_error(e.error)}"
    return f"{_name(e.client_id)} has committed {_offsets(e.offsets)}"


GROUP_SENTENCES: dict[type, tuple[str, Callable[[Any], str]]] = {
    group.CoordinatorLoaded: (
        GOOD,
        lambda e: (
            f"coordinates groups of __consumer_offsets-{e.partition}: {counted(len(e.groups), 'group')}, "
            f"{counted(len(e.offsets), 'offset')}, log read below {e.end_offset}"
        ),
    ),
    group.CoordinatorResigned: (
        WARN,
        lambda e: f"coordinates __consumer_offsets-{e.partition} no more, forgets {counted(e.groups, 'group')}",
    ),
    group.GroupMemberJoined: (INFO, lambda e: f"group {_name(e.group)}: {_member(e)} joins"),
    group.GroupMemberLeft: (
        WARN,
        lambda e: f"group {_name(e.group)}: {_member(e)} is out, {safe_text(e.why, 40).replace('_', ' ')}",
    ),
    group.GroupStateChanged: (
        INFO,
        lambda e: (
            f"group {_name(e.group)}: {e.before} -> {e.state}, generation {e.generation}, "
            f"{counted(len(e.members), 'member')}: {safe_text(e.why, 60)}"
        ),
    ),
    group.GroupGenerationBegan: (
        INFO,
        lambda e: (
            f"group {_name(e.group)} begins generation {e.generation} with {counted(len(e.members), 'member')}, "
            f"leader {_name(e.leader)}, {_name(e.protocol)}"
        ),
    ),
    group.GroupAssigned: (GOOD, _assigned),
    group.GroupRequestRefused: (
        WARN,
        lambda e: f"group {_name(e.group)} refuses {e.function} of {_name(e.member_id)}: {_error(e.error)}",
    ),
    group.OffsetsCommitted: (DIM, lambda e: f"group {_name(e.group)} has committed {_offsets(e.offsets)}"),
    group.OffsetCommitRefused: (
        BAD,
        lambda e: (
            f"group {_name(e.group)} refuses a commit of {_name(e.member_id)} in generation {e.generation}: "
            f"{_error(e.error)}"
        ),
    ),
    group.OffsetsForgotten: (
        WARN,
        lambda e: f"group {_name(e.group)} forgets offsets of {_partitions(e.partitions)}: {safe_text(e.why, 40)}",
    ),
    group.ConsumerGroupLoaded: (
        GOOD,
        lambda e: (
            f"knows group {_name(e.group)} from its log: group epoch {e.group_epoch}, target of epoch "
            f"{e.target_epoch}, {counted(len(e.members), 'member')} of the newer protocol"
        ),
    ),
    group.ConsumerGroupTargeted: (INFO, _targeted),
    group.ConsumerMemberReconciled: (GOOD, _reconciled),
    consumer.ConsumerAssigned: (
        GOOD,
        lambda e: f"{_name(e.client_id)} owns {_partitions(e.owned)} in generation {e.generation}",
    ),
    consumer.ConsumerRevoked: (
        WARN,
        lambda e: f"{_name(e.client_id)} {'has lost' if e.is_lost else 'gives up'} {_partitions(e.revoked)}",
    ),
    consumer.ConsumerPositioned: (
        DIM,
        lambda e: f"{_name(e.client_id)} begins {safe_text(e.topic, 40)}-{e.partition} at {e.offset} ({e.why})",
    ),
    consumer.ConsumerPolled: (DIM, _polled),
    consumer.ConsumerCommitted: (INFO, _committed),
    consumer.ConsumerEnded: (WARN, lambda e: f"{_name(e.client_id)} is gone from group {_name(e.group)}: {e.how}"),
}
