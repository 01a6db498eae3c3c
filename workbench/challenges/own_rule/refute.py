"""Tries to refute a learner's rule: reads its file, has processes play it, and says what they found."""

from __future__ import annotations

import ast
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from workbench.challenges.learners_file import read_text
from workbench.challenges.own_rule.guard import IMPORTS
from workbench.challenges.own_rule.kinds import KINDS, Kind
from workbench.support.refusal import BAD_DATA, INTERNAL, Refusal
from workbench.support.safe_text import safe_text

CHILD = "workbench.challenges.own_rule.child"
SOURCE_MAX = 100_000
SILENT_S = 30.0
"""A process that has not begun a seed for so long is ended: no seed takes a tenth of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of a rule."""

    kind: str
    """Name of the rule."""
    word: str
    """held, broken, raises, loops, prints, forbidden, wrong type or killed."""
    what: str
    """Which rule of the cluster it breaks and how, or what it did; safe to print."""
    seed: int = 0
    """Of the small cluster that shows it; 0 when none does."""
    script: str = ""
    """That cluster and what befell it, as a script; empty when none shows it."""
    seeds: int = 0
    """How many were begun."""


def read_rule(path: Path) -> tuple[Kind, str]:
    """Which rule a file holds, and its source. Refusal names the line of what it may not hold."""
    source, name = read_text(path), safe_text(str(path), 200)
    if len(source) > SOURCE_MAX:
        raise Refusal(BAD_DATA, f"{name}: {len(source)} characters; a rule has at most {SOURCE_MAX}")
    try:
        tree = ast.parse(source, "<your rule>")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        raise Refusal(BAD_DATA, f"{name}: line {line}: no Python: {safe_text(str(error), 120)}") from error
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in KINDS]
    if len(functions) != 1:
        called = "none of them" if not functions else " and ".join(node.name for node in functions)
        raise Refusal(BAD_DATA, f"{name}: needed is one function called {', '.join(KINDS)}; it has {called}")
    kind = KINDS[functions[0].name]
    given = functions[0].args
    named = [item.arg for item in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    if given.posonlyargs or given.vararg or given.kwarg or set(named) != set(kind.parameters):
        wanted = ", ".join(kind.parameters)
        raise Refusal(BAD_DATA, f"{name}: line {functions[0].lineno}: the form is: def {kind.name}({wanted})")
    for node in ast.walk(tree):
        if wrong := _forbidden(node):
            line = getattr(node, "lineno", 1)
            allowed = ", ".join(sorted(IMPORTS))
            raise Refusal(BAD_DATA, f"{name}: line {line}: {safe_text(wrong, 80)}; a rule may import {allowed}")
    return kind, source


def _forbidden(node: ast.AST) -> str:
    """What a rule has no use for; empty for all else."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or "."]
        return next((f"imports {name}" for name in names if name.partition(".")[0] not in IMPORTS), "")
    reached = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    if reached.startswith("__"):
        return f"reaches for {reached}"
    return ""


def refute(
    kind: Kind, source: str, seeds: Sequence[int], jobs: int, progress: Callable[[int], None] = lambda _done: None
) -> Verdict:
    """Play these seeds with the rule in so many processes. The first verdict that is not "held" ends it."""
    parts = [list(seeds[start::jobs]) for start in range(min(jobs, len(seeds)))]
    begun = 0
    with _processes(kind, source, parts) as players:
        while any(player.verdict is None for player in players):
            living = [player for player in players if player.verdict is None]
            ready, _, _ = select.select([player.stream for player in living], [], [], 1.0)
            for player in living:
                begun += player.take(is_ready=player.stream in ready)
                if player.verdict is not None and player.verdict["verdict"] != "held":
                    return _told(kind, player.verdict, begun)
            progress(begun)
    return Verdict(kind=kind.name, word="held", what="", seeds=begun)


def _told(kind: Kind, said: dict[str, Any], begun: int) -> Verdict:
    return Verdict(
        kind=kind.name,
        word=str(said["verdict"]),
        what=safe_text(str(said["what"]), 400),
        seed=int(said.get("seed", 0)),
        script=str(said.get("script", "")),
        seeds=begun,
    )


@contextmanager
def _processes(kind: Kind, source: str, parts: Sequence[Sequence[int]]) -> Iterator[list[_Player]]:
    """One process for each part of the seeds; all are gone at the end."""
    pipes = [os.pipe() for _ in parts]
    players = [_Player(os.fdopen(reader, "rb")) for reader, _ in pipes]
    writers = [writer for _, writer in pipes]
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        pass_fds=writers,
    )
    try:
        for writer in writers:
            os.close(writer)
        assert process.stdin is not None
        order = {"kind": kind.name, "source": source, "parts": list(zip(writers, parts, strict=True))}
        process.stdin.write(json.dumps(order).encode() + b"\n")
        process.stdin.close()
        yield players
    finally:
        with suppress(ProcessLookupError, PermissionError):  # all of them have ended
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for player in players:
            player.stream.close()


class _Player:
    """What one process says."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream
        self.verdict: dict[str, Any] | None = None
        """Its last word, once it was said."""
        self._heard_s = time.monotonic()

    def take(self, *, is_ready: bool) -> int:
        """One line when there is one; how many seeds it says were begun."""
        if not is_ready:
            if time.monotonic() - self._heard_s > SILENT_S:
                what = f"with it a small cluster does not come to its end in {SILENT_S:g} s"
                self.verdict = {"verdict": "loops", "what": what}
            return 0
        line = self.stream.readline()
        self._heard_s = time.monotonic()
        message = json.loads(line) if line else {"ended": "before it began"}
        if "verdict" in message:
            self.verdict = message
        elif "ended" in message:
            self.verdict = _killed(message["ended"])
        return int("verdict" not in message and "seed" in message)


def _killed(code: Any) -> dict[str, Any]:
    """The verdict on a process that ended without one."""
    if not isinstance(code, int) or code >= 0:
        raise Refusal(INTERNAL, f"the process of a rule ended with {code} and said nothing")
    if -code in (signal.SIGVTALRM, signal.SIGKILL):
        return {"verdict": "loops", "what": "it took all of the time of its process and let nobody else run"}
    return {"verdict": "killed", "what": f"its process was ended by signal {-code}"}
