"""Which step of which lesson a screen shows, told in a file, for the viewer that shows the speaker's notes."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from cluster.ordinary_file import read_ordinary

FOLDER = "screens"
FILE_MAX = 1 << 16
SLOW_MAX = 1000


@dataclass(frozen=True, slots=True)
class ShownStep:
    """What one screen shows now."""

    pid: int
    lesson: str
    """Folder of the lesson."""
    step: int
    """From 1."""
    answered: str = ""
    """What the class predicted; empty before."""
    right: str = ""
    """Computed from the trace once the step has run."""
    run: str = ""
    """Id of the run that the step acts on; empty before there is one."""
    timing: str = ""
    """Asked for instead of the lesson's own."""
    slow: float = 1.0
    """Every timer is stretched so."""
    learner: int = 0
    """The seed by which options are shuffled."""


class OnScreen:
    """The file of one lesson's screen. What cannot be written is not: the lesson goes on without."""

    def __init__(self, home: Path, lesson: Path, timing: str = "", slow: float = 1.0, learner: int = 0) -> None:
        self._path = home / FOLDER / f"{os.getpid()}.json"
        self._lesson, self._timing, self._slow, self._learner = str(lesson), timing, slow, learner
        self._told: ShownStep | None = None

    def tell(self, step: int, answered: str, right: str, run: str) -> None:
        """Write what is shown, when it is something else than before."""
        asked = self._timing, self._slow, self._learner
        shown = ShownStep(os.getpid(), self._lesson, step, answered, right, run, *asked)
        if shown == self._told:
            return
        self._told = shown
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            half = self._path.with_suffix(".half")
            half.write_text(json.dumps(asdict(shown)), "utf-8")
            half.replace(self._path)
        except OSError:
            return

    def gone(self) -> None:
        """The screen shows the lesson no more."""
        self._path.unlink(missing_ok=True)


def shown_steps(home: Path) -> list[ShownStep]:
    """What living screens show, the one that changed last first."""
    steps: list[tuple[int, ShownStep]] = []
    for path in (home / FOLDER).glob("*.json"):
        try:
            changed_ns = path.stat().st_mtime_ns
            plain = json.loads(read_ordinary(path, FILE_MAX))
            answered, right, run, timing = (str(plain[name]) for name in ("answered", "right", "run", "timing"))
            place = int(plain["pid"]), str(plain["lesson"]), int(plain["step"])
            shown = ShownStep(*place, answered, right, run, timing, float(plain["slow"]), int(plain["learner"]))
            if not 0 < shown.slow <= SLOW_MAX:
                continue
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
        if _is_alive(shown.pid):
            steps.append((changed_ns, shown))
    return [shown for _, shown in sorted(steps, key=lambda item: -item[0])]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
