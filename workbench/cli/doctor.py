"""What this machine has and lacks for the workbench."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import sys
from dataclasses import asdict, dataclass

from cluster.runtime.system_limits import NEEDED, WANTED, limits
from workbench.analysis.java import INSTALL as INSTALL_JAVA
from workbench.analysis.java import find_java
from workbench.analysis.packages import INSTALL
from workbench.analysis.packages import PACKAGES as ANALYSIS_PACKAGES
from workbench.session.bootstrap import who_may
from workbench.support.places import examine, home_folder
from workbench.support.refusal import Refusal
from workbench.support.safe_text import safe_text

PACKAGES = ("textual", "rich", "typer", "msgpack", "google-crc32c", "cramjam", "msgspec", "platformdirs")
PYTHON_MIN = (3, 11)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    what: str
    ok: bool
    needed: bool
    """Whether the workbench cannot run without it."""
    text: str


def doctor(*, as_json: bool) -> int:
    """Print what was found. 0 when nothing needed is missing, else 3."""
    all_findings = findings()
    if as_json:
        print(json.dumps([asdict(item) for item in all_findings]))
    else:
        for item in all_findings:
            mark = "ok  " if item.ok else "LACK" if item.needed else "note"
            print(f"{mark}  {item.what:18} {item.text}")
    return 0 if all(item.ok or not item.needed for item in all_findings) else 3


def findings() -> list[Finding]:
    """Everything that is looked at, in order."""
    needed = [_python(), _system(), *(_package(name) for name in PACKAGES), _files(), _space()]
    return [*needed, _clients(), _terminal(), _configuration(), _loop(), _analysis(), _java()]


def _configuration() -> Finding:
    from workbench.tui.settings import config_path, read_settings

    try:
        settings = read_settings()
    except Refusal as refusal:
        return Finding("configuration", False, True, str(refusal))
    if settings.refused:
        return Finding("configuration", False, True, "; ".join(settings.refused))
    there = f"{safe_text(str(config_path()), 200)}" if config_path().exists() else "none; all is as usual"
    return Finding(
        "configuration", True, True, f"{there}: {', '.join(settings.sources)}" if settings.sources else there
    )


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    ok = sys.version_info >= PYTHON_MIN
    return Finding("Python", ok, True, version if ok else f"{version}; install 3.11 or newer")


def _system() -> Finding:
    ok = os.name == "posix"
    return Finding("system", ok, True, sys.platform if ok else "use WSL2: this system has no SIGSTOP and no flock")


def _package(name: str) -> Finding:
    try:
        return Finding(name, True, True, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, False, True, "not installed; run make install")


def _files() -> Finding:
    soft, hard = limits()
    text = f"{soft} now, {hard} at most; a node may need {NEEDED}"
    if hard < WANTED:
        text += f", and takes all its Kafka clients with {WANTED}"
    return Finding("open files", hard >= NEEDED, True, text)


def _space() -> Finding:
    home = home_folder()
    try:
        free = examine(home)
    except Refusal as refusal:
        return Finding("space for runs", False, True, str(refusal))
    except OSError as error:
        return Finding("space for runs", False, True, f"{safe_text(str(home), 120)}: {error.strerror}")
    return Finding("space for runs", True, True, f"{free >> 20} MiB free for {safe_text(str(home), 120)}")


def _clients() -> Finding:
    """Nothing to measure: what an administrator of a shared machine has to know before the first run."""
    return Finding("Kafka clients", True, False, f"brokers listen on 127.0.0.1; {who_may(None)}")


def _terminal() -> Finding:
    if not sys.stdout.isatty():
        return Finding("terminal", False, False, "stdout is none; play, run, up and export work without one")
    width, height = shutil.get_terminal_size()
    ok = width >= 80 and height >= 24
    return Finding("terminal", ok, False, f"{width}x{height}" + ("" if ok else "; the screen needs 80x24"))


def _loop() -> Finding:
    try:
        return Finding("uvloop", True, False, importlib.metadata.version("uvloop"))
    except importlib.metadata.PackageNotFoundError:
        return Finding("uvloop", False, False, "not installed; the nodes use asyncio's own loop, which is slower")


def _analysis() -> Finding:
    versions = {name: _version(name) for name in ANALYSIS_PACKAGES}
    missing = [name for name, version in versions.items() if not version]
    text = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    if missing:
        text = f"{', '.join(missing)} not installed; only analyse and campaign need it: {INSTALL}"
    return Finding("analysis", not missing, False, text)


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _java() -> Finding:
    java = find_java()
    if java is None:
        return Finding("Java", False, False, f"none found; only analyse and campaign need it: {INSTALL_JAVA}")
    text = f"{java.version} by {java.origin}"
    return Finding("Java", java.serves, False, text if java.serves else f"{text} is too old; {INSTALL_JAVA}")
