"""Runs that stay up, and runs that are over: up, ps, inject, down, runs, reap."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from pathlib import Path

from cluster.lab import Answer
from cluster.runtime.lab.client import LabClient, connect, launch_lab
from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.folder import RunError, is_alive, read_facts, run_names
from workbench.cli.starting import leave_up, many, size_of
from workbench.runs.ended import forget_unstarted
from workbench.runs.find import called, folder_of, living_folder_of
from workbench.runs.orphans import end, orphans_of, refuse_orphans, state_of
from workbench.runs.wanted import Wanted, cluster_of, first_topic
from workbench.support.places import home_folder, is_broken_link
from workbench.support.refusal import BAD_DATA, BUSY, ENVIRONMENT, USAGE, Refusal
from workbench.support.safe_text import safe_text

GONE_SECONDS = 5.0
POLL_SECONDS = 0.01
ANSWER_SECONDS = 2.0
UNREADABLE = "unreadable"
"""Of a run whose run.json makes no sense: nothing is known of it, and nothing is done with it."""


def up(wanted: Wanted, *, as_json: bool) -> int:
    """Start a cluster that stays; print its run and its brokers once it takes commands."""
    return asyncio.run(_up(wanted, as_json=as_json))


async def _up(wanted: Wanted, *, as_json: bool) -> int:
    home, spec = cluster_of(wanted)
    lab = await launch_lab(home, spec, base_port=wanted.base_port, duration_s=wanted.duration_s)
    try:
        await leave_up(lab, first_topic(wanted) or "status", "the cluster did not start", as_json=as_json)
    except BaseException as error:
        forget_unstarted(lab.run_folder, str(error))
        raise
    return 0


def ps(data_dir: str | None, *, as_json: bool) -> int:
    """Runs with a living process."""
    living = [item for item in _all(data_dir) if is_alive(item[0])]
    return _print_runs(living, as_json=as_json, empty=f"no run is up{_where(data_dir)}")


def runs(data_dir: str | None, *, as_json: bool) -> int:
    """Every recorded run, oldest first."""
    return _print_runs(_all(data_dir), as_json=as_json, empty=f"no run is recorded yet{_where(data_dir)}")


def _where(data_dir: str | None) -> str:
    """That nothing was found in a place that was named may be a slip of its name."""
    if data_dir is None:
        return ""
    home = home_folder(data_dir)
    missing = "it is a link that leads nowhere" if is_broken_link(home) else "there is no such folder"
    return f" in {safe_text(str(home), 200)}{'' if home.is_dir() else f': {missing}'}"


def _all(data_dir: str | None) -> list[tuple[Path, RunFacts | RunError]]:
    """Every run with its facts, or with why they cannot be read."""
    home = home_folder(data_dir)
    runs_there: list[tuple[Path, RunFacts | RunError]] = []
    for name in run_names(home):
        folder = home / "runs" / name
        try:
            runs_there.append((folder, read_facts(folder)))
        except RunError as error:
            runs_there.append((folder, error))
    return runs_there


def _print_runs(found: list[tuple[Path, RunFacts | RunError]], *, as_json: bool, empty: str) -> int:
    if as_json:
        print(json.dumps([_row(folder, facts) for folder, facts in found]))
        return 0
    for folder, facts in found:
        print(_line(folder, facts))
    if not found:
        print(empty)
    return 0


def _line(folder: Path, facts: RunFacts | RunError) -> str:
    if isinstance(facts, RunError):
        return f"{safe_text(folder.name, 80):24} {UNREADABLE:15} {safe_text(str(facts), 300)}"
    title = safe_text(facts.title, 40)
    return f"{safe_text(facts.id, 80):24} {state_of(folder, facts):15} {size_of(facts):28} {title}{_origin(facts)}"


def _row(folder: Path, facts: RunFacts | RunError) -> dict[str, object]:
    if isinstance(facts, RunError):
        return {"run": folder.name, "state": UNREADABLE, "why": str(facts), "folder": str(folder)}
    return {
        "run": facts.id,
        "title": facts.title,
        "created": facts.created,
        "state": state_of(folder, facts),
        "controllers": list(facts.controllers),
        "brokers": list(facts.brokers),
        "ports": facts.ports or {},
        "bootstrap": list(facts.bootstrap),
        "lab_pid": facts.lab_pid,
        "world": facts.world,
        "seed": facts.seed,
        "parent": facts.parent or None,
        "branch_events": facts.branch_events,
        "folder": str(folder),
    }


def _origin(facts: RunFacts) -> str:
    """Of a simulated run, its seed and where it branched."""
    if facts.seed is None:
        return ""
    branch = f", branch of {safe_text(facts.parent, 80)} at {facts.branch_s:.3f} s" if facts.parent else ""
    return f"  (simulated, seed {facts.seed}{branch})"


def inject(run: str, command: str, data_dir: str | None, *, as_json: bool) -> int:
    """Send one command to a run that is up. 0 carried out, 1 refused."""
    answer = asyncio.run(_inject(living_folder_of(run, data_dir), command))
    text = " ".join(safe_text(answer.text, 400).split())
    print(json.dumps({"ok": answer.ok, "text": answer.text}) if as_json else text)
    return 0 if answer.ok else 1


async def _inject(folder: Path, command: str) -> Answer:
    lab = await _connected(folder)
    try:
        return await lab.send(command)
    except EOFError as error:
        raise Refusal(ENVIRONMENT, f"the run ended: {safe_text(str(error), 200)}") from error
    finally:
        await lab.close()


async def _connected(folder: Path) -> LabClient:
    """A line to the run's lab. One that is only starting gets a moment."""
    deadline = time.monotonic() + ANSWER_SECONDS
    while True:
        try:
            return await connect(folder)
        except RunError as error:
            if not is_alive(folder):
                raise Refusal(BAD_DATA, _not_up(folder, error)) from error
            refuse_orphans(folder)
            if time.monotonic() > deadline:
                why = safe_text(str(error), 300)
                left = f"its nodes are still there: workbench reap {called(folder)}"
                raise Refusal(BUSY, f"{folder.name}: {why}; {left}") from error
        await asyncio.sleep(POLL_SECONDS)


def _not_up(folder: Path, error: RunError) -> str:
    name = safe_text(folder.name, 80)
    try:
        facts = read_facts(folder)
    except RunError:
        return f"{name}: {safe_text(str(error), 300)}"
    can_go_on = facts.world != "simulated"
    then = f"resume {called(folder)} goes on with it" if can_go_on else f"replay {called(folder)} shows it"
    return f"{name} is not up: it has ended; workbench {then}"


def down(run: str | None, data_dir: str | None) -> int:
    """End a run in order: faults are healed, brokers hand over and leave, then controllers.

    Without a name it is the only one that is up. Refusal names them when there are several.
    """
    folder = living_folder_of(run or only_living("down", data_dir), data_dir)

    async def leave() -> None:
        lab = await _connected(folder)
        try:
            await lab.leave(in_order=True)
        finally:
            await lab.close()

    with suppress(EOFError):  # it was ending already
        asyncio.run(leave())
    if not _is_gone(folder):
        raise Refusal(BUSY, f"{folder.name}: a process of it is still there: workbench reap {called(folder)}")
    print(f"{folder.name} has ended")
    return 0


def only_living(verb: str, data_dir: str | None) -> str:
    """The one run that is up. Refusal when none is, or several are: then it names what `verb` may take."""
    living = [
        folder
        for folder, facts in _all(data_dir)
        if not (isinstance(facts, RunFacts) and facts.world == "simulated") and is_alive(folder)
    ]
    if not living:
        raise Refusal(BAD_DATA, f"{verb}: no run is up")
    if len(living) > 1:
        named = "; ".join(f"workbench {verb} {called(folder)}" for folder in living)
        raise Refusal(USAGE, f"{verb}: which run? {len(living)} are up: {named}")
    return str(living[0])


def _is_gone(folder: Path) -> bool:
    """Whether the last process is gone, after some patience."""
    deadline = time.monotonic() + GONE_SECONDS
    while (alive := is_alive(folder)) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    return not alive


def reap(run: str, data_dir: str | None) -> int:
    """End the processes of a run whose lab is gone or does not answer, and no others."""
    folder = living_folder_of(run, data_dir)
    orphans = orphans_of(folder)
    if any(item.is_lab for item in orphans) and asyncio.run(_answers(folder)):
        raise Refusal(
            BUSY, f"{folder.name} is up and its lab answers; end it in order: workbench down {called(folder)}"
        )
    ended = [item for item in orphans if end(item, folder)]
    for item in ended:
        print(f"{item.what} (pid {item.pid}) is ended")
    if not _is_gone(folder):
        raise Refusal(BUSY, f"{folder.name}: a process that is not to be recognised still holds its lock")
    print(f"{folder.name}: {many(len(ended), 'process', 'es')} ended" if ended else f"{folder.name}: nothing was left")
    return 0


async def _answers(folder: Path) -> bool:
    """Whether the run's lab carries out commands."""
    try:
        lab = await connect(folder)
    except RunError:
        return False
    try:
        await asyncio.wait_for(lab.send("status"), ANSWER_SECONDS)
    except (TimeoutError, EOFError):
        return False
    finally:
        await lab.close()
    return True


def attach(run: str | None, data_dir: str | None, *, notes: bool, watch: bool = False) -> int:
    """Show a run that is up, or the notes to the lesson that a screen shows. Returns the exit code."""
    if notes and watch:
        raise Refusal(USAGE, "--notes and --watch are two screens: choose one")
    if notes:
        from workbench.tui.launch import open_notes

        return open_notes(folder_of(run, data_dir).name if run else "", home_folder(data_dir))
    from workbench.tui.launch import open_running

    return open_running(living_folder_of(run or only_living("attach", data_dir), data_dir), watch=watch)
