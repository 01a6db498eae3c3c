"""How what coordinators and members tell of consumer groups changes the view: one small function per event class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.groups.rules import partition_for
from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode
from cluster.model.events import consumer, group
from cluster.model.identifiers import NO_NODE, OFFSETS_TOPIC
from workbench.session.views.groups import GroupRow, GroupView, MemberView, short_parts
from workbench.session.views.state import ViewState
from workbench.support.safe_text import safe_text

OFFSETS_PARTITIONS = 50
"""offsets.topic.num.partitions."""
NAMES_MAX = 200


def _of(groups: dict[str, GroupView], name: str) -> GroupView:
    return groups.setdefault(name, GroupView(name))


def _error(code: int) -> str:
    return ErrorCode(code).name if code in set(ErrorCode) else f"error {code}"


def _loaded(view: ViewState, entry: Entry, e: group.CoordinatorLoaded) -> None:
    for name, generation in e.groups:
        known = _of(view.groups, name)
        moved = known.coordinator not in (NO_NODE, entry.node)
        known.coordinator, known.generation = entry.node, max(known.generation, generation)
        if known.rows or moved:
            known.add(GroupRow(entry.t_ns, "", "", f"n{entry.node} coordinates, read from its log", "good"))
    for name, topic, partition, offset in e.offsets:
        _of(view.groups, name).committed[topic, partition] = offset


def _resigned(view: ViewState, entry: Entry, e: group.CoordinatorResigned) -> None:
    count = sum(tp.topic == OFFSETS_TOPIC for tp in view.partitions) or OFFSETS_PARTITIONS
    for known in view.groups.values():
        here = partition_for(known.name, count) == e.partition
        if here and known.coordinator == entry.node:
            known.coordinator = NO_NODE
            known.add(GroupRow(entry.t_ns, "", "", f"n{entry.node} coordinates no more", "warn"))


def _joined(view: ViewState, entry: Entry, e: group.GroupMemberJoined) -> None:
    known = _of(view.groups, e.group)
    known.coordinator = entry.node
    known.members[e.member_id] = MemberView(e.member_id, e.client_id, e.instance_id)
    known.names[e.member_id] = e.client_id
    while len(known.names) > NAMES_MAX:
        del known.names[next(iter(known.names))]
    known.add(GroupRow(entry.t_ns, e.member_id, "", "join", "info"))


def _left(view: ViewState, entry: Entry, e: group.GroupMemberLeft) -> None:
    known = _of(view.groups, e.group)
    known.coordinator = entry.node
    name = known.name_of(e.member_id)
    known.members.pop(e.member_id, None)
    known.add(GroupRow(entry.t_ns, "", "", f"{name} is out: {safe_text(e.why, 40)}", "bad"))


def _changed(view: ViewState, entry: Entry, e: group.GroupStateChanged) -> None:
    known = _of(view.groups, e.group)
    known.coordinator, known.state, known.generation = entry.node, e.state, max(known.generation, e.generation)
    for member_id in [member_id for member_id in known.members if member_id not in e.members]:
        del known.members[member_id]
    for member_id in e.members:
        known.members.setdefault(member_id, MemberView(member_id))
    known.add(GroupRow(entry.t_ns, "", "", f"{known.phase}: {safe_text(e.why, 60)}", "warn"))


def _began(view: ViewState, entry: Entry, e: group.GroupGenerationBegan) -> None:
    known = _of(view.groups, e.group)
    known.coordinator, known.generation, known.protocol, known.leader = entry.node, e.generation, e.protocol, e.leader
    for member_id in e.members:
        known.members.setdefault(member_id, MemberView(member_id))
        words = f"generation {e.generation}" + (", you lead" if member_id == e.leader else "")
        known.add(GroupRow(entry.t_ns, "", member_id, words, "info"))


def _assigned(view: ViewState, entry: Entry, e: group.GroupAssigned) -> None:
    known = _of(view.groups, e.group)
    known.coordinator = entry.node
    for member in known.members.values():
        parts = tuple((topic, number) for member_id, topic, number in e.assignments if member_id == member.member_id)
        member.assigned = parts
        known.add(GroupRow(entry.t_ns, "", member.member_id, short_parts(parts), "good"))


def _refused(view: ViewState, entry: Entry, e: group.GroupRequestRefused) -> None:
    known = _of(view.groups, e.group)
    target = e.member_id if e.member_id in known.members else ""
    known.add(GroupRow(entry.t_ns, "", target, f"{safe_text(e.function, 20)}: {_error(e.error)}", "bad"))


def _committed(view: ViewState, entry: Entry, e: group.OffsetsCommitted) -> None:
    known = _of(view.groups, e.group)
    known.coordinator = entry.node
    for topic, partition, offset in e.offsets:
        known.committed[topic, partition] = offset


def _commit_refused(view: ViewState, entry: Entry, e: group.OffsetCommitRefused) -> None:
    known = _of(view.groups, e.group)
    target = e.member_id if e.member_id in known.members else ""
    known.add(GroupRow(entry.t_ns, "", target, f"commit: {_error(e.error)}", "bad"))


def _forgotten(view: ViewState, _entry: Entry, e: group.OffsetsForgotten) -> None:
    for part in e.partitions:
        _of(view.groups, e.group).committed.pop(part, None)


def _owns(view: ViewState, _entry: Entry, e: consumer.ConsumerAssigned) -> None:
    member = _of(view.groups, e.group).members.get(e.member_id)
    if member is not None:
        member.owned = e.owned


def _gives_up(view: ViewState, entry: Entry, e: consumer.ConsumerRevoked) -> None:
    known = _of(view.groups, e.group)
    member = known.members.get(e.member_id)
    if member is None:
        return
    member.owned = tuple(part for part in member.owned or () if part not in e.revoked)
    word = "has lost" if e.is_lost else "gives up"
    known.add(GroupRow(entry.t_ns, e.member_id, e.member_id, f"{word} {short_parts(e.revoked)}", "warn"))


def _consumer_loaded(view: ViewState, _entry: Entry, e: group.ConsumerGroupLoaded) -> None:
    known = _of(view.groups, e.group)
    known.is_consumer, known.generation, known.leader = True, e.group_epoch, ""
    for member_id, client_id, epoch in e.members:
        member = known.members.setdefault(member_id, MemberView(member_id, client_id))
        member.epoch = epoch
        known.names[member_id] = client_id


def _targeted(view: ViewState, entry: Entry, e: group.ConsumerGroupTargeted) -> None:
    known = _of(view.groups, e.group)
    known.is_consumer, known.coordinator, known.leader = True, entry.node, ""
    known.generation, known.protocol = e.group_epoch, e.assignor
    for member_id in e.members:
        member = known.members.setdefault(member_id, MemberView(member_id))
        member.target = tuple((topic, number) for owner, topic, number in e.assignments if owner == member_id)
    known.add(GroupRow(entry.t_ns, "", "", f"group epoch {e.group_epoch}: a new target", "info"))


def _reconciled(view: ViewState, entry: Entry, e: group.ConsumerMemberReconciled) -> None:
    known = _of(view.groups, e.group)
    known.is_consumer, known.coordinator = True, entry.node
    member = known.members.setdefault(e.member_id, MemberView(e.member_id))
    member.epoch, member.assigned, member.revoking = e.member_epoch, e.assigned, e.revoking
    words = f"epoch {e.member_epoch}: {short_parts(e.assigned)}"
    words += f", give up {short_parts(e.revoking)}" if e.revoking else ""
    known.add(GroupRow(entry.t_ns, "", e.member_id, words, "warn" if e.revoking else "good"))


GROUP_HANDLERS: dict[type, Callable[[ViewState, Entry, Any], None]] = {
    group.CoordinatorLoaded: _loaded,
    group.CoordinatorResigned: _resigned,
    group.GroupMemberJoined: _joined,
    group.GroupMemberLeft: _left,
    group.GroupStateChanged: _changed,
    group.GroupGenerationBegan: _began,
    group.GroupAssigned: _assigned,
    group.GroupRequestRefused: _refused,
    group.OffsetsCommitted: _committed,
    group.OffsetCommitRefused: _commit_refused,
    group.OffsetsForgotten: _forgotten,
    group.ConsumerGroupLoaded: _consumer_loaded,
    group.ConsumerGroupTargeted: _targeted,
    group.ConsumerMemberReconciled: _reconciled,
    consumer.ConsumerAssigned: _owns,
    consumer.ConsumerRevoked: _gives_up,
}
