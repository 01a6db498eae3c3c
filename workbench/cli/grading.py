"""The commands `submit` and `grade`: what a learner hands in, and what a class has handed in."""

from __future__ import annotations

import getpass
import re
import sys
from pathlib import Path

from workbench.cli.play import lessons_named
from workbench.submissions.collecting import challenge_part, lesson_part, quiz_part
from workbench.submissions.exam import read_exam
from workbench.submissions.form import NAME_MAX, Part, write_submission
from workbench.submissions.forms import FORMS
from workbench.submissions.grading import grade_files
from workbench.submissions.marks import Graded
from workbench.support.places import usable_home
from workbench.support.refusal import ENVIRONMENT, USAGE, Refusal
from workbench.support.safe_text import safe_text
from workbench.support.state_files import write_whole

ALL_GOOD, TO_LOOK_AT = 0, 1


def submit(lesson: str, challenge: str, *, quiz: bool, name: str, out: str, data_dir: str | None) -> int:
    """Write one file with what was asked for. Returns the exit code; Refusal when there is nothing to hand in."""
    lessons, challenges = _several(lesson), _several(challenge)
    if not (lessons or challenges or quiz):
        raise Refusal(USAGE, "submit: name what you hand in: --lesson 2, --challenge 4, --quiz; several: --lesson 2,6")
    wrong = next((number for number in challenges if not re.fullmatch("[0-9]{1,3}", number)), None)
    if wrong is not None:
        raise Refusal(USAGE, f"--challenge: not a number: '{safe_text(wrong, 40)}'; write 4, or 4,6")
    learner = name or getpass.getuser()
    if len(learner) > NAME_MAX:
        raise Refusal(USAGE, f"--name: {len(learner)} characters; at most {NAME_MAX}")
    home = usable_home(data_dir)
    parts: list[Part] = [lesson_part(one, home) for one in (lessons_named(lessons) if lessons else ())]
    parts += [challenge_part(int(number)) for number in challenges]
    parts += [quiz_part()] if quiz else []
    words = [f"lesson-{_slug(one)}" for one in lessons] + [f"challenge-{number}" for number in challenges]
    file = out or "_".join([_slug(learner), *words, *(["quiz"] if quiz else [])]) + ".json"
    write_submission(file, learner, tuple(parts))
    print(safe_text(file, 200))
    print(f"workbench: it is handed in as {safe_text(learner, NAME_MAX)}; --name says another name", file=sys.stderr)
    return 0


def _several(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "learner"


def grade(folder: str, form: str, out: str, exam: str = "") -> int:
    """Grade all files below a folder, print a line for each, write the table. Returns the exit code."""
    root = Path(folder)
    if not root.exists():
        raise Refusal(USAGE, f"grade: '{safe_text(folder, 200)}' is not there; name a folder of submissions, or one")
    if form not in FORMS:
        raise Refusal(USAGE, f"--form: unknown form '{safe_text(form, 40)}'; there are {', '.join(FORMS)}")
    graded = grade_files(root, _tell, read_exam(Path(exam)) if exam else None)
    for one in graded:
        print(_line(one))
    path, text = Path(out or FORMS[form].file), FORMS[form].text(graded)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except OSError as error:
        raise Refusal(ENVIRONMENT, f"cannot write {safe_text(str(path), 200)}: {error.strerror}") from error
    looked_at = sum(bool(one.reasons) for one in graded)
    print(f"{len(graded)} graded, {looked_at} to look at: {safe_text(str(path), 200)}")
    return TO_LOOK_AT if looked_at else ALL_GOOD


def _tell(done: int, total: int) -> None:
    """On a terminal, how far it is."""
    if sys.stderr.isatty():
        print(f"\r{done + 1} of {total} ", end="\n" if done + 1 == total else "", file=sys.stderr, flush=True)


def _line(one: Graded) -> str:
    said = f"{one.points:3} of {one.points_max:<3} {one.learner}  ({safe_text(one.file, 100)})"
    return "\n".join((said, *(f"           look: {why}" for why in one.reasons)))
