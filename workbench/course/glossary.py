"""The terms of the course: one sentence each, and the claim behind it, from glossary.md beside the lessons."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from cluster.ordinary_file import read_ordinary
from workbench.course.content import Block, Figure, Step

FILE = "glossary.md"
FILE_MAX = 1 << 18
_LINE = re.compile(r"- \*\*([^*]{1,60})\*\*(?: \(([^)]{1,40})\))?: (.+?)(?: \(([^()]+)\))?")
_BOLD = re.compile(r"\*\*(\S(?:[^*]*\S)?)\*\*")


class Term(NamedTuple):
    """One word of the field."""

    name: str
    short: str
    """HW, for instance; empty without a short form."""
    sentence: str
    source: str
    """The claims or KIPs behind it; empty when none is named."""


def read_glossary(folder: Path) -> tuple[Term, ...]:
    """The terms, in the order of the file; none when it cannot be read. A line that is no term is passed over."""
    try:
        lines = read_ordinary(folder / FILE, FILE_MAX, follow=True).decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return ()
    matches = (_LINE.fullmatch(line.strip()) for line in lines)
    return tuple(Term(item[1], item[2] or "", item[3], item[4] or "") for item in matches if item)


def terms_of(step: Step, glossary: Iterable[Term]) -> list[Term]:
    """The terms that a step names, in the order of the glossary; those in bold stand first."""
    text = "\n".join(_texts(step))
    bold = {" ".join(word.split()).lower() for word in _BOLD.findall(text)}
    named = [term for term in glossary if any(_says(text, word) for word in (term.name, term.short) if word)]
    return sorted(named, key=lambda term: not bold & {term.name.lower(), term.short.lower()})


def _says(text: str, word: str) -> bool:
    """Whether a word stands in the text, in one or in many; a short form as it is written."""
    case = 0 if word.isupper() else re.IGNORECASE
    return re.search(rf"(?<!\w){re.escape(word)}(?:s|es)?(?!\w)", text, case) is not None


def _texts(step: Step) -> Iterable[str]:
    """What a learner may read of it before it has run, and after."""
    blocks: tuple[Block, ...] = (*step.before, *step.after)
    for block in blocks:
        if not isinstance(block, Figure):
            yield block.text
    yield step.heading
    if step.do is not None and step.do.task is not None:
        yield step.do.task.text
    if step.question is not None:
        yield step.question.text
        yield from (option.text for option in step.question.options)
