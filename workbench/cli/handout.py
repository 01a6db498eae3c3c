"""The `handout` command: a lesson on paper, drawn from a simulated play of it. Each seed gives the same pages."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from cluster.model.entry import Entry
from workbench.cli.handout_page import Answered, PaperStep, Picture, paper
from workbench.cli.play import lessons_named
from workbench.course.content import Figure, Lesson, Option, Prose, Question, Reveal, Step, letters
from workbench.course.timing import settings_at
from workbench.course.trial import Trial
from workbench.course.values import told_timers
from workbench.runs.launch import simulated_launcher
from workbench.session.lesson.holds import Held, HoldWatch, Seen
from workbench.session.recording import Recording
from workbench.support.new_file import new_file
from workbench.support.platform import run_to_end
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.commands.lesson import talk_until
from workbench.tui.compose import DRAW, title_of
from workbench.tui.drawing.canvas import Canvas, Rect, panel
from workbench.tui.drawing.svg import canvas_svg
from workbench.tui.theme.themes import LIGHT
from workbench.tui.ui_state import UiState

WIDTH = 66
"""Columns of a picture."""
ROWS = {"logs": 13, "isr": 10, "events": 10, "map": 18, "quorum": 13, "clients": 10}
"""Of each pane: as few as it can be read in."""
WORDLESS = ("lesson",)
"""Panes of words: what is to be seen there is said beside."""


def handout(name: str, out: str, seed: int, *, for_teacher: bool) -> int:
    """Write the page of a lesson. Returns the exit code; Refusal when the lesson does not hold with this seed."""
    (lesson,) = lessons_named([name])
    file = out or f"lesson-{lesson.number}{'-teacher' if for_teacher else ''}.html"
    steps = _Drawing(lesson, seed).steps()
    with new_file(file) as stream:
        stream.write(paper(lesson, steps, for_teacher=for_teacher).encode())
    print(safe_text(file, 200))
    return 0


@dataclass
class _Drawing:
    """One simulated play of a lesson, and what is drawn of it."""

    lesson: Lesson
    seed: int
    recording: Recording = field(default_factory=Recording)
    pictures: dict[str, list[Picture]] = field(default_factory=dict)
    """By section, in the order in which they are reached; none for a step without a hold."""
    answered: dict[str, Answered] = field(default_factory=dict)
    """By question: letter and reasons, none before it is answered."""
    after: dict[str, list[str]] = field(default_factory=dict)
    """By section: its reveals."""
    _section: str = ""
    _watch: HoldWatch = field(default_factory=lambda: HoldWatch(()))

    def steps(self) -> list[PaperStep]:
        """Play it and draw all steps. Refusal when a sentence of the lesson is not true of this play."""
        with TemporaryDirectory(prefix="workbench-handout-") as home:
            trial = self.trial = Trial(self.lesson, simulated_launcher(Path(home), self.seed), lambda _step: None)
            trial.on_entry, trial.on_reveal, trial.on_answer = self._entry, self._reveal, self._answer
            held = run_to_end(trial.run())
        if not held:
            why = safe_text(next(iter(trial.mistakes), "it did not come to its end"), 300)
            raise Refusal(BAD_DATA, f"handout: with seed {self.seed} the lesson does not hold: {why}")
        return [self._step(step) for step in self.lesson.steps]

    def _entry(self, section: str, entry: Entry) -> None:
        if section != self._section:
            self._section = section
            step = next(step for step in self.lesson.steps if step.do is not None and step.do.section == section)
            self._watch = HoldWatch(step.do.holds if step.do is not None else ())
        if self.recording.entries and self.recording.entries[0].run != entry.run:
            self.recording = Recording()
        self.recording.extend([entry])
        runner, before = self.trial.runner, len(self._watch.reached)
        self._watch.look(entry, entry.id, Seen(runner.state, runner.memory, runner.book))
        for _, held in self._watch.reached[before:]:
            drawn = "" if held.pane in WORDLESS else draw_held(self.recording, held)
            self.pictures.setdefault(section, []).append(Picture(drawn, self.trial.tell(held.look)))

    def _reveal(self, section: str, reveal: Reveal) -> None:
        self.after.setdefault(section, []).append(self.trial.tell(reveal.text))

    def _answer(self, question: Question, right: Option) -> None:
        options = letters(question, self.seed)
        whys = {letter: self.trial.tell(option.why) for letter, option in options.items()}
        letter = next(letter for letter, option in options.items() if option is right)
        self.answered[question.id] = Answered(letter, whys)

    def _step(self, step: Step) -> PaperStep:
        section = step.do.section if step.do is not None else ""
        settings = settings_at(self.lesson.script, section)
        return PaperStep(
            step=step,
            case=[
                replace(block, text=told_timers(block.text, settings)) if isinstance(block, Prose) else block
                for block in step.before
                if isinstance(block, Prose | Figure)
            ],
            options=letters(step.question, self.seed) if step.question is not None else {},
            answered=self.answered.get(step.question.id) if step.question is not None else None,
            pictures=self.pictures.get(section, []),
            after=self.after.get(section, []),
        )


def draw_held(recording: Recording, held: Held) -> str:
    """The pane that a lesson points at, at the end of what was recorded so far: in light colours, as SVG."""
    ui = UiState(recording, replay=True, main=held.pane if held.pane in ("quorum", "clients") else "quorum")
    logs = ui.view.shown_logs()
    if held.log is not None and held.log in logs:
        ui.log_index = logs.index(held.log)
    ui.held_nodes = held.nodes
    if held.pane == "clients":
        ui.held_talk = talk_until(recording, len(recording.entries) - 1)
    whole = Rect(0, 0, WIDTH, ROWS[held.pane])
    canvas = Canvas(whole.width, whole.height)
    DRAW[held.pane](panel(canvas, whole, *title_of(held.pane, ui)), ui)
    return canvas_svg(canvas, held.look, LIGHT.name)
