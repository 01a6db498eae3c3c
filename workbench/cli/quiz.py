"""`workbench quiz`: twelve questions before the course and after it, and what came of them."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from workbench.challenges.quiz.questions import Item, items
from workbench.challenges.quiz.results import TIMES, answers_of, as_csv, class_answers, record, score
from workbench.course.content import Option, letters
from workbench.course.progress import learner_seed
from workbench.session.lesson.markdown import unmarked
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text

WIDTH = 78


def quiz(when: str, class_folder: str | None, *, as_table: bool) -> int:
    """Ask, or tell how far one is, or print the table of a learner or a class. Returns the exit code."""
    known = items()
    if as_table or class_folder is not None:
        print(as_csv(known, _learners(class_folder)), end="")
        return 0
    if not when:
        return _tell(known)
    if when not in TIMES:
        raise Refusal(USAGE, f"quiz: '{safe_text(when, 40)}'; say before or after the course: workbench quiz before")
    return _ask(known, when)


def _learners(class_folder: str | None) -> list[dict[str, dict[str, str]]]:
    if class_folder is None:
        return [answers_of()]
    found = class_answers(Path(class_folder))
    if not found:
        name = safe_text(class_folder, 200)
        raise Refusal(BAD_DATA, f"quiz: '{name}' has no folder with a quiz.json; each learner's state folder has one")
    return found


def _tell(known: tuple[Item, ...]) -> int:
    answers = answers_of()
    for when in TIMES:
        given = len(answers[when])
        said = f"{score(known, answers[when])} of {len(known)} right" if given >= len(known) else "not done yet"
        said = f"{given} of {len(known)} answered" if 0 < given < len(known) else said
        print(f"{when:<6}  {said}")
    print("workbench quiz before, or after, asks; --csv prints a table with the difficulty of each question")
    return 0


def _ask(known: tuple[Item, ...], when: str) -> int:
    answered = answers_of()[when]
    left = [item for item in known if item.id not in answered]
    if not left:
        return _tell(known)
    print(f"{len(left)} questions; no cluster is needed, and nothing is explained until the course does it.")
    for item in left:
        number = known.index(item) + 1
        option = _one(item, number, len(known))
        if option is None:
            done = len(known) - len(left) + left.index(item)
            print(f"\n{done} of {len(known)} are answered; workbench quiz {when} goes on there")
            return 0
        record(when, item, option)
    return _tell(known)


def _one(item: Item, number: int, count: int) -> Option | None:
    """The chosen option; None when nobody answers any more."""
    print(f"\n{number} of {count}: {safe_text(item.step.heading, WIDTH)}\n")
    for line in unmarked(item.setting).splitlines():
        print("\n".join(textwrap.wrap(safe_text(line), WIDTH)) if len(line) > WIDTH else safe_text(line))
    print(f"\n{safe_text(unmarked(item.question.text), 400)}")
    choices = letters(item.question, learner_seed() + number)
    for letter, option in choices.items():
        print(textwrap.fill(f"{letter}  {safe_text(unmarked(option.text), 300)}", WIDTH, subsequent_indent="   "))
    while True:
        print("> ", end="", flush=True)
        said = sys.stdin.readline()
        if not said or said.strip() in ("q", "quit"):
            return None
        if said.strip().lower() in choices:
            return choices[said.strip().lower()]
        print(f"type one of {', '.join(choices)}, or q to go on later")
