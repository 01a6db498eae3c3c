"""The pipeline as a process of its own: what it says, line by line. Knows no screen."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.analysis.report.rows import RunRows
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
    """What there is to show."""
    page: str = ""
    """The page with the same figures."""
    in_progress: bool = False
    """Whether the run went on meanwhile: then this is how it stood."""

    @property
    def is_working(self) -> bool:
        """Whether there is more to come."""
        return self.rows is None and not self.refused

    def command(self) -> list[str]:
        """The words that start the process."""
        return [sys.executable, "-m", "workbench.analysis.on_screen", str(self.folder.absolute()), str(self.out)]

    async def run(self) -> None:
        """Start the process and listen until it ends; cancelling ends it."""
        lines, writing, pipe = await _pipe()
        process = None
        try:
            try:
                process = await _started(self.command(), writing)
            finally:
                os.close(writing)  # the last writer is the process
            async for line in lines:
                self.take(line)
            code = await process.wait()
            if self.is_working:
                self.refused = f"the analysis ended without a word, exit {code}"
        finally:
            pipe.close()
            self.seconds = time.monotonic() - self.began_s
            if process is not None:
                await _ended(process)

    def take(self, line: bytes) -> None:
        """One line that it wrote. What is no JSON object of ours is passed over."""
        try:
            told: dict[str, Any] = json.loads(line)
            if "tell" in told:
                self.told, self.done, self.total = safe_text(str(told["tell"]), 200), int(told["done"]), told["total"]
            elif "refused" in told:
                self.refused = safe_text(str(told["refused"]), 1000)
            else:
                self.rows = RunRows(told["run"], told["tables"])
                self.page, self.in_progress = str(told["page"]), bool(told["in_progress"])
        except (ValueError, TypeError, KeyError):
            return


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


async def _started(command: list[str], stdout: int) -> asyncio.subprocess.Process:
    quiet = asyncio.subprocess.DEVNULL
    return await asyncio.create_subprocess_exec(*command, stdin=quiet, stdout=stdout, stderr=quiet)


async def _ended(process: asyncio.subprocess.Process) -> None:
    """End it, and have its end: what nobody waited for would complain after the event loop is gone."""
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
