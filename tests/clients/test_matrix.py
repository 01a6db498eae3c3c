"""Unmodified Kafka clients against living brokers: what each can do, and what an acknowledgement is worth."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.clients.driver import Driver, Unable, paced
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.losing import produce_with_lost_answers
from tests.support.clients.whole import NUMBERS, check_whole, items, new_topic
from tests.support.processes.watching import until


def or_skip(act: Callable[[], object]) -> None:
    """A client that has no such thing is no failure."""
    try:
        act()
    except Unable as reason:
        pytest.skip(str(reason))


def test_admin(lab: LivingLab, driver: Driver) -> None:
    topic = f"made-by-{driver.name}"
    driver.create(lab.bootstrap, topic)
    until(lambda: topic in driver.topics(lab.bootstrap), what="the brokers have read of the topic")


def test_describe(lab: LivingLab, driver: Driver) -> None:
    topic = new_topic(lab)

    def are_told() -> bool:
        found = driver.describe(lab.bootstrap, topic)
        return found.keys() == {0, 1, 2} and set(found.values()) <= set(lab.ports)

    until(are_told, what="each partition has a leader that is a broker")


@pytest.mark.first(acks=[-1])
@pytest.mark.parametrize("acks", [0, 1, -1])
def test_produce_and_read(lab: LivingLab, driver: Driver, acks: int) -> None:
    topic, wanted = new_topic(lab), items(500)
    sent = driver.produce(lab.bootstrap, topic, wanted, acks=acks)
    assert sent.failed == []
    assert len(sent.acknowledged) == 500
    check_whole([value for _, value in wanted], driver.consume(lab.bootstrap, topic, 3, 500))


def test_idempotent(lab: LivingLab, driver: Driver) -> None:
    topic, wanted = new_topic(lab), items(2_000)
    sent = driver.produce(lab.bootstrap, topic, wanted, idempotent=True)
    assert sent.failed == []
    check_whole([value for _, value in wanted], driver.consume(lab.bootstrap, topic, 3, 2_000))


@pytest.mark.parametrize("compression", ["gzip", "snappy", "lz4", "zstd"])
def test_compressed(lab: LivingLab, driver: Driver, compression: str) -> None:
    topic, wanted = new_topic(lab), items(500)

    def act() -> None:
        sent = driver.produce(lab.bootstrap, topic, wanted, compression=compression)
        assert sent.failed == []
        check_whole([value for _, value in wanted], driver.consume(lab.bootstrap, topic, 3, 500))

    or_skip(act)


def test_responses_lost_idempotent(healed: LivingLab, driver: Driver) -> None:
    topic = new_topic(healed)
    values = produce_with_lost_answers(healed, driver, topic, idempotent=True)
    check_whole(values, driver.consume(healed.bootstrap, topic, 3, len(values)))


def test_every_broker_killed_in_turn_idempotent(healed: LivingLab, driver: Driver) -> None:
    if driver.retries_safely:
        pytest.skip(driver.retries_safely)
    how_many = 50_000
    topic, wanted = new_topic(healed), items(how_many)
    done = threading.Event()

    def kill_each() -> None:
        for broker in healed.ports:
            done.wait(1.5)
            healed.do(f"kill {broker}")
            done.wait(1.5)
            healed.do(f"start {broker}")

    killing = threading.Thread(target=kill_each)
    killing.start()
    try:
        sent = driver.produce(healed.bootstrap, topic, paced(wanted, how_many // 12), idempotent=True)
    finally:
        killing.join()
    assert sent.failed == []
    check_whole([value for _, value in wanted], driver.consume(healed.bootstrap, topic, 3, how_many))


@pytest.mark.first
def test_group_of_two_and_a_takeover(lab: LivingLab, driver: Driver) -> None:
    topic, group, wanted = new_topic(lab, 4), f"g{next(NUMBERS)}", items(400)

    def act() -> None:
        first = driver.in_group(lab.bootstrap, topic, group, f"{driver.name}-1")
        try:
            until(lambda: len(first.partitions) == 4 or driver.name == "kcat", what="the first has all partitions")
            driver.produce(lab.bootstrap, topic, wanted[:200])
            until(lambda: {value for _, value in wanted[:200]} <= set(first.values), what="the first reads all")
            second = driver.in_group(lab.bootstrap, topic, group, f"{driver.name}-2")
            until(lambda: share_in(driver, lab, topic, second), what="the second gets a share")
            first.leave()
            driver.produce(lab.bootstrap, topic, wanted[200:])
            until(lambda: {value for _, value in wanted[200:]} <= set(second.values), what="the second takes over")
            second.leave()
        finally:
            first.leave()
        assert {value for _, value in wanted} <= {*first.values, *second.values}

    or_skip(act)


def share_in(driver: Driver, lab: LivingLab, topic: str, member: Any) -> bool:
    """Whether the newcomer has partitions; one that does not say so is fed until it reads."""
    if driver.name == "kcat":
        driver.produce(lab.bootstrap, topic, [(f"x{number}".encode(), b"probe:0") for number in range(40)])
    return bool(member.partitions)
