"""Consumer groups folded from what their coordinators and built-in members tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import NO_NODE, NodeId, Offset, TopicPartition

if TYPE_CHECKING:
    from cluster.trace.cluster_state import ClusterState


@dataclass(slots=True)
class GroupFacts:
    """One group as the newest events tell it. Members go by the client ids under which they joined."""

    coordinator: NodeId = NO_NODE
    """The broker that spoke of it last."""
    state: str = ""
    """Empty, PreparingRebalance, CompletingRebalance, Assigning, Reconciling, Stable, Dead."""
    generation: int = 0
    """The newest one that was heard of; of a group of the newer protocol its group epoch."""
    members: int = 0
    """How many there are."""
    owner: dict[TopicPartition, str] = field(default_factory=dict)
    """Who each partition was given to by the newest assignment."""
    moved: int = 0
    """Partitions that this assignment gave to somebody else than the one before it."""
    committed: dict[TopicPartition, Offset] = field(default_factory=dict)
    """Next offset to read."""
    given_up: dict[str, int] = field(default_factory=dict)
    """Partitions that a member gave up or lost, in all."""
    names: dict[str, str] = field(default_factory=dict)
    """Client id by member id."""

    def parts(self, member: str) -> int:
        """Partitions that a member has by the newest assignment."""
        return sum(owner == member for owner in self.owner.values())


def _of(state: ClusterState, event: Any) -> GroupFacts:
    return state.groups.setdefault(event.group, GroupFacts())


def _loaded(state: ClusterState, entry: Entry, event: ev.CoordinatorLoaded) -> None:
    for name, generation in event.groups:
        group = state.groups.setdefault(name, GroupFacts())
        group.coordinator, group.generation = entry.node, max(group.generation, generation)
    for name, topic, partition, offset in event.offsets:
        state.groups.setdefault(name, GroupFacts()).committed[TopicPartition(topic, partition)] = offset


def _joined(state: ClusterState, entry: Entry, event: ev.GroupMemberJoined) -> None:
    group = _of(state, event)
    group.coordinator = entry.node
    group.names[event.member_id] = event.client_id


def _changed(state: ClusterState, entry: Entry, event: ev.GroupStateChanged) -> None:
    group = _of(state, event)
    group.coordinator, group.state, group.members = entry.node, event.state, len(event.members)
    group.generation = max(group.generation, event.generation)


def _assigned(state: ClusterState, entry: Entry, event: ev.GroupAssigned) -> None:
    group = _of(state, event)
    group.coordinator, group.generation = entry.node, event.generation
    before = group.owner
    group.owner = {
        TopicPartition(topic, partition): group.names.get(member, member)
        for member, topic, partition in event.assignments
    }
    group.moved = sum(tp in before and before[tp] != owner for tp, owner in group.owner.items())


def _targeted(state: ClusterState, entry: Entry, event: ev.ConsumerGroupTargeted) -> None:
    group = _of(state, event)
    group.coordinator, group.generation = entry.node, event.group_epoch


def _reconciled(state: ClusterState, entry: Entry, event: ev.ConsumerMemberReconciled) -> None:
    """Members of the newer protocol come to their parts one by one."""
    group = _of(state, event)
    group.coordinator = entry.node
    name = group.names.get(event.member_id, event.member_id)
    group.owner = {tp: owner for tp, owner in group.owner.items() if owner != name}
    group.owner |= {TopicPartition(topic, partition): name for topic, partition in event.assigned}


def _committed(state: ClusterState, entry: Entry, event: ev.OffsetsCommitted) -> None:
    group = _of(state, event)
    group.coordinator = entry.node
    for topic, partition, offset in event.offsets:
        group.committed[TopicPartition(topic, partition)] = offset


def _forgotten(state: ClusterState, _entry: Entry, event: ev.OffsetsForgotten) -> None:
    for topic, partition in event.partitions:
        _of(state, event).committed.pop(TopicPartition(topic, partition), None)


def _revoked(state: ClusterState, _entry: Entry, event: ev.ConsumerRevoked) -> None:
    given_up = _of(state, event).given_up
    given_up[event.client_id] = given_up.get(event.client_id, 0) + len(event.revoked)


GROUP_FOLDS: dict[type, Callable[[ClusterState, Entry, Any], None]] = {
    ev.CoordinatorLoaded: _loaded, ev.GroupMemberJoined: _joined, ev.GroupStateChanged: _changed,
    ev.GroupAssigned: _assigned, ev.OffsetsCommitted: _committed, ev.OffsetsForgotten: _forgotten,
    ev.ConsumerRevoked: _revoked, ev.ConsumerGroupTargeted: _targeted, ev.ConsumerMemberReconciled: _reconciled,
}  # fmt: skip
