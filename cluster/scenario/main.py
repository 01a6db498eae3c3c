"""Runs a script file without a screen: steps as lines or JSON, a summary last, an exit code."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

from cluster.scenario.parse import SCRIPT_MAX, parse_script
from cluster.scenario.runner import Launch, ScriptRunner, StepReport
from cluster.scenario.script import Script, ScriptError

HELD, NOT_HELD, BAD_ENVIRONMENT, BAD_DATA, INTERRUPTED = 0, 1, 3, 4, 130
After = Callable[[Sequence[Path]], bool]
_MARKS = {"do": "$", "say": "#", "cluster": "*", "remember": "="}


def read_script(path: Path) -> Script:
    """The checked script of a file. ScriptError when it is none, OSError when it cannot be read."""
    if path.stat().st_size > 4 * SCRIPT_MAX:
        raise ScriptError(1, f"larger than {4 * SCRIPT_MAX} bytes, not read")
    data = path.read_bytes()
    try:
        return parse_script(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ScriptError(data[: error.start].count(b"\n") + 1, f"not UTF-8 at byte {error.start}") from error


def run_script(path: Path, *, as_json: bool, launch: Launch, slow: float = 1.0, after: After | None = None) -> int:
    """Check and run one script. 0 all held, 1 not, 3 the cluster cannot start, 4 a bad script, 130 interrupted.

    `after` looks at the recorded runs once all is down; the script fails when it says no.
    """
    try:
        script = read_script(path)
    except ScriptError as error:
        print(f"workbench: {printable(str(path))}: {printable(str(error))}", file=sys.stderr)
        return BAD_DATA
    except OSError as error:
        print(f"workbench: cannot read {printable(str(path))}: {error.strerror}", file=sys.stderr)
        return BAD_ENVIRONMENT
    reports: list[StepReport] = []

    def report(step: StepReport) -> None:
        reports.append(step)
        print(json.dumps(asdict(step)) if as_json else step_line(step), flush=True)

    runner = ScriptRunner(script, launch, report, title=path.stem[:80], slow=slow)
    try:
        held = asyncio.run(runner.run())
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        print(f"workbench: the cluster cannot start: {printable(str(error))}", file=sys.stderr)
        return BAD_ENVIRONMENT
    if after is not None:
        held = after(runner.run_folders) and held
    checked = [step for step in reports if step.kind in ("expect", "keep")]
    good = sum(step.held for step in checked)
    if as_json:
        print(json.dumps({"held": held, "expectations": len(checked), "good": good}))
    else:
        print(f"{good} expectations held" + ("" if held else ", the script failed"))
    return HELD if held else NOT_HELD


def step_line(step: StepReport) -> str:
    """One step as one line: time since the start, mark, text, what was seen when that says more."""
    mark = ("ok" if step.held else "NO") if step.kind in ("expect", "wait", "keep") else _MARKS.get(step.kind, "")
    tail = f"   [{step.seen}]" if step.seen and (not step.held or step.kind == "remember") else ""
    return printable(f"{step.at_ms:7d} ms {mark:>3} {step.text}{tail}")


def printable(text: str) -> str:
    """The text with control characters shown as a replacement sign."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
