"""Groups whose members speak the newer protocol (group.protocol=consumer, KIP-848), with clients that can."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar, cast

import pytest

from cluster.model import events as ev
from cluster.model.offsets_topic import partition_for
from tests.support.clients.driver import Driver, MortalMember, NewerDriver
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.whole import NUMBERS, items, new_topic
from tests.support.processes.watching import until

PARTITIONS = 4
OFFSETS_PARTITIONS = 50
Told = TypeVar("Told")


@pytest.fixture
def join(lab: LivingLab, driver: Driver) -> Iterator[Callable[..., MortalMember]]:
    """Starts a member in a process of its own: join(topic, group, name, setting=value), with hold=True for later."""
    if driver.classic_only:
        pytest.skip(driver.classic_only)
    speaker = cast(NewerDriver, driver)
    started: list[MortalMember] = []

    def begin(topic: str, group: str, name: str, *, hold: bool = False, **settings: str) -> MortalMember:
        made = speaker.in_consumer_group(lab.bootstrap, topic, group, f"{driver.name}-{name}", **settings)
        started.append(made)
        if not hold:
            made.begin()
        return made

    yield begin
    for member in started:
        member.leave()


def told(lab: LivingLab, kind: type[Told], group: str) -> list[Told]:
    """Events of one group."""
    return [
        entry.event
        for entry in lab.entries()
        if isinstance(entry.event, kind) and getattr(entry.event, "group", "") == group
    ]


def halves(first: MortalMember, second: MortalMember) -> bool:
    return len(first.partitions) == len(second.partitions) == PARTITIONS // 2


def test_consumer_protocol_two_members_and_a_kill_minus_9(
    lab: LivingLab, driver: Driver, join: Callable[..., MortalMember]
) -> None:
    topic, group, wanted = new_topic(lab, PARTITIONS), f"g{next(NUMBERS)}", items(600)
    first = join(topic, group, "1")
    until(lambda: len(first.partitions) == PARTITIONS, what="the first has all partitions")
    driver.produce(lab.bootstrap, topic, wanted[:200])
    until(lambda: len(first.values) >= 200, what="the first reads all")
    second = join(topic, group, "2")
    until(lambda: halves(first, second), what="each has half of the partitions")
    assert not first.partitions & second.partitions
    driver.produce(lab.bootstrap, topic, wanted[200:400])
    until(lambda: len(first.values) + len(second.values) >= 400, what="both read")
    second.kill()
    until(lambda: len(first.partitions) == PARTITIONS, what="the first takes over")
    driver.produce(lab.bootstrap, topic, wanted[400:])
    until(lambda: {value for _, value in wanted} <= {*first.values, *second.values}, what="everything is read")
    assert [event.why for event in told(lab, ev.GroupMemberLeft, group)] == ["session_expired"]
    states = {event.state for event in told(lab, ev.ConsumerMemberReconciled, group)}
    assert {"unrevoked_partitions", "unreleased_partitions"} <= states, "one gave up before the other was given"


def test_consumer_protocol_coordinator_killed(
    lab: LivingLab, driver: Driver, join: Callable[..., MortalMember]
) -> None:
    topic, group, wanted = new_topic(lab, PARTITIONS), f"g{next(NUMBERS)}", items(400)
    first, second = join(topic, group, "1"), join(topic, group, "2")
    until(lambda: halves(first, second), what="each has half of the partitions")
    had = first.partitions, second.partitions
    driver.produce(lab.bootstrap, topic, wanted[:200])
    until(lambda: len(first.values) + len(second.values) >= 200, what="both read")
    epoch = max(event.member_epoch for event in told(lab, ev.ConsumerMemberReconciled, group))
    partition = partition_for(group, OFFSETS_PARTITIONS)
    coordinator = next(
        entry.node
        for entry in reversed(lab.entries())
        if isinstance(entry.event, ev.CoordinatorLoaded) and entry.event.partition == partition
    )
    lab.do(f"kill {coordinator}")
    try:
        until(lambda: told(lab, ev.ConsumerGroupLoaded, group) != [], what="another broker has read the group")
        driver.produce(lab.bootstrap, topic, wanted[200:], idempotent=True)
        until(lambda: {value for _, value in wanted} <= {*first.values, *second.values}, what="both read on")
    finally:
        lab.do(f"start {coordinator}")
    (loaded,) = told(lab, ev.ConsumerGroupLoaded, group)[:1]
    assert {number for _, _, number in loaded.members} == {epoch}
    assert (first.partitions, second.partitions) == had, "nobody had to give anything up"


def test_consumer_protocol_static_member_comes_back(
    lab: LivingLab, driver: Driver, join: Callable[..., MortalMember]
) -> None:
    topic, group = new_topic(lab, PARTITIONS), f"g{next(NUMBERS)}"
    first, second = join(topic, group, "1"), join(topic, group, "2", group_instance_id="shelf")
    until(lambda: halves(first, second), what="each has half of the partitions")
    had = second.partitions
    again = join(topic, group, "2", hold=True, group_instance_id="shelf")
    until(lambda: again.is_ready, what="it need not start any more: a JVM may take as long as a session lasts")
    second.leave()
    again.begin()
    until(lambda: again.partitions == had, what="it has its part again")
    assert [event.why for event in told(lab, ev.GroupMemberLeft, group)] == ["replaced"]
    assert len(told(lab, ev.ConsumerGroupTargeted, group)) <= 2 and len(first.partitions) == PARTITIONS // 2


def test_consumer_protocol_pattern(lab: LivingLab, driver: Driver, join: Callable[..., MortalMember]) -> None:
    if driver.name != "confluent-kafka":
        pytest.skip("its driver subscribes by name only")
    topic, group = new_topic(lab, PARTITIONS), f"g{next(NUMBERS)}"
    member = join(f"^{topic}(-more)?$", group, "1")
    until(lambda: len(member.partitions) == PARTITIONS, what="it has the topic that is there")
    lab.do(f"topic {topic}-more partitions={PARTITIONS + 2} replicas=3")
    until(lambda: len(member.partitions) == PARTITIONS + 2, what="it has the one that was made later, too")
    assert {event.group_epoch for event in told(lab, ev.ConsumerGroupTargeted, group)} == {1, 2}
