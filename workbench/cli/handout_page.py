"""The page of a handout: the questions on its front, what happened on its back. No script, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from workbench.course.content import Figure, Lesson, Option, Prose, Step
from workbench.session.lesson.markdown import flowed, stretches

PICTURES_LARGE_MAX = 8
"""So many fit on one side with two beside each other; of more three stand in a row."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
TAGS = {"term": "b", "stress": "i", "code": "code", "": "span"}
STYLE = """
@page { size: A4; margin: 11mm 12mm; }
body { font: 8.6pt/1.25 "Liberation Sans", Arial, sans-serif; color: #111; margin: 0 auto; max-width: 186mm; }
h1 { font-size: 13pt; margin: 0; } h2 { font-size: 10pt; margin: 0 0 1mm; } p { margin: 0 0 1.1mm; }
header { display: flex; justify-content: space-between; border-bottom: 1px solid #555; margin-bottom: 2mm; }
pre { font: 5.6pt/1.05 "DejaVu Sans Mono", monospace; margin: 1mm 0; } code { font: 92% "DejaVu Sans Mono", monospace; }
.front { columns: 2; column-gap: 7mm; } .step { break-inside: avoid; margin-bottom: 2.4mm; }
.asked { font-weight: bold; } .option { padding-left: 5mm; text-indent: -5mm; margin-bottom: .6mm; }
.line { border-bottom: 1px dotted #555; height: 5.5mm; } .right { font-weight: bold; } .why { color: #333; }
.back { break-before: page; display: grid; gap: 2mm 4mm; align-items: start; }
.back > * { margin: 0; break-inside: avoid; } .back h1 { grid-column: 1 / -1; } svg { width: 100%; height: auto; }
figcaption { font-size: 7.6pt; } .notes { border-left: 2px solid #777; padding-left: 2mm; }
"""


class Picture(NamedTuple):
    """A moment at which the view is held."""

    drawn: str
    """SVG of the pane; empty for one of words."""
    look: str


class Answered(NamedTuple):
    """What a question came to."""

    right: str
    """The letter of the option that held, one of a to d."""
    whys: dict[str, str]
    """Letter to reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperStep:
    """One step as it is printed."""

    step: Step
    case: Sequence[Prose | Figure]
    options: dict[str, Option]
    """By letter; empty without a question."""
    answered: Answered | None
    pictures: Sequence[Picture]
    after: Sequence[str]
    """Reveals, told with the values of the play."""


def paper(lesson: Lesson, steps: Sequence[PaperStep], *, for_teacher: bool) -> str:
    """The whole page as HTML."""
    whose = "for the teacher" if for_teacher else "Name: ______________________"
    title = f"Lesson {lesson.number.lstrip('0')}: {lesson.title}"
    front = "".join(_front(number, step, for_teacher=for_teacher) for number, step in enumerate(steps, 1))
    back = "".join(_pictures(number, step) for number, step in enumerate(steps, 1))
    columns = 2 if sum(len(step.pictures) for step in steps) <= PICTURES_LARGE_MAX else 3
    keep = "".join(f"<li>{_words(text)}</li>" for text in lesson.last.keep)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>"
        f"<header><h1>{escape(title)}</h1><span>{whose}</span></header>"
        f'<p>{escape(lesson.goal)} Answer this side first, then turn the sheet.</p><div class="front">{front}</div>'
        f'<div class="back" style="grid-template-columns: repeat({columns}, 1fr)">'
        f"<h1>What happened, in a simulated cluster</h1>{back}"
        f'<div style="grid-column: 1 / -1"><h2>Keep</h2><ol>{keep}</ol></div></div></body></html>\n'
    )


def _front(number: int, paper_step: PaperStep, *, for_teacher: bool) -> str:
    step = paper_step.step
    parts = [f"<h2>{number}. {escape(step.heading)}</h2>"]
    parts += [_block(block) for block in paper_step.case]
    if step.question is not None:
        parts.append(f'<p class="asked">{_words(step.question.text)}</p>')
        parts += [
            _option(letter, option, paper_step.answered if for_teacher else None)
            for letter, option in paper_step.options.items()
        ]
        parts += [] if for_teacher else ['<div class="line">because</div>']
    elif step.do is not None and step.do.task is not None:
        parts.append(f'<p class="asked">{_words(step.do.task.text)}</p><div class="line">how</div>')
    if for_teacher:
        parts += [f"<p>{_words(text)}</p>" for text in paper_step.after]
        notes = [f"{step.notes.minutes} minutes", *step.notes.expect, *step.notes.remarks]
        parts.append(f'<div class="notes">{"".join(f"<p>{_words(text)}</p>" for text in notes)}</div>')
    return f'<section class="step">{"".join(parts)}</section>'


def _option(letter: str, option: Option, answered: Answered | None) -> str:
    if answered is None:
        return f'<p class="option">&#9744; {letter} &nbsp;{_words(option.text)}</p>'
    mark, look = ("&#9745;", " right") if letter == answered.right else ("&#9744;", "")
    why = f'<p class="why">{_words(answered.whys[letter])}</p>'
    return f'<p class="option{look}">{mark} {letter} &nbsp;{_words(option.text)}</p>{why}'


def _pictures(number: int, paper_step: PaperStep) -> str:
    return "".join(
        f"<figure>{picture.drawn}<figcaption>{number}. {_words(picture.look)}</figcaption></figure>"
        for picture in paper_step.pictures
    )


def _block(block: Prose | Figure) -> str:
    if isinstance(block, Figure):
        return f"<pre>{escape(chr(10).join(block.lines))}</pre>"
    return "".join(f"<p>{_words(line)}</p>" for line in flowed(block.text).split("\n") if line)


def _words(text: str) -> str:
    """Flowing words with their emphasis, which is all that a lesson may bring along."""
    said = " ".join(flowed(text).split("\n"))
    return "".join(f"<{TAGS[one.stress]}>{escape(one.text)}</{TAGS[one.stress]}>" for one in stretches(said))
