"""Who is let in, byte by byte."""

from __future__ import annotations

import asyncio
import struct

from cluster.links.frame import Frame, encode_frame
from cluster.links.handshake import ANSWER_BYTES, NONCE_BYTES, Challenge, Side, encode_hello, prove
from cluster.model.messages import MetadataRequest
from cluster.runtime.transport import TURN_FRAMES
from tests.support.worlds.links_world import SECRET, LinksWorld, play

NONCE = bytes(NONCE_BYTES)


async def shake(world: LinksWorld, claimed: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", world.ports[2])
    writer.write(encode_hello(claimed, NONCE))
    answer = await reader.readexactly(ANSWER_BYTES)
    writer.write(prove(SECRET, Side.CONNECTOR, Challenge(claimed, 2, NONCE, answer[:NONCE_BYTES])))
    return reader, writer


async def is_closed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    try:
        data = await asyncio.wait_for(reader.read(1), 30)
    except ConnectionError:
        data = b""
    writer.close()
    return data == b""


def test_a_client_with_the_secret_may_speak_for_several_clients() -> None:
    async def story(world: LinksWorld) -> None:
        _, writer = await shake(world, 1001)
        writer.write(encode_frame(Frame(1001, 3, MetadataRequest())) + encode_frame(Frame(1002, 3, MetadataRequest())))
        await world.until(lambda: [frame.sender for frame in world.received[2]] == [1001, 1002])
        writer.close()

    play(story)


def requests(client: int, count: int) -> bytes:
    return b"".join(encode_frame(Frame(client, number, MetadataRequest())) for number in range(count))


def test_busy_connections_take_turns_and_the_frames_of_each_stay_in_order() -> None:
    count, clients = 10 * TURN_FRAMES + 1, (1001, 1002, 1003)

    async def story(world: LinksWorld) -> None:
        writers = [(await shake(world, client))[1] for client in clients]
        for client, writer in zip(clients, writers, strict=True):
            writer.write(requests(client, count))
        await world.until(lambda: len(world.received[2]) == count * len(clients))
        first = world.received[2][: TURN_FRAMES * len(clients)]
        assert {frame.sender for frame in first} == set(clients)
        for client, writer in zip(clients, writers, strict=True):
            told = [frame.correlation for frame in world.received[2] if frame.sender == client]
            assert told == list(range(count))
            writer.close()

    play(story)


def test_frames_that_came_before_the_end_of_a_connection_count() -> None:
    count = 3 * TURN_FRAMES

    async def story(world: LinksWorld) -> None:
        _, writer = await shake(world, 1001)
        writer.write(requests(1001, count))
        writer.close()
        await world.until(lambda: len(world.received[2]) == count)

    play(story)


def test_a_node_may_not_speak_in_the_name_of_another() -> None:
    async def story(world: LinksWorld) -> None:
        reader, writer = await shake(world, 1)
        writer.write(encode_frame(Frame(101, 4, MetadataRequest())))
        assert await is_closed(reader, writer)
        assert world.received[2] == []

    play(story)


def test_garbage_instead_of_a_hello_is_closed() -> None:
    async def story(world: LinksWorld) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", world.ports[2])
        writer.write(b"GET / HTTP/1.1\r\n\r\n" + bytes(200))
        assert await is_closed(reader, writer)

    play(story)


def test_each_connection_gets_a_nonce_of_its_own() -> None:
    async def story(world: LinksWorld) -> None:
        nonces = set()
        for _ in range(3):
            reader, writer = await asyncio.open_connection("127.0.0.1", world.ports[2])
            writer.write(encode_hello(1, NONCE))
            nonces.add((await reader.readexactly(ANSWER_BYTES))[:NONCE_BYTES])
            writer.close()
        assert len(nonces) == 3

    play(story)


def test_a_wrong_proof_is_closed() -> None:
    async def story(world: LinksWorld) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", world.ports[2])
        writer.write(encode_hello(1, NONCE))
        await reader.readexactly(ANSWER_BYTES)
        writer.write(bytes(32))
        assert await is_closed(reader, writer)

    play(story)


def test_strangers_are_counted_and_told_of_once_a_second() -> None:
    async def story(world: LinksWorld) -> None:
        for _ in range(5):
            reader, writer = await asyncio.open_connection("127.0.0.1", world.ports[2])
            writer.write(b"GET / HTTP/1.1\r\n\r\n" + bytes(200))
            assert await is_closed(reader, writer)
        told = [event for event in world.said[2] if event.name == "client.refused"]
        assert len(told) < 5
        assert (told[0].kind, told[0].count) == ("link", 1)

    play(story)


def test_a_node_that_calls_itself_is_closed() -> None:
    async def story(world: LinksWorld) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", world.ports[2])
        writer.write(encode_hello(2, NONCE))
        assert await is_closed(reader, writer)

    play(story)


def test_silence_instead_of_a_hello_is_closed_within_a_second() -> None:
    async def story(world: LinksWorld) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", world.ports[2])
        started = asyncio.get_running_loop().time()
        assert await is_closed(reader, writer)
        assert asyncio.get_running_loop().time() - started < 1.5

    play(story)


def test_an_oversized_frame_is_closed() -> None:
    async def story(world: LinksWorld) -> None:
        reader, writer = await shake(world, 1)
        writer.write(struct.pack(">I", 1 << 30))
        assert await is_closed(reader, writer)

    play(story)
