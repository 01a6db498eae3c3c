"""What a learner has answered (in the run) and which lessons were finished (in the user's state folder)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import platformdirs

PROGRESS = "progress.json"
ANSWERS = "answers.json"
FILE_MAX = 1 << 20


def state_folder() -> Path:
    """WORKBENCH_HOME, or the user's state folder."""
    named = os.environ.get("WORKBENCH_HOME")
    return Path(named) if named else platformdirs.user_state_path("kraft-workbench")


def record_answer(run_folder: Path, question: str, answer: str, right_answer: str) -> None:
    """Keep one answer in the run; a second one to the same question replaces it."""
    path = run_folder / ANSWERS
    answers = read_state(path)
    answers[question] = {"answer": answer, "right_answer": right_answer}
    write_state(path, answers)


def answers_of(run_folder: Path) -> dict[str, Any]:
    """Question id to its answer and the right one."""
    return read_state(run_folder / ANSWERS)


def finished_lessons(folder: Path | None = None) -> tuple[str, ...]:
    """Names of the lessons that were finished."""
    done = read_state((folder or state_folder()) / PROGRESS).get("finished", [])
    return tuple(name for name in done if isinstance(name, str)) if isinstance(done, list) else ()


def record_finished(lesson: str, folder: Path | None = None) -> None:
    """Note that a lesson was finished."""
    folder = folder or state_folder()
    done = finished_lessons(folder)
    if lesson not in done:
        write_state(folder / PROGRESS, {"finished": [*done, lesson]})


def read_state(path: Path) -> dict[str, Any]:
    """The object in a file; empty when it is missing or damaged."""
    try:
        if path.stat().st_size > FILE_MAX:
            return {}
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def write_state(path: Path, content: dict[str, Any]) -> None:
    """Whole or not at all."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    temporary.replace(path)
