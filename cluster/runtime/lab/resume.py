"""Makes a run that is over go on: the same nodes, on the files they left, in the same recording."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from time import monotonic_ns

from cluster.runtime.lab.client import LabClient, resume_lab
from cluster.runtime.run.continuation import PostMortem, post_mortem, write_continuation
from cluster.runtime.run.facts import VERSION, RunFacts, version_of
from cluster.runtime.run.folder import FACTS, RunError, boot_id, read_facts, renew_secrets, take_lock, write_facts

PROCESSES = "processes"


class WrongVersion(RunError):
    """The run was written by a tool that this one does not understand."""


class RunIsUp(RunError):
    """A process of the run is alive."""


async def resume(folder: Path, *, detached: bool) -> LabClient:
    """Go on with a run. RunError, TraceError, OSError or LabError when it cannot; then no process runs.

    A run of an older minor version is copied to `before-VERSION` in its folder first: nodes of this version write to
    its files from here on.
    """
    facts = read_facts(folder)
    _check(facts)
    if not (folder / "data").is_dir():
        raise RunError("it is a recording without its disks; replay, check and analyse read it")
    _refuse_links(folder)
    lock = take_lock(folder)
    if lock is None:
        raise RunIsUp("it is up")
    try:
        continuation = post_mortem(folder)
        facts = _prepared(folder, facts, continuation, detached=detached)
    except BaseException:
        os.close(lock)
        raise
    return await resume_lab(folder, lock, facts)


def _check(facts: RunFacts) -> None:
    if facts.world != PROCESSES:
        seed = 0 if facts.seed is None else facts.seed
        raise RunError(f"it is simulated; the same run comes of --simulated --seed {seed}")
    theirs, ours = version_of(facts.version), version_of(VERSION)
    if theirs[0] != ours[0] or theirs > ours:
        raise WrongVersion(f"its folder has version {facts.version}, this tool goes on with {ours[0]}.0 to {VERSION}")
    if not facts.settings:
        raise RunError("its run.json leaves out all settings; with others than it began with it would be another run")
    if facts.boot and facts.boot != boot_id():
        raise RunError("the machine was started anew since, and no event tells what its disk lost then")


def _refuse_links(folder: Path) -> None:
    """A run makes none. Through one from outside its nodes would write into files that are not the run's."""
    for place, folders, names in os.walk(folder):
        for path in (Path(place, name) for name in (*folders, *names)):
            if path.is_symlink():
                raise RunError(f"it holds a link, {path.relative_to(folder).as_posix()!a}; a run has none")


def _prepared(folder: Path, facts: RunFacts, told: PostMortem, *, detached: bool) -> RunFacts:
    if told.newest is None:
        raise RunError("its trace holds no events; it never began")
    if not facts.boot and told.newest.t_ns > monotonic_ns() + facts.clock_shift_ns:
        raise RunError("the machine was started anew since, and no event tells what its disk lost then")
    if version_of(facts.version) < version_of(VERSION):
        _keep(folder, facts)
    told.write_unsaid(folder)
    write_continuation(folder, told.continuation())
    renew_secrets(folder, facts)
    changed = replace(
        facts,
        state="starting",
        detached=detached,
        ports=None,
        client_ports=None,
        clock_shift_ns=told.shift_ns,
        boot=boot_id(),
        version=VERSION,
    )
    write_facts(folder, changed)
    return changed


def _keep(folder: Path, facts: RunFacts) -> None:
    """What this version is about to change; the trace only grows by new files."""
    major, minor = version_of(facts.version)
    kept = folder / f"before-{major}.{minor}"
    if kept.exists():
        return
    half = folder / f".{kept.name}.{os.getpid()}"
    half.mkdir(mode=0o700)
    shutil.copytree(folder / "data", half / "data")
    shutil.copy2(folder / FACTS, half / FACTS)
    half.replace(kept)
