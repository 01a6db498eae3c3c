"""How long a lesson takes in a class, from what it has: `python -m tools.lesson_minutes`.

Nobody was timed. Words are counted and read at half the speed of people who read their own language; the run's own time
is that of a simulated play with the lesson's timers; looking, voting and trying have a length that is stated here.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from cluster.model.entry import Entry
from workbench.course.content import Document, Lesson, Prose, Reveal, Step
from workbench.course.library import all_lessons
from workbench.course.trial import Trial
from workbench.runs.launch import simulated_launcher

WORDS_PER_MINUTE = 120
"""Adults read 238 words of English a minute, their own language (Brysbaert 2019)."""
HOLD_S = 20.0
"""To look where a held view says, and to point there."""
VOTE_S = 150.0
"""To vote alone, to talk with the neighbour, to vote again, and to hear one who was wrong."""
TOLERANCE = 0.2
"""Of the minutes a lesson says: so far the measure may be away."""


class Measure(NamedTuple):
    """What one lesson has."""

    words: int
    """Read on the way: texts, options, look lines, reveals, the reasons of one wrong option and of the right one."""
    holds: int
    questions: int
    trying_s: float
    """Until the last hint of each step in which the learner acts."""
    waiting_s: float
    """What the run takes."""

    @property
    def minutes(self) -> float:
        """All of it."""
        seconds = self.holds * HOLD_S + self.questions * VOTE_S + self.trying_s + self.waiting_s
        return self.words / WORDS_PER_MINUTE + seconds / 60


def measure(lesson: Lesson, folder: Path, seed: int = 1) -> Measure:
    """Count what is there, and play it once, simulated, with runs in a folder."""
    spans: dict[tuple[str, str], tuple[int, int]] = {}

    def heard(section: str, entry: Entry) -> None:
        first, last = spans.get((section, entry.run), (entry.t_ns, entry.t_ns))
        spans[section, entry.run] = min(first, entry.t_ns), max(last, entry.t_ns)

    trial = Trial(lesson, simulated_launcher(folder, seed), lambda _step: None)
    trial.on_entry = heard
    asyncio.run(trial.run())
    dos = [step.do for step in lesson.steps if step.do is not None]
    tried = {do.section for do in dos if do.task is not None}
    return Measure(
        words=sum(len(text.split()) for step in lesson.steps for text in _read(step))
        + sum(len(sentence.split()) for sentence in lesson.last.keep),
        holds=sum(len(do.holds) for do in dos),
        questions=sum(step.question is not None for step in lesson.steps),
        trying_s=float(sum(do.task.hints[-1].after_s for do in dos if do.task is not None and do.task.hints)),
        waiting_s=sum(last - first for (section, _), (first, last) in spans.items() if section not in tried) / 1e9,
    )


def _read(step: Step) -> Iterator[str]:
    """The texts of a step that a learner reads; of reveals of which one is shown the longest."""
    yield step.heading
    yield from (block.text for block in (*step.before, *step.after) if isinstance(block, Prose | Document))
    reveals = [block for block in step.after if isinstance(block, Reveal)]
    yield from (block.text for block in reveals if not block.condition and not block.is_else)
    yield max((block.text for block in reveals if block.condition or block.is_else), key=len, default="")
    if step.do is not None:
        yield from (hold.look for hold in step.do.holds)
        if step.do.task is not None:
            yield step.do.task.text
    if step.question is not None:
        yield step.question.text
        yield from (option.text for option in step.question.options)
        yield from (option.why for option in step.question.options if not option.misconception)
        yield max((option.why for option in step.question.options if option.misconception), key=len)


def main() -> None:
    """Print a line for each lesson."""
    sys.stdout.write("lesson  words  holds  questions  trying s  waiting s  measured  says\n")
    for lesson in all_lessons():
        with TemporaryDirectory() as folder:
            found = measure(lesson, Path(folder))
        sys.stdout.write(
            f"{lesson.number:>6}  {found.words:>5}  {found.holds:>5}  {found.questions:>9}  {found.trying_s:>8.0f}"
            f"  {found.waiting_s:>9.0f}  {found.minutes:>8.1f}  {lesson.minutes:>4}\n"
        )


if __name__ == "__main__":
    main()
