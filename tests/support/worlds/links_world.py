"""Connections of a few nodes in one event loop, with what each received and said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from cluster.faults.effects_on_links import LinkRules, from_plain
from cluster.links.frame import Frame
from cluster.model.messages import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from cluster.runtime.connections import Connections

SECRET = bytes(range(32))
LIMIT_S = 30.0


class LinksWorld:
    """Node ids are given; each listens on a port the system chose."""

    def __init__(self, patience_ms: int = 2_000) -> None:
        self.patience_ms = patience_ms
        self.ports: dict[int, int] = {}
        self.nodes: dict[int, Connections] = {}
        self.received: dict[int, list[Frame]] = {}
        self.said: dict[int, list[Any]] = {}
        self.lost: dict[int, list[int]] = {}
        self._changed = asyncio.Event()

    async def add(self, node: int, secret: bytes = SECRET) -> None:
        self.received[node], self.said[node], self.lost[node] = [], [], []
        self.nodes[node] = Connections(
            node,
            secret,
            self.ports,
            patience_ms=self.patience_ms,
            deliver=lambda frames: self._note(self.received[node], *frames),
            emit=lambda event, _trigger: self._note(self.said[node], event),
            lost=lambda peer: self._note(self.lost[node], peer),
        )
        self.ports[node] = await self.nodes[node].listen(0)

    def _note(self, where: list[Any], *items: Any) -> None:
        where.extend(items)
        self._changed.set()

    def ask(self, source: int, target: int, correlation: int) -> None:
        message = BrokerHeartbeatRequest(
            broker_id=source, broker_epoch=1, metadata_offset=0, want_fence=False, want_shut_down=False
        )
        self.nodes[source].request(target, Frame(source, correlation, message))
        self.nodes[source].flush()

    def answer(self, source: int, target: int, correlation: int) -> None:
        self.nodes[source].respond(target, Frame(source, correlation, BrokerHeartbeatResponse()))
        self.nodes[source].flush()

    def apply(self, *faults: dict[str, Any], to: tuple[int, ...] = ()) -> None:
        for node in to or self.nodes:
            self.nodes[node].apply(LinkRules(map(from_plain, faults)))

    def correlations(self, node: int) -> list[int]:
        return [frame.correlation for frame in self.received[node]]

    def names(self, node: int) -> list[str]:
        return [event.name for event in self.said[node]]

    async def until(self, reached: Callable[[], bool]) -> None:
        """Looks again whenever a node heard, said or lost something."""
        async with asyncio.timeout(LIMIT_S):
            while not reached():
                self._changed.clear()
                await self._changed.wait()

    async def fence(self, source: int, target: int) -> None:
        """A request that must arrive: what was sent before it, and could arrive, has arrived as well."""
        correlation = 4_000_000 + 4 * len(self.received[target])
        self.ask(source, target, correlation)
        await self.until(lambda: correlation in self.correlations(target))

    async def ask_until_heard(self, source: int, target: int, correlation: int) -> None:
        """Ask again each time the request is said to be lost."""
        while correlation not in self.correlations(target):
            losses = len(self.lost[source])
            self.ask(source, target, correlation)

            def answered(known: int = losses) -> bool:
                return correlation in self.correlations(target) or len(self.lost[source]) > known

            await self.until(answered)

    def close(self) -> None:
        for node in self.nodes.values():
            node.close()


def play(story: Callable[[LinksWorld], Any], patience_ms: int = 2_000) -> None:
    async def run() -> None:
        world = LinksWorld(patience_ms)
        await world.add(1)
        await world.add(2)
        try:
            await story(world)
        finally:
            world.close()

    asyncio.run(run())
