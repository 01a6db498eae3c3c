"""Runs that stay up, and runs that are over: up, ps, inject, down, runs, reap."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import time
from pathlib import Path

from cluster.lab import Answer
from cluster.model.identifiers import NodeId
from cluster.runtime.lab_client import LabClient, connect, launch_lab
from cluster.runtime.run_folder import RunError, RunFacts, find_run, is_alive, read_facts, run_names
from workbench.commands.starting import Wanted, config_of, first_topic
from workbench.places import home_folder
from workbench.refusal import BAD_DATA, BUSY, ENVIRONMENT, Refusal
from workbench.session.safe_text import safe_text

NODE_MODULES = ("cluster.runtime.node_process", "cluster.runtime.lab_process")
GONE_SECONDS = 5.0


def folder_of(run: str, data_dir: str | None = None) -> Path:
    """The folder of a run. Refusal names what there is."""
    try:
        return find_run(home_folder(data_dir), run)
    except RunError as error:
        raise Refusal(BAD_DATA, f"'{safe_text(run, 200)}': {safe_text(str(error), 300)}") from error


def up(wanted: Wanted, *, as_json: bool) -> int:
    """Start a cluster that stays; print its run and its brokers once it takes commands."""
    config = config_of(wanted)
    return asyncio.run(_up(wanted, as_json=as_json, launching=launch_lab(config, detached=True)))


async def _up(wanted: Wanted, *, as_json: bool, launching: object) -> int:
    lab: LabClient = await launching  # type: ignore[misc]
    topic = first_topic(wanted)
    try:
        answer = await lab.send(topic or "status")
    except EOFError as error:
        raise Refusal(ENVIRONMENT, f"the cluster did not start: {safe_text(str(error), 300)}") from error
    if not answer.ok:
        await lab.leave(in_order=False)
        raise Refusal(ENVIRONMENT, f"the cluster did not start: {safe_text(answer.text, 300)}")
    facts = read_facts(lab.run_folder)
    bootstrap = [f"127.0.0.1:{port}" for node, port in sorted((facts.ports or {}).items()) if node in facts.brokers]
    if as_json:
        print(json.dumps({"run": facts.id, "bootstrap": bootstrap, "folder": str(lab.run_folder)}))
    else:
        print(f"{facts.id} is up: {_size(facts)}")
        print(f"workbench attach {facts.id}   workbench inject {facts.id} 'kill 2'   workbench down {facts.id}")
    await lab.close()
    return 0


def ps(data_dir: str | None, *, as_json: bool) -> int:
    """Runs with a living process."""
    return _print_runs([item for item in _all(data_dir) if is_alive(item[0])], as_json=as_json, empty="no run is up")


def runs(data_dir: str | None, *, as_json: bool) -> int:
    """Every recorded run, oldest first."""
    return _print_runs(_all(data_dir), as_json=as_json, empty="no run is recorded yet")


def _all(data_dir: str | None) -> list[tuple[Path, RunFacts]]:
    home = home_folder(data_dir)
    found = []
    for name in run_names(home):
        try:
            found.append((home / "runs" / name, read_facts(home / "runs" / name)))
        except RunError:
            continue
    return found


def state_of(folder: Path, facts: RunFacts) -> str:
    """up, ended, or ended abruptly: its lab is gone and never said the end."""
    if is_alive(folder):
        return "up"
    return "ended" if facts.state == "ended" else "ended abruptly"


def _print_runs(found: list[tuple[Path, RunFacts]], *, as_json: bool, empty: str) -> int:
    if as_json:
        rows = [
            {
                "run": facts.id,
                "title": facts.title,
                "created": facts.created,
                "state": state_of(folder, facts),
                "controllers": list(facts.controllers),
                "brokers": list(facts.brokers),
                "ports": facts.ports or {},
                "lab_pid": facts.lab_pid,
                "folder": str(folder),
            }
            for folder, facts in found
        ]
        print(json.dumps(rows))
        return 0
    for folder, facts in found:
        title = safe_text(facts.title, 40)
        print(f"{facts.id:24} {state_of(folder, facts):15} {_size(facts):28} {title}")
    if not found:
        print(empty)
    return 0


def _size(facts: RunFacts) -> str:
    if set(facts.controllers) & set(facts.brokers):
        return f"{len(facts.nodes)} combined nodes"
    return f"{len(facts.controllers)} controllers, {len(facts.brokers)} brokers"


def inject(run: str, command: str, data_dir: str | None, *, as_json: bool) -> int:
    """Send one command to a run that is up. 0 carried out, 1 refused."""
    answer = asyncio.run(_inject(folder_of(run, data_dir), command))
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
    try:
        return await connect(folder)
    except RunError as error:
        orphans = "; its nodes are still there: workbench reap" if is_alive(folder) else ""
        raise Refusal(BUSY if orphans else BAD_DATA, f"{folder.name}: {error}{orphans}") from error


def down(run: str, data_dir: str | None) -> int:
    """End a run in order: brokers hand over and leave, then controllers."""
    folder = folder_of(run, data_dir)

    async def leave() -> None:
        lab = await _connected(folder)
        await lab.leave(in_order=True)

    asyncio.run(leave())
    print(f"{folder.name} has ended")
    return 0


def reap(run: str, data_dir: str | None) -> int:
    """End the processes of a run whose lab is gone, and no others."""
    folder = folder_of(run, data_dir)
    found = processes_of(folder)
    for pid, what in found:
        print(f"ending {what} (pid {pid})")
        os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + GONE_SECONDS
    while is_alive(folder) and time.monotonic() < deadline:
        os.sched_yield()
    if is_alive(folder):
        raise Refusal(BUSY, f"{folder.name}: a process still holds its lock")
    print(f"{folder.name}: {len(found)} processes ended" if found else f"{folder.name}: nothing was left running")
    return 0


def processes_of(folder: Path) -> list[tuple[int, str]]:
    """(pid, what it is) of living processes that belong to the run: their command line names its folder."""
    listed = subprocess.run(["ps", "-axwwo", "pid=,command="], capture_output=True, text=True, check=True).stdout
    found = []
    for line in listed.splitlines():
        pid, _, command = line.strip().partition(" ")
        words = command.split()
        module = next((word for word in words if word in NODE_MODULES), "")
        if module and any(word == str(folder) or word.startswith(f"{folder}/nodes/") for word in words):
            found.append((int(pid), _what(module, words)))
    return found


def _what(module: str, words: list[str]) -> str:
    if module.endswith("lab_process"):
        return "the lab"
    path = next(word for word in words if "/nodes/" in word)
    node: NodeId | str = Path(path).stem
    return f"node {node}"
