"""`workbench rule`: a learner's rule in small simulated clusters, and the smallest script that breaks it."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from workbench.challenges.own_rule.kinds import KINDS, example
from workbench.challenges.own_rule.refute import Verdict, read_rule, refute
from workbench.support.option_types import SeedRange, all_cores, visible
from workbench.support.places import usable_home
from workbench.support.refusal import USAGE, Refusal

HELD, NOT_HELD = 0, 1
TOLD_EVERY_S = 1.0
NOTE = "this runs your own code, in a process with limits on time, memory and files; a limit is no wall"


def own_rule(file: str, kind: str, seeds: SeedRange, jobs: int, data_dir: str | None, *, as_json: bool) -> int:
    """Print an example, or try to refute a rule. Returns the exit code: 1 for a rule that does not hold."""
    if kind:
        if kind not in KINDS:
            raise Refusal(USAGE, f"rule: --example: no rule '{visible(kind)}'; there are {', '.join(KINDS)}")
        print(example(KINDS[kind]), end="")
        return HELD
    if not file:
        raise Refusal(USAGE, f"rule: name a file, or --example with one of {', '.join(KINDS)}")
    kind_of_rule, source = read_rule(Path(file))
    home = usable_home(data_dir)
    print(f"workbench: {NOTE}", file=sys.stderr)
    progress = _Progress(seeds.last - seeds.first + 1)
    verdict = refute(kind_of_rule, source, range(seeds.first, seeds.last + 1), jobs or all_cores(), progress)
    progress.end()
    path = _keep(home, verdict) if verdict.script else None
    if as_json:
        print(json.dumps(asdict(verdict) | {"file": None if path is None else str(path)}))
    else:
        _tell(verdict, seeds, path)
    return HELD if verdict.word == "held" else NOT_HELD


def _keep(home: Path, verdict: Verdict) -> Path:
    folder = home / "rules"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{verdict.kind}_seed_{verdict.seed}.txt"
    path.write_text(verdict.script, "utf-8")
    return path


def _tell(verdict: Verdict, seeds: SeedRange, path: Path | None) -> None:
    if verdict.word == "held":
        print(f"{verdict.kind}: held for {verdict.seeds} seeds, {seeds}")
    elif path is None:
        print(f"{verdict.kind}: {verdict.word}: {verdict.what}")
    else:
        print(f"{verdict.kind}: refuted by seed {verdict.seed}: {verdict.what}\n")
        print(verdict.script)
        print(f"kept as {path}; with the cluster's own rule it holds: workbench run {path} --simulated")


class _Progress:
    """One line on a terminal."""

    def __init__(self, total: int) -> None:
        self._total, self._told = total, 0.0

    def __call__(self, begun: int) -> None:
        now = time.monotonic()
        if sys.stderr.isatty() and now - self._told > TOLD_EVERY_S:
            self._told = now
            sys.stderr.write(f"\r\x1b[K{begun}/{self._total} seeds")
            sys.stderr.flush()

    def end(self) -> None:
        """The line is finished."""
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
