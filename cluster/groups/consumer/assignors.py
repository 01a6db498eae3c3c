"""How a coordinator divides partitions itself: uniform and range. Source: Kafka UniformAssignor, RangeAssignor.

Both keep what a member was to have before, as far as their first aim allows. Members are taken in the order of their
instance ids, then of their member ids, where Kafka takes them as its hash map has them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from cluster.groups.consumer.state import NOTHING, ConsumerMember, Part, Parts

Wanted: TypeAlias = Mapping[str, Parts]
"""What each member subscribes to, by member id, in the order in which members are taken."""


def ordered(members: Mapping[str, ConsumerMember]) -> list[ConsumerMember]:
    """Static members by instance id, then dynamic ones by member id."""
    return sorted(members.values(), key=lambda item: (not item.instance_id, item.instance_id or item.member_id))


def uniform(wanted: Wanted, before: Mapping[str, Parts]) -> dict[str, Parts]:
    """As even as subscriptions allow, and with as few moves as that allows."""
    given = _kept(wanted, before)
    free = sorted(
        {part for parts in wanted.values() for part in parts} - {p for parts in given.values() for p in parts}
    )
    takers = {part: [member_id for member_id, parts in wanted.items() if part in parts] for part in free}
    for part in sorted(free, key=lambda item: (len(takers[item]), item)):
        least = min(takers[part], key=lambda member_id: len(given[member_id]))
        given[least].add(part)
    while _level(wanted, given):
        pass
    return {member_id: frozenset(parts) for member_id, parts in given.items()}


def _kept(wanted: Wanted, before: Mapping[str, Parts]) -> dict[str, set[Part]]:
    """What members keep of before: of what two were to have, the first keeps it."""
    taken: set[Part] = set()
    given: dict[str, set[Part]] = {}
    for member_id, parts in wanted.items():
        given[member_id] = set((before.get(member_id, NOTHING) & parts) - taken)
        taken |= given[member_id]
    return given


def _level(wanted: Wanted, given: dict[str, set[Part]]) -> bool:
    """Move one partition from a member to another that has at least two fewer; whether there was one."""
    for giver in sorted(given, key=lambda member_id: -len(given[member_id])):
        for taker in sorted(given, key=lambda member_id: len(given[member_id])):
            if len(given[giver]) - len(given[taker]) < 2:
                break
            movable = given[giver] & wanted[taker]
            if movable:
                part = max(movable)
                given[giver].remove(part)
                given[taker].add(part)
                return True
    return False


def assign_range(wanted: Wanted, before: Mapping[str, Parts]) -> dict[str, Parts]:
    """Topic by topic: even among those who subscribe to it, each with neighbours of what nobody keeps."""
    given: dict[str, set[Part]] = {member_id: set() for member_id in wanted}
    for topic_id in sorted({topic_id for parts in wanted.values() for topic_id, _ in parts}):
        takers = [member_id for member_id, parts in wanted.items() if any(part[0] == topic_id for part in parts)]
        everything = sorted({part for parts in wanted.values() for part in parts if part[0] == topic_id})
        for member_id, parts in _range_topic(everything, takers, before).items():
            given[member_id] |= parts
    return {member_id: frozenset(parts) for member_id, parts in given.items()}


def _range_topic(everything: list[Part], takers: list[str], before: Mapping[str, Parts]) -> dict[str, set[Part]]:
    least, extra = divmod(len(everything), len(takers))
    held = {member_id: sorted(before.get(member_id, NOTHING) & set(everything)) for member_id in takers}
    quota: dict[str, int] = {}
    for member_id in sorted(takers, key=lambda item: len(held[item]) <= least):
        quota[member_id] = least + (extra > 0)
        extra -= extra > 0
    taken: set[Part] = set()
    kept: dict[str, set[Part]] = {}
    for member_id in takers:
        kept[member_id] = set([part for part in held[member_id] if part not in taken][: quota[member_id]])
        taken |= kept[member_id]
    free = iter([part for part in everything if part not in taken])
    for member_id in takers:
        kept[member_id] |= {next(free) for _ in range(quota[member_id] - len(kept[member_id]))}
    return kept


ASSIGNORS: Final[dict[str, Callable[[Wanted, Mapping[str, Parts]], dict[str, Parts]]]] = {
    "uniform": uniform,
    "range": assign_range,
}
"""group.consumer.assignors: the first is taken when no member names one."""
