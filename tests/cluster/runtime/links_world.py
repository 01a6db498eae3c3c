"""Connections of a few nodes in one event loop, with what each received and said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from cluster.faults.judge import LinkRules, from_plain
from cluster.model.messages import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from cluster.runtime.connections import Connections
from cluster.wire.frame import Frame

SECRET = bytes(range(32))
LIMIT_S = 5.0


class LinksWorld:
    """Node ids are given; each listens on a port the system chose."""

    def __init__(self, patience_ms: int = 2_000) -> None:
        self.patience_ms = patience_ms
        self.ports: dict[int, int] = {}
        self.nodes: dict[int, Connections] = {}
        self.received: dict[int, list[Frame]] = {}
        self.said: dict[int, list[Any]] = {}

    async def add(self, node: int, secret: bytes = SECRET) -> None:
        self.received[node], self.said[node] = [], []
        self.nodes[node] = Connections(
            node,
            secret,
            self.ports,
            patience_ms=self.patience_ms,
            deliver=self.received[node].extend,
            emit=lambda event, _trigger: self.said[node].append(event),
        )
        self.ports[node] = await self.nodes[node].listen(0)

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
        deadline = asyncio.get_running_loop().time() + LIMIT_S
        while not reached():
            assert asyncio.get_running_loop().time() < deadline, "not reached"
            await asyncio.sleep(0.002)

    async def close(self) -> None:
        for node in self.nodes.values():
            node.close()
        await asyncio.sleep(0.02)


def play(story: Callable[[LinksWorld], Any], patience_ms: int = 2_000) -> None:
    async def run() -> None:
        world = LinksWorld(patience_ms)
        await world.add(1)
        await world.add(2)
        try:
            await story(world)
        finally:
            await world.close()

    asyncio.run(run())
