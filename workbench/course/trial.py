"""A lesson played without a screen: whether all that its text says of the run is true of this run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from cluster.model.entry import Entry
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.event_pattern import NO_EVENTS
from cluster.scenario.runner import Launch, Report, ScriptRunner, StepReport
from cluster.scenario.script import Section
from workbench.course.asked_events import asked_events
from workbench.course.content import Block, Conditions, Hold, Lesson, Option, Question, Reveal, Step
from workbench.course.timing import script_with_timing, settings_at
from workbench.course.values import told, unknown_values

Answered = Callable[[Question, Option], None]
MEANT = "the one without a misconception"


class Trial:
    """One play of one lesson. Each mistake is a line with file and line number."""

    def __init__(self, lesson: Lesson, launch: Launch, report: Report, *, slow: float = 1.0, timing: str = "") -> None:
        self.lesson = lesson
        self.mistakes: list[str] = []
        self.on_answer: Answered = lambda _question, _option: None
        """Called with each question and the one option that held."""
        self.on_entry: Callable[[str, Entry], None] = lambda _section, _entry: None
        """Called with each event and the section in which it came."""
        self.on_reveal: Callable[[str, Reveal], None] = lambda _section, _reveal: None
        """Called with each reveal that is shown, and its section."""
        self._report = report
        self._script = script_with_timing(lesson.script, timing)
        self.runner = ScriptRunner(
            self._script, launch, self._took, title=lesson.title[:80], slow=slow, also=asked_events(lesson)
        )
        self.runner.on_entry = self._heard
        self._section = ""
        self._due: list[Hold] = []

    @property
    def run_folders(self) -> list[Path]:
        """Of all clusters, in order."""
        return self.runner.run_folders

    def tell(self, text: str) -> str:
        """A text with the values of the run as they are now."""
        settings, runner = settings_at(self._script, self._section), self.runner
        return told(text, settings, runner.state, runner.memory, runner.book)

    async def run(self) -> bool:
        """Whether all holds; the first step of the script that does not hold ends it."""
        try:
            for step in self.lesson.steps:
                section = None if step.do is None else self._script.section(step.do.section)
                if section is not None and not await self._play(step, section):
                    return False
            return not self.mistakes
        finally:
            await self.runner.close()

    async def _play(self, step: Step, section: Section) -> bool:
        assert step.do is not None
        self._section, self._due = section.name, list(step.do.holds)
        if step.do.task is not None and self._is_true_before(step.do.task.done_when, section):
            self._wrong(step.do.task.line, "done when holds already before the learner has done anything")
        first = next(iter(step.do.holds), None)
        if first is not None and first.condition and self._is_true_before(first.condition, section):
            self._wrong(first.line, f"hold when holds already before [{section.name}] begins: {first.text}")
        if await self.runner.play(section) < len(section.steps):
            return False
        for hold in self._due[:1]:
            self._wrong(hold.line, f"this hold never came in [{section.name}]: {hold.text}")
        if step.question is not None:
            self._answer(step.question)
        if step.do.task is not None and (seen := "; ".join(self._looked_at(step.do.task.done_when))):
            self._wrong(step.do.task.line, f"done when does not hold after [{section.name}]: {seen}")
        for reveal in shown_reveals(step.after, self._is_true):
            self._check_values(reveal.line, reveal.text, "the reveal")
            self.on_reveal(section.name, reveal)
        return True

    def _is_true_before(self, conditions: Conditions, section: Section) -> bool:
        """Whether this holds before anything is done in a section."""
        if section.plan is not None:
            state, memory, book = ClusterState(), {}, NO_EVENTS
        else:
            self.runner.poll()
            state, memory, book = self.runner.state, self.runner.memory, self.runner.book
        return all(condition.check(state, memory, book)[0] for condition in conditions)

    def _answer(self, question: Question) -> None:
        held = [option for option in question.options if self._is_true(option.when)]
        texts = ", ".join(f"'{option.text}'" for option in held)
        for option in question.options:
            self._check_values(option.line, option.why, "the why")
        if not held:
            meant = next(option for option in question.options if not option.misconception)
            seen = "; ".join(self._looked_at(meant.when))
            self._wrong(question.line, f"{question.id}: no option holds; of {MEANT}: {seen}")
        elif len(held) > 1:
            self._wrong(question.line, f"{question.id}: {len(held)} options hold: {texts}")
        elif held[0].misconception:
            self._wrong(held[0].line, f"{question.id}: {texts} holds, !{held[0].misconception}, and not {MEANT}")
        else:
            self.on_answer(question, held[0])

    def _heard(self, entry: Entry) -> None:
        """Go through the holds in their order: each comes after the one before; one event is not held twice."""
        self.on_entry(self._section, entry)
        is_taken = False
        while self._due:
            hold = self._due[0]
            if hold.event is not None:
                if is_taken or not hold.event.matches(entry, self.runner.memory):
                    return
                is_taken = True
            elif not self._is_true(hold.condition):
                return
            self._check_values(hold.line, hold.look, "the look")
            self._due.pop(0)

    def _is_true(self, conditions: Conditions) -> bool:
        runner = self.runner
        return all(condition.check(runner.state, runner.memory, runner.book)[0] for condition in conditions)

    def _looked_at(self, conditions: Conditions) -> Iterator[str]:
        """What was seen of each condition that does not hold."""
        runner = self.runner
        checked = (condition.check(runner.state, runner.memory, runner.book) for condition in conditions)
        return (seen for held, seen in checked if not held)

    def _check_values(self, line: int, text: str, what: str) -> None:
        runner = self.runner
        for value in unknown_values(text, runner.state, runner.memory, runner.book):
            self._wrong(line, f"{what} names {{{value}}}, which is not known then")

    def _took(self, step: StepReport) -> None:
        self._report(step)
        if not step.held:
            self.mistakes.append(f"{self.lesson.name}/scenario.txt:{step.line}: {step.text}: {step.seen}")

    def _wrong(self, line: int, what: str) -> None:
        self.mistakes.append(f"{self.lesson.name}/lesson.md:{line}: {what}")


def shown_reveals(after: tuple[Block, ...], is_true: Callable[[Conditions], bool]) -> list[Reveal]:
    """The reveals that are shown: plain ones always, if when it holds, else when no if before it did."""
    reveals: list[Reveal] = []
    was_one = False
    for block in after:
        if not isinstance(block, Reveal):
            continue
        if block.is_else:
            is_shown = not was_one
        else:
            is_shown = is_true(block.condition)
            was_one = was_one or (bool(block.condition) and is_shown)
        if is_shown:
            reveals.append(block)
    return reveals
