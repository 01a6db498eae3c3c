"""Reads a whole lesson folder of schema 2: lesson.md and scenario.txt, checked before anything starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from cluster.ordinary_file import read_ordinary
from cluster.scenario.main import read_script
from cluster.scenario.output import SCRIPT_BYTES_MAX
from cluster.scenario.script import Script, ScriptError, Section
from workbench.course.claims import Claims, claims_beside
from workbench.course.content import LastPage, Lesson, Step
from workbench.course.front_matter import BREAKS, MINIMUM, breaks_of, minimum_of, text_of
from workbench.course.lesson_error import LessonError
from workbench.course.reading.cluster_so_far import ClusterSoFar
from workbench.course.reading.do import read_do, section_of
from workbench.course.reading.facts import read_facts
from workbench.course.reading.frame import Frame, frames_of
from workbench.course.reading.notes import read_keep, read_notes
from workbench.course.reading.question import QuestionReader, misconceptions_in
from workbench.course.reading.shown_blocks import blocks_after, blocks_before, document

LESSON, SCENARIO = "lesson.md", "scenario.txt"


def read_folder(folder: Path) -> Lesson:
    """The checked lesson of a folder. LessonError on the first mistake; nothing has been started then."""
    folder = folder.absolute()
    path = folder / LESSON
    text = text_of(path)
    script, scenario = _script(folder / SCENARIO)
    lines = text.splitlines()
    facts = read_facts(path, lines)
    frames, last = frames_of(path, lines, facts.body)
    claims = claims_beside(folder.parent)
    reader = _Steps(path, script, QuestionReader(path, scenario, misconceptions_in(folder.parent)), claims)
    steps = tuple(reader.step(frame, is_last=frame is frames[-1]) for frame in frames)
    reader.check_all_played(folder / SCENARIO)
    minutes = sum(step.notes.minutes for step in steps)
    if minutes != facts.minutes:
        wrong = f"minutes = {facts.minutes}, but the times of the notes make {minutes}"
        raise LessonError(path, facts.line_of("minutes"), wrong)
    assert last.keep is not None, "the frame has looked"
    documents = tuple(document(piece, reader.cluster, claims) for piece in last.after)
    sections = [section.name for section in script.sections]
    return Lesson(
        name=folder.name,
        title=facts.title,
        goal=facts.goal,
        minutes=facts.minutes,
        needs=facts.needs,
        sources=facts.sources,
        next=facts.next,
        challenge=facts.challenge,
        steps=steps,
        last=LastPage(read_keep(path, last.keep), documents),
        script=script,
        breaks=breaks_of(path, facts.breaks, sections, facts.line_of(BREAKS)),
        minimum=minimum_of(path, facts.minimum, sections, facts.line_of(MINIMUM)),
        folder=folder,
        scenario=scenario,
    )


def _script(path: Path) -> tuple[Script, str]:
    try:
        script = read_script(path)
        text = read_ordinary(path, SCRIPT_BYTES_MAX, follow=True).decode("utf-8")
    except ScriptError as error:
        raise LessonError(path, error.line, error.what) from error
    except OSError as error:
        raise LessonError(path, 1, f"cannot be read: {error.strerror}") from error
    if any(not section.name for section in script.sections):
        raise LessonError(path, 1, "the script of a lesson has sections: a line [name] above each cluster line or part")
    return script, text


@dataclass(slots=True)
class _Steps:
    """Reads step after step, and plays the script beside them."""

    path: Path
    script: Script
    questions: QuestionReader
    claims: Claims
    cluster: ClusterSoFar = field(init=False)
    place: int = 0
    """How many sections were named so far."""
    after_learner: str = ""
    """The section that a learner played just now; what comes next begins a new cluster."""

    def __post_init__(self) -> None:
        self.cluster = ClusterSoFar(self.path)

    def step(self, frame: Frame, *, is_last: bool) -> Step:
        """The checked step of a frame: its blocks, and the section that it plays."""
        section = self._section(frame)
        do = None
        if frame.do is not None and section is not None:
            self.cluster.play(section)
            do = read_do(frame.do, self.cluster)
            if do.at_once and frame.question is not None:
                raise self._wrong(frame.do.line, "now stands in a step without a question only")
            self.after_learner = section.name if do.task is not None else ""
        before = blocks_before(frame, self.cluster, self.claims)
        question = None
        if frame.question is not None and do is not None:
            self._check_transfer(frame, is_last=is_last)
            question = self.questions.read(frame.question, do.section, self.cluster)
        assert frame.notes is not None, "the frame has looked"
        notes = read_notes(self.path, frame.notes, is_asked=question is not None)
        after = blocks_after(frame, self.cluster, self.claims)
        return Step(frame.heading, before, question, do, after, notes)

    def _section(self, frame: Frame) -> Section | None:
        """The section of a step: the next one of the script."""
        if frame.do is None:
            return None
        name, sections = section_of(frame.do), [section.name for section in self.script.sections]
        if name not in sections:
            raise self._wrong(
                frame.do.line, f"no section '{name[:60]}' in {SCENARIO}; there are: {', '.join(sections)}"
            )
        if self.place >= len(sections) or sections[self.place] != name:
            due = f"[{sections[self.place]}]" if self.place < len(sections) else "none: all were named"
            raise self._wrong(frame.do.line, f"do {name} is out of order; the next section of {SCENARIO} is {due}")
        section = self.script.sections[self.place]
        self.place += 1
        if self.after_learner and section.plan is None:
            wrong = f"section [{name}] begins with a cluster line, since nobody knows what the learner of"
            raise LessonError(self.path.with_name(SCENARIO), section.line, f"{wrong} [{self.after_learner}] leaves")
        return section

    def _check_transfer(self, frame: Frame, *, is_last: bool) -> None:
        assert frame.question is not None
        if frame.question.kind == "transfer" and not is_last:
            raise self._wrong(frame.question.line, "transfer stands in the last step; here it is predict")

    def check_all_played(self, path: Path) -> None:
        """LessonError for a section that no step plays."""
        for section in self.script.sections[self.place :]:
            name = section.name
            raise LessonError(path, section.line, f"section [{name}] has no step; one must say: do {name}")

    def _wrong(self, line: int, what: str) -> LessonError:
        return LessonError(self.path, line, what)
