"""A simulated cluster whose events are kept, and to which commands are sent without an event loop."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, TypeVar

from cluster.cluster_spec import ClusterSpec
from cluster.commands.carry_out import carry_out
from cluster.lab import Answer
from cluster.model.entry import Entry
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.simulation.world.cluster import SimulatedCluster

ORDERS = TopicPartition("orders", 0)
T = TypeVar("T")


def at_once(coroutine: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns that never waits for anything but virtual time."""
    try:
        coroutine.send(None)
    except StopIteration as stopped:
        value: T = stopped.value
        return value
    raise AssertionError("a simulation waits for nothing outside of it")


class Watched(SimulatedCluster):
    """Started, with all its events."""

    def __init__(self, **changes: Any) -> None:
        super().__init__(ClusterSpec(**changes))
        self.entries: list[Entry] = []
        self.recording.listeners.append(self.entries.append)
        self.begin()

    def send(self, text: str) -> Answer:
        """One command; its effect is in force when this returns."""
        return at_once(carry_out(self.desk, text, self.ready))

    def do(self, *commands: str) -> None:
        """Commands that must succeed."""
        for text in commands:
            answer = self.send(text)
            assert answer.ok, f"{text}: {answer.text}"

    def until(self, reached: Any, limit_s: float = 30.0) -> None:
        """Let time pass until it is so."""
        assert self.run_until(reached, limit_s), f"not reached within {limit_s} s (seed {self.config.seed})"

    def of(self, kind: type, node: NodeId | None = None, since: int = 0) -> list[Any]:
        """Events of one kind, of one node when given."""
        found = self.entries[since:]
        return [item.event for item in found if isinstance(item.event, kind) and node in (None, item.node)]

    def isr(self) -> tuple[NodeId, ...]:
        """Of orders-0, as committed; empty before there is one."""
        known = self.cluster().facts(ORDERS)
        return known.isr if known is not None else ()

    def leader(self) -> NodeId:
        """Of orders-0, as committed."""
        return self.cluster().leader_of(ORDERS)
