"""Runs TLC, the checker of TLA+, on a module that walks a line; and reads what it says."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from judges.specification.not_judged import NotJudged

PARSING = "Parsing or semantic analysis failed"
LIMIT_S = 120
_DEPTH = re.compile(r"depth of the complete state graph search is (\d+)")
_TOLD = re.compile(r'^<<"(\w+(?:-\w+)*)", (.*)>>$', re.MULTILINE)
REACHED, NO_ERROR = "Invariant NotFinished is violated", "No error has been found"


@dataclass(frozen=True, slots=True)
class Tools:
    """What a judge needs that does not come along."""

    java: Path
    jar: Path
    """That of TLC, as Maven has it."""
    libraries: tuple[Path, ...]
    """Folders with specifications."""


@dataclass(frozen=True, slots=True)
class Module:
    """What TLC reads."""

    name: str
    text: str
    configuration: str


@dataclass(frozen=True, slots=True)
class Walked:
    """How far TLC came."""

    accepted: bool
    steps: int
    """States of the line that it reached; when it was not accepted the next one is the first that does not fit."""
    seconds: float
    told: tuple[tuple[str, str], ...]
    """What the module printed."""


def walk(tools: Tools, folder: Path, module: Module) -> Walked:
    """One module. NotJudged for anything that is neither an end of the line nor the line's whole length."""
    (folder / f"{module.name}.tla").write_text(module.text, "utf-8")
    (folder / f"{module.name}.cfg").write_text(module.configuration, "utf-8")
    libraries = ":".join(str(library) for library in tools.libraries)
    command = [
        str(tools.java), "-Xss64m", "-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
        f"-Djava.io.tmpdir={folder}", f"-DTLA-Library={libraries}", "-cp", str(tools.jar), "tlc2.TLC", "-workers", "1",
        "-deadlock", "-nowarning", "-metadir", str(folder / "states" / module.name), "-config", f"{module.name}.cfg",
        f"{module.name}.tla",
    ]  # fmt: skip
    began = monotonic()
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise NotJudged(f"TLC gave no answer in {LIMIT_S} s") from error
    except OSError as error:
        raise NotJudged(f"Java does not start: {error.strerror}") from error
    out, seconds = done.stdout, monotonic() - began
    told = tuple((found[1], found[2]) for found in _TOLD.finditer(out))
    if REACHED in out:
        return Walked(True, 0, seconds, told)
    depth = _DEPTH.search(out)
    if PARSING in out:
        said = _first_error(out.split(PARSING)[0])
        raise NotJudged(f"TLC cannot parse the specification; get it anew from its authors ({said})")
    if depth is None or NO_ERROR not in out:
        raise NotJudged(f"TLC failed: {_first_error(out + done.stderr)}")
    return Walked(False, int(depth[1]), seconds, told)


_TELLING = ("Cannot", "Unable", "Unknown operator", "Was expecting", "Encountered", "Multiply-defined")


def _first_error(out: str) -> str:
    lines = [line.strip() for line in out.splitlines()]
    wrong = [line for line in lines if line.startswith(_TELLING)]
    wrong += [line for line in lines if line.startswith(("Error", "***")) or "Exception" in line]
    return " ".join((wrong or lines[-1:] or ["no output"])[:2])[:300]
