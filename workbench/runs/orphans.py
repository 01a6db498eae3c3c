"""What became of a run, and processes that outlived its lab: found by command line and working directory."""

from __future__ import annotations

import os
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.folder import is_alive
from workbench.runs.find import called
from workbench.support.refusal import BUSY, Refusal

LAB = "cluster.runtime.lab.process"
NODE = "cluster.runtime.node.process"
PROCESSES = Path("/proc")


@dataclass(frozen=True, slots=True)
class Orphan:
    """One living process of a run."""

    pid: int
    is_lab: bool
    """The lab itself, not a node."""
    what: str


def orphans_of(folder: Path) -> list[Orphan]:
    """Living processes that belong to the run: they work in its folder, wherever it was when they started."""
    if (PROCESSES / "self" / "cmdline").exists():
        pids = (int(item.name) for item in PROCESSES.iterdir() if item.name.isdecimal())
        processes = [_named(pid, _words_of(pid), folder) for pid in pids]
    else:
        processes = _listed(folder)
    return sorted((item for item in processes if item is not None), key=lambda item: item.pid)


def complaint(folder: Path) -> str:
    """What is left of a run whose lab is gone, and how to end it; empty while the lab or nothing at all is there."""
    orphans = orphans_of(folder)
    if not orphans or any(item.is_lab for item in orphans):
        return ""
    left = ", ".join(f"{item.what} (pid {item.pid})" for item in orphans)
    return f"{folder.name}: its lab is gone; still there: {left}. workbench reap {called(folder)} ends exactly those"


RunState: TypeAlias = Literal["up", "lab is gone", "closing", "ended", "ended abruptly"]


def state_of(folder: Path, facts: RunFacts) -> RunState:
    """up: it takes commands. lab is gone: some of its nodes are not. closing: its end is written, its lab still goes.

    ended abruptly: nobody ended it on purpose. Processes come before facts: what is alive has not ended yet.
    """
    if is_alive(folder):
        if complaint(folder):
            return "lab is gone"
        return "closing" if facts.state in ("ended", "abandoned") else "up"
    return "ended" if facts.state == "ended" else "ended abruptly"


def refuse_orphans(folder: Path) -> None:
    """Refusal with a list of the nodes that outlived their lab, when there are any."""
    if left := complaint(folder):
        raise Refusal(BUSY, left)


def end(orphan: Orphan, folder: Path) -> bool:
    """SIGKILL, which works on a stopped process too; false when the id belongs to another process by now."""
    if not hasattr(os, "pidfd_open"):
        if orphan in orphans_of(folder):
            os.kill(orphan.pid, signal.SIGKILL)
            return True
        return False
    try:
        handle = os.pidfd_open(orphan.pid)
    except ProcessLookupError:
        return False
    try:
        # The handle stays with one process: what is looked at here is what is killed.
        if _named(orphan.pid, _words_of(orphan.pid), folder) != orphan:
            return False
        signal.pidfd_send_signal(handle, signal.SIGKILL)
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)
    return True


def _words_of(pid: int) -> list[str]:
    """The command line of a process; empty when it is gone or not to be seen."""
    try:
        return os.fsdecode((PROCESSES / str(pid) / "cmdline").read_bytes()).split("\0")
    except OSError:
        return []


def _named(pid: int, words: list[str], folder: Path) -> Orphan | None:
    for module, argument in zip(words, words[1:], strict=False):
        if module in (LAB, NODE) and _is_same(PROCESSES / str(pid) / "cwd", folder):
            return Orphan(pid, module == LAB, "the lab" if module == LAB else f"node {Path(argument).stem}")
    return None


def _is_same(first: Path, second: Path) -> bool:
    try:
        return first.samefile(second)
    except OSError:
        return False


def _listed(folder: Path) -> list[Orphan | None]:
    """Where there is no /proc: ps joins the words of a command line, so the path is looked for as a whole.

    A node is called by the path that its lab sees, the lab by the one that was typed.
    """
    listing = subprocess.run(["ps", "-axwwo", "pid=,command="], capture_output=True, text=True, check=True).stdout
    orphans: list[Orphan | None] = []
    for line in listing.splitlines():
        pid, _, command = line.strip().partition(" ")
        _, lab, _ = command.partition(f" {LAB} {folder} ")
        _, node, rest = command.partition(f" {NODE} {folder.resolve()}/nodes/")
        if lab:
            orphans.append(Orphan(int(pid), True, "the lab"))
        elif node:
            orphans.append(Orphan(int(pid), False, f"node {rest.partition('.')[0]}"))
    return orphans
