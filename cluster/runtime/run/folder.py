"""A run's folder on disk: facts, secret, lock. One folder holds everything a run ever leaves."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from cluster.cluster_spec import ClusterSpec
from cluster.ordinary_file import read_ordinary
from cluster.runtime.run import file_lock
from cluster.runtime.run.client_login import LOGIN, make_login
from cluster.runtime.run.facts import RUN_ID, VERSION, BadFacts, RunFacts, checked_facts, is_form

FACTS = "run.json"
SECRET = "secret"
LOCK = "run.lock"
CONTROL = "control.sock"
FACTS_MAX = 1 << 20
BOOT = Path("/proc/sys/kernel/random/boot_id")
PATH_MAX = 100
"""Longest path of a unix socket that every system takes."""


class RunError(Exception):
    """A run folder that cannot be used. The message is one sentence for people."""


def create_run(home: Path, spec: ClusterSpec, **more: Any) -> tuple[Path, int]:
    """A new folder below home/runs with its facts and its secret, and its lock, taken.

    `more` are facts that are no part of the cluster. The lock is held before the run can be seen, so that nobody takes
    it for one that has ended. OSError when the disk refuses; then the folder is gone again.
    """
    now_ns = time.time_ns()
    when = time.localtime(now_ns // 1_000_000_000)
    # Names sort by age, also within a second; two hex digits keep runs of one millisecond apart.
    run = f"{time.strftime('%Y%m%d-%H%M%S', when)}-{now_ns // 1_000_000 % 1000:03d}{secrets.token_hex(1)}"
    folder = (home / "runs" / run).absolute()
    (home / "runs").mkdir(parents=True, mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700)
    facts = RunFacts(
        id=run,
        title=spec.title,
        created=time.strftime("%Y-%m-%dT%H:%M:%S", when),
        controllers=spec.voters,
        brokers=spec.broker_ids,
        settings=asdict(spec.settings),
        boot=boot_id(),
        version=VERSION,
        **{"state": "starting", **more},
    )
    try:
        lock = take_lock(folder)
        assert lock is not None, "a folder made just now is nobody else's"
        _fill(folder, facts)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder, lock


def _fill(folder: Path, facts: RunFacts) -> None:
    for name in ("trace", "data", "logs", "nodes"):
        (folder / name).mkdir(mode=0o700)
    renew_secrets(folder, facts)
    write_facts(folder, facts)


def renew_secrets(folder: Path, facts: RunFacts) -> None:
    """Have secrets that nobody knows, in place of those that may be known to whoever had the folder before."""
    for name in (SECRET, LOGIN):
        (folder / name).unlink(missing_ok=True)
    handle = os.open(folder / SECRET, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "w") as secret:
        secret.write(secrets.token_hex(32))
    if facts.settings.get("client_auth"):
        make_login(folder)


def write_facts(folder: Path, facts: RunFacts) -> None:
    """Replace run.json, whole or not at all."""
    temporary = folder / f".{FACTS}.{os.getpid()}"
    temporary.write_text(json.dumps(asdict(facts), indent=1) + "\n", "utf-8")
    temporary.replace(folder / FACTS)


def read_facts(folder: Path) -> RunFacts:
    """What run.json says. RunError when it is missing, or names the field that makes no sense."""
    try:
        return checked_facts(json.loads(read_ordinary(folder / FACTS, FACTS_MAX)))
    except FileNotFoundError:
        raise RunError(f"no {FACTS} in the folder: it is not a run of ours") from None
    except OSError as error:
        raise RunError(f"{FACTS} cannot be read: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise RunError(f"{FACTS} is damaged: line {error.lineno} is no JSON") from error
    except BadFacts as error:
        raise RunError(f"{FACTS}: {error}") from error
    except (ValueError, RecursionError) as error:
        raise RunError(f"{FACTS} does not hold the facts of a run") from error


def form_of(folder: Path) -> str:
    """The form that run.json names, whatever else it says; empty when it names none.

    Of a newer form nobody here knows the fields, so read_facts may find nonsense where there is none.
    """
    try:
        plain = json.loads(read_ordinary(folder / FACTS, FACTS_MAX))
    except (OSError, ValueError, RecursionError):
        return ""
    form = plain.get("version") if isinstance(plain, dict) else None
    return form if is_form(form) else ""


def boot_id() -> str:
    """Which start of this machine this is; empty where the system does not say."""
    try:
        return BOOT.read_text("ascii").strip()
    except OSError:
        return ""


def clock_shift_ns(folder: Path) -> int:
    """From the machine's monotonic clock to the run's."""
    try:
        return read_facts(folder).clock_shift_ns
    except RunError:
        return 0


def run_clock_ns(folder: Path) -> int:
    """The present instant on the clock of a run of processes."""
    return time.monotonic_ns() + clock_shift_ns(folder)


def update_facts(folder: Path, **changes: Any) -> RunFacts:
    """Change some facts; the new ones."""
    facts = replace(read_facts(folder), **changes)
    write_facts(folder, facts)
    return facts


def take_lock(folder: Path) -> int | None:
    """The lock's file descriptor when nobody holds it; None when a process of the run is alive.

    The lab and every node get it passed on, so it is free exactly when the last of them is dead.
    """
    return file_lock.take_lock(folder / LOCK)


def is_alive(folder: Path) -> bool:
    """Whether any process of the run lives."""
    return file_lock.is_held(folder / LOCK)


def find_run(home: Path, wanted: str) -> Path:
    """The folder of a run: its id, a unique beginning of it, or a path. RunError says what there is."""
    try:
        folder = Path(wanted).absolute()
        with suppress(FileNotFoundError, NotADirectoryError):
            folder.stat()  # from Python 3.14 on the questions below have no error for what no path can be
        is_here = bool(wanted) and (folder / FACTS).is_file()
        if is_here or "/" in wanted and (folder / "trace").is_dir():
            return folder
    except (OSError, ValueError):  # a name that is too long, or holds a NUL
        raise RunError("it is not the name of a run") from None
    if "/" in wanted:
        held = run_names(folder) or run_names(folder.parent if folder.name == "runs" else folder)
        raise RunError(f"it holds several: name one of {', '.join(held[-3:])}" if held else "it holds no recorded run")
    names = run_names(home)
    beginning = [name for name in names if name.startswith(wanted)] if RUN_ID.fullmatch(wanted) else []
    if wanted in beginning or len(beginning) == 1:
        return home / "runs" / (wanted if wanted in beginning else beginning[0])
    if len(beginning) > 1:
        raise RunError(f"several runs begin so: {', '.join(beginning[-5:])}")
    hint = f"the newest are {', '.join(names[-3:])}" if names else "there are none yet"
    raise RunError(f"no such run; {hint}")


def run_names(home: Path) -> list[str]:
    """Ids of all runs, oldest first."""
    return sorted(item.parent.name for item in (home / "runs").glob(f"*/{FACTS}") if RUN_ID.fullmatch(item.parent.name))


@contextmanager
def control_path(folder: Path) -> Iterator[Path]:
    """Where the lab's socket is, to bind it or to connect to it: in the folder.

    A path that is too long for a socket is led through a short link, which is needed for that moment only.
    """
    path = folder / CONTROL
    if len(os.fsencode(path)) <= PATH_MAX:
        yield path
        return
    link = private_folder() / secrets.token_hex(6)
    link.symlink_to(folder.absolute())
    try:
        yield link / CONTROL
    finally:
        link.unlink(missing_ok=True)


def private_folder() -> Path:
    """A folder with a short path for what all runs of this user share.

    RunError, with the way out, when somebody else made it.
    """
    short = Path(tempfile.gettempdir()) / f"kraft-workbench-{os.getuid()}"
    with suppress(FileExistsError):
        short.mkdir(mode=0o700)
    status = short.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise RunError(
            f"{short} is not a folder of yours; have another one made:"
            ' mkdir -m 700 -p ~/.kraft-tmp; export TMPDIR="$HOME/.kraft-tmp"'
        )
    if status.st_mode & 0o077:
        raise RunError(f"others may use {short}; chmod 700 {short}")
    return short
