"""What a step says once it has run: reasons and reveals, told with the values of its run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from workbench.course.content import RIGHT, Block, Document, Figure, Option, Prose, Reveal, Step
from workbench.session.lesson.holds import Seen, holds
from workbench.session.lesson.markdown import flowed
from workbench.session.lesson.page import Piece
from workbench.support.safe_text import safe_text

VERDICTS = {
    "ok": "Right", "old": "Right once, not today", "partly": "Right in part", "wrong": "Wrong",
    "wording": "Right, in other words",
}  # fmt: skip
"""What becomes of a document's claim, in words."""
LINE_MAX = 200
Tell = Callable[[str], str]


@dataclass(slots=True)
class Told:
    """Of a step that has run."""

    right: int = -1
    """Index of the option that held, as written; -1 when none or several did, or nothing was asked."""
    whys: list[Piece] = field(default_factory=list)
    after: list[Piece] = field(default_factory=list)


def tell_step(step: Step, chosen: int, tell: Tell, seen: Seen) -> Told:
    """The end of a step, as its run is now. chosen: index of the answer, -1 for none."""
    step_told = Told()
    if step.question is not None:
        options = step.question.options
        held = [place for place, option in enumerate(options) if holds(option.when, seen)]
        step_told.right = held[0] if len(held) == 1 else -1
        step_told.whys = [
            Piece("right" if place == step_told.right else "wrong", flowed(tell(options[place].why)))
            for place in dict.fromkeys((chosen, step_told.right))
            if place >= 0
        ]
    step_told.after = [piece for block in _shown(step.after, seen) for piece in pieces(block, tell)]
    return step_told


def _shown(blocks: Sequence[Block], seen: Seen) -> Iterable[Block]:
    """Those without a condition, those whose condition holds, and `else` when none before it did."""
    has_held = False
    for block in blocks:
        if isinstance(block, Reveal) and block.condition:
            has_held = holds(block.condition, seen) or has_held
            if not holds(block.condition, seen):
                continue
        elif isinstance(block, Reveal) and block.is_else and has_held:
            continue
        yield block


def name_of(options: Sequence[Option], place: int) -> str:
    """An answer by its misconception, whatever its letter; empty for none."""
    return "" if place < 0 else options[place].misconception or RIGHT


def pieces(block: Block, tell: Tell) -> list[Piece]:
    """A block as it is shown."""
    match block:
        case Prose(text=text) | Reveal(text=text):
            return [Piece("prose", flowed(tell(text)))]
        case Figure(lines=lines):
            return [Piece("figure", "\n".join(safe_text(line, LINE_MAX) for line in lines))]
        case Document():
            return document_pieces(block, tell)


def document_pieces(document: Document, tell: Tell) -> list[Piece]:
    """Which claim, what it says in its own words, what becomes of it."""
    quote = document.quote.strip().strip('"')
    head = f"A document says ({', '.join(document.claims)}):"
    pieces_of_head = [Piece("document", safe_text(head, LINE_MAX)), Piece("quote", safe_text(f'"{quote}"', LINE_MAX))]
    return [*pieces_of_head, Piece("prose", flowed(f"*{VERDICTS[document.verdict]}.* {tell(document.text)}".rstrip()))]
