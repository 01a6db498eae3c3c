"""Plays a lesson step by step on a living cluster: predict, do, see. Knows no screen.

The commands run through the same ScriptRunner as without a screen; the right answer of a question, reasons and reveals
are computed from the trace once their step has run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic

from cluster.lab import Lab
from cluster.model.entry import Entry, EventId
from cluster.model.events import PredictionAnswered
from cluster.model.settings import Settings
from cluster.scenario.runner import Launch, ScriptRunner, StepReport
from cluster.scenario.script import ClusterPlan, Section
from cluster.scenario.terms import NAME, shown
from workbench.course.asked_events import asked_events
from workbench.course.content import Lesson, Option, Step, Task, letters
from workbench.course.progress import record_answer, record_finished
from workbench.course.timing import settings_at
from workbench.course.values import told
from workbench.session.lesson.holds import Held, HoldWatch, Seen, holds
from workbench.session.lesson.keeping import Kept, KeptStep, keep
from workbench.session.lesson.on_screen import OnScreen
from workbench.session.lesson.page import KEYS
from workbench.session.lesson.solving import solve
from workbench.session.lesson.step_progress import DONE, FAILED, OPEN, RUNNING, SKIPPED, StepProgress
from workbench.session.lesson.telling import name_of, tell_step
from workbench.session.pace import Pace
from workbench.session.paced import paced
from workbench.support.safe_text import safe_text

STILL_RUNNING = "a step is still running"
"""Why nothing else can be done now; over once it has run."""


class LessonPlayer:
    """One learner in one lesson. The lab belongs to the runner; `close` ends it."""

    def __init__(
        self, lesson: Lesson, launch: Launch, take_lab: Callable[[Lab], None], *, slow: float = 1.0, seed: int = 0,
        progress_folder: Path | None = None, pace: Pace | None = None,
    ) -> None:  # fmt: skip
        """seed: of the learner, for the order of options. pace: of virtual time; None for processes."""
        self.lesson, self.seed, self.pace = lesson, seed, pace
        self.at = 0
        """Index of the step on screen; one more than there are for the last page."""
        self.steps = [StepProgress() for _ in lesson.steps]
        self._running = -1
        self._due = -1
        """Step that was begun by itself, or whose task was."""
        self._task_began_s = 0.0
        self._lab_ended = False
        self.run = ""
        """Id of the run that the steps act on."""
        self.slow, self._progress_folder = slow, progress_folder
        self.timing = ""
        """Asked for instead of the lesson's own."""
        self.keys: Mapping[str, str] = KEYS
        """By id, as the screen has them."""
        self.class_votes = False
        """A class answers instead of the keyboard: a step does not wait for a letter here."""
        self.on_screen: OnScreen | None = None
        """Where a second viewer learns what is shown; None when none may."""
        self.changed = asyncio.Event()
        """Set when a step has run or the view is to be held."""

        async def start(plan: ClusterPlan, title: str) -> Lab:
            lab, self._lab_ended = await launch(plan, title), False
            self.steps[self._running].run = self.run = lab.run_folder.name
            self._last: EventId | None = None
            take_lab(lab)
            if (virtual := paced(lab)) is not None:
                virtual.on_move = self._on_move
            return lab

        wanted = asked_events(lesson)

        def new_runner() -> ScriptRunner:
            runner = ScriptRunner(lesson.script, start, self._report, title=lesson.title[:80], slow=slow, also=wanted)
            runner.on_entry = self._on_entry
            return runner

        self._last, self._new_runner, self._runner = None, new_runner, new_runner()

    @property
    def is_last_page(self) -> bool:
        """Whether all steps are behind."""
        return self.at == len(self.steps)

    @property
    def step(self) -> Step:
        """The step on screen; on the last page the last one."""
        return self.lesson.steps[min(self.at, len(self.steps) - 1)]

    @property
    def own(self) -> StepProgress:
        """How far it is."""
        return self.steps[min(self.at, len(self.steps) - 1)]

    @property
    def task(self) -> Task | None:
        """What the learner is to do in the step on screen; None when the script does it."""
        return self.step.do.task if self.step.do is not None and not self.is_last_page else None

    @property
    def is_done(self) -> bool:
        """Whether the step on screen asks for nothing more."""
        return self.is_last_page or self.step.do is None or self.own.state in (DONE, SKIPPED)

    @property
    def is_running(self) -> bool:
        """Whether any step runs: it may end one lab and start another."""
        return self._running >= 0

    @property
    def has_failed(self) -> bool:
        """Whether the step on screen was not reached, or skipped."""
        return self.own.state in (FAILED, SKIPPED) and not self.is_last_page

    @property
    def is_finished(self) -> bool:
        """Whether every step that does something was reached."""
        pairs = zip(self.lesson.steps, self.steps, strict=True)
        return all(step.do is None or own.state == DONE for step, own in pairs)

    @property
    def has_cluster(self) -> bool:
        """Whether a cluster runs that the steps can act on."""
        return self._runner.has_lab and not self._lab_ended

    @property
    def options(self) -> dict[str, Option]:
        """Of the question on screen, under the letters of this learner; empty without a question."""
        question = self.step.question if not self.is_last_page else None
        return letters(question, self.seed) if question is not None else {}

    @property
    def needs_answer(self) -> bool:
        """Whether the step on screen waits for a prediction at this keyboard."""
        return bool(self.options) and self.own.answer < 0 and self.own.state == OPEN and not self.class_votes

    def letter_of(self, place: int) -> str:
        """The letter of an option, by its index as written; empty for none."""
        options = self.step.question.options if self.step.question is not None and place >= 0 else ()
        return next((letter for letter, option in self.options.items() if options and option is options[place]), "")

    @property
    def held(self) -> Held | None:
        """Where the view is to stand now; None where it follows."""
        return None if self.is_last_page else self.own.held

    @property
    def has_holds_to_come(self) -> bool:
        """Whether the step that runs will hold the view, or does."""
        watch = self.steps[self._running].watch if self._running >= 0 else None
        return self.held is not None or watch is not None and not watch.is_over

    def go_on(self) -> bool:
        """On from the moment that is held; False when none is."""
        held = self.held
        if held is None or not held.pane:
            return False
        self.own.released += 1
        self._let_time_go(self.held is None)
        return True

    def _let_time_go(self, goes: bool) -> None:  # noqa: FBT001
        """Virtual time waits for the learner between two sections, and while the view is held."""
        if self.pace is not None:
            self.pace.is_halted = not goes

    async def begin_again(self) -> None:
        """End the cluster and go to the first step, with nothing done and nothing answered; not while a step runs."""
        await self._runner.close()
        self._runner, self.steps = self._new_runner(), [StepProgress() for _ in self.lesson.steps]
        self.at, self._due, self._lab_ended, self.run = 0, -1, False, ""

    def lab_has_ended(self) -> None:
        """The cluster is gone by itself: the step that began it failed, and those after it were not done."""
        self._lab_ended = True
        self._runner.lab_has_ended()
        sections = [self.section(step) for step in self.lesson.steps]
        begins = [place for place, item in enumerate(sections) if item is not None and item.plan is not None]
        begun = [place for place in begins if self.steps[place].state in (DONE, FAILED)]
        if begun and not self.is_finished:
            self.steps[begun[-1] :] = [StepProgress() for _ in self.steps[begun[-1] :]]
            self.steps[begun[-1]].state, self.steps[begun[-1]].seen = FAILED, "the lab has ended"

    def predict(self, letter: str) -> bool:
        """Choose an answer; False when no question is open or it has no such option."""
        option = self.options.get(letter)
        if option is None or self.own.state != OPEN or self.step.question is None:
            return False
        self.own.answer = self.step.question.options.index(option)
        self._keep()
        return True

    def turn(self, count: int) -> str:
        """To another step; says why not."""
        own = self.own
        if count > 0 and own.state == RUNNING:
            return STILL_RUNNING
        if count > 0 and not self.is_last_page:
            if self.step.do is not None and own.state == OPEN:
                return "your turn: do the task" if self.task else f"do this step first: {self.keys['enter']}"
            if own.state == FAILED:
                own.state = SKIPPED
        if not 0 <= self.at + count <= len(self.steps):
            return "this is the end of the lesson" if count > 0 else "this is the first step"
        if not self.is_last_page and own.state != RUNNING:
            own.watch = own.end = None  # the next step brings the present
        self.at += count
        self._keep()
        return ""

    def why_not(self) -> str:
        """Why the step on screen cannot run now; empty when it can, or when it is done."""
        if self.is_last_page:
            return ""
        if self._running >= 0:
            return STILL_RUNNING
        if self.needs_answer:
            return f"predict first: {', '.join(self.options)}"
        before = zip(self.lesson.steps[: self.at], self.steps, strict=False)
        if not self.is_done and any(step.do is not None and each.state in (OPEN, FAILED) for step, each in before):
            return self._without_cluster() or "an earlier step is not done"
        if self.task is not None and self.own.state == OPEN and self.has_cluster and not self.may_solve:
            return "your turn: all keys and commands work; hints come by themselves"
        return self._without_cluster()

    @property
    def may_solve(self) -> bool:
        """Whether all hints have come, so that the section may be played as the solution."""
        return self.task is not None and self.own.hints == len(self.task.hints)

    def _without_cluster(self) -> str:
        """Why the step on screen has no cluster to act on; empty when it has one or starts one."""
        section = self.section(self.step)
        if self.is_done or section is None or section.plan is not None or self.has_cluster:
            return ""
        return f"no cluster runs: {self.how_to_begin()}"

    def how_to_begin(self) -> str:
        """How to have a cluster again, once the lab is gone."""
        back, again = self.keys["lesson.back"], self.keys["lesson.retry"]
        return f"{back} goes back to the step that starts one, {again} tries it again"

    def begin_what_is_due(self) -> bool:
        """Whether the step on screen is to be run by itself: true once for each time that it is opened."""
        if self.is_last_page or self._due == self.at or self.step.do is None or self.own.state != OPEN:
            return False
        if not (self.step.do.at_once or self.task is not None) or self.why_not() == STILL_RUNNING:
            return False
        self._due = self.at
        if self.task is not None:
            self._task_began_s = monotonic()
            self._let_time_go(True)
            return False
        return not self.why_not()

    async def run_step(self) -> bool:
        """Run the commands and expectations of the step on screen, from where it failed. Whether all held."""
        own, section = self.own, self.section(self.step)
        if section is None or self._running >= 0 or own.state == DONE or self.step.do is None:
            return False
        own.state, own.seen, self._running = RUNNING, "", self.at
        if own.watch is None:
            own.watch = HoldWatch(self.step.do.holds)
            if section.plan is None:  # what was before another cluster is none of its business
                self._look(own, None)
        self._let_time_go(own.held is None)
        held = await self._play(section, own, self.task)
        own.state = DONE if held else FAILED
        if held:
            self._end(self.steps.index(own), own)
        self.changed.set()
        return held

    async def _play(self, section: Section, own: StepProgress, task: Task | None = None) -> bool:
        try:
            if task is not None:
                return await solve(self._runner, section, own, lambda: holds(task.done_when, self._seen))
            own.place = await self._runner.play(section, own.place)
            return own.place == len(section.steps)
        except Exception as error:  # a lesson must say what went wrong, whatever it is
            own.seen = safe_text(str(error) or type(error).__name__, 300)
            return False
        finally:
            self._running = -1

    def _end(self, place: int, own: StepProgress) -> None:
        """What the step says now that it has run; the view stays, and virtual time waits."""
        self._look(own, None)
        step = self.lesson.steps[place]
        own.told = tell_step(step, own.answer, self.tell, self._seen)
        own.end, own.run = Held(self._last), self.run
        self._let_time_go(False)
        question = step.question
        if question is not None and own.answer >= 0:
            answer, right = (name_of(question.options, number) for number in (own.answer, own.told.right))
            self._runner.note(PredictionAnswered(question=question.id, answer=answer, right_answer=right))
            record_answer(self._runner.run_folders[-1], question.id, answer, right)
        self._keep()
        if self.is_finished:
            record_finished(self.lesson.name, self._progress_folder)

    def look_at_task(self, now_s: float) -> None:
        """Whether the learner has done what the step asks for, and whether a hint is due."""
        task, own = self.task, self.own
        if task is None or own.state != OPEN or self._due != self.at or not self.has_cluster:
            return
        self._runner.poll()
        own.hints = sum(hint.after_s <= now_s - self._task_began_s for hint in task.hints)
        if holds(task.done_when, self._seen):
            own.state, own.watch = DONE, HoldWatch(())
            self._end(self.at, own)
            self.changed.set()

    @property
    def _seen(self) -> Seen:
        return Seen(self._runner.state, self._runner.memory, self._runner.book)

    @property
    def settings(self) -> Settings:
        """Of the cluster of the step on screen, whether it runs or not."""
        sections = [step.do.section for step in self.lesson.steps[: self.at + 1] if step.do is not None]
        return settings_at(self.lesson.script, sections[-1] if sections else "", self.slow)

    def tell(self, text: str) -> str:
        """A text with the values of this run as they are now."""
        return told(text, self.settings, *self._seen)

    def with_names(self, text: str, later: frozenset[str] = frozenset()) -> str:
        """A command with the values that its script has remembered by now. later: names that get theirs only then."""
        remembered = {name: shown(value) for name, value in self._runner.memory.items() if name not in later}
        return NAME.sub(lambda match: remembered.get(match[1], match[1]), text)

    def _on_move(self) -> None:
        if self._running >= 0 and (watch := self.steps[self._running].watch) is not None and not watch.is_over:
            self._runner.poll()

    def _on_entry(self, entry: Entry) -> None:
        self._last = entry.id
        if self._running >= 0:
            self._look(self.steps[self._running], entry)

    def _look(self, own: StepProgress, entry: Entry | None) -> None:
        """Hold where a hold point is reached."""
        count = own.watch.look(entry, self._last, self._seen) if own.watch is not None else 0
        if own.watch is not None and count:
            own.looks += [self.tell(hold.look) for hold, _ in own.watch.reached[-count:]]
            self._let_time_go(False)
            self.changed.set()

    def _report(self, report: StepReport) -> None:
        if self._running >= 0:
            self.steps[self._running].hear(report)

    def section(self, step: Step) -> Section | None:
        """What the script does in a step."""
        return self.lesson.script.section(step.do.section) if step.do is not None else None

    def tell_viewers(self) -> None:
        """What is on screen, to whoever looks."""
        own = self.own
        right = self.letter_of(own.told.right) if own.told is not None else ""
        if self.on_screen is not None:
            self.on_screen.tell(self.at + 1, self.letter_of(own.answer), right, self.run)

    def _keep(self) -> None:
        """For the next time that the lesson is opened."""
        steps = tuple(
            KeptStep(own.state == DONE or step.do is None, own.answer, own.checked, own.told, own.failed)
            for step, own in zip(self.lesson.steps, self.steps, strict=True)
        )
        keep(self.lesson, Kept(self.at, steps), self._progress_folder)

    async def play_silently(self, place: int) -> bool:
        """Once more what a step did before, without holds and answers. Whether all held."""
        section, again = self.section(self.lesson.steps[place]), StepProgress()
        if section is None:
            return True
        self._running = place
        held = await self._play(section, again)
        self.steps[place].run = self.run
        if not held:
            self.steps[place:] = [StepProgress() for _ in self.steps[place:]]
            self.steps[place].state, self.steps[place].seen, self.at = FAILED, again.seen, place
        return held

    async def close(self) -> None:
        """End the lesson's lab."""
        if self.on_screen is not None:
            self.on_screen.gone()
        await self._runner.close()
