"""The commands on runs that are over: one goes on with the files its nodes left, or is deleted."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.folder import RunError, is_alive, read_facts
from workbench.cli.starting import leave_up
from workbench.runs.ended import remove, resumer, size_words
from workbench.runs.find import called, folder_of
from workbench.runs.orphans import refuse_orphans
from workbench.support.refusal import BAD_DATA, BUSY, USAGE, Refusal
from workbench.support.safe_text import safe_text


def resume(run: str, data_dir: str | None, *, stay: bool, as_json: bool) -> int:
    """Go on with a run, on the screen, or as one that stays. Returns the exit code."""
    folder = folder_of(run, data_dir)
    facts = _facts(folder)
    if stay or as_json:
        return asyncio.run(_stay(folder, as_json=as_json))
    from workbench.tui.launch import open_resumed

    return open_resumed(folder, facts.title)


async def _stay(folder: Path, *, as_json: bool) -> int:
    await leave_up(await resumer(folder)(), "status", "the run cannot go on", as_json=as_json)
    return 0


def delete(run: str, data_dir: str | None, *, sure: bool) -> int:
    """Remove a run's folder, after asking. Refusal while it is up, and without an answer."""
    folder = folder_of(run, data_dir)
    _facts(folder)
    name = safe_text(folder.name, 80)
    if is_alive(folder):
        refuse_orphans(folder)
        raise Refusal(BUSY, f"{name} is up; end it first: workbench down {called(folder)}")
    if not sure:
        if not sys.stdin.isatty():
            raise Refusal(USAGE, f"nothing deleted: nobody is here to ask; workbench delete {called(folder)} --yes")
        answer = input(f"delete {name}, {size_words(folder)}, for good? [y/N] ")
        if answer.strip().lower() not in ("y", "yes"):
            print("nothing deleted")
            return 0
    remove(folder)
    print(f"{name} is deleted")
    return 0


def _facts(folder: Path) -> RunFacts:
    try:
        return read_facts(folder)
    except RunError as error:
        raise Refusal(BAD_DATA, f"{safe_text(str(folder), 200)}: {safe_text(str(error), 300)}") from error
