"""The folder of a run, from what somebody typed."""

from __future__ import annotations

from pathlib import Path

from cluster.runtime.run.folder import RunError, find_run, is_alive, read_facts
from workbench.places import home_folder
from workbench.refusal import BAD_DATA, BUSY, Refusal
from workbench.safe_text import safe_text


def folder_of(run: str, data_dir: str | None = None) -> Path:
    """The folder of a run. Refusal names what there is."""
    try:
        return find_run(home_folder(data_dir), run)
    except RunError as error:
        raise Refusal(BAD_DATA, f"'{safe_text(run, 200)}': {safe_text(str(error), 300)}") from error


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
