"""Viewers and owners of a run, over a real socket."""

from __future__ import annotations

import asyncio
import json
import socket
import stat
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cluster.lab import Answer
from cluster.runtime.lab import control_server
from cluster.runtime.lab.control_server import ABANDONED, ControlServer

LIMIT_S = 30.0


class World:
    """A server whose lab echoes; `slow` waits for `gate`, `broken` raises."""

    def __init__(self, folder: Path, *, stays: bool) -> None:
        self.path = folder / "control.sock"
        self.gate = asyncio.Event()
        self.left: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.stayed = 0
        self.why = ""
        self.lines: list[Line] = []
        self.server = ControlServer(folder, self._carry_out, self._leave, self._stay, stays=stays)

    async def _carry_out(self, text: str, _by: str) -> Answer:
        if text == "slow":
            await self.gate.wait()
        if text == "broken":
            raise ZeroDivisionError
        return Answer(True, text)

    def _leave(self, in_order: bool, why: str) -> None:  # noqa: FBT001
        self.why = why
        if not self.left.done():
            self.left.set_result(in_order)

    def _stay(self) -> None:
        self.stayed += 1

    async def owner(self) -> Line:
        mine, theirs = socket.socketpair()
        await self.server.adopt(theirs)
        mine.setblocking(False)
        return await self._line(*await asyncio.open_connection(sock=mine))

    async def viewer(self) -> Line:
        return await self._line(*await asyncio.open_unix_connection(str(self.path)))

    async def _line(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Line:
        line = Line(reader, writer)
        self.lines.append(line)
        assert await line.hear() == {"hello": "lab", "beat": True}, "whoever comes is greeted"
        return line

    async def close(self) -> None:
        await self.server.close()
        for line in self.lines:
            line.writer.close()
            with suppress(OSError):
                await line.writer.wait_closed()


class Line:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self.writer = reader, writer

    def say(self, **what: Any) -> None:
        self.writer.write(json.dumps(what).encode() + b"\n")

    async def hear(self) -> Any:
        """The next line that is no beat."""
        while (told := await self.hear_any()) == {"beat": True}:
            pass
        return told

    async def hear_any(self) -> Any:
        return json.loads(await asyncio.wait_for(self._reader.readline(), LIMIT_S) or b"null")

    async def ask(self, number: int, text: str) -> Any:
        self.say(id=number, command=text)
        return await self.hear()


def play(folder: Path, story: Callable[[World], Awaitable[None]], *, stays: bool = False) -> None:
    async def run() -> None:
        world = World(folder, stays=stays)
        await world.server.listen()
        try:
            await story(world)
        finally:
            await world.close()
        assert not world.path.exists()

    asyncio.run(run())


def test_the_socket_is_for_the_user_only(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        assert stat.S_IMODE(world.path.stat().st_mode) == 0o600

    play(tmp_path, story)


def test_a_long_command_holds_up_no_other_and_each_answer_has_its_number(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        first, second = await world.viewer(), await world.viewer()
        first.say(id=1, command="slow")
        assert await first.ask(2, "quick") == {"id": 2, "ok": True, "text": "quick"}
        assert await second.ask(1, "other") == {"id": 1, "ok": True, "text": "other"}
        world.gate.set()
        assert await first.hear() == {"id": 1, "ok": True, "text": "slow"}

    play(tmp_path, story)


def test_a_command_that_breaks_the_lab_is_answered(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        viewer = await world.viewer()
        answer = await viewer.ask(1, "broken")
        assert not answer["ok"]
        assert "lab.log" in answer["text"]
        assert (await viewer.ask(2, "next"))["ok"]

    play(tmp_path, story)


def test_garbage_ends_one_connection_only(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        good = await world.viewer()
        for garbage in (b"GET / HTTP/1.1\r\n\r\n", b"[1]\n", b"\xff\xfe\n", b"x" * 100_000):
            bad = await world.viewer()
            bad.writer.write(garbage)
            assert await bad.hear() is None
        assert (await good.ask(1, "still"))["ok"]
        assert not world.left.done()

    play(tmp_path, story)


def test_the_run_ends_at_once_with_its_last_owner_and_not_before(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        first, viewer, second = await world.owner(), await world.viewer(), await world.viewer()
        second.say(hello="owner")
        assert (await second.ask(1, "heard"))["ok"]
        viewer.writer.close()
        first.writer.close()
        assert (await second.ask(2, "first is gone"))["ok"]
        assert not world.left.done()
        second.writer.close()
        assert await asyncio.wait_for(world.left, LIMIT_S) is False

    play(tmp_path, story)


@pytest.mark.parametrize("says_goodbye", [True, False])
def test_an_owner_that_closes_its_line_on_purpose_is_told_from_one_that_died(
    tmp_path: Path, says_goodbye: bool
) -> None:
    async def story(world: World) -> None:
        owner = await world.owner()
        if says_goodbye:
            owner.say(bye=True)
        owner.writer.close()
        assert await asyncio.wait_for(world.left, LIMIT_S) is False
        assert world.why == ("" if says_goodbye else ABANDONED)

    play(tmp_path, story)


def test_a_run_that_stays_outlives_its_owners(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        owner, viewer = await world.owner(), await world.viewer()
        owner.say(id=1, stay=True)
        assert (await owner.hear())["ok"]
        owner.writer.close()
        assert (await viewer.ask(1, "there"))["ok"]
        assert world.stayed == 1
        assert not world.left.done()
        viewer.say(leave="in order")
        assert await asyncio.wait_for(world.left, LIMIT_S) is True

    play(tmp_path, story)


def test_a_detached_run_has_no_owner(tmp_path: Path) -> None:
    async def story(world: World) -> None:
        owner, viewer = await world.owner(), await world.viewer()
        owner.writer.close()
        assert (await viewer.ask(1, "there"))["ok"]
        assert not world.left.done()

    play(tmp_path, story, stays=True)


def test_a_lab_that_has_nothing_to_say_is_heard_again_and_again_by_every_viewer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_server, "BEAT_SECONDS", 0.01)

    async def story(world: World) -> None:
        first, second = await world.owner(), await world.viewer()
        for line in (first, second, first):
            assert await line.hear_any() == {"beat": True}

    play(tmp_path, story)


def test_a_viewer_that_does_not_read_gets_no_more_beats_and_keeps_none_from_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_server, "BEAT_SECONDS", 0.0)
    monkeypatch.setattr(control_server, "BEAT", b'{"beat": true, "padding": "%s"}\n' % (b"x" * 30_000))

    async def story(world: World) -> None:
        viewer = await world.viewer()
        (reading,) = world.server._viewers
        with socket.socket(socket.AF_UNIX) as deaf:
            deaf.connect(str(world.path))
            while not (kept := [kept_of(writer) for writer in world.server._viewers - {reading}]) or not kept[0]:
                await viewer.hear_any()
            for _ in range(20):
                assert (await viewer.hear_any())["beat"]
            assert [kept_of(writer) for writer in world.server._viewers - {reading}] == kept

    def kept_of(writer: asyncio.StreamWriter) -> int:
        return writer.transport.get_write_buffer_size()

    play(tmp_path, story)
