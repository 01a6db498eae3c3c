"""The way of a command from a key to a signal: `python -m tests.support.processes.way_of_a_command HOME` writes it.

Screen and lab live in this one process, the nodes in theirs.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import socket
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.lab.client import connect
from cluster.runtime.lab.process import LabProcess
from cluster.runtime.run.folder import CONTROL, create_run
from tests.support.screens.bare_host import BareHost
from workbench.session.session import Session
from workbench.tui.commands.commands import Commands
from workbench.tui.commands.dispatch import Dispatch
from workbench.tui.ui_state import UiState

ROOT = Path(__file__).parents[3]
ROOMS = tuple(str(ROOT / room) for room in ("cluster", "workbench"))


class Way:
    """The functions on the stack wherever the command is handed on, in the order in which it comes to them.

    What only begins a task, spawn, is left out: at its call stands what it begins.
    """

    def __init__(self) -> None:
        self.functions: list[str] = []

    def note(self, frame: FrameType | None) -> None:
        stack = []
        while frame is not None:
            if frame.f_code.co_filename.startswith(ROOMS) and not frame.f_code.co_name.endswith("spawn"):
                stack.append(frame.f_code.co_qualname)
            frame = frame.f_back
        self.functions += [name for name in reversed(stack) if name not in self.functions]


class Host(BareHost):
    """Runs at once what a command begins, and notes who began it."""

    def __init__(self, way: Way) -> None:
        super().__init__()
        self._way = way
        self.tasks: list[asyncio.Task[object]] = []

    def spawn(self, work: Coroutine[Any, Any, object]) -> None:
        self._way.note(inspect.currentframe())
        self.tasks.append(asyncio.get_running_loop().create_task(work))


async def way_of_kill(home: Path) -> Way:
    """Of the key that kills the selected node."""
    folder, lock = create_run(home, ClusterSpec(controllers=1, brokers=2))
    _, owner = socket.socketpair()
    os.chdir(folder)
    os.set_inheritable(lock, False)
    run = asyncio.ensure_future(LabProcess(folder, lock).run(owner))
    while not (folder / CONTROL).exists():  # noqa: ASYNC110  # a file says so, no event of this loop
        await asyncio.sleep(0)
    client = await connect(folder)
    assert (await client.send("status")).ok, "it waits until all nodes are up"
    session, way = Session(Path(), None), Way()
    session.attach(client, folder)
    session.load()
    ui, host = UiState(session.recording, node=2), Host(way)
    commands = Commands(session, ui, host)
    write, kill = asyncio.StreamWriter.write, subprocess.Popen.kill

    def noted_write(writer: asyncio.StreamWriter, data: bytes) -> None:
        if b'"command": "kill 2"' in data:
            way.note(inspect.currentframe())
        write(writer, data)

    def noted_task(loop: asyncio.AbstractEventLoop, work: Any, **named: Any) -> asyncio.Task[Any]:
        if work.__qualname__ == "ControlServer._answer":
            way.note(inspect.currentframe())
        return asyncio.Task(work, loop=loop, **named)

    def noted_kill(process: subprocess.Popen[Any]) -> None:
        way.note(inspect.currentframe())
        kill(process)

    with (
        patch.object(asyncio.StreamWriter, "write", noted_write),
        patch.object(subprocess.Popen, "kill", noted_kill),
    ):
        asyncio.get_running_loop().set_task_factory(noted_task)
        Dispatch(commands).press(ui.keyboard.first("node.kill"))
        await asyncio.gather(*host.tasks)
    asyncio.get_running_loop().set_task_factory(None)
    assert ui.answer.text.endswith("n2 is killed"), ui.answer.text
    await client.leave(in_order=False)
    await run
    await client.close()
    return way


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(way_of_kill(Path(sys.argv[1]))).functions))
