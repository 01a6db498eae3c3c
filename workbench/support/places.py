"""Where runs are kept, and whether that place can be used."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import platformdirs

from cluster.runtime.run.file_lock import is_held
from workbench.support.refusal import BUSY, ENVIRONMENT, USAGE, Refusal
from workbench.support.safe_text import safe_text

MARKER = ".kraft-workbench"
FREE_BYTES_MIN = 1 << 30
PATH_MAX = 900


def home_folder(data_dir: str | None = None) -> Path:
    """The folder of all runs: asked for, WORKBENCH_HOME, or the user's data folder. Nothing is made or checked."""
    if data_dir is not None:
        if not data_dir:
            raise Refusal(USAGE, "--data-dir: empty path")
        return _absolute(data_dir)
    return _absolute(os.environ.get("WORKBENCH_HOME") or platformdirs.user_data_path("kraft-workbench"))


def _absolute(named: str | Path) -> Path:
    try:
        return Path(named).absolute()
    except FileNotFoundError:
        raise Refusal(
            ENVIRONMENT, f"'{safe_text(str(named), 200)}': the folder you are in is gone; cd to one that is"
        ) from None


def usable_home(data_dir: str | None = None) -> Path:
    """The same, made and marked as ours. Refusal when it is something else, cannot be written, or is full."""
    home = home_folder(data_dir)
    try:
        examine(home, is_named=data_dir is not None)
        home.mkdir(parents=True, mode=0o700, exist_ok=True)
        (home / MARKER).touch(mode=0o600)
    except OSError as error:
        raise _unwritable(home, error.strerror or type(error).__name__) from error
    return home


def home_of(run_folder: Path) -> Path:
    """Where more is kept: beside the run, or with all other runs."""
    return run_folder.parent.parent if run_folder.parent.name == "runs" else usable_home()


def examine(home: Path, *, is_named: bool = False) -> int:
    """Whether runs can be kept there: free bytes. Nothing is made. Refusal as for `usable_home`; OSError.

    Args:
        is_named: by the caller; then its parent has to be there.
    """
    shown = safe_text(str(home), 200)
    if len(os.fsencode(home)) > PATH_MAX:
        raise Refusal(ENVIRONMENT, f"the path of the data folder is longer than {PATH_MAX} bytes: {shown}")
    for place in (home, *home.parents):
        if is_broken_link(place):
            raise Refusal(
                ENVIRONMENT,
                f"{safe_text(str(place), 200)} is a link that leads nowhere; choose another folder with --data-dir",
            )
    if home.exists() and not home.is_dir():
        raise Refusal(ENVIRONMENT, f"{shown} exists and is a file; choose a folder with --data-dir")
    if home.is_dir() and not (home / MARKER).exists() and not (home / "runs").is_dir() and any(home.iterdir()):
        raise Refusal(BUSY, f"{shown} holds other files and is not one of ours; choose an empty one with --data-dir")
    if not home.is_dir() and not home.parent.is_dir() and is_named:
        what = "a file, not a folder" if home.parent.exists() else "missing; make it first"
        raise Refusal(ENVIRONMENT, f"{shown}: its parent folder is {what}")
    nearest = next(place for place in (home, *home.parents) if place.exists())
    if not nearest.is_dir():
        raise Refusal(ENVIRONMENT, f"{shown}: {safe_text(str(nearest), 200)} is a file, not a folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        is_read_only = os.statvfs(nearest).f_flag & os.ST_RDONLY
        raise _unwritable(home, os.strerror(errno.EROFS if is_read_only else errno.EACCES))
    try:
        is_held(nearest.resolve())
    except OSError as error:
        raise Refusal(ENVIRONMENT, f"{shown}: {error.strerror}") from error
    free = shutil.disk_usage(nearest).free
    if free < FREE_BYTES_MIN:
        raise _too_full(home, free)
    return free


def is_broken_link(place: Path) -> bool:
    """Whether it is a link to something that is not there, or to itself."""
    return place.is_symlink() and not place.exists()


def _unwritable(home: Path, reason: str) -> Refusal:
    shown = safe_text(str(home), 200)
    return Refusal(ENVIRONMENT, f"cannot write to {shown}: {reason}; choose another folder with --data-dir")


def need_space(folder: Path) -> None:
    """Refusal when the disk below a folder has no room for a run."""
    free = _free_bytes(folder)
    if free < FREE_BYTES_MIN:
        raise _too_full(folder, free)


def _free_bytes(folder: Path) -> int:
    return shutil.disk_usage(next(place for place in (folder, *folder.parents) if place.is_dir())).free


def _too_full(folder: Path, free: int) -> Refusal:
    shown = safe_text(str(folder), 200)
    return Refusal(ENVIRONMENT, f"only {free >> 20} MiB are free at {shown}; a run needs {FREE_BYTES_MIN >> 20} MiB")
