"""Bytes of a client become frames, wherever the network cuts them."""

from __future__ import annotations

import asyncio

import pytest

from cluster.kafka.codec.limits import Buffer, CodecError
from cluster.runtime.kafka.connection import SCRATCH_BYTES, ClientConnection


class Listener:
    """Takes every frame, and has room for all."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.errors: list[str] = []

    def on_made(self, _connection: ClientConnection) -> None:
        """There is no socket."""

    def on_frames(self, connection: ClientConnection) -> None:
        while connection.frames:
            self.frames.append(bytes(connection.next_frame()))

    def on_bad_frame(self, connection: ClientConnection, error: CodecError) -> None:
        self.errors.append(str(error))
        connection.close("bad frame")

    def on_lost(self, _connection: ClientConnection) -> None:
        """It never is."""

    def may_hold(self, _connection: ClientConnection, _size: int) -> bool:
        return True


def frame(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


async def received(stream: bytes, step: int) -> Listener:
    """What a listener has after the stream came in pieces of so many bytes."""
    listener = Listener()
    connection = ClientConnection(listener, asyncio.get_running_loop(), 1)
    for at in range(0, len(stream), step):
        piece: Buffer = stream[at : at + step]
        while piece:
            room = connection.get_buffer(-1)
            size = min(len(room), len(piece))
            room[:size] = piece[:size]
            connection.buffer_updated(size)
            piece = piece[size:]
    return listener


@pytest.mark.parametrize("step", [1, 2, 3, 5, 7, 50, 1_000])
async def test_a_stream_is_cut_at_every_place(step: int) -> None:
    bodies = [b"x" * size for size in (1, 4, 20, 60, 3)]
    assert (await received(b"".join(map(frame, bodies)), step)).frames == bodies


@pytest.mark.parametrize("step", [1_000, SCRATCH_BYTES, SCRATCH_BYTES + 7])
async def test_a_long_frame_may_come_in_pieces_and_others_follow_it(step: int) -> None:
    bodies = [b"a", bytes(range(256)) * 1_000, b"b"]
    assert (await received(b"".join(map(frame, bodies)), step)).frames == bodies


async def test_after_a_bad_frame_everything_is_refused() -> None:
    listener = await received(frame(b"x") + b"\xff\xff\xff\xff" + frame(b"y"), 5)
    assert listener.frames == [b"x"] and len(listener.errors) == 1 and "a frame of -1 bytes" in listener.errors[0]
