"""Waiting for what a run says, with a deadline; nothing here sleeps blindly."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cluster.cluster_spec import ClusterSpec
from cluster.picture.cluster_state import ClusterState
from cluster.runtime.lab.client import LabClient, launch_lab
from cluster.runtime.run.folder import is_alive
from cluster.trace.reader import TraceFolder

LIMIT_S = 60.0
TICK_S = 0.01


def until(reached: Callable[[], Any], limit_s: float = LIMIT_S, what: str = "") -> Any:
    """What reached() says once it is true; fails after the limit."""
    deadline = time.monotonic() + limit_s
    pause = threading.Event()
    while not (found := reached()):
        assert time.monotonic() < deadline, f"not reached within {limit_s} s: {what}"
        pause.wait(TICK_S)
    return found


async def until_async(reached: Callable[[], Any], limit_s: float = LIMIT_S, what: str = "") -> Any:
    """The same beside a running loop."""
    deadline = time.monotonic() + limit_s
    pause = asyncio.Event()
    while not (found := reached()):
        assert time.monotonic() < deadline, f"not reached within {limit_s} s: {what}"
        try:
            await asyncio.wait_for(pause.wait(), TICK_S)
        except TimeoutError:
            continue
    return found


class Watcher:
    """A run's cluster state, folded up to now at each look; after_each is called with it after each event."""

    def __init__(self, run_folder: Path, after_each: Callable[[ClusterState], None] | None = None) -> None:
        self._events = TraceFolder(run_folder / "trace")
        weakref.finalize(self, self._events.close)
        self._state = ClusterState()
        self._after_each = after_each

    @property
    def now(self) -> ClusterState:
        for entry in self._events.poll():
            self._state.apply(entry)
            if self._after_each is not None:
                self._after_each(self._state)
        return self._state


@contextmanager
def child(command: Sequence[str], **settings: Any) -> Iterator[subprocess.Popen[Any]]:
    """A process of the test's own, gone after it: a test that fails must not wait for what hangs."""
    with subprocess.Popen(command, **settings) as process:
        try:
            yield process
        finally:
            process.kill()


def processes_of(run_folder: Path) -> list[str]:
    """Command lines of living processes that name the run's folder."""
    listed = subprocess.run(["ps", "-axwwo", "stat=,command="], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if str(run_folder) in line and not line.startswith("Z")]


def nothing_left(run_folder: Path, limit_s: float = 3.0) -> None:
    """Every process of the run is gone within the limit, and its lock is free."""
    until(lambda: not processes_of(run_folder) and not is_alive(run_folder), limit_s, "a process outlived the run")


def no_run_left(home: Path, limit_s: float = 3.0) -> None:
    """The same of all runs of a home. A process that ends loses its command line before it lets go of the lock."""
    until(
        lambda: not processes_of(home) and not any(map(is_alive, home.glob("runs/*"))),
        limit_s,
        "a process outlived its run",
    )


def workbench(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line, without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "workbench", *arguments],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"WORKBENCH_HOME": str(home)},
    )


def started(home: Path, *arguments: str) -> dict[str, Any]:
    """`workbench up --json` with these arguments."""
    done = workbench(home, "up", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def in_lab(home: Path, story: Any, **changes: Any) -> None:
    """Run an async story on a lab of our own."""

    async def run() -> None:
        lab = await launch_lab(home, ClusterSpec(**changes))
        try:
            await story(lab, Watcher(lab.run_folder))
        finally:
            await lab.close()
        nothing_left(lab.run_folder)

    asyncio.run(run())


async def done(lab: LabClient, *commands: str) -> str:
    """Carry all out; the last answer."""
    text = ""
    for command in commands:
        answer = await lab.send(command)
        assert answer.ok, f"{command}: {answer.text}"
        text = answer.text
    return text
