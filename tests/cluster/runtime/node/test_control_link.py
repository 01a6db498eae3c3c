"""A node's line to its lab."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from typing import Any

from cluster.runtime.node.control_link import open_control


def play(lab: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any]) -> list[Any]:
    """Give a node its end of a pair; what the node was ordered, and "lost" at the end."""
    seen: list[Any] = []

    def on_order(order: dict[str, Any]) -> None:
        if order["do"] == "dance":
            raise ValueError("unknown order dance")
        seen.append(order)

    async def story() -> None:
        lost = asyncio.Event()

        def on_lost() -> None:
            seen.append("lost")
            lost.set()

        mine, theirs = socket.socketpair()
        await open_control(theirs.detach(), on_order, on_lost)
        reader, writer = await asyncio.open_connection(sock=mine)
        await lab(reader, writer)
        writer.close()
        await asyncio.wait_for(lost.wait(), 30)

    asyncio.run(story())
    return seen


def test_each_order_is_answered_once_it_is_in_force() -> None:
    said: list[Any] = []

    async def lab(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'{"do": "stop", "id": 1}\n{"do": "bl')
        said.append(json.loads(await reader.readline()))
        writer.write(b'ackhole", "id": 2}\n')
        said.append(json.loads(await reader.readline()))

    seen = play(lab)
    assert said == [{"done": 1}, {"done": 2}]
    assert seen == [{"do": "stop", "id": 1}, {"do": "blackhole", "id": 2}, "lost"]


def test_an_order_that_means_nothing_is_answered_with_its_error() -> None:
    said: list[Any] = []

    async def lab(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'{"do": "dance", "id": 1}\n')
        said.append(json.loads(await reader.readline()))

    play(lab)
    assert said == [{"done": 1, "error": "ValueError: unknown order dance"}]


def test_the_end_of_the_lab_is_told() -> None:
    async def lab(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        return

    assert play(lab) == ["lost"]
