"""An output folder belongs to one kind of work, and to one process at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from workbench.analysis.store.address import is_address
from workbench.support.refusal import BUSY, ENVIRONMENT, USAGE, Refusal
from workbench.support.safe_text import safe_text


def out_folder(named: str | None) -> Path | None:
    """The folder of this machine that --out names, absolute; None when it was not given, or is an address."""
    if named == "":
        raise Refusal(USAGE, "--out: empty path")
    if is_address(named):
        return None
    return None if named is None else Path(named).absolute()


def claim(folder: Path, marker: str, kind: str) -> int:
    """Make or open the folder for this process alone. Returns the handle that keeps others out.

    The system lets go of it when it is closed and when the process ends, however that happens, so nothing stale is
    ever left. The marker's text is only the process to name to those who come second.

    Args:
        marker: name of the file that tells whose folder it is.
        kind: of work, in one word for people.

    Refusal when it holds something else, is in use, or cannot be written.
    """
    shown = safe_text(str(folder), 200)
    handle = -1
    try:
        if folder.is_dir() and not (folder / marker).exists() and any(folder.iterdir()):
            raise Refusal(BUSY, f"{shown} holds other files and no {kind}; choose another --out")
        folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        folder.chmod(0o700)
        handle = os.open(folder / marker, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(handle, 0)
        os.pwrite(handle, b"%d\n" % os.getpid(), 0)
    except BlockingIOError as error:
        holder = safe_text(os.pread(handle, 20, 0).decode("ascii", "replace").strip(), 20)
        os.close(handle)
        by = f" (process {holder})" if holder.isdigit() else ""
        complaint = f"{shown}: another {kind}{by} is at work there; wait for it or choose another --out"
        raise Refusal(BUSY, complaint) from error
    except OSError as error:
        raise Refusal(ENVIRONMENT, f"cannot write to {shown}: {error.strerror}; choose another --out") from error
    return handle
