"""What a lesson is made of: its steps, questions, tasks, reveals and last page, as they were read and checked.

The text is as it was written; {value} in it is told of the run by `course/values.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TypeAlias

from cluster.scenario.conditions import Condition
from cluster.scenario.event_pattern import EventPattern
from cluster.scenario.script import Script

RIGHT = "right"
"""The answer that is no misconception, in traces and files; each other one is its misconception there."""
Conditions: TypeAlias = tuple[Condition, ...]
"""All of them must hold."""


@dataclass(frozen=True, slots=True)
class Prose:
    """Paragraphs of Markdown."""

    text: str
    line: int = 0
    """In lesson.md, from 1."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing, kept as it is."""

    lines: tuple[str, ...]
    """At most 60 columns each."""
    line: int = 0
    """In lesson.md, from 1."""


@dataclass(frozen=True, slots=True)
class Document:
    """What one of the five documents says, and what becomes of it."""

    claims: tuple[str, ...]
    """S2.22 and so on; the quote is of the first."""
    verdict: str
    """ok, old, partly, wrong or wording."""
    quote: str
    """Translated, at most twelve words."""
    text: str
    line: int = 0
    """In lesson.md, from 1."""


@dataclass(frozen=True, slots=True)
class Reveal:
    """Prose that is shown once the step has run."""

    text: str
    condition: Conditions = ()
    """Shown only when it holds; empty for always."""
    is_else: bool = False
    """Shown when no condition before it in this step held."""
    line: int = 0
    """In lesson.md, from 1."""


Block: TypeAlias = Prose | Figure | Document | Reveal


@dataclass(frozen=True, slots=True)
class Replace:
    """A command of the step's sections is replaced, wherever it stands; by nothing, it is left out."""

    command: str
    instead: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Set:
    """The cluster line or the topic line of the step's cluster gets other settings."""

    line: str
    """cluster or topic."""
    words: tuple[str, ...]
    """One KEY=VALUE for each setting."""


Change: TypeAlias = Replace | Set


@dataclass(frozen=True, slots=True)
class OtherWorld:
    """A world in which a wrong option would be the right one."""

    text: str
    """As it was written: the caption."""
    changes: tuple[Change, ...]
    line: int = 0
    """In lesson.md, from 1."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to choose."""

    text: str
    misconception: str
    """Its name in `lessons/misconceptions.md`; empty for the option that is meant to be right."""
    when: Conditions
    """What must hold in the run for this option to be the right one."""
    why: str
    """The reason, shown after the answer."""
    would: tuple[OtherWorld, ...] = ()
    """Worlds in which it is right; none for the right option."""
    line: int = 0
    """In lesson.md, from 1."""


@dataclass(frozen=True, slots=True)
class Question:
    """Asked before a step runs; which option is right is computed from the run."""

    id: str
    text: str
    options: tuple[Option, ...]
    """Three or four, as written; they are shuffled for each learner and get their letters then."""
    is_transfer: bool = False
    """The same idea in a setting that was not seen; counted apart."""
    line: int = 0
    """In lesson.md, from 1."""


@dataclass(frozen=True, slots=True)
class Hold:
    """A moment at which the view is held, and what to see there."""

    event: EventPattern | None
    """Held when it is told; else when the condition holds."""
    condition: Conditions
    pane: str
    """lesson, map, quorum, logs, isr, events or clients."""
    look: str
    line: int = 0
    """In lesson.md, from 1."""
    text: str = ""
    """What is waited for, as written."""


@dataclass(frozen=True, slots=True)
class Hint:
    """Help that comes after a while."""

    after_s: int
    text: str


@dataclass(frozen=True, slots=True)
class Task:
    """What the learner does with the cluster, instead of the script."""

    text: str
    done_when: Conditions
    hints: tuple[Hint, ...]
    line: int = 0
    """In lesson.md, from 1."""


@dataclass(frozen=True, slots=True)
class Do:
    """What is done in a step: a section of the script."""

    section: str
    at_once: bool = False
    """It starts as soon as the step is open."""
    holds: tuple[Hold, ...] = ()
    """In the order in which they come."""
    task: Task | None = None
    """The learner does it; the section is one solution."""
    line: int = 0
    """In lesson.md, from 1."""


@dataclass(frozen=True, slots=True)
class Notes:
    """For the speaker alone."""

    minutes: int
    expect: tuple[str, ...]
    """The usual wrong answers, and the question that moves each."""
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One step: read, predict, do, see."""

    heading: str
    before: tuple[Block, ...]
    """Prose, figures and documents that are read first."""
    question: Question | None
    do: Do | None
    after: tuple[Block, ...]
    """Reveals, figures and documents, shown once the step has run."""
    notes: Notes


@dataclass(frozen=True, slots=True)
class LastPage:
    """What is kept of a lesson."""

    keep: tuple[str, str, str]
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class About:
    """What a lesson says of itself before its first step."""

    title: str
    goal: str
    """What a learner can do afterwards."""
    minutes: int
    needs: tuple[str, ...]
    """Names of lessons to take before."""
    sources: tuple[str, ...]
    """S0 to S4."""
    next: str
    """Name of the lesson after it; empty after the last."""
    challenge: int
    """Number of the challenge that goes with it; 0 for none."""


@dataclass(frozen=True, slots=True)
class Lesson(About):
    """A whole lesson; the copy read at start is the one that is used."""

    name: str
    """Name of its folder."""
    steps: tuple[Step, ...]
    last: LastPage
    script: Script
    breaks: dict[str, tuple[str, ...]]
    """Section of the script to the rules that must be broken by its end, for example P1; see `workbench check`."""
    minimum: dict[str, dict[str, int]]
    """Section to what must have happened in its run by its end, for example elections: 2; else nothing is judged."""
    folder: Path = Path()
    """Where it was read."""
    scenario: str = ""
    """The text of its script, without which no other world can be made."""

    @property
    def number(self) -> str:
        """What stands before the first underscore of the name."""
        return self.name.partition("_")[0]

    @property
    def questions(self) -> Iterator[tuple[Step, Question]]:
        """Each question, with its step."""
        return ((step, step.question) for step in self.steps if step.question is not None)

    @property
    def worlds(self) -> Iterator[tuple[Step, Option, OtherWorld]]:
        """Each other world, with its step and the option that is right in it."""
        for step, question in self.questions:
            yield from ((step, option, world) for option in question.options for world in option.would)


def letters(question: Question, seed: int) -> dict[str, Option]:
    """The options under the letters that a learner with this seed sees, in their order."""
    options = list(question.options)
    Random(f"{seed} {question.id}").shuffle(options)
    return dict(zip("abcd", options, strict=False))
