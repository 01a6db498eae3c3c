"""Plays a lesson step by step on a living cluster: predict, do, see. Knows no screen.

The commands run through the same ScriptRunner as without a screen; the right answer of a prediction is computed from
the trace once its step has run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cluster.lab import Lab
from cluster.model.events import PredictionAnswered
from cluster.scenario.runner import Launch, ScriptRunner, StepReport
from cluster.scenario.script import ClusterPlan, Do, Expect, Keep, Section, When
from workbench.course.lesson import Lesson, LessonStep
from workbench.course.progress import record_answer, record_finished
from workbench.course.timing import with_figures
from workbench.session.lesson.on_screen import OnScreen
from workbench.session.lesson.page import KEYS, LessonPage
from workbench.support.safe_text import safe_text

OPEN, RUNNING, DONE, FAILED, SKIPPED = "open", "running", "done", "failed", "skipped"
WORLD_NOTES = {
    False: "Real here: a process for each node, sockets, files, signals. Made by the workbench: cut and slow links, "
    "what a disk does wrong, and the loss of power.",
    True: "Simulated here: processes, sockets, files, signals and time. The code of the protocol is the one that real "
    "processes run.",
}
"""What is real in this world, at the end of a lesson's first text; by whether it is simulated."""
STILL_RUNNING = "a step is still running"
"""Why nothing else can be done now; over once it has run."""
TEXT_MAX = 4000
_OWN_LINE = re.compile(r"\s*([-*|>]|[0-9]+\.)\s|    ")
_EMPHASIS = re.compile(r"(\*\*|\*|`)(\S(?:[^*`]*\S)?)\1")


@dataclass(slots=True)
class Progress:
    """How far one step is."""

    state: str = OPEN
    place: int = 0
    """Script steps that held."""
    answer: str = ""
    right: str = ""
    seen: str = ""
    """What was seen instead, or why it could not run."""
    said: list[str] = field(default_factory=list)


class LessonPlayer:
    """One learner in one lesson. The lab belongs to the runner; `close` ends it."""

    def __init__(
        self, lesson: Lesson, launch: Launch, take_lab: Callable[[Lab], None], *, slow: float = 1.0,
        progress_folder: Path | None = None,
    ) -> None:  # fmt: skip
        self.lesson = with_figures(lesson, slow)
        self.at = 0
        """Index of the step on screen."""
        self._steps = [Progress() for _ in lesson.steps]
        self._running = -1
        self._lab_ended = False
        self._run = ""
        self._progress_folder = progress_folder
        self.is_simulated = False
        """Whether its clusters live in virtual time."""
        self.keys: Mapping[str, str] = KEYS
        """By id, as the screen has them."""
        self.on_screen: OnScreen | None = None
        """Where a second viewer learns which step is shown; None when none may."""

        async def start(plan: ClusterPlan, title: str) -> Lab:
            lab = await launch(plan, title)
            self._lab_ended = False
            self._run = lab.run_folder.name
            take_lab(lab)
            return lab

        def runner() -> ScriptRunner:
            return ScriptRunner(lesson.script, start, self._report, title=lesson.title[:80], slow=slow)

        self._new_runner, self._runner = runner, runner()

    @property
    def step(self) -> LessonStep:
        """The step on screen."""
        return self.lesson.steps[self.at]

    @property
    def is_done(self) -> bool:
        """Whether the step on screen asks for nothing more."""
        return not self.step.do or self._steps[self.at].state in (DONE, SKIPPED)

    @property
    def is_running(self) -> bool:
        """Whether any step runs: it may end one lab and start another."""
        return self._running >= 0

    @property
    def has_failed(self) -> bool:
        """Whether the step on screen was not reached, or skipped."""
        return self._steps[self.at].state in (FAILED, SKIPPED)

    @property
    def is_finished(self) -> bool:
        """Whether every step that does something was reached."""
        return all(not step.do or own.state == DONE for step, own in zip(self.lesson.steps, self._steps, strict=True))

    @property
    def has_cluster(self) -> bool:
        """Whether a cluster runs that the steps can act on."""
        return self._runner.has_lab and not self._lab_ended

    async def begin_again(self) -> None:
        """End the cluster and go to the first step, with nothing done and nothing answered; not while a step runs."""
        await self._runner.close()
        self._runner, self._steps = self._new_runner(), [Progress() for _ in self.lesson.steps]
        self.at, self._lab_ended, self._run = 0, False, ""

    def lab_has_ended(self) -> None:
        """The cluster is gone by itself: the step that began it failed, and those after it were not done."""
        self._lab_ended = True
        self._runner.lab_has_ended()
        sections = [self._section(step) for step in self.lesson.steps]
        begun = [
            place
            for place, (own, section) in enumerate(zip(self._steps, sections, strict=True))
            if section is not None and section.plan is not None and own.state in (DONE, FAILED)
        ]
        if begun:
            self._steps[begun[-1] :] = [Progress() for _ in self._steps[begun[-1] :]]
            self._steps[begun[-1]].state, self._steps[begun[-1]].seen = FAILED, "the lab has ended"

    def predict(self, letter: str) -> bool:
        """Choose an answer; False when no question is open or it has no such option."""
        own, prediction = self._steps[self.at], self.step.prediction
        if prediction is None or own.state != OPEN or letter not in [item.letter for item in prediction.options]:
            return False
        own.answer = letter
        return True

    def turn(self, count: int) -> str:
        """To another step; says why not."""
        own = self._steps[self.at]
        if count > 0 and own.state == RUNNING:
            return STILL_RUNNING
        if count > 0 and self.step.do and own.state == OPEN:
            return f"do this step first: {self.keys['enter']}"
        if count > 0 and own.state == FAILED:
            own.state = SKIPPED
        if not 0 <= self.at + count < len(self._steps):
            return "this was the last step" if count > 0 else "this is the first step"
        self.at += count
        return ""

    def why_not(self) -> str:
        """Why the step on screen cannot run now; empty when it can, or when it is done."""
        own = self._steps[self.at]
        if self._running >= 0:
            return STILL_RUNNING
        if self.step.prediction is not None and not own.answer and own.state == OPEN:
            return f"predict first: {', '.join(item.letter for item in self.step.prediction.options)}"
        if not self.is_done and any(own.state in (OPEN, FAILED) for own in self._before()):
            return self._without_cluster() or "an earlier step is not done"
        return self._without_cluster()

    def _without_cluster(self) -> str:
        """Why the step on screen has no cluster to act on; empty when it has one or starts one."""
        section = self._section(self.step)
        if self.is_done or section is None or section.plan is not None or self.has_cluster:
            return ""
        return f"no cluster runs: {self.how_to_begin()}"

    def how_to_begin(self) -> str:
        """How to have a cluster again, once the lab is gone."""
        back, again = self.keys["lesson.back"], self.keys["lesson.retry"]
        return f"{back} goes back to the step that starts one, {again} tries it again"

    def _before(self) -> list[Progress]:
        pairs = zip(self.lesson.steps[: self.at], self._steps, strict=False)
        return [own for step, own in pairs if step.do]

    async def run_step(self) -> bool:
        """Run the commands and expectations of the step on screen, from where it failed. Whether all held."""
        own, section = self._steps[self.at], self._section(self.step)
        if section is None or self._running >= 0 or own.state == DONE:
            return False
        own.state, own.seen, self._running = RUNNING, "", self.at
        try:
            own.place = await self._runner.play(section, own.place)
            held = own.place == len(section.steps)
        except Exception as error:  # a lesson must say what went wrong, whatever it is
            held, own.seen = False, safe_text(str(error) or type(error).__name__, 300)
        finally:
            index, self._running = self._running, -1
        own.state = DONE if held else FAILED
        if held:
            self._reveal(index)
        if held and self.is_finished:
            record_finished(self.lesson.name, self._progress_folder)
        return held

    def _reveal(self, index: int) -> None:
        own, prediction = self._steps[index], self.lesson.steps[index].prediction
        if prediction is None:
            return
        own.right = prediction.right_answer(self._runner.state, self._runner.memory)
        self._runner.note(PredictionAnswered(question=prediction.id, answer=own.answer, right_answer=own.right))
        record_answer(self._runner.run_folders[-1], prediction.id, own.answer, own.right)

    def _report(self, report: StepReport) -> None:
        if self._running < 0:
            return
        own = self._steps[self._running]
        if report.kind == "say":
            own.said.append(safe_text(report.text, 400))
        if report.kind != "cluster":
            own.place += report.held
            own.seen = "" if report.held else safe_text(report.seen, 400)

    def _section(self, step: LessonStep) -> Section | None:
        return self.lesson.script.section(step.do) if step.do else None

    def tell_viewers(self) -> None:
        """What is on screen, to whoever looks."""
        own = self._steps[self.at]
        if self.on_screen is not None:
            self.on_screen.tell(self.at + 1, own.answer, own.right if own.state == DONE else "", self._run)

    def page(self) -> LessonPage:
        """The step on screen, everything in it made safe."""
        step, own = self.step, self._steps[self.at]
        prediction, done = step.prediction, own.state == DONE
        return LessonPage(
            title=safe_text(self.lesson.title, 120),
            step=self.at + 1,
            steps=len(self._steps),
            heading=safe_text(step.heading, 200),
            prose="\n\n".join((plain_prose(step.prose), *(self._about() if self.at == 0 else ()))),
            button=self._button(),
            question=plain_prose(prediction.question) if prediction else "",
            choices=tuple(safe_text(item.text, 200) for item in prediction.options) if prediction else (),
            answered=own.answer,
            asks=own.state == OPEN,
            right=own.right if done else "",
            verdict=self._verdict(own) if done and prediction else "",
            reveal=plain_prose(step.reveal) if done or not step.do else "",
            script=self._lines(own),
            status=self._status(own),
            has_failed=own.state == FAILED,
        )

    def _about(self) -> list[str]:
        """What is real in this world, and the documents that the lesson draws on; both stand below its first text."""
        sources = "; ".join(self.lesson.sources)
        return [WORLD_NOTES[self.is_simulated], *([safe_text(f"Drawn from: {sources}.", TEXT_MAX)] if sources else [])]

    def _button(self) -> str:
        own = self._steps[self.at]
        enter, again, leave = self.keys["enter"], self.keys["lesson.retry"], self.keys["quit"]
        if own.state == RUNNING:
            return ""
        if own.state == FAILED:
            return f"{again} again, {self.keys['lesson.next']} skips, {leave} quits"
        if own.state == SKIPPED:
            return f"{enter}: next, {again} tries again"
        if self.is_done:
            if self.at + 1 < len(self._steps):
                return f"{enter}: next step"
            return f"lesson finished, {leave} leaves" if self.is_finished else f"last step, {leave} leaves"
        if self.step.prediction is not None and not own.answer:
            return "predict first"
        return f"{enter}: do it"

    def _verdict(self, own: Progress) -> str:
        if not own.right:
            return "This run has no single right answer: see the trace."
        if own.answer == own.right:
            return f"{own.answer} is right."
        return f"You said {own.answer}. In this run {own.right} is right." if own.answer else f"{own.right} is right."

    def _lines(self, own: Progress) -> tuple[tuple[str, str], ...]:
        """Commands always; what is expected only once it was looked at, since it would give the answer away."""
        section = self._section(self.step)
        if section is None:
            return ()
        now = {RUNNING: "now", FAILED: "failed"}.get(own.state, "open")
        lines, held = [], 0
        for place, item in enumerate(section.steps):
            state = "done" if place < own.place else now if place == own.place else "open"
            if isinstance(item, Do | When):
                lines.append((state, safe_text(f": {item.text}", 200)))
            elif state in ("now", "failed"):
                lines.append((state, safe_text(item.text, 200)))
            held += state == "done" and isinstance(item, Expect | Keep) and not getattr(item, "wait_only", False)
        if held:
            lines.append(("done", f"{held} {'expectation' if held == 1 else 'expectations'} held"))
        return tuple(lines)

    def _status(self, own: Progress) -> str:
        number, section = self.at + 1, self._section(self.step)
        if own.state == FAILED:
            if not self.has_cluster:
                return f"step {number}: {own.seen.rstrip('.')}. No cluster runs."
            what = safe_text(section.steps[own.place].text, 120) if section and own.place < len(section.steps) else ""
            return f"step {number}: {what}: {own.seen.rstrip('.')}. The cluster runs on."
        if own.state == RUNNING:
            return f"step {number} is running ..."
        return f"step {number} was skipped" if own.state == SKIPPED else ""

    async def close(self) -> None:
        """End the lesson's lab."""
        if self.on_screen is not None:
            self.on_screen.gone()
        await self._runner.close()


def plain_prose(text: str) -> str:
    """Markdown as plain paragraphs: one line each, lists and tables line by line, no emphasis marks; all made safe."""
    lines: list[str] = []
    for line in text[: TEXT_MAX * 4].split("\n"):
        stands_alone = not line.strip() or bool(_OWN_LINE.match(line))
        if lines and lines[-1] and not stands_alone:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.strip() if not stands_alone else line.rstrip())
    return "\n".join(safe_text(_EMPHASIS.sub(r"\2", line), TEXT_MAX) for line in lines)
