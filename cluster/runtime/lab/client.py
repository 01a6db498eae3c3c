"""A viewer's line to a lab: start one, or connect to one that runs. Implements cluster.lab.Lab."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from cluster.cluster_spec import ClusterSpec
from cluster.lab import LEARNER, Answer
from cluster.model.identifiers import NodeId
from cluster.runtime.lab.control_server import LINE_BYTES_MAX
from cluster.runtime.lab.own_code import child_environment
from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.folder import RunError, control_path, create_run, read_facts
from cluster.runtime.run.ports import loopback_trouble

GONE_SECONDS = 10.0
ANSWER_SECONDS = 15.0
GREETING_SECONDS = 3.0
"""A lab that is there greets at once; one that is stopped never does."""


class LabError(OSError):
    """The lab cannot be started, or is gone. The message is one sentence for people."""


class LabClient:
    """One connection to a lab. Commands may overlap; each gets its own answer."""

    def __init__(self, folder: Path, facts: RunFacts, process: subprocess.Popen[bytes] | None) -> None:
        self.run_folder = folder
        """Where the trace grows."""
        self.facts = facts
        """As they were when the connection was made."""
        self.failure = ""
        """Why the lab gave up, once it did."""
        self.heard_s: float | None = None
        """When the lab last said that it is there, on the monotonic clock; None before, and of an older lab."""
        self._process = process
        self._answers: dict[int, asyncio.Future[Answer]] = {}
        self._count = 0
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter
        self._listening: asyncio.Task[None] | None = None
        self._greeted = asyncio.Event()

    @property
    def run(self) -> str:
        """Its id."""
        return self.facts.id

    @property
    def controllers(self) -> tuple[NodeId, ...]:
        """The voters."""
        return self.facts.controllers

    @property
    def brokers(self) -> tuple[NodeId, ...]:
        """All brokers."""
        return self.facts.brokers

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._listening = asyncio.get_running_loop().create_task(self._listen())

    async def _listen(self) -> None:
        try:
            while line := await self._reader.readline():
                message = json.loads(line)
                if message.get("beat"):
                    self.heard_s = time.monotonic()
                self.failure = str(message.get("failed", self.failure))
                if message.get("hello"):
                    self._greeted.set()
                waiting = self._answers.pop(message.get("id", -1), None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(Answer(bool(message["ok"]), str(message["text"])))
        except (OSError, ValueError):
            pass
        self._greeted.set()
        for waiting in self._answers.values():
            if not waiting.done():
                waiting.set_exception(EOFError(self.failure or "the lab has ended"))
        self._answers.clear()

    async def send(self, text: str, by: str = LEARNER) -> Answer:
        """Carry out one command. EOFError when the lab has ended."""
        return await self._ask({"command": text, "by": by})

    async def stay(self) -> None:
        """Let the run outlive its owners, until somebody ends it."""
        await self._ask({"stay": True})
        self.facts = replace(self.facts, detached=True)

    async def _ask(self, what: dict[str, Any]) -> Answer:
        if self._listening is None or self._listening.done():
            raise EOFError(self.failure or "the lab has ended")
        line = json.dumps({"id": self._count + 1, **what}).encode() + b"\n"
        if len(line) > LINE_BYTES_MAX:  # else the lab would let go of its sender, and end the run if that is its owner
            return Answer(False, f"too long for one command: {len(line)} bytes, {LINE_BYTES_MAX} are allowed")
        self._count += 1
        waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._answers[self._count] = waiting
        self._writer.write(line)
        try:
            await self._writer.drain()
        except OSError:  # the answer tells why
            await asyncio.shield(self._listening)
        return await waiting

    async def ended(self) -> None:
        """Wait until the lab closes the line."""
        if self._listening is not None:
            await asyncio.shield(self._listening)

    async def leave(self, *, in_order: bool) -> None:
        """Ask the lab to end the run, and wait until it has."""
        self._writer.write(json.dumps({"leave": "in order" if in_order else "now"}).encode() + b"\n")
        await self._writer.drain()
        await self.ended()

    async def close(self) -> None:
        """Let go. The lab that this client started and owns ends its nodes; this waits until it is gone.

        One that neither goes nor answers any more is killed, and its guardian ends the nodes.
        """
        if self._listening is None:
            return
        if not self._writer.is_closing():
            self._writer.write(json.dumps({"bye": True}).encode() + b"\n")
        self._writer.close()
        if self._process is not None and not self.facts.detached:
            try:
                await asyncio.to_thread(self._process.wait, GONE_SECONDS)
            except subprocess.TimeoutExpired:
                if not await self._is_living():  # else it has another owner
                    self._process.kill()
                    await asyncio.to_thread(self._process.wait)
        self._listening.cancel()
        self._listening = None

    async def _is_living(self) -> bool:
        """Whether the lab still takes viewers."""
        try:
            other = await connect(self.run_folder)
        except (RunError, OSError):
            return False
        await other.close()
        return True

    async def own(self) -> None:
        """Become an owner too: the run ends when its last owner is gone, unless it stays."""
        self._writer.write(json.dumps({"hello": "owner"}).encode() + b"\n")
        await self._writer.drain()

    async def _greet(self) -> None:
        """Wait until the lab takes commands. LabError when it does not, and then it is gone."""
        try:
            await asyncio.wait_for(self._greeted.wait(), ANSWER_SECONDS)
        except TimeoutError:
            self.failure = f"the lab did not answer within {ANSWER_SECONDS:g} s"
        if self._listening is None or self._listening.done() or self.failure:
            self._writer.close()
            if self._process is not None:
                await asyncio.to_thread(_wait_or_kill, self._process)
            log = self.run_folder / "logs" / "lab.log"
            raise LabError(self.failure or f"the lab did not start{_last_words(log)}; see {log}")


def _last_words(log: Path) -> str:
    """What a process that ended at once said last, after a colon; empty when it said nothing."""
    try:
        lines = log.read_text("utf-8", "replace").split("\n")
    except OSError:
        return ""
    last_line = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f": {last_line[:300]}" if last_line else ""


async def launch_lab(
    home: Path, spec: ClusterSpec, *, prepare: Callable[[Path], None] | None = None, base_port: int | None = None,
    duration_s: float | None = None, detached: bool = False,
) -> LabClient:  # fmt: skip
    """Start a lab in a process of its own. OSError or LabError when that fails, and then nothing runs;
    when it is cancelled, nothing is left either.

    The nodes may still be starting: the trace tells, and commands wait for them. A lab that is not detached ends with
    this client, however this process ends.

    Args:
        home: folder of all runs.
        prepare: may lay down files in the run folder before the first node starts.
        base_port: first port; None lets the lab choose.
        duration_s: the lab ends by itself after this long; None for never.
    """
    folder, lock = create_run(home, spec, base_port=base_port, duration_s=duration_s, detached=detached)
    try:
        if prepare is not None:
            prepare(folder)
        facts = read_facts(folder)
        line = _spawn(folder, lock)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        os.close(lock)
    try:
        return await _greeted(folder, facts, *line)
    except asyncio.CancelledError:
        await asyncio.to_thread(_wait_or_kill, line[1])  # it ends because our end of the line is closed
        shutil.rmtree(folder, ignore_errors=True)
        raise


async def resume_lab(folder: Path, lock: int, facts: RunFacts) -> LabClient:
    """Start a lab in the folder of a run that is over and prepared to go on; the lock is let go of.

    OSError or LabError when that fails, and then nothing runs.
    """
    try:
        line = _spawn(folder, lock)
    finally:
        os.close(lock)
    return await _greeted(folder, facts, *line)


async def _greeted(folder: Path, facts: RunFacts, mine: socket.socket, process: subprocess.Popen[bytes]) -> LabClient:
    client = LabClient(folder, facts, process)
    mine.setblocking(False)
    await client._talk(*await asyncio.open_connection(sock=mine))
    try:
        await client._greet()
    except asyncio.CancelledError:
        client._writer.close()
        raise
    return client


def _wait_or_kill(process: subprocess.Popen[bytes]) -> None:
    """A lab that does not go is killed; its nodes and the guardian notice and end."""
    try:
        process.wait(GONE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _spawn(folder: Path, lock: int) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """The lab process, and our end of the line to it."""
    if trouble := loopback_trouble():
        raise LabError(trouble)
    mine, theirs = socket.socketpair()
    with _closed_on_failure(mine), theirs, (folder / "logs" / "lab.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "cluster.runtime.lab.process", str(folder), str(theirs.fileno()), str(lock)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=folder,
            env=child_environment(),
            pass_fds=(theirs.fileno(), lock),
        )
    return mine, process


@contextmanager
def _closed_on_failure(connection: socket.socket) -> Iterator[None]:
    try:
        yield
    except OSError:
        connection.close()
        raise


async def connect(folder: Path) -> LabClient:
    """Talk to the lab of a run that is up. RunError when there is none."""
    facts = read_facts(folder)
    try:
        with control_path(folder) as path:
            streams: Any = await asyncio.open_unix_connection(str(path))
    except OSError as error:
        raise RunError("its lab does not run") from error
    client = LabClient(folder, facts, None)
    await client._talk(*streams)
    try:
        await asyncio.wait_for(client._greeted.wait(), GREETING_SECONDS)
    except TimeoutError:
        await client.close()
        raise RunError(f"its lab does not answer within {GREETING_SECONDS:g} s") from None
    return client
