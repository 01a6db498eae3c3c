"""The pipeline as a process of its own: what it says, line by line. Knows no screen."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.analysis.report.rows import Row, RunRows
from workbench.support.safe_text import safe_text

LAST_SECONDS = 2.0
"""What a terminated analysis gets to end by itself."""
LINE_MAX = 64 << 20
"""The last line holds all tables."""


@dataclass(slots=True)
class Analysis:
    """How far the analysis of one run is, and what came of it."""

    folder: Path
    out: Path
    """Where tables and page are kept."""
    told: str = "starting"
    """What is being done."""
    done: int = 0
    total: int = 1
    began_s: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    """How long it has taken so far, or took."""
    refused: str = ""
    """Why there is nothing to show."""
    rows: RunRows | None = None
    """What there is to show, which may be some of the tables."""
    tables: dict[str, list[Row]] = field(default_factory=dict)
    """Those that are made."""
    is_whole: bool = False
    """Whether all of them are."""
    page: str = ""
    """The page with the same figures."""
    in_progress: bool = False
    """Whether the run went on meanwhile: then this is how it stood."""

    @property
    def is_working(self) -> bool:
        """Whether there is more to come."""
        return not self.is_whole and not self.refused

    def take(self, line: bytes) -> None:
        """One line that it wrote. What is no JSON object of ours is passed over."""
        try:
            message: dict[str, Any] = json.loads(line)
            if "tell" in message:
                self.told, self.done, self.total = (
                    safe_text(str(message["tell"]), 200),
                    int(message["done"]),
                    message["total"],
                )
            elif "refused" in message:
                self.refused = safe_text(str(message["refused"]), 1000)
            elif "table" in message:
                self.tables[message["table"]] = message["rows"]
                if message["table"] == "runs":
                    self.rows = RunRows(message["rows"][0], self.tables)
            else:
                self.rows, self.is_whole = RunRows(message["run"], message["tables"]), True
                self.page, self.in_progress = str(message["page"]), bool(message["in_progress"])
        except (ValueError, TypeError, LookupError):
            return


class Analyst:
    """The process that analyses. It keeps its session of Spark for the next run, until it is ended."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._lines: asyncio.StreamReader | None = None
        self._close: Callable[[], None] = lambda: None
        self._asking = -1
        """Where it reads what to do."""
        self._is_idle = False

    def command(self) -> list[str]:
        """The words that start it."""
        return [sys.executable, "-P", "-m", "workbench.analysis.on_screen"]

    async def analyse(self, job: Analysis) -> None:
        """Have this run analysed, and listen until that is done; cancelling ends the process."""
        self._is_idle = False
        try:
            if self._process is None or self._process.returncode is not None:
                await self.end()
                await self._start()
            with suppress(BrokenPipeError):
                os.write(self._asking, json.dumps([str(job.folder.absolute()), str(job.out)]).encode() + b"\n")
            assert self._lines is not None, "it was started"
            while job.is_working and (line := await self._lines.readline()):
                job.take(line)
            if job.is_working and self._process is not None:
                job.refused = f"the analysis ended without a word, exit {await self._process.wait()}"
        finally:
            job.seconds, self._is_idle = time.monotonic() - job.began_s, job.is_whole
            if not job.is_whole:
                await self.end()

    async def _start(self) -> None:
        self._lines, writing, pipe = await _pipe()
        reading, self._asking = os.pipe()
        self._close = pipe.close
        quiet = asyncio.subprocess.DEVNULL
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self.command(), stdin=reading, stdout=writing, stderr=quiet
            )
        finally:
            os.close(reading)
            os.close(writing)  # the last writer is the process

    async def end(self) -> None:
        """End it. Without work it may end by itself: then Java leaves its classes for the next one."""
        self._close()
        if self._asking >= 0:
            os.close(self._asking)
        process, self._process, self._asking, self._close = self._process, None, -1, lambda: None
        if process is not None:
            await _ended(process, LAST_SECONDS if self._is_idle else 0)


async def _pipe() -> tuple[asyncio.StreamReader, int, asyncio.ReadTransport]:
    """Lines to come, the end to write them into, and what is to be closed.

    A pipe of our own, because the one that asyncio makes for a process is closed only when its last writer is: a child
    of the process that has its stdout too may live longer than our event loop.
    """
    reading, writing = os.pipe()
    reader = asyncio.StreamReader(limit=LINE_MAX)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reading, "rb", buffering=0)
    )
    return reader, writing, transport


async def _ended(process: asyncio.subprocess.Process, patience_s: float) -> None:
    """End it, and have its end: what nobody waited for would complain after the event loop is gone."""
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), patience_s)
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), LAST_SECONDS)
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
