"""Asks the questions line by line, before the course and after it, and tells how far a learner is."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable

from workbench.challenges.quiz.questions import Item, items
from workbench.challenges.quiz.results import TIMES, answers_of, record, score
from workbench.course.content import Option, Question, letters
from workbench.course.progress import learner_seed
from workbench.session.lesson.markdown import unmarked
from workbench.support.safe_text import safe_text

WIDTH = 78


def ask(when: str) -> None:
    """What is not answered yet, until the learner leaves."""
    known = items()
    answered = answers_of()[when]
    left = [item for item in known if item.id not in answered]
    if left:
        print(f"{len(left)} questions without a cluster. Nothing is explained here: the course does that.")
    for item in left:
        number = known.index(item) + 1
        option = _one(item, number, len(known))
        if option is None:
            done = len(known) - len(left) + left.index(item)
            print(f"\n{done} of {len(known)} are answered; workbench quiz {when} goes on there")
            return
        record(when, item, option)
    tell()


def tell() -> None:
    """How far the learner is, before and after."""
    known = items()
    answers = answers_of()
    for when in TIMES:
        given = len(answers[when])
        said = f"{score(known, answers[when])} of {len(known)} right" if given >= len(known) else "not done yet"
        said = f"{given} of {len(known)} answered" if 0 < given < len(known) else said
        print(f"{when:<6}  {said}")
    print("workbench quiz before, or after, asks; --csv prints a table with the difficulty of each question")


def _one(item: Item, number: int, count: int) -> Option | None:
    """The chosen option; None when nobody answers any more."""
    print_case(f"{number} of {count}: {item.step.heading}", item.setting)
    return choose(item.question, learner_seed() + number)


def print_case(heading: str, case: str) -> None:
    """What is told before a question."""
    print(f"\n{safe_text(heading, WIDTH)}\n")
    for line in unmarked(case).splitlines():
        print("\n".join(textwrap.wrap(safe_text(line), WIDTH)) if len(line) > WIDTH else safe_text(line))


def choose(question: Question, seed: int, read: Callable[[], str] | None = None) -> Option | None:
    """The option that is chosen, its letters drawn by the seed; None when nobody answers any more, or it is over."""
    print(f"\n{safe_text(unmarked(question.text), 400)}")
    choices = letters(question, seed)
    for letter, option in choices.items():
        print(textwrap.fill(f"{letter}  {safe_text(unmarked(option.text), 300)}", WIDTH, subsequent_indent="   "))
    while True:
        print("> ", end="", flush=True)
        said = read() if read is not None else sys.stdin.readline()
        if not said or said.strip() in ("q", "quit"):
            return None
        if said.strip().lower() in choices:
            return choices[said.strip().lower()]
        print(f"type one of {', '.join(choices)}, or q to go on later")
