"""What can be done with a run that is over: go on with it, or delete it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from cluster.runtime.run.folder import RunError, read_facts, take_lock
from cluster.trace.reader import TraceError
from workbench.runs.find import called
from workbench.runs.orphans import refuse_orphans
from workbench.runs.wanted import need_files
from workbench.support.places import need_space
from workbench.support.refusal import BAD_DATA, BUSY, USAGE, VERSION, Refusal
from workbench.support.safe_text import safe_text

if TYPE_CHECKING:
    from cluster.runtime.lab.client import LabClient


def resumer(folder: Path) -> Callable[[], Awaitable[LabClient]]:
    """What goes on with a run when it is called. Refusal at once when the disk is full or nodes outlived their lab."""
    refuse_orphans(folder)
    need_space(folder)
    need_files()

    async def go_on() -> LabClient:
        from cluster.runtime.lab.resume import RunIsUp, WrongVersion
        from cluster.runtime.lab.resume import resume as resume_run

        name = safe_text(folder.name, 80)
        try:
            return await resume_run(folder, detached=False)
        except RunIsUp as error:
            raise Refusal(BUSY, f"{name} is up already: workbench attach {called(folder)}") from error
        except WrongVersion as error:
            raise Refusal(VERSION, f"{name}: {error}; workbench replay {called(folder)} shows it") from error
        except RunError as error:
            raise Refusal(BAD_DATA, f"{name}: {error}; workbench replay {called(folder)} shows it") from error
        except TraceError as error:
            raise Refusal(BAD_DATA, f"{name}: its trace is damaged: {safe_text(str(error), 300)}") from error

    return go_on


def remove(folder: Path) -> None:
    """Delete a run that is over. Refusal for a link to one, or when a process of it is alive; OSError."""
    if folder.is_symlink():
        real = safe_text(str(folder.resolve()), 200)
        raise Refusal(USAGE, f"{safe_text(str(folder), 200)} is a link; nothing deleted; the run is in {real}")
    lock = take_lock(folder)  # held while the folder goes, so that nobody resumes it meanwhile
    if lock is None:
        raise Refusal(BUSY, f"{safe_text(folder.name, 80)} is up; nothing deleted")
    try:
        shutil.rmtree(folder)
    finally:
        os.close(lock)


def forget_unstarted(folder: Path, told: str) -> None:
    """Delete a new run whose nodes never listened; not when somebody was just told to look into its folder."""
    try:
        if read_facts(folder).ports is None and safe_text(str(folder), len(told)) not in told:
            remove(folder)
    except (RunError, Refusal, OSError):  # it is gone already, or not yet over: then it stays for whoever looks
        return


def size_words(folder: Path) -> str:
    """How much a run takes on the disk."""
    size = sum(item.lstat().st_size for item in folder.rglob("*") if item.is_file())
    return f"{size / (1 << 20):.1f} MiB"
