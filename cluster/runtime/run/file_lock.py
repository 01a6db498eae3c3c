"""Locks that the operating system takes back when the last holder of the descriptor is dead."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

LOOKING_SECONDS = 0.002
"""More than a look at a lock takes."""


def take_lock(path: Path) -> int | None:
    """The descriptor that holds the lock for as long as it is open, here or where it is inherited; None when taken.

    Makes the file when it is missing; never follows a symbolic link. OSError where there are no locks.
    """
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    for is_last in (False, True):
        try:
            _lock(handle, fcntl.LOCK_EX, path)
        except BlockingIOError:
            if not is_last:
                time.sleep(LOOKING_SECONDS)  # somebody may only be looking whether it is held
        except OSError:
            os.close(handle)
            raise
        else:
            return handle
    os.close(handle)
    return None


def is_at(path: Path, handle: int) -> bool:
    """Whether the file of a descriptor is still the one at a path; true where the system does not let us look."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(handle))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def is_held(path: Path) -> bool:
    """Whether somebody holds the lock; false when there is no such file. Nothing is written: a disk may be read-only.

    It is looked at by sharing it for a moment, so that two who look do not take each other for its holder.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return False
    try:
        _lock(handle, fcntl.LOCK_SH, path)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _lock(handle: int, how: int, path: Path) -> None:
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError as error:
        why = f"the file system has no locks (flock: {error.strerror}); keep runs on another one with --data-dir"
        raise OSError(error.errno, why, str(path)) from error
