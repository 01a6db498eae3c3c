"""Pages of docs/reference made from the lessons: what the documents say, and the words of the course."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tools.whole_course import still_to_come
from workbench.course.claims import Claim, claims_beside, taught
from workbench.course.content import Lesson
from workbench.course.glossary import Term, read_glossary
from workbench.course.library import LESSONS, all_lessons

CLAIMS = """# What the documents say

Five documents are the ground of the course. This page holds each of their claims against Kafka as it is: the verdict,
what is claimed and what is so instead, and the lessons that teach it. It is made from `claims.toml` beside the lessons
and from the document blocks in them.

`ok`: right. `old`: right once. `partly`: right with an exception. `wrong`: not so. `wording`: right but for a word.
Where two verdicts stand, it depends on what is quoted.
"""
GLOSSARY = """# Glossary

The terms of the course, by the alphabet, with the [claims](claims.md) or the KIPs behind each. Made from `glossary.md`
beside the lessons, in which each term is bold where it is first needed.

| term | what it is | behind it |
|---|---|---|"""


def claims_page() -> str:
    """Each claim with its verdict and its lessons."""
    claims, lessons = claims_beside(LESSONS), all_lessons()
    by_claim, coming = taught(lessons), still_to_come(lessons, claims.by_name)
    parts = [CLAIMS, _counts(list(claims.by_name.values()), len(by_claim)), ""]
    for document, title in claims.titles.items():
        parts += [f"## {document}: {title}", "", "| claim | verdict | what is claimed, and what is so | lesson |"]
        parts.append("|---|---|---|---|")
        own = [claim for claim in claims.by_name.values() if claim.name.startswith(f"{document}.")]
        parts += [_row(claim, by_claim.get(claim.name, ()), coming.get(claim.name, "")) for claim in own]
        parts.append("")
    if lessons:
        parts += ["## By lesson", "", *_by_lesson(lessons), ""]
    return "\n".join(parts)


def _counts(claims: Sequence[Claim], done: int) -> str:
    if done == len(claims):
        return f"{done} claims, each taught by a lesson."
    return f"{len(claims)} claims; {done} are taught by a lesson, the others by lessons that are still to come."


def _row(claim: Claim, lessons: Sequence[str], coming: str) -> str:
    where = ", ".join(name.partition("_")[0] for name in lessons) or f"{coming or claim.lesson}, to come"
    return f"| {claim.name} | {' or '.join(claim.verdicts)} | {_cell(claim.sentence)} | {where} |"


def _by_lesson(lessons: Sequence[Lesson]) -> Iterator[str]:
    by_claim = taught(lessons)
    for lesson in lessons:
        own = [name for name, names in by_claim.items() if lesson.name in names]
        yield f"- **{lesson.number} {lesson.title}**: {', '.join(own) or 'none'}"


def glossary_page() -> str:
    """Each term with its sentence."""
    terms = sorted(read_glossary(LESSONS), key=lambda term: term.name.lower())
    return "\n".join([GLOSSARY, *map(_term, terms), ""])


def _term(term: Term) -> str:
    name = f"**{term.name}**" + (f" ({term.short})" if term.short else "")
    return f"| {_cell(name)} | {_cell(term.sentence)} | {_cell(term.source)} |"


def _cell(text: str) -> str:
    """Text within a table: a bar would end its cell."""
    return text.replace("|", "\\|")
