"""Locks that the operating system takes back when the last holder of the descriptor is dead."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


def take_lock(path: Path) -> int | None:
    """The descriptor that holds the lock for as long as it is open, here or where it is inherited; None when taken.

    Makes the file when it is missing; never follows a symbolic link.
    """
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    return handle
