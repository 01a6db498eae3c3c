"""`workbench challenge`: lists the ten, shows one, grades a solution and keeps the best."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from dataclasses import asdict
from pathlib import Path

from cluster.scenario.output import seed_of
from workbench.challenges.best import best_of, best_said, edited, keep, kept_solution, score_said
from workbench.challenges.catalogue import CHALLENGES, Listed
from workbench.challenges.grade import Grade
from workbench.runs.find import called
from workbench.runs.launch import WorldChoice
from workbench.support.places import usable_home
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text

SOLVED, NOT_SOLVED = 0, 1
WIDE = 100
"""No line of a task is longer, in columns."""


def challenge(
    number: int | None, solution: str, seed: int | None, data_dir: str | None, *, real: bool, as_json: bool
) -> int:
    """List, show or grade. Returns the exit code: 1 for a solution that is none."""
    if number is None:
        return _list(as_json=as_json)
    listed = _find(number)
    if solution:
        return _grade(listed, solution, seed, data_dir, real=real, as_json=as_json)
    shown = real or (sys.stdin.isatty() and sys.stdout.isatty() and not as_json)
    if listed.on_screen is not None and shown:
        return _open(listed, seed or 0, data_dir, real=real)
    return _show(listed, seed or 0, data_dir, as_json=as_json)


def _find(number: int) -> Listed:
    match = next((listed for listed in CHALLENGES if listed.number == number), None)
    if match is None:
        raise Refusal(USAGE, f"challenge: no challenge {number}; there are 1 to {CHALLENGES[-1].number}")
    return match


def _list(*, as_json: bool) -> int:
    for listed in CHALLENGES:
        best, wrong = best_of(listed.number), edited(listed.number)
        if wrong:
            print(f"workbench: warning: challenge {listed.number}: {safe_text(wrong, 300)}", file=sys.stderr)
        if as_json:
            row = {name: getattr(listed, name) for name in ("number", "title", "task", "graded")}
            print(json.dumps(row | {"best": None if best is None or wrong else asdict(best)}))
            continue
        print(f"{listed.number:2}  {listed.title}: {best_said(listed) or 'open'}")
        _print_whole_words(listed.task, "    ")
        _print_whole_words(f"Graded: {listed.graded}.", "    ")
    if not as_json:
        print("\nworkbench challenge N shows one\nworkbench challenge N SOLUTION.txt grades a script")
    return 0


def _print_whole_words(text: str, indent: str = "") -> None:
    """In lines of the terminal's width, none of which ends in the middle of a word."""
    width = min(WIDE, shutil.get_terminal_size().columns)
    print(textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False))


def _show(listed: Listed, seed: int, data_dir: str | None, *, as_json: bool) -> int:
    """The task, and what its solution begins with."""
    folder = listed.record(seed, usable_home(data_dir)) if listed.record is not None else None
    if as_json:
        row = {"number": listed.number, "title": listed.title, "task": listed.task, "graded": listed.graded}
        print(json.dumps(row | {"begin": listed.begin(seed), "run": None if folder is None else str(folder)}))
        return 0
    print(f"Challenge {listed.number}: {listed.title}")
    _print_whole_words(listed.task)
    _print_whole_words(f"Graded: {listed.graded}.")
    print()
    print(listed.begin(seed))
    if folder is not None:
        print(f"\nThe recording of case {seed}: workbench replay {called(folder)}")
    if listed.grade is not None:
        tail = f" --seed {seed}" if seed else ""
        print(f"\nworkbench challenge {listed.number} SOLUTION.txt{tail} grades a file that begins like this")
    return 0


def _open(listed: Listed, seed: int, data_dir: str | None, *, real: bool) -> int:
    """A cluster with the task beside it, judged while it is played."""
    from workbench.tui.challenge_lab import open_challenge
    from workbench.tui.launch import screen_settings

    board = open_challenge(listed, seed, usable_home(data_dir), screen_settings(), simulated=not real)
    if board.results:
        print(f"challenge {listed.number} is solved: {', '.join(board.results.values())}")
        print(f"as a script it gets a score: workbench challenge {listed.number} SOLUTION.txt")
    return SOLVED if board.results else NOT_SOLVED


def _grade(listed: Listed, solution: str, seed: int | None, data_dir: str | None, *, real: bool, as_json: bool) -> int:
    if listed.grade is None:
        raise Refusal(USAGE, "challenge 7 is the bug hunt: workbench hunt NAME RULE SCRIPT.txt grades it")
    if real and seed is not None:
        raise Refusal(USAGE, "--seed is for simulations; --real processes have none")
    if (wrong := edited(listed.number)) and Path(solution).absolute() == kept_solution(listed.number).absolute():
        raise Refusal(BAD_DATA, safe_text(wrong, 300))
    path = Path(solution)
    used = seed if seed is not None else seed_of(path) or 0
    world = WorldChoice(simulated=not real, seed=None if real else used)
    grade = listed.grade(path, used, usable_home(data_dir), world)
    is_best = keep(listed.number, grade, used, "processes" if real else "simulated")
    if as_json:
        print(json.dumps(_plain(grade) | {"seed": used, "best": is_best}))
    else:
        _tell(listed, grade, is_best=is_best)
    return SOLVED if grade.solved else NOT_SOLVED


def _tell(listed: Listed, grade: Grade, *, is_best: bool) -> None:
    print(f"challenge {listed.number}: {'solved' if grade.solved else 'NOT solved'}: {grade.what}")
    if grade.solved:
        best = best_of(listed.number)
        tail = "" if best is None else ", your best" if is_best else f"; your best is {score_said(best)}"
        print(f"score: {score_said(grade)}{tail}")
    for folder in grade.runs:
        print(f"recorded: workbench replay {called(folder)}")


def _plain(grade: Grade) -> dict[str, object]:
    row = {name: getattr(grade, name) for name in ("solved", "what", "cost", "commands", "time_ms")}
    return row | {"runs": [str(folder) for folder in grade.runs]}
