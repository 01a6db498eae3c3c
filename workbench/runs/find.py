"""The folder of a run, from what somebody typed; and what to type for a folder."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from cluster.runtime.run.facts import VERSION as FORM
from cluster.runtime.run.facts import version_of
from cluster.runtime.run.folder import RunError, find_run, form_of, is_alive, read_facts
from workbench.support.places import home_folder
from workbench.support.refusal import BAD_DATA, BUSY, VERSION, Refusal
from workbench.support.safe_text import safe_text


def folder_of(run: str, data_dir: str | None = None) -> Path:
    """The folder of a run. Refusal names what there is."""
    try:
        return find_run(home_folder(data_dir), run)
    except RunError as error:
        raise Refusal(BAD_DATA, f"'{safe_text(run, 200)}': {safe_text(str(error), 300)}") from error


def recording_of(run: str, data_dir: str | None = None) -> Path:
    """The folder of a run whose events are to be read. Refusal too when only a newer version of this tool can."""
    folder = folder_of(run, data_dir)
    refuse_newer(folder)
    return folder


def refuse_newer(folder: Path) -> None:
    """Refusal 5 for a run whose form has a major number above ours: nobody here knows what its files say."""
    form = form_of(folder)  # where there is none, the trace alone can be read, too
    if version_of(form)[0] > version_of(FORM)[0]:
        name = safe_text(folder.name, 80)
        why = f"{name} has form {form}, and this tool reads up to {version_of(FORM)[0]}.x; a newer one opens it"
        raise Refusal(VERSION, why)


def called(folder: Path) -> str:
    """What to type for a run in a command: its id, or its path where the id would not be found. Safe to print.

    With --data-dir, or the folder of somebody else, only the path leads there.
    """
    if folder.parent == home_folder() / "runs":
        return safe_text(folder.name, 80)
    typed = shlex.quote(str(folder))
    return typed if safe_text(typed) == typed else _escaped(os.fsencode(folder))


def _escaped(name: bytes) -> str:
    """A shell's word for a name that cannot be printed as it is; bash and zsh know it, and POSIX since 2024."""
    plain = set(range(0x20, 0x7F)) - set(b"'\\")
    return "$'" + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in name) + "'"


def living_folder_of(run: str, data_dir: str | None = None) -> Path:
    """The folder of a run whose lab can be talked to. Refusal too for a simulation: it lives in one screen alone."""
    folder = folder_of(run, data_dir)
    try:
        is_simulated = read_facts(folder).world == "simulated"
    except RunError:
        return folder
    if is_simulated and is_alive(folder):
        raise Refusal(BUSY, f"{folder.name} is simulated: it lives in the screen that shows it, and q there ends it")
    return folder


def told_of(folder: Path) -> tuple[str, str, str]:
    """(id, title, what kind of world) of a run, all safe."""
    run = safe_text(folder.name, 80)
    try:
        facts = read_facts(folder)
    except RunError:
        return run, run, ""
    kind = f"simulated, seed {facts.seed}" if facts.seed is not None else "real processes"
    return run, safe_text(facts.title, 120) or run, kind
