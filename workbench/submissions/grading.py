"""Grades one submission. Nothing in it is believed: runs are played again, recordings are judged, answers computed."""

from __future__ import annotations

import hashlib
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import assert_never

import msgspec

from cluster.invariants.verdicts.verdict import Verdict
from cluster.trace.reader import TraceError
from workbench.challenges.catalogue import CHALLENGES
from workbench.challenges.quiz.questions import items
from workbench.challenges.quiz.results import TIMES, score
from workbench.course.content import RIGHT, Lesson
from workbench.course.library import find_lesson, lesson_names
from workbench.runs.judgement import judge
from workbench.runs.launch import WorldChoice
from workbench.session.sharing.retold import play_again, verdict_of
from workbench.session.sharing.shared_run import SharedRun, shared_in
from workbench.submissions.answers import Answer, answers_in
from workbench.submissions.exam import Exam, right_answer
from workbench.submissions.form import (
    ChallengePart,
    ExamPart,
    LessonPart,
    QuizPart,
    Recording,
    Submission,
    digest_of,
    read_submission,
    unpack,
)
from workbench.submissions.marks import Graded, Mark
from workbench.support.platform import run_to_end
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text
from workbench.support.version import program_version

CPU_SECONDS_MAX = 120.0
"""That one file may cost. An honest one costs a second or two for each lesson."""
GRACE_SECONDS = 5.0
"""That the last answer of an exam may come late."""
REASONS_MAX = 10
"""More of them say nothing new."""


class TooLong(BaseException):
    """A file costs more than it may. No handler of errors on the way may take it for one of its own."""


def grade_files(
    folder: Path, tell: Callable[[int, int], None] = lambda _done, _all: None, exam: Exam | None = None
) -> list[Graded]:
    """Each submission below a folder, in order of their names; or the one file. Refusal when there is none.

    Args:
        tell: hears before each file how many of how many are done.
        exam: that was given; without it none is graded.
    """
    files = sorted(path for path in folder.rglob("*.json") if path.is_file())
    if folder.is_file():
        files, folder = [folder], folder.parent
    if not files:
        name = safe_text(str(folder), 200)
        raise Refusal(BAD_DATA, f"grade: no submission in '{name}'; workbench submit writes files that end with .json")
    graded: list[Graded] = []
    for path in files:
        tell(len(graded), len(files))
        graded.append(grade_file(path, path.relative_to(folder).as_posix(), exam))
    return [replace(one, against=(*one.against, *_copies(one, graded))) for one in graded]


def _copies(one: Graded, graded: list[Graded]) -> Iterator[str]:
    """Other files with a recording that is in this one. Who has it from whom, no file can say."""
    for other in graded:
        if other is not one and set(other.recordings) & set(one.recordings):
            yield f"a recording of processes in it is also in {safe_text(other.file, 100)}"


def grade_file(path: Path, name: str, exam: Exam | None = None, seconds_max: float = CPU_SECONDS_MAX) -> Graded:
    """What it is worth; whatever is wrong with it is said in the result, so that the others are graded, too."""
    learner = safe_text(path.stem, 100)
    try:
        with TemporaryDirectory(prefix="workbench-grade-") as home, _at_most(seconds_max):
            submission = read_submission(path)
            learner = safe_text(submission.learner, 100)
            return _graded(submission, name, learner, Path(home), exam)
    except Refusal as refusal:
        return Graded(file=name, learner=learner, against=(str(refusal),))
    except TooLong:
        return Graded(file=name, learner=learner, against=(f"to grade it takes more than {seconds_max:g} s",))
    except Exception as error:  # made to break us: the others are graded all the same, and this one is looked at
        return Graded(file=name, learner=learner, against=(f"it cannot be graded: {safe_text(repr(error), 200)}",))


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """TooLong once so much processor time is used within."""

    def over(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _graded(submission: Submission, name: str, learner: str, home: Path, exam: Exam | None) -> Graded:
    against = [] if submission.sum == submission.right_sum else ["it was changed by hand: its sum is another one"]
    theirs, ours = safe_text(submission.program, 40), program_version()
    if theirs != ours:
        against.append(f"program {theirs} wrote it, and this is {ours}: grade it with that version")
    marks: list[Mark] = []
    for place, part in enumerate(submission.parts):
        if isinstance(part, ExamPart):
            marks.append(_exam(part, submission.learner, exam))
        else:
            marks += _marks(part, home / str(place), theirs)
    for named, count in Counter(mark.part for mark in marks).items():
        if count > 1:
            against.append(f"{named} is in it {count} times")
    digests = (
        hashlib.sha256(msgspec.json.encode(run.files)).hexdigest()
        for part in submission.parts
        if isinstance(part, LessonPart)
        for run in part.runs
        if isinstance(run, Recording)
    )
    return Graded(
        file=name, learner=learner, marks=tuple(marks), against=tuple(against), recordings=tuple(set(digests))
    )


def _marks(part: LessonPart | ChallengePart | QuizPart, home: Path, program: str) -> list[Mark]:
    home.mkdir()
    match part:
        case LessonPart():
            return [_lesson(part, home, program)]
        case ChallengePart():
            return [_challenge(part, home)]
        case QuizPart():
            given = {when: getattr(part, when) for when in TIMES}
            return [
                Mark(part=f"quiz {when}", points=score(items(), answers), points_max=len(items()))
                for when, answers in given.items()
                if answers
            ]
        case _:
            assert_never(part)


def _exam(part: ExamPart, student: str, exam: Exam | None) -> Mark:
    """The key is computed for this student alone, by playing the worlds that the student was asked about."""
    if exam is None or part.digest != exam.digest:
        why = (
            "it is another exam than the one that is graded" if exam else "an exam: workbench grade FOLDER --exam FILE"
        )
        return Mark(part="exam", points=0, points_max=0, against=(why,))
    answers = tuple(
        Answer(asked.id, part.answers[asked.id], right := right_answer(asked), right, True)
        for asked in exam.of(student)
        if asked.id in part.answers
    )
    against = [f"nobody asked {_shown(name)}" for name in part.answers if name not in exam.file.questions]
    if part.seconds > exam.file.minutes * 60 + GRACE_SECONDS:
        against.append(f"it took {part.seconds / 60:.1f} minutes, and {exam.file.minutes:g} were given")
    return Mark(
        part=safe_text(exam.file.title, 60), points=sum(one.answer == one.right != "" for one in answers),
        points_max=len(exam.questions), answers=answers, against=tuple(against[:REASONS_MAX]),
    )  # fmt: skip


def _challenge(part: ChallengePart, home: Path) -> Mark:
    listed = next((one for one in CHALLENGES if one.number == part.number and one.grade is not None), None)
    name = f"challenge {part.number}"
    if listed is None or listed.grade is None:
        return Mark(part=name, points=0, points_max=0, against=("there is no such challenge to grade",))
    solution = home / "solution.txt"
    solution.write_text(part.solution, "utf-8")
    try:
        grade = listed.grade(solution, part.seed, home, WorldChoice(simulated=True, seed=part.seed))
    except Refusal as refusal:
        why = str(refusal).replace(f"{solution}: ", "")
        return Mark(part=name, points=0, points_max=1, against=(f"no solution: {safe_text(why, 300)}",))
    if not grade.solved:
        return Mark(part=name, points=0, points_max=1, against=(f"played again it is not solved: {grade.what}",))
    return Mark(part=name, points=1, points_max=1, note=grade.what)


def _lesson(part: LessonPart, home: Path, program: str) -> Mark:
    if part.name not in lesson_names():
        told = f"there is no lesson '{safe_text(part.name, 60)}' here"
        return Mark(part="a lesson", points=0, points_max=0, against=(told,))
    lesson = find_lesson(part.name)
    against = [] if part.digest == digest_of(lesson) else ["its text or its script is not the one that is here"]
    answers: dict[str, Answer] = {}
    for place, run in enumerate(part.runs):
        try:
            folder = _proven(run, lesson, home / str(place), program)
            for answer in answers_in(folder, lesson):
                if answer.question in answers:
                    against.append(f"{answer.question} is answered in two runs; the first counts")
                else:
                    answers[answer.question] = answer
        except Refusal as refusal:
            against.append(str(refusal))
        except TraceError as error:
            against.append(f"its recording is damaged: {safe_text(error.why, 200)}")
    against += [why for answer in answers.values() for why in _against(answer)]
    for question in sorted({*part.answers, *answers}):
        said, seen = part.answers.get(question, ""), answers[question].answer if question in answers else ""
        if said != seen:
            against.append(f"it says {_shown(said)} to {_shown(question)}, and its runs say {_shown(seen)}")
    points = sum(answer.answer == answer.right != "" and answer.is_on_its_way for answer in answers.values())
    return Mark(
        part=f"lesson {lesson.number.lstrip('0')}", points=points, points_max=len(list(lesson.questions)),
        answers=tuple(answers.values()), against=tuple(against[:REASONS_MAX]),
    )  # fmt: skip


def _against(answer: Answer) -> Iterator[str]:
    if not answer.right:
        yield f"no one option of {answer.question} holds in its run"
    elif answer.right != answer.claimed:
        yield f"{answer.question}: the run says {_shown(answer.claimed)} was right, its events say {answer.right}"
    elif answer.right != RIGHT:
        yield f"{answer.question}: in its run {answer.right} is right: somebody gave other commands than the lesson"
    if not answer.is_on_its_way:
        yield f"{answer.question} is answered before the script of the lesson had done its part"


def _shown(word: str) -> str:
    return safe_text(word, 60) if word else "nothing"


def _proven(run: str | Recording, lesson: Lesson, home: Path, program: str) -> Path:
    """The folder of a run that is what it says. Refusal, in a clause, for one that is not."""
    if isinstance(run, Recording):
        return _judged(run, home)
    shared = shared_in(run)
    if shared.source != f"lesson {int(lesson.number)}":
        raise Refusal(BAD_DATA, "one of its runs is of no script of this lesson")
    if shared.program != program:
        raise Refusal(BAD_DATA, f"one of its runs is of program {safe_text(shared.program, 40)}, the file of {program}")
    played = run_to_end(play_again(home, shared))
    if played.trace_hash != shared.trace_hash:
        raise Refusal(BAD_DATA, f"played again, a run is {_without_sign(shared, played.trace_hash)}")
    return played.folder


def _without_sign(shared: SharedRun, played: bytes) -> str:
    return verdict_of(shared, played).replace("NOT the same run", "not the same run")


def _judged(recording: Recording, home: Path) -> Path:
    name = safe_text(recording.run, 80)
    folder = home / "recording"
    unpack(recording, folder)
    judgement = judge(folder)
    if judgement.is_simulated:
        raise Refusal(BAD_DATA, f"{name} is simulated: such a run is handed in as the text that plays it again")
    broken = [
        line.info.id
        for line in judgement.table
        if line.verdict is Verdict.VIOLATED and line.info.id not in judgement.late
    ]
    if broken or judgement.cut or judgement.torn:
        why = f"its events break {', '.join(broken)}" if broken else "its recording is not whole"
        raise Refusal(BAD_DATA, f"{name}: {why}")
    return folder
