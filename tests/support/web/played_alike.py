"""Plays lessons and incidents, and tells of each whether it passed and a digest of its events; runs in any Python."""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from cluster.scenario.main import read_script
from cluster.trace.reader import read_all
from workbench.challenges.playing import play_script
from workbench.cli.export import as_json
from workbench.cli.play_steps import play_steps
from workbench.course.incidents import find_incident
from workbench.course.library import find_lesson
from workbench.runs.judgement import judge_all
from workbench.runs.launch import WorldChoice
from workbench.support.platform import run_to_end

SIMULATED = WorldChoice(simulated=True, seed=0)


def played(names: list[str]) -> Iterator[dict[str, object]]:
    """Each by its name, such as lesson=5 or incident=kip-101."""
    for name in names:
        kind, _, which = name.partition("=")
        with tempfile.TemporaryDirectory() as home, redirect_stdout(StringIO()) as said:
            passed = (_lesson if kind == "lesson" else _incident)(which, Path(home))
            digest = _digest(Path(home))
        yield {"name": name, "passed": passed, "events": digest, "said": "" if passed else said.getvalue()[-2000:]}


def _lesson(which: str, home: Path) -> bool:
    launch = SIMULATED.launcher(home, 1.0)
    return run_to_end(play_steps(find_lesson(which), launch, as_json=False, timing="", slow=1.0))


def _incident(which: str, home: Path) -> bool:
    incident = find_incident(which)
    done = play_script(read_script(incident.path), incident.title, home, SIMULATED)
    promised = {
        folder: incident.breaks.get(section, ())
        for folder, section in zip(done.folders, incident.sections, strict=True)
    }
    return done.held and judge_all(done.folders, promised).is_good


def _digest(home: Path) -> str:
    """Of all events of all runs, in order. A run's own name has the day in it."""
    whole, count = hashlib.sha256(), 0
    for folder in sorted((home / "runs").iterdir()):
        for entry in read_all(folder / "trace"):
            line = json.loads(as_json(entry))
            del line["run"]
            whole.update(json.dumps(line).encode() + b"\n")
            count += 1
    return f"{count} {whole.hexdigest()}"


if __name__ == "__main__":
    for row in played(sys.argv[1:]):
        sys.stdout.write(f"{json.dumps(row)}\n")
