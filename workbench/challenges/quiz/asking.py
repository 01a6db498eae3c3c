"""Asks the questions line by line, before the course and after it, and tells how far a learner is."""

from __future__ import annotations

import sys
import textwrap

from workbench.challenges.quiz.questions import Item, items
from workbench.challenges.quiz.results import TIMES, answers_of, record, score
from workbench.course.content import Option, letters
from workbench.course.progress import learner_seed
from workbench.session.lesson.markdown import unmarked
from workbench.support.safe_text import safe_text

WIDTH = 78


def ask(when: str) -> None:
    """What is not answered yet, until the learner leaves."""
    all_items = items()
    answered = answers_of()[when]
    left = [item for item in all_items if item.id not in answered]
    if left:
        print(f"{len(left)} questions without a cluster. Nothing is explained here: the course does that.")
    for item in left:
        number = all_items.index(item) + 1
        option = _one(item, number, len(all_items))
        if option is None:
            done = len(all_items) - len(left) + left.index(item)
            print(f"\n{done} of {len(all_items)} are answered; workbench quiz {when} goes on there")
            return
        record(when, item, option)
    tell()


def tell() -> None:
    """How far the learner is, before and after."""
    all_items = items()
    answers = answers_of()
    for when in TIMES:
        given = len(answers[when])
        result = (
            f"{score(all_items, answers[when])} of {len(all_items)} right"
            if given >= len(all_items)
            else "not done yet"
        )
        result = f"{given} of {len(all_items)} answered" if 0 < given < len(all_items) else result
        print(f"{when:<6}  {result}")
    print("workbench quiz before, or after, asks; --csv prints a table with the difficulty of each question")


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
        typed = sys.stdin.readline()
        if not typed or typed.strip() in ("q", "quit"):
            return None
        if typed.strip().lower() in choices:
            return choices[typed.strip().lower()]
        print(f"type one of {', '.join(choices)}, or q to go on later")
