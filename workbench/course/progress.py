"""What a learner has answered (in the run); which lessons and missions are done, and scores (in the state folder)."""

from __future__ import annotations

from pathlib import Path
from random import getrandbits
from typing import Any

from workbench.support.state_files import read_state, state_folder, write_state, wrong_state

PROGRESS = "progress.json"
ANSWERS = "answers.json"
LESSONS = "lessons"
SEED, SEED_BITS = "seed", 30


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
        write_state(folder / PROGRESS, read_state(folder / PROGRESS) | {"finished": [*done, lesson]})


def finished_missions(folder: Path | None = None) -> dict[str, str]:
    """Name of each mission that was done, and how."""
    done = read_state((folder or state_folder()) / PROGRESS).get("missions", {})
    return {name: how for name, how in done.items() if isinstance(how, str)} if isinstance(done, dict) else {}


def record_mission(mission: str, how: str, folder: Path | None = None) -> None:
    """Note that a mission was done; how it was done first stays."""
    folder = folder or state_folder()
    done = finished_missions(folder)
    if mission not in done:
        write_state(folder / PROGRESS, read_state(folder / PROGRESS) | {"missions": {**done, mission: how}})


def scores(kind: str, folder: Path | None = None) -> dict[str, dict[str, Any]]:
    """What was kept of each thing of a kind that has scores: challenges, hunts."""
    kept = read_state((folder or state_folder()) / PROGRESS).get(kind, {})
    return {name: score for name, score in kept.items() if isinstance(score, dict)} if isinstance(kept, dict) else {}


def record_score(kind: str, name: str, score: dict[str, Any], folder: Path | None = None) -> None:
    """Keep a score in place of what was there."""
    folder = folder or state_folder()
    kept = scores(kind, folder) | {name: score}
    write_state(folder / PROGRESS, read_state(folder / PROGRESS) | {kind: kept})


def record_lesson(lesson: str, content: dict[str, Any], folder: Path | None = None) -> None:
    """Keep how far a lesson is, in a file of its own."""
    write_state(_lesson_file(lesson, folder), content)


def lesson_record(lesson: str, folder: Path | None = None) -> dict[str, Any]:
    """What was kept of a lesson; empty when nothing was."""
    return read_state(_lesson_file(lesson, folder))


def _lesson_file(lesson: str, folder: Path | None) -> Path:
    return (folder or state_folder()) / LESSONS / f"{lesson}.json"


def learner_seed(folder: Path | None = None) -> int:
    """The learner's own number, by which options are shuffled: drawn once, then kept. 0 where nothing can be kept."""
    path = (folder or state_folder()) / PROGRESS
    seed = read_state(path).get(SEED)
    if isinstance(seed, int):
        return seed
    seed = getrandbits(SEED_BITS)
    try:
        record_seed(seed, folder)
    except OSError:
        return 0
    return seed


def record_seed(seed: int, folder: Path | None = None) -> None:
    """Keep the learner's number."""
    path = (folder or state_folder()) / PROGRESS
    write_state(path, read_state(path) | {SEED: seed})


def damaged(folder: Path | None = None) -> str:
    """Why what was kept cannot be read, in one sentence; empty when all is well or nothing was kept."""
    path = (folder or state_folder()) / PROGRESS
    wrong = wrong_state(path)
    return f"{path}: {wrong}; what you have done counts from now on" if wrong else ""
