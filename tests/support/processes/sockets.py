"""What a process and those below it listen on, by Linux's own list."""

from __future__ import annotations

import os
import re
from pathlib import Path

LISTENS = "0A"
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
"""In the kernel's spelling."""


def family(root: int) -> set[int]:
    """A process and all below it."""
    parents = {}
    for item in Path("/proc").iterdir():
        if item.name.isdigit():
            try:
                parents[int(item.name)] = int((item / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = {root}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def sockets_of(pids: set[int]) -> set[str]:
    """Inodes of the sockets that these processes hold."""
    inodes = set()
    for pid in pids:
        for handle in Path(f"/proc/{pid}/fd").glob("*"):
            try:
                named = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(handle))
            except OSError:
                continue
            inodes |= {named[1]} if named else set()
    return inodes


def listening(inodes: set[str]) -> list[str]:
    """Addresses in the kernel's spelling."""
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            parts = line.split()
            if parts[3] == LISTENS and parts[9] in inodes:
                found.append(parts[1].partition(":")[0])
    return found
