"""When a node stays awake between inputs: on a loop and a clock that are turned by hand."""

from __future__ import annotations

import os
from asyncio import AbstractEventLoop
from collections.abc import Callable
from typing import cast

import pytest

from cluster.runtime.node import busy_poll
from cluster.runtime.node.busy_poll import CLOSE_NS, LEAST_CORES, RETREAT, STREAK, WANTED_NS, BusyPoll

TURN_NS = 10_000
AFAR_NS = CLOSE_NS + TURN_NS


class Loop:
    """What is asked of an event loop, with a clock that each turn moves."""

    def __init__(self) -> None:
        self.now_ns = 0
        self.yield_ns = 0
        """How long the processor is gone when it is given away."""
        self._soon: list[Callable[[], None]] = []

    def call_soon(self, callback: Callable[[], None]) -> None:
        self._soon.append(callback)

    def give_way(self) -> None:
        self.now_ns += self.yield_ns

    def turns_until_sleep(self, most: int = 1_000) -> int:
        """Turn while there is something to call."""
        for turn in range(most):
            if not self._soon:
                return turn
            callbacks, self._soon = self._soon, []
            for callback in callbacks:
                callback()
            self.now_ns += TURN_NS
        raise AssertionError("the node never sleeps")

    @property
    def is_awake(self) -> bool:
        """Whether it would turn again without an input."""
        return bool(self._soon)


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def poll(loop: Loop) -> BusyPoll:
    return BusyPoll(cast(AbstractEventLoop, loop), lambda: loop.now_ns, loop.give_way)


def take(loop: Loop, poll: BusyPoll, count: int, gap_ns: int = TURN_NS) -> None:
    """So many inputs, each so long after the end of the one before."""
    for _ in range(count):
        loop.now_ns += gap_ns
        poll.rest(loop.now_ns)


def test_inputs_that_follow_closely_find_the_node_awake(loop: Loop, poll: BusyPoll) -> None:
    take(loop, poll, STREAK - 1)
    assert not loop.is_awake
    take(loop, poll, 1)
    assert loop.is_awake


def test_a_node_that_waits_in_vain_sleeps(loop: Loop, poll: BusyPoll) -> None:
    take(loop, poll, STREAK)
    assert loop.turns_until_sleep() == CLOSE_NS // TURN_NS + 1
    take(loop, poll, STREAK - 1)
    assert not loop.is_awake, "it was in vain once: they must follow closely again"


def test_each_input_has_it_look_anew(loop: Loop, poll: BusyPoll) -> None:
    take(loop, poll, STREAK)
    take(loop, poll, 1, CLOSE_NS - TURN_NS)
    assert loop.turns_until_sleep() == CLOSE_NS // TURN_NS + 1


def test_a_node_that_is_asked_now_and_then_sleeps_in_between(loop: Loop, poll: BusyPoll) -> None:
    take(loop, poll, 10 * STREAK, AFAR_NS)
    assert not loop.is_awake


def test_a_pause_ends_the_streak(loop: Loop, poll: BusyPoll) -> None:
    take(loop, poll, STREAK - 1)
    take(loop, poll, 1, AFAR_NS)
    take(loop, poll, STREAK - 1)
    assert not loop.is_awake


def test_a_node_whose_processor_others_want_sleeps_and_does_not_try_again_soon(loop: Loop, poll: BusyPoll) -> None:
    loop.yield_ns = WANTED_NS + 1
    take(loop, poll, STREAK)
    assert loop.turns_until_sleep() == 1
    loop.yield_ns = 0
    take(loop, poll, 1, AFAR_NS)
    take(loop, poll, RETREAT)
    assert not loop.is_awake
    take(loop, poll, STREAK)
    assert loop.is_awake


@pytest.mark.parametrize("cores", [1, LEAST_CORES - 1, LEAST_CORES])
def test_a_machine_with_few_cores_keeps_them_for_those_that_work(monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: set(range(cores)), raising=False)
    monkeypatch.setattr(os, "sched_yield", lambda: None, raising=False)
    assert (busy_poll.busy_poll(cast(AbstractEventLoop, Loop())) is not None) == (cores >= LEAST_CORES)


def test_a_system_that_cannot_yield_does_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_yield", raising=False)
    assert busy_poll.busy_poll(cast(AbstractEventLoop, Loop())) is None
