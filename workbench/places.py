"""Where runs are kept, and whether that place can be used."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import platformdirs

from workbench.refusal import BUSY, ENVIRONMENT, USAGE, Refusal
from workbench.safe_text import safe_text

MARKER = ".kraft-workbench"
FREE_BYTES_MIN = 1 << 30
PATH_MAX = 900


def home_folder(data_dir: str | None = None) -> Path:
    """The folder of all runs: asked for, WORKBENCH_HOME, or the user's data folder. Nothing is made or checked."""
    if data_dir is not None:
        if not data_dir:
            raise Refusal(USAGE, "--data-dir: empty path")
        return Path(data_dir).absolute()
    named = os.environ.get("WORKBENCH_HOME")
    return Path(named).absolute() if named else platformdirs.user_data_path("kraft-workbench")


def usable_home(data_dir: str | None = None) -> Path:
    """The same, made and marked as ours. Refusal when it is something else, cannot be written, or is full."""
    home = home_folder(data_dir)
    shown = safe_text(str(home), 200)
    if len(os.fsencode(home)) > PATH_MAX:
        raise Refusal(ENVIRONMENT, f"the path of the data folder is longer than {PATH_MAX} bytes: {shown}")
    try:
        if home.exists() and not home.is_dir():
            raise Refusal(ENVIRONMENT, f"{shown} exists and is a file; choose a folder for --data-dir")
        if home.is_dir() and not (home / MARKER).exists() and not (home / "runs").is_dir() and any(home.iterdir()):
            raise Refusal(BUSY, f"{shown} holds other files and is not one of ours; choose an empty folder")
        if not home.is_dir() and not home.parent.is_dir() and data_dir is not None:
            what = "a file, not a folder" if home.parent.exists() else "missing; make it first"
            raise Refusal(ENVIRONMENT, f"{shown}: its parent folder is {what}")
        free = _free_bytes(home)
        if free >= FREE_BYTES_MIN:
            home.mkdir(parents=True, mode=0o700, exist_ok=True)
            (home / MARKER).touch(mode=0o600)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise Refusal(ENVIRONMENT, f"cannot write to {shown}: {reason}; choose another --data-dir") from error
    if free < FREE_BYTES_MIN:
        raise _too_full(home, free)
    return home


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
