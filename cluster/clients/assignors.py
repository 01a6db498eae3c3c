"""How the leader of a group divides partitions: range, roundrobin, sticky, cooperative-sticky.

Members are ordered by instance id when they have one, else by member id; static members come first. Sources: Kafka
RangeAssignor, RoundRobinAssignor, AbstractStickyAssignor (where all subscribe to the same), CooperativeStickyAssignor.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import TypeAlias

from msgspec import Struct, structs

from cluster.model.consumer_protocol import Subscription, recalled
from cluster.model.identifiers import TopicPartition

STICKY = "sticky"
COOPERATIVE = "cooperative-sticky"
"""Its members keep what they hold while they join."""


class Applicant(Struct, frozen=True):
    """One member that wants partitions."""

    member_id: str
    """As the coordinator named it."""
    instance_id: str
    """Of a static member; empty for a dynamic one."""
    subscription: Subscription
    """What it wants and holds."""

    @property
    def rank(self) -> tuple[bool, str]:
        """Static members by instance id, then dynamic ones by member id."""
        return (not self.instance_id, self.instance_id or self.member_id)


Parts: TypeAlias = dict[str, list[TopicPartition]]
"""Partitions of each member, by member id."""
Counts: TypeAlias = Mapping[str, int]
"""How many partitions each topic has; one that does not exist is missing."""


def assign_range(applicants: Sequence[Applicant], counts: Counts) -> Parts:
    """Topic by topic: consecutive partitions, one more for the first members when it does not come out even."""
    parts: Parts = {item.member_id: [] for item in applicants}
    for topic in _topics(applicants, counts):
        takers = [item for item in _ordered(applicants) if topic in item.subscription.topics]
        least, more = divmod(counts[topic], len(takers))
        first = 0
        for place, taker in enumerate(takers):
            end = first + least + (place < more)
            parts[taker.member_id] += [TopicPartition(topic, index) for index in range(first, end)]
            first = end
    return parts


def assign_roundrobin(applicants: Sequence[Applicant], counts: Counts) -> Parts:
    """All partitions of all topics in turn; who does not subscribe to a topic is passed over."""
    parts: Parts = {item.member_id: [] for item in applicants}
    dealer = cycle(_ordered(applicants))
    for topic in _topics(applicants, counts):
        for index in range(counts[topic]):
            taker = next(item for item in dealer if topic in item.subscription.topics)
            parts[taker.member_id].append(TopicPartition(topic, index))
    return parts


def assign_sticky(applicants: Sequence[Applicant], counts: Counts) -> Parts:
    """As even as can be, and of what sticky itself dealt it keeps as much as that allows: it knows of nothing else, for
    its members own nothing while they join. Source: StickyAssignor.memberData."""
    dealt = [structs.replace(item, subscription=recalled(item.subscription)) for item in applicants]
    return _assign_evenly(dealt, counts)


def _assign_evenly(applicants: Sequence[Applicant], counts: Counts) -> Parts:
    """Of what members own it keeps as much as equal shares allow. Source: AbstractStickyAssignor."""
    if not applicants:
        return {}
    wanted = {frozenset(item.subscription.topics) for item in applicants}
    owned = _owned(applicants, counts)
    return _sticky_equal(applicants, counts, owned) if len(wanted) == 1 else _sticky_unequal(applicants, counts, owned)


def assign_cooperative(applicants: Sequence[Applicant], counts: Counts) -> Parts:
    """As even as can be, and members keep what they own as far as that allows; a partition that another member still
    holds is withheld until that one has given it up (KIP-429)."""
    parts = _assign_evenly(applicants, counts)
    holders: dict[TopicPartition, set[str]] = {}
    for item in applicants:
        for partition in item.subscription.owned:
            holders.setdefault(partition, set()).add(item.member_id)
    return {
        member_id: [item for item in part if not holders.get(item, set()) - {member_id}]
        for member_id, part in parts.items()
    }


ASSIGNORS: dict[str, Callable[[Sequence[Applicant], Counts], Parts]] = {
    "range": assign_range,
    "roundrobin": assign_roundrobin,
    STICKY: assign_sticky,
    COOPERATIVE: assign_cooperative,
}


def _ordered(applicants: Sequence[Applicant]) -> list[Applicant]:
    return sorted(applicants, key=lambda item: item.rank)


def _topics(applicants: Sequence[Applicant], counts: Counts) -> list[str]:
    return sorted({topic for item in applicants for topic in item.subscription.topics} & set(counts))


def _owned(applicants: Sequence[Applicant], counts: Counts) -> Parts:
    """What each member holds rightly: it still wants it, it exists, and nobody held it later or at the same time."""
    claims: dict[TopicPartition, list[tuple[int, str]]] = {}
    for item in applicants:
        for topic, index in item.subscription.owned:
            if topic in item.subscription.topics and index < counts.get(topic, 0):
                claims.setdefault(TopicPartition(topic, index), []).append(
                    (item.subscription.generation, item.member_id)
                )
    owned: Parts = {item.member_id: [] for item in applicants}
    for partition, claimed in sorted(claims.items(), key=lambda item: (item[0].partition, item[0].topic)):
        newest = max(generation for generation, _ in claimed)
        holders = [member_id for generation, member_id in claimed if generation == newest]
        if len(holders) == 1:
            owned[holders[0]].append(partition)
    return owned


def _sticky_equal(applicants: Sequence[Applicant], counts: Counts, owned: Parts) -> Parts:
    """All want the same topics. Source: AbstractStickyAssignor.ConstrainedAssignmentBuilder."""
    everything = [
        TopicPartition(topic, index) for topic in _topics(applicants, counts) for index in range(counts[topic])
    ]
    least, over = divmod(len(everything), len(applicants))
    most = least + (over > 0)
    parts: Parts = {}
    full = 0
    under: deque[str] = deque()
    at_least: deque[str] = deque()
    for item in _ordered(applicants):
        held = owned[item.member_id]
        if len(held) < least:
            parts[item.member_id] = list(held)
            under.append(item.member_id)
        elif len(held) >= most and full < over:
            parts[item.member_id] = held[:most]
            full += 1
        else:
            parts[item.member_id] = held[:least]
            at_least.append(item.member_id)
    taken = {partition for part in parts.values() for partition in part}
    for partition in everything:
        if partition in taken:
            continue
        if under:
            taker = under.popleft()
            parts[taker].append(partition)
            (under if len(parts[taker]) < least else at_least).append(taker)
        else:
            parts[at_least.popleft()].append(partition)
    return parts


def _sticky_unequal(applicants: Sequence[Applicant], counts: Counts, owned: Parts) -> Parts:
    """Members want different topics: keep what is held, give the rest to whoever has least, then even it out.

    Not Kafka's own procedure, but the same aim: nobody has two more than a member that could take one.
    """
    parts: Parts = {member_id: list(held) for member_id, held in owned.items()}
    ordered = _ordered(applicants)
    taken = {partition for part in parts.values() for partition in part}

    def takers(topic: str) -> list[str]:
        return [item.member_id for item in ordered if topic in item.subscription.topics]

    for topic in _topics(applicants, counts):
        for index in range(counts[topic]):
            partition = TopicPartition(topic, index)
            if partition not in taken:
                parts[min(takers(topic), key=lambda member_id: len(parts[member_id]))].append(partition)
    moved = True
    while moved:
        moved = False
        for member_id in [item.member_id for item in ordered]:
            for partition in list(parts[member_id]):
                taker = min(takers(partition.topic), key=lambda each: len(parts[each]))
                if len(parts[member_id]) - len(parts[taker]) > 1:
                    parts[member_id].remove(partition)
                    parts[taker].append(partition)
                    moved = True
    return parts
