"""The `exam` command: asks a student, without a word about what is right; or prints the same exam for a class."""

from __future__ import annotations

import hashlib
import select
import sys
import time
from html import escape
from pathlib import Path
from typing import Any

from workbench.challenges.quiz.asking import choose, print_case
from workbench.challenges.quiz.questions import case_of
from workbench.cli.handout_page import POLICY, STYLE
from workbench.course.content import RIGHT, letters
from workbench.session.lesson.markdown import unmarked
from workbench.submissions.exam import Asked, Exam, read_exam, right_answer
from workbench.submissions.form import NAME_MAX, ExamPart, write_submission
from workbench.support.new_file import new_file
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text
from workbench.support.state_files import read_state, state_folder, write_state

DONE = "What is done in your cluster, in this order; where the text says otherwise, this holds:"
SHEETS = ".sheet { break-after: page; } td, th { padding: 0 2mm; text-align: left; }"
STUDENTS_MAX = 1000


def exam(file: str, student: str, out: str, *, students: str) -> int:
    """Ask one student, or print for all whose names stand in a file. Returns the exit code."""
    known = read_exam(Path(file))
    if students:
        return _print(known, _names(Path(students)), Path(out or "."))
    if not student or len(student) > NAME_MAX:
        raise Refusal(USAGE, "exam: say who takes it with --student NAME; or --paper FILE for a class")
    path = out or f"{safe_text(student, NAME_MAX).replace('/', '-')}_exam.json"
    if Path(path).exists():
        raise Refusal(USAGE, f"{safe_text(path, 200)} is there: this exam is over")
    return _take(known, student, path)


def _take(known: Exam, student: str, path: str) -> int:
    """Ask what is open, until the time is over. What was answered is kept, and the clock runs on meanwhile."""
    mark = hashlib.sha256(f"{known.digest} {student}".encode()).hexdigest()[:24]
    place = state_folder() / f"exam-{mark}.json"
    kept: dict[str, Any] = read_state(place) or {"began_s": time.time(), "answers": {}}
    answers, until_s = kept["answers"], kept["began_s"] + known.file.minutes * 60
    asked = [one for one in known.of(student) if one.id not in answers]
    title = safe_text(known.file.title, 100)
    print(f"{title}: {len(asked)} questions, {_left(until_s)}. Nothing is told of what is right.")
    for number, one in enumerate(asked, 1):
        print_case(f"{number} of {len(asked)}, {_left(until_s)}", _case(one))
        option = choose(one.question, _letters_of(student), lambda: _line_until(until_s))
        if option is None and time.time() < until_s:
            write_state(place, kept)
            print("\nthe time runs on; the same command goes on here")
            return 0
        if option is None:
            break
        answers[one.id] = option.misconception or RIGHT
        write_state(place, kept)
    seconds = min(time.time(), until_s) - kept["began_s"]
    write_submission(path, student, (ExamPart(known.digest, seconds, answers),))
    print(f"\n{len(answers)} of {len(known.questions)} answered. Hand in this file: {safe_text(path, 200)}")
    return 0


def _left(until_s: float) -> str:
    return f"{max(0.0, until_s - time.time()) / 60:.0f} minutes left"


def _line_until(until_s: float) -> str:
    """What is typed before then; empty afterwards, and when nobody types any more."""
    left_s = until_s - time.time()
    return sys.stdin.readline() if left_s > 0 and select.select([sys.stdin], [], [], left_s)[0] else ""


def _letters_of(student: str) -> int:
    return int.from_bytes(student.encode()[:30])


def _case(asked: Asked) -> str:
    assert asked.step.do is not None
    case = case_of(asked.step, asked.step.do.section, asked.lesson)
    return "\n".join([case, "", DONE, *(f"    {line}" for line in asked.commands)])


def _names(path: Path) -> list[str]:
    try:
        lines = [line.strip() for line in path.read_text("utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(BAD_DATA, f"--paper: cannot read '{safe_text(str(path), 200)}': {error}") from error
    names = [line for line in dict.fromkeys(lines) if line]
    if not 0 < len(names) <= STUDENTS_MAX or any(len(name) > NAME_MAX for name in names):
        raise Refusal(
            BAD_DATA, f"--paper: a file with a name in each line, 1 to {STUDENTS_MAX}, {NAME_MAX} letters each"
        )
    return names


def _print(known: Exam, names: list[str], folder: Path) -> int:
    """A sheet for each student in one page, and the key of all in another."""
    folder.mkdir(parents=True, exist_ok=True)
    sheets, rows = [], []
    for name in names:
        right = {}
        for one in known.of(name):
            answer = right_answer(one)
            options = letters(one.question, _letters_of(name))
            right[one.id] = next((key for key, each in options.items() if (each.misconception or RIGHT) == answer), "?")
        rows.append(f"<tr><td>{escape(safe_text(name))}</td>{''.join(f'<td>{right[key]}</td>' for key in right)}</tr>")
        sheets.append(_sheet(known, name))
    head = "".join(f"<th>{escape(name)}</th>" for name, *_ in known.questions)
    key = f"<h1>Key: {escape(known.file.title)}</h1><table><tr><th></th>{head}</tr>{''.join(rows)}</table>"
    for file, body in (("exam.html", "".join(sheets)), ("exam-key.html", key)):
        with new_file(str(folder / file)) as stream:
            stream.write(_document(known.file.title, body).encode())
        print(safe_text(str(folder / file), 200))
    return 0


def _document(title: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><title>{escape(title)}</title>'
        f"<style>{STYLE}{SHEETS}</style></head><body>{body}</body></html>\n"
    )


def _sheet(known: Exam, name: str) -> str:
    parts = [f"<header><h1>{escape(known.file.title)}</h1><span>{escape(safe_text(name))}</span></header>"]
    for number, one in enumerate(known.of(name), 1):
        case, _, done = unmarked(_case(one)).partition(f"\n\n{DONE}")
        boxes = "".join(
            f'<p class="option">&#9744; {key} &nbsp;{escape(unmarked(option.text))}</p>'
            for key, option in letters(one.question, _letters_of(name)).items()
        )
        parts.append(
            f'<section class="step"><h2>{number}</h2><p>{escape(case)}</p><p>{DONE}</p><pre>{escape(done)}</pre>'
            f'<p class="asked">{escape(unmarked(one.question.text))}</p>{boxes}</section>'
        )
    return f'<div class="sheet">{"".join(parts)}</div>'
