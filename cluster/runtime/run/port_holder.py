"""Which program listens on a loopback port, as far as the system tells."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

PROC = Path("/proc")
LISTENING = "0A"
NODE = "cluster.runtime.node.process"
NAME_MAX = 40


def holder_of(port: int, proc: Path = PROC) -> str:
    """As "nc (pid 4711)" or "node 2 of run X (pid 4711)"; empty where there is no /proc, or it is another user's."""
    sockets = {f"socket:[{inode}]" for inode in _inodes(port, proc)}
    if not sockets:
        return ""
    for pid in sorted(int(item.name) for item in proc.iterdir() if item.name.isdecimal()):
        if sockets.intersection(_files(proc / str(pid))):
            return f"{_name(proc / str(pid))} (pid {pid})"
    return ""


def _inodes(port: int, proc: Path) -> list[str]:
    """Of sockets that listen on the port. Source: Linux, Documentation/networking/proc_net_tcp."""
    inodes = []
    for table in ("tcp", "tcp6"):
        try:
            rows = (proc / "net" / table).read_text("ascii").splitlines()[1:]
        except OSError:
            continue
        for words in map(str.split, rows):
            if words[3] == LISTENING and int(words[1].rpartition(":")[2], 16) == port:
                inodes.append(words[9])
    return inodes


def _files(process: Path) -> list[str]:
    """What the process has open; nothing when it is gone, or not ours to look into."""
    paths = []
    with suppress(OSError):
        for file in (process / "fd").iterdir():
            with suppress(OSError):  # closed since
                paths.append(str(file.readlink()))
    return paths


def _name(process: Path) -> str:
    try:
        words = os.fsdecode((process / "cmdline").read_bytes()).split("\0")
    except OSError:
        words = []
    for module, config in zip(words, words[1:], strict=False):
        if module == NODE:
            return f"node {Path(config).stem} of run {_plain(Path(config).parent.parent.name)}"
    return _plain(Path(words[0]).name if words and words[0] else "a program")


def _plain(text: str) -> str:
    """A program chooses its own name: what would not print is left out."""
    return "".join(char for char in text if char.isascii() and char.isprintable())[:NAME_MAX] or "a program"
