"""What a coordinator knows of a group of the newer protocol. Values: a step makes a new group of the old one.

Source: KIP-848; Kafka ConsumerGroup, ConsumerGroupMember, MemberState.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Final, Protocol, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from cluster.groups.consumer.topic_pattern import matches
from cluster.groups.group_state import GroupState
from cluster.model.identifiers import TopicPartition

Part: TypeAlias = tuple[int, int]
"""(topic id, partition): a topic that is deleted and created anew is another one."""
Parts: TypeAlias = frozenset[Part]
NOTHING: Final[Parts] = frozenset()
JOIN, LEAVE, LEAVE_FOR_A_WHILE = 0, -1, -2
"""Member epochs that are orders."""


class MemberState(IntEnum):
    """How far a member is with its target assignment. The numbers are Kafka's."""

    STABLE = 0
    """It may have all it is to have."""
    UNREVOKED_PARTITIONS = 1
    """It has yet to give something up, and stays in its epoch until it has."""
    UNRELEASED_PARTITIONS = 2
    """It waits for what others have yet to give up."""


class Topics(Protocol):
    """What the broker knows of topics."""

    def exists(self, where: TopicPartition) -> bool:
        """Whether the cluster has a partition."""

    def parts(self, topic: str) -> Parts:
        """All partitions of a topic; none when there is no such topic."""

    def name(self, topic_id: int) -> str:
        """Of the topic with this id; empty when there is none."""

    def names(self) -> Iterable[str]:
        """Of all topics."""


class ConsumerMember(Struct, frozen=True, kw_only=True):
    """A member of a group of the newer protocol, as the coordinator keeps it. Source: KIP-848."""

    member_id: str
    """Made by the member itself."""
    instance_id: str = ""
    """Of a static member; empty for a dynamic one."""
    rack_id: str = ""
    """client.rack; kept and told, not looked at."""
    client_id: str = ""
    """Untrusted text, as all text here."""
    client_host: str = ""
    """Where it connects from."""
    rebalance_timeout_ms: int = -1
    """How long it may take to give partitions up."""
    topics: tuple[str, ...] = ()
    """What it subscribes to, by name."""
    pattern: str = ""
    """It subscribes to all topics that match this, too; empty for none."""
    assignor: str = ""
    """The one it would like; empty for whichever."""
    epoch: int = 0
    """Of the target assignment that it has taken over; -2 for a static member that is away for a while."""
    previous_epoch: int = 0
    """The one before: the answer that told of the newer one may be lost."""
    state: MemberState = MemberState.STABLE
    """How far it is."""
    assigned: Parts = NOTHING
    """What it may have."""
    revoking: Parts = NOTHING
    """What it has to give up, and may still have."""

    def wants(self, topic: str) -> bool:
        """Whether it subscribes to a topic."""
        return topic in self.topics or (bool(self.pattern) and matches(self.pattern, topic))

    def wanted(self, topics: Topics) -> Parts:
        """All partitions of all topics that it subscribes to.

        Kafka finds out beside the heartbeats what a pattern matches, and writes it down (key 16); here each one looks.
        """
        names = set(self.topics)
        if self.pattern:
            names.update(name for name in topics.names() if matches(self.pattern, name))
        return union(topics.parts(name) for name in sorted(names))

    def in_epoch(self, epoch: int) -> ConsumerMember:
        """The same in another epoch, or in the same once more."""
        return replace(self, epoch=epoch, previous_epoch=self.epoch)


class ConsumerGroup(Struct, frozen=True, kw_only=True):
    """The group after some record of the offsets topic."""

    epoch: int = 0
    """Group epoch: grows when members or subscribed topics change."""
    target_epoch: int = 0
    """Group epoch for which the target assignment was computed."""
    members: Mapping[str, ConsumerMember] = field(default_factory=dict)
    """By member id, in the order of their coming."""
    target: Mapping[str, Parts] = field(default_factory=dict)
    """What each member is to have in the end."""

    @property
    def state(self) -> GroupState:
        """Source: Kafka ConsumerGroup.maybeUpdateGroupState."""
        if not self.members:
            return GroupState.EMPTY
        if self.epoch > self.target_epoch:
            return GroupState.ASSIGNING
        is_stable = all(
            item.state is MemberState.STABLE and item.epoch == self.target_epoch for item in self.members.values()
        )
        return GroupState.STABLE if is_stable else GroupState.RECONCILING

    def static_member(self, instance_id: str) -> ConsumerMember | None:
        """Who has an instance id."""
        return next((item for item in self.members.values() if item.instance_id == instance_id), None)

    def held_by_others(self, member_id: str) -> Parts:
        """All that other members have or may still have."""
        others = (item for item in self.members.values() if item.member_id != member_id)
        return union(part for item in others for part in (item.assigned, item.revoking))

    def target_of(self, member_id: str) -> Parts:
        """What a member is to have."""
        return self.target.get(member_id, NOTHING)

    def with_member(self, member: ConsumerMember) -> ConsumerGroup:
        """The group with this member, new or changed."""
        return replace(self, members={**self.members, member.member_id: member})

    def without(self, member_id: str) -> ConsumerGroup:
        """The group when a member is gone."""
        members = {key: item for key, item in self.members.items() if key != member_id}
        target = {key: parts for key, parts in self.target.items() if key != member_id}
        return replace(self, members=members, target=target)


def union(parts: Iterable[Parts]) -> Parts:
    """All of them together."""
    return frozenset().union(*parts)
