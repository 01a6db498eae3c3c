"""Consumer groups folded from what their coordinators and built-in members tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import NO_NODE
from cluster.model.offsets_topic import partition_for
from cluster.picture.asked import GroupState, MemberState
from cluster.picture.facts import ClusterFacts
from cluster.picture.part import own

NAMES_MAX = 200
"""Members of a group, gone ones included, whose names are kept."""


def _of(state: ClusterFacts, name: str) -> GroupState:
    group_state = own(state.groups, name)
    if group_state is None:
        group_state = state.groups[name] = GroupState(name)
    return group_state


def _member(group: GroupState, member_id: str) -> MemberState:
    member = group.members.get(member_id)
    if member is None:
        member = group.members[member_id] = MemberState(member_id)
    return member


def _take_members(group: GroupState, member_ids: tuple[str, ...]) -> None:
    for member_id in member_ids:
        _member(group, member_id)


def _name(group: GroupState, member_id: str, client_id: str) -> None:
    group.names[member_id] = client_id
    while len(group.names) > NAMES_MAX:
        del group.names[next(iter(group.names))]


def _loaded(state: ClusterFacts, entry: Entry, event: ev.CoordinatorLoaded) -> None:
    for name, generation in event.groups:
        group = _of(state, name)
        group.coordinator, group.generation = entry.node, max(group.generation, generation)
    for name, topic, partition, offset in event.offsets:
        _of(state, name).committed[topic, partition] = offset


def _resigned(state: ClusterFacts, entry: Entry, event: ev.CoordinatorResigned) -> None:
    count = state.offsets_partitions
    for name, group in list(state.groups.items()):
        if group.coordinator == entry.node and partition_for(name, count) == event.partition:
            _of(state, name).coordinator = NO_NODE


def _joined(state: ClusterFacts, entry: Entry, event: ev.GroupMemberJoined) -> None:
    group = _of(state, event.group)
    group.coordinator = entry.node
    group.members[event.member_id] = MemberState(event.member_id, event.client_id, event.instance_id)
    _name(group, event.member_id, event.client_id)


def _left(state: ClusterFacts, entry: Entry, event: ev.GroupMemberLeft) -> None:
    group = _of(state, event.group)
    group.coordinator = entry.node
    group.members.pop(event.member_id, None)


def _changed(state: ClusterFacts, entry: Entry, event: ev.GroupStateChanged) -> None:
    group = _of(state, event.group)
    group.coordinator, group.state = entry.node, event.state
    group.generation = max(group.generation, event.generation)
    group.members = {key: member for key, member in group.members.items() if key in event.members}
    _take_members(group, event.members)


def _began(state: ClusterFacts, entry: Entry, event: ev.GroupGenerationBegan) -> None:
    group = _of(state, event.group)
    group.coordinator, group.generation = entry.node, event.generation
    group.protocol, group.leader = event.protocol, event.leader
    _take_members(group, event.members)


def _assigned(state: ClusterFacts, entry: Entry, event: ev.GroupAssigned) -> None:
    group = _of(state, event.group)
    group.coordinator, group.generation = entry.node, event.generation
    for member in group.members.values():
        member.assigned = tuple((topic, index) for key, topic, index in event.assignments if key == member.member_id)
    before = group.owner
    group.owner = {(topic, index): group.names.get(key, key) for key, topic, index in event.assignments}
    group.moved = sum(place in before and before[place] != owner for place, owner in group.owner.items())


def _consumer_loaded(state: ClusterFacts, _entry: Entry, event: ev.ConsumerGroupLoaded) -> None:
    group = _of(state, event.group)
    group.is_consumer, group.generation, group.leader = True, event.group_epoch, ""
    for member_id, client_id, epoch in event.members:
        member = _member(group, member_id)
        member.client_id, member.epoch = member.client_id or client_id, epoch
        _name(group, member_id, client_id)


def _targeted(state: ClusterFacts, entry: Entry, event: ev.ConsumerGroupTargeted) -> None:
    group = _of(state, event.group)
    group.is_consumer, group.coordinator, group.leader = True, entry.node, ""
    group.generation, group.protocol = event.group_epoch, event.assignor
    for member_id in event.members:
        _member(group, member_id).target = tuple(
            (topic, index) for key, topic, index in event.assignments if key == member_id
        )


def _reconciled(state: ClusterFacts, entry: Entry, event: ev.ConsumerMemberReconciled) -> None:
    """Members of the newer protocol come to their parts one by one."""
    group = _of(state, event.group)
    group.is_consumer, group.coordinator = True, entry.node
    member = _member(group, event.member_id)
    member.epoch, member.assigned, member.revoking = event.member_epoch, event.assigned, event.revoking
    name = group.names.get(event.member_id, event.member_id)
    group.owner = {place: owner for place, owner in group.owner.items() if owner != name}
    group.owner |= dict.fromkeys(event.assigned, name)


def _committed(state: ClusterFacts, entry: Entry, event: ev.OffsetsCommitted) -> None:
    group = _of(state, event.group)
    group.coordinator = entry.node
    for topic, partition, offset in event.offsets:
        group.committed[topic, partition] = offset


def _forgotten(state: ClusterFacts, _entry: Entry, event: ev.OffsetsForgotten) -> None:
    for place in event.partitions:
        _of(state, event.group).committed.pop(place, None)


def _owns(state: ClusterFacts, _entry: Entry, event: ev.ConsumerAssigned) -> None:
    member = _of(state, event.group).members.get(event.member_id)
    if member is not None:
        member.owned = event.owned


def _revoked(state: ClusterFacts, _entry: Entry, event: ev.ConsumerRevoked) -> None:
    group = _of(state, event.group)
    group.given_up[event.client_id] = group.given_up.get(event.client_id, 0) + len(event.revoked)
    member = group.members.get(event.member_id)
    if member is not None:
        member.owned = tuple(place for place in member.owned or () if place not in event.revoked)


GROUP_FOLDS: dict[type, Callable[[ClusterFacts, Entry, Any], None]] = {
    ev.CoordinatorLoaded: _loaded, ev.CoordinatorResigned: _resigned, ev.GroupMemberJoined: _joined,
    ev.GroupMemberLeft: _left, ev.GroupStateChanged: _changed, ev.GroupGenerationBegan: _began,
    ev.GroupAssigned: _assigned, ev.ConsumerGroupLoaded: _consumer_loaded, ev.ConsumerGroupTargeted: _targeted,
    ev.ConsumerMemberReconciled: _reconciled, ev.OffsetsCommitted: _committed, ev.OffsetsForgotten: _forgotten,
    ev.ConsumerAssigned: _owns, ev.ConsumerRevoked: _revoked,
}  # fmt: skip
