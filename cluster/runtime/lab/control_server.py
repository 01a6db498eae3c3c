"""Where viewers talk to the lab: one JSON object per line, both ways, over a private unix socket."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from cluster.lab import Answer
from cluster.runtime.run.folder import CONTROL, control_path

LINE_BYTES_MAX = 1 << 16
VIEWERS_MAX = 64
BEAT_SECONDS = 0.5
"""How often each viewer hears from a lab that has nothing to say: one that hears nothing knows that the lab hangs."""
BEAT = b'{"beat": true}\n'
ABANDONED = "its screen or command went away without a word"
"""Why a run ends when a screen or a command that owned it dies."""


class ControlServer:
    """Carries commands to the lab and answers back; knows who owns the run.

    Lines besides commands: {"hello": "owner"} makes the sender an owner; {"stay": true} lets the run outlive its
    owners; {"leave": "in order"} or {"leave": "now"} ends it; {"bye": true} comes before the line is closed on purpose.
    Viewers hear {"hello": "lab", "beat": true} first, {"beat": true} again and again, answers, and {"failed": WHY};
    they leave aside what they do not know.
    """

    def __init__(
        self,
        folder: Path,
        carry_out: Callable[[str, str], Awaitable[Answer]],
        leave: Callable[[bool, str], None],
        stay: Callable[[], None],
        *,
        stays: bool = False,
    ) -> None:
        self._folder = folder
        self._carry_out = carry_out
        self._leave = leave
        self._stay = stay
        self._stays = stays
        self._owners: set[asyncio.StreamWriter] = set()
        self._leaving: set[asyncio.StreamWriter] = set()
        """Who has said goodbye."""
        self._server: asyncio.Server | None = None
        self._viewers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def listen(self) -> None:
        """Accept viewers of the same user."""
        self._remove_socket()
        before = os.umask(0o177)
        try:
            with control_path(self._folder) as path:
                self._server = await asyncio.start_unix_server(self._accept, str(path), limit=LINE_BYTES_MAX)
        finally:
            os.umask(before)

    def _remove_socket(self) -> None:
        (self._folder / CONTROL).unlink(missing_ok=True)
        self._spawn(self._beat())

    async def adopt(self, owner: socket.socket) -> None:
        """Take the connection of whoever started the lab."""
        owner.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=owner, limit=LINE_BYTES_MAX)
        self._owners.add(writer)
        self._spawn(self._serve(reader, writer))

    async def tell_all(self, what: dict[str, Any]) -> None:
        """One line to every viewer."""
        for writer in list(self._viewers):
            await _tell(writer, what)

    async def close(self) -> None:
        """Let all viewers go."""
        if self._server is not None:
            self._server.close()
        self._remove_socket()
        for writer in list(self._viewers):
            writer.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _beat(self) -> None:
        """Let every viewer know that the lab is there. One that does not read what it was sent gets no more."""
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            for writer in self._viewers:
                if not writer.is_closing() and not writer.transport.get_write_buffer_size():
                    writer.write(BEAT)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._viewers) >= VIEWERS_MAX:
            writer.close()
        else:
            self._spawn(self._serve(reader, writer))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._viewers.add(writer)
        await _tell(writer, {"hello": "lab", "beat": True})
        try:
            while line := await reader.readline():
                asked = json.loads(line)
                match asked:
                    case {"hello": "owner"}:
                        self._owners.add(writer)
                    case {"stay": True}:
                        self._stays = True
                        self._stay()
                        self._spawn(_tell(writer, {"id": asked.get("id"), "ok": True, "text": "the run stays"}))
                    case {"leave": how}:
                        self._leave(how == "in order", "")
                    case {"bye": True}:
                        self._leaving.add(writer)
                    case dict():
                        self._spawn(self._answer(writer, asked))
                    case _:
                        break
        except (ValueError, OSError):
            pass
        finally:
            self._viewers.discard(writer)
            writer.close()
            why = "" if writer in self._leaving else ABANDONED
            self._leaving.discard(writer)
            if writer in self._owners:
                self._owners.discard(writer)
                if not self._owners and not self._stays:
                    self._leave(False, why)

    async def _answer(self, writer: asyncio.StreamWriter, asked: dict[str, Any]) -> None:
        try:
            answer = await self._carry_out(str(asked.get("command", "")), str(asked.get("by", "")))
        except Exception:  # whatever it is, the viewer that waits must hear of it
            traceback.print_exc()
            answer = Answer(False, "the lab could not carry this out; see logs/lab.log in the run folder")
        await _tell(writer, {"id": asked.get("id"), "ok": answer.ok, "text": answer.text})

    def _spawn(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _tell(writer: asyncio.StreamWriter, what: dict[str, Any]) -> None:
    try:
        writer.write(json.dumps(what).encode() + b"\n")
        await writer.drain()
    except OSError:
        return
