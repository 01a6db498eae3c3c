"""Proxies between two nodes, over real loopback connections. Linux alone has all of 127/8."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from cluster.runtime.run.ports import blocks
from judges.apache_kafka.links import LOOPBACK, Links

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="127.0.1.2 is nobody's address here")
SOON_S = 5


@asynccontextmanager
async def echo_behind_links() -> AsyncIterator[tuple[Links, int]]:
    """Node 2 says back what it hears; node 1 is nobody."""
    ports = dict(zip((1, 2), next(blocks(2, None)), strict=True))

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(100):
                writer.write(data)
        writer.close()

    server = await asyncio.start_server(echo, LOOPBACK, ports[2])
    links = Links(ports, {1: 1, 2: 2})
    await links.start()
    try:
        yield links, ports[2]
    finally:
        await links.close()
        server.close()


async def hears(reader: asyncio.StreamReader, data: bytes) -> bool:
    async with asyncio.timeout(SOON_S):
        return await reader.readexactly(len(data)) == data


def test_each_node_finds_the_others_by_an_address_of_its_own() -> None:
    links = Links({1: 5, 2: 6}, {1: 1, 2: 2})
    assert links.hosts(1, {1: "node-1", 2: "node-2"}) == "127.0.0.1 localhost node-1\n127.0.1.2 node-2\n"
    assert links.hosts(2, {1: "node-1", 2: "node-2"}) == "127.0.0.1 localhost node-2\n127.0.2.1 node-1\n"


@pytest.mark.parametrize("cut", [(1, 2), (2, 1)], ids=["question held", "answer held"])
async def test_a_cut_holds_one_direction_and_healing_lets_it_go_on(cut: tuple[int, int]) -> None:
    async with echo_behind_links() as (links, port):
        reader, writer = await asyncio.open_connection(links.address(1, 2), port)
        writer.write(b"before")
        assert await hears(reader, b"before")
        links.obey([cut], {})
        writer.write(b"held")
        held = asyncio.ensure_future(reader.readexactly(4))
        done, _ = await asyncio.wait([held], timeout=0.2)
        assert not done
        links.obey([], {})
        async with asyncio.timeout(SOON_S):
            assert await held == b"held"
        writer.close()


async def test_what_is_held_dies_with_its_node() -> None:
    async with echo_behind_links() as (links, port):
        reader, writer = await asyncio.open_connection(links.address(1, 2), port)
        writer.write(b"before")
        assert await hears(reader, b"before")
        links.obey([(2, 1)], {})
        writer.write(b"held")
        links.drop(2)
        links.obey([], {})
        async with asyncio.timeout(SOON_S):
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await reader.readexactly(4)
        writer.close()


async def test_a_node_that_does_not_listen_refuses() -> None:
    async with echo_behind_links() as (links, _):
        reader, writer = await asyncio.open_connection(links.address(2, 1), links.ports[1])
        async with asyncio.timeout(SOON_S):
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError)):
                await reader.readexactly(1)
        writer.close()
