"""Runs a script file without a screen: steps as lines or JSON, a summary last, an exit code."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cluster.ordinary_file import StrangeFile, read_ordinary_or_pipe
from cluster.scenario.output import SCRIPT_BYTES_MAX, first_difference, rewrite
from cluster.scenario.parse import parse_script
from cluster.scenario.runner import Launch, NotStarted, ScriptRunner, StepReport
from cluster.scenario.script import Script, ScriptError

if TYPE_CHECKING:
    from cluster.scenario.protocol import Protocol, Tell

HELD, NOT_HELD, BAD_ENVIRONMENT, BAD_DATA, INTERRUPTED = 0, 1, 3, 4, 130
After = Callable[[Sequence[Path]], bool]
_MARKS = {"do": "$", "say": "#", "cluster": "*", "remember": "=", "when": "!"}


def read_script(path: Path) -> Script:
    """The checked script of a file. ScriptError when it is none, OSError when it cannot be read."""
    try:
        data = read_ordinary_or_pipe(path, SCRIPT_BYTES_MAX)
    except StrangeFile as error:
        raise ScriptError(1, str(error.strerror)) from error
    try:
        return parse_script(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ScriptError(data[: error.start].count(b"\n") + 1, f"not UTF-8 at byte {error.start}") from error


@dataclass(frozen=True, slots=True)
class Printing:
    """What a simulation of a script prints, and what becomes of it."""

    tell: Tell
    """Who an event is about, and its sentence."""
    seed: int
    rewrites: bool = False
    """The script's expected output is replaced by what is printed, when all expectations hold."""


def run_script(
    path: Path,
    *,
    as_json: bool,
    launch: Launch,
    slow: float = 1.0,
    after: After | None = None,
    printing: Printing | None = None,
) -> int:
    """Check and run one script. 0 all held, 1 not, 3 the cluster cannot start, 4 a bad script, 130 interrupted.

    `after` looks at the recorded runs once all is down; the script fails when it says no. With `printing` the short
    protocol takes the place of the steps on stdout, which only tells those that did not hold; it must be the script's
    expected output when the seed is the one it was made with.
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

    protocol = None
    if printing is not None:
        from cluster.scenario.protocol import Protocol

        protocol = Protocol(printing.tell)

    def report(step: StepReport) -> None:
        reports.append(step)
        if protocol is not None:
            protocol.on_step(step)
        if as_json or protocol is None or not step.held:
            print(json.dumps(asdict(step)) if as_json else step_line(step), flush=True)

    runner = ScriptRunner(script, launch, report, title=path.stem[:80], slow=slow, at_polls=False)
    if protocol is not None:
        runner.on_entry = protocol.on_entry
    try:
        held = asyncio.run(runner.run())
    except KeyboardInterrupt:
        return INTERRUPTED
    except NotStarted as error:
        print(f"workbench: the cluster cannot start: {printable(str(error))}", file=sys.stderr)
        return BAD_ENVIRONMENT
    if printing is not None and protocol is not None:
        held = _settle(path, script, printing, protocol, held=held, as_json=as_json) and held
    if after is not None:
        held = after(runner.run_folders) and held
    checked = [step for step in reports if step.kind in ("expect", "keep")]
    good = sum(step.held for step in checked)
    if as_json:
        print(json.dumps({"held": held, "expectations": len(checked), "good": good}))
    else:
        print(f"{good} expectation{'s' * (good != 1)} held" + ("" if held else ", the script failed"))
    return HELD if held else NOT_HELD


def _settle(path: Path, script: Script, printing: Printing, protocol: Protocol, *, held: bool, as_json: bool) -> bool:
    """Print the protocol and hold it against what the script expects; whether it is as expected."""
    lines = [printable(line) for line in protocol.lines]
    print(json.dumps({"output": lines}) if as_json else "\n".join(lines), flush=True)
    if printing.rewrites and held:
        rewrite(path, printing.seed, lines)
    elif script.output is not None and script.output.lines and printing.seed == script.output.seed:
        where = first_difference(script.output.lines, lines)
        if where:
            print(f"workbench: {printable(str(path))}: {where}; --rewrite takes it over", file=sys.stderr)
        return not where
    return True


def step_line(step: StepReport) -> str:
    """One step as one line: time since the start, mark, text, what was seen when that says more."""
    mark = ("ok" if step.held else "NO") if step.kind in ("expect", "wait", "keep") else _MARKS.get(step.kind, "")
    tail = f"   [{step.seen}]" if step.seen and (not step.held or step.kind == "remember") else ""
    return printable(f"{step.at_ms:7d} ms {mark:>3} {step.text}{tail}")


def printable(text: str) -> str:
    """The text with control characters shown as a replacement sign."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)
