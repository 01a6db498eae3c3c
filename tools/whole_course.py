"""What counts over all lessons together: claims that are taught, beliefs that are met, terms that are defined."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from workbench.course.claims import Claim, taught
from workbench.course.content import Figure, Lesson, Step
from workbench.course.glossary import Term

BOLD = re.compile(r"\*\*(\S(?:[^*]*\S)?)\*\*")
VALUE = re.compile(r"\{[^}]*\}")
_END = re.compile(r"(?<=[.?!:;])[\"*]*\s+|\n\s*(?:\n|- )")
_WORD = re.compile(r"[\w\"'`*][^\s]*")


def untaught(lessons: Sequence[Lesson], claims: Mapping[str, Claim]) -> dict[str, str]:
    """Each claim that no lesson teaches though the one that is to teach it is there, with the name of that lesson."""
    names = {lesson.number: lesson.name for lesson in lessons}
    done = taught(lessons)
    return {
        claim.name: names[claim.lesson] for claim in claims.values() if claim.lesson in names and claim.name not in done
    }


def still_to_come(lessons: Sequence[Lesson], claims: Mapping[str, Claim]) -> dict[str, str]:
    """Each claim that is not taught since its lesson is not there yet, with the number of that lesson."""
    there = {lesson.number for lesson in lessons}
    done = taught(lessons)
    return {
        claim.name: claim.lesson for claim in claims.values() if claim.lesson not in there and claim.name not in done
    }


def met_once(lessons: Iterable[Lesson]) -> dict[str, str]:
    """Each misconception that one option alone has, with where it stands."""
    places: dict[str, list[str]] = {}
    for lesson in lessons:
        for _, question in lesson.questions:
            for option in question.options:
                places.setdefault(option.misconception, []).append(f"{lesson.name}/lesson.md:{option.line}")
    return {name: where[0] for name, where in places.items() if name and len(where) == 1}


def never_met(lessons: Iterable[Lesson], misconceptions: Iterable[str]) -> list[str]:
    """The misconceptions of the list that no option has."""
    met = {option.misconception for lesson in lessons for _, asked in lesson.questions for option in asked.options}
    return [name for name in misconceptions if name not in met]


def not_in_glossary(lessons: Iterable[Lesson], glossary: Sequence[Term]) -> list[str]:
    """Each bold term that the glossary does not have, with where it stands."""
    known = {_plain(name) for term in glossary for name in (term.name, term.short)}
    found: list[str] = []
    for lesson in lessons:
        for _, line, text in texts_of(lesson):
            for match in BOLD.finditer(text):
                if not _singulars(match[1]) & known:
                    place = line + text.count("\n", 0, match.start())
                    found.append(f"{lesson.name}/lesson.md:{place}: **{' '.join(match[1].split())}**")
    return found


def used_early(lessons: Sequence[Lesson], glossary: Sequence[Term]) -> list[str]:
    """Each term of the glossary that a text uses before it is bold, with where; none that is bold nowhere."""
    read = [(lesson, line, VALUE.sub(_blank, text)) for lesson in lessons for _, line, text in texts_of(lesson)]
    found: list[str] = []
    for term in glossary:
        names = {_plain(name) for name in (term.name, term.short) if name}
        words = re.compile(rf"(?<![\w.=-])(?:{'|'.join(map(re.escape, sorted(names)))})s?(?![\w=-])", re.IGNORECASE)
        early = ""
        for lesson, line, text in read:
            bold = next((match for match in BOLD.finditer(text) if _singulars(match[1]) & names), None)
            used = words.search(text[: bold.start()] if bold else text)
            if used and not early:
                early = f"{lesson.name}/lesson.md:{line + text.count(chr(10), 0, used.start())}: {term.name}"
            if bold:
                found += [f"{early}, bold in {lesson.name}:{line}"] if early else []
                break
    return found


def long_sentences(lessons: Iterable[Lesson], words_max: int) -> list[str]:
    """Each part of a text between two full stops, colons or semicolons that has more words, with where it stands."""
    return [
        f"{lesson.name}/lesson.md:{line}: {len(words)} words: {' '.join(words[:6])} ..."
        for lesson in lessons
        for _, line, text in texts_of(lesson)
        for part in _END.split(VALUE.sub("N", text))
        if len(words := _WORD.findall(part)) > words_max
    ]


def texts_of(lesson: Lesson) -> Iterator[tuple[Step, int, str]]:
    """What a learner reads, in the order of reading: the step, the line in lesson.md, the text."""
    for step in lesson.steps:
        yield from ((step, *_placed(block)) for block in step.before if not isinstance(block, Figure))
        if step.question is not None:
            yield step, step.question.line + 1, step.question.text
            yield from ((step, option.line, option.text) for option in step.question.options)
        if step.do is not None:
            yield from ((step, hold.line + 1, hold.look) for hold in step.do.holds)
            if step.do.task is not None:
                yield step, step.do.task.line, step.do.task.text
        if step.question is not None:
            yield from ((step, option.line + 2, option.why) for option in step.question.options)
        yield from ((step, *_placed(block)) for block in step.after if not isinstance(block, Figure))


def _placed(block: object) -> tuple[int, str]:
    """Line of the first word of a block, and its text; a fence and a quote stand above it."""
    line, text = int(getattr(block, "line", 0)), str(getattr(block, "text", ""))
    return line + {"Prose": 0, "Reveal": 1}.get(type(block).__name__, 2), text


def _blank(value: re.Match[str]) -> str:
    """Blanks as long as a value, with its ends of lines: a learner reads what it is, and not its name."""
    return re.sub(r"[^\n]", " ", value[0])


def _plain(name: str) -> str:
    return " ".join(name.lower().split())


def _singulars(name: str) -> set[str]:
    """A term as the glossary may have it: one of them, or many."""
    plain = _plain(name)
    return {plain, plain.removesuffix("s"), f"{plain}s", plain.removesuffix("es")}
