"""Consumer groups folded from what their coordinators and built-in members tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import TopicPartition
from cluster.picture.facts import ClusterFacts
from cluster.picture.parts import GroupFacts


def _of(state: ClusterFacts, event: Any) -> GroupFacts:
    return state.groups.setdefault(event.group, GroupFacts())


def _loaded(state: ClusterFacts, entry: Entry, event: ev.CoordinatorLoaded) -> None:
    for name, generation in event.groups:
        group = state.groups.setdefault(name, GroupFacts())
        group.coordinator, group.generation = entry.node, max(group.generation, generation)
    for name, topic, partition, offset in event.offsets:
        state.groups.setdefault(name, GroupFacts()).committed[TopicPartition(topic, partition)] = offset


def _joined(state: ClusterFacts, entry: Entry, event: ev.GroupMemberJoined) -> None:
    group = _of(state, event)
    group.coordinator = entry.node
    group.names[event.member_id] = event.client_id


def _changed(state: ClusterFacts, entry: Entry, event: ev.GroupStateChanged) -> None:
    group = _of(state, event)
    group.coordinator, group.state, group.members = entry.node, event.state, len(event.members)
    group.generation = max(group.generation, event.generation)


def _assigned(state: ClusterFacts, entry: Entry, event: ev.GroupAssigned) -> None:
    group = _of(state, event)
    group.coordinator, group.generation = entry.node, event.generation
    before = group.owner
    group.owner = {
        TopicPartition(topic, partition): group.names.get(member, member)
        for member, topic, partition in event.assignments
    }
    group.moved = sum(tp in before and before[tp] != owner for tp, owner in group.owner.items())


def _targeted(state: ClusterFacts, entry: Entry, event: ev.ConsumerGroupTargeted) -> None:
    group = _of(state, event)
    group.coordinator, group.generation = entry.node, event.group_epoch


def _reconciled(state: ClusterFacts, entry: Entry, event: ev.ConsumerMemberReconciled) -> None:
    """Members of the newer protocol come to their parts one by one."""
    group = _of(state, event)
    group.coordinator = entry.node
    name = group.names.get(event.member_id, event.member_id)
    group.owner = {tp: owner for tp, owner in group.owner.items() if owner != name}
    group.owner |= {TopicPartition(topic, partition): name for topic, partition in event.assigned}


def _committed(state: ClusterFacts, entry: Entry, event: ev.OffsetsCommitted) -> None:
    group = _of(state, event)
    group.coordinator = entry.node
    for topic, partition, offset in event.offsets:
        group.committed[TopicPartition(topic, partition)] = offset


def _forgotten(state: ClusterFacts, _entry: Entry, event: ev.OffsetsForgotten) -> None:
    for topic, partition in event.partitions:
        _of(state, event).committed.pop(TopicPartition(topic, partition), None)


def _revoked(state: ClusterFacts, _entry: Entry, event: ev.ConsumerRevoked) -> None:
    given_up = _of(state, event).given_up
    given_up[event.client_id] = given_up.get(event.client_id, 0) + len(event.revoked)


GROUP_FOLDS: dict[type, Callable[[ClusterFacts, Entry, Any], None]] = {
    ev.CoordinatorLoaded: _loaded, ev.GroupMemberJoined: _joined, ev.GroupStateChanged: _changed,
    ev.GroupAssigned: _assigned, ev.OffsetsCommitted: _committed, ev.OffsetsForgotten: _forgotten,
    ev.ConsumerRevoked: _revoked, ev.ConsumerGroupTargeted: _targeted, ev.ConsumerMemberReconciled: _reconciled,
}  # fmt: skip
