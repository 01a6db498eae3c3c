"""What the first screen offers: labs, runs that are up, lessons, challenges, the quiz, incidents, recorded runs."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from cluster.runtime.run.folder import RunError, read_facts, run_names
from workbench.challenges.best import offers
from workbench.challenges.quiz.questions import CHOSEN
from workbench.challenges.quiz.results import answers_of
from workbench.course.content import Lesson
from workbench.course.incidents import all_incidents
from workbench.course.lesson_error import LessonError
from workbench.course.library import LESSONS, lesson_names
from workbench.course.progress import finished_lessons
from workbench.course.reading.lesson_folder import read_folder
from workbench.runs.orphans import RunState, state_of
from workbench.session.lesson.keeping import last_score
from workbench.session.missions.board import Board
from workbench.support.safe_text import safe_text
from workbench.tui.panes.missions import headline as missions_headline

RUNS_MAX = 30
OFFERS: dict[RunState, tuple[str, str, str, str]] = {
    "up": ("Runs that are up", "attach", "watch it", "up"),
    "lab is gone": ("Runs that are up", "attach", "its lab is gone", "abrupt"),
    "closing": ("Recorded runs", "replay", "closing", ""),
    "ended": ("Recorded runs", "replay", "replay", ""),
    "ended abruptly": ("Recorded runs", "replay", "ended abruptly", "abrupt"),
}
"""Group, verb, note and kind of the choice that a run is."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One line that can be chosen."""

    group: str
    verb: str
    """lab, simulated, lesson, challenge, quiz, incident, attach, replay, resume or compare; empty opens nothing."""
    name: str
    """Lesson, incident, run or number of a challenge; empty for the free lab."""
    text: str
    note: str = ""
    kind: str = ""
    """done, abrupt, up: colours the note."""
    about: str = ""
    """What is said of it beside the list, before it is opened."""
    left_s: float = 0.0
    """When the lesson was left before its end; 0 when it was not."""


def lesson_choices(folder: Path = LESSONS, progress_folder: Path | None = None) -> list[Choice]:
    """All lessons, those finished marked."""
    finished = finished_lessons(progress_folder)
    choices = []
    try:
        names = lesson_names(folder)
    except LessonError as error:
        return [Choice("Lessons", "", "", safe_text(str(error), 200))]
    for name in names:
        number = name.partition("_")[0]
        try:
            lesson = read_folder(folder / name)
            choices.append(_lesson_choice(lesson, is_finished=name in finished, progress_folder=progress_folder))
        except LessonError as error:
            text = f"{number}  {safe_text(str(error), 160)}"
            choices.append(Choice("Lessons", "lesson", name, text, "cannot be read"))
    return choices


def _lesson_choice(lesson: Lesson, *, is_finished: bool, progress_folder: Path | None) -> Choice:
    """How far the learner is, and beside the list what the lesson is good for."""
    score, steps = last_score(lesson, progress_folder), len(lesson.steps)
    text = f"{lesson.number}  {safe_text(lesson.title, 80)}"
    result = f"{score.right}/{score.asked}, {ago(time.time() - score.when_s)}" if score is not None else ""
    about = [safe_text(lesson.goal, 400), f"{lesson.minutes} minutes, {steps} steps."]
    if lesson.needs:
        about.append(f"Take before: {', '.join(name.partition('_')[0] for name in lesson.needs)}.")
    if score is not None and not score.is_finished:
        note = f"\u25b8 go on, step {min(score.at + 1, steps)}/{steps}"
        about.append(f"You were at step {min(score.at + 1, steps)} of {steps}: {result}. Enter goes on there.")
    elif score is not None:
        note = f"\u2713 {result}"
        about.append(f"You answered {score.right} of {score.asked} questions right, {ago(time.time() - score.when_s)}.")
    else:
        note = "\u2713 finished" if is_finished else f"{lesson.minutes} min"
    kind = "done" if is_finished else "up" if score is not None else ""
    left_s = score.when_s if score is not None and not score.is_finished else 0.0
    return Choice("Lessons", "lesson", lesson.name, text, note, kind, "\n\n".join(about), left_s)


def go_on_choices(lessons: list[Choice]) -> list[Choice]:
    """The lesson that was left last, else the first that is not finished; none for who has not begun, or is through."""
    done = sum(choice.kind == "done" for choice in lessons)
    left = max(lessons, key=lambda choice: choice.left_s, default=None)
    if left is None or not left.left_s:
        left = next((choice for choice in lessons if choice.kind != "done"), None) if done else None
    if left is None:
        return []
    note = f"{left.note}   " if left.left_s else ""
    return [replace(left, group="Go on", note=f"{note}{done} of {len(lessons)} lessons finished")]


def ago(seconds: float) -> str:
    """As "just now", "2 min ago", "3 h ago" or "12 days ago"."""
    minutes = int(seconds // 60)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    hours = minutes // 60
    return f"{hours} h ago" if hours < 48 else f"{hours // 24} days ago"


def run_choices(home: Path) -> list[Choice]:
    """Runs with a readable run.json: those that are up, those that ended abruptly, the others; newest first."""
    choices = []
    for name in list(reversed(run_names(home)))[:RUNS_MAX]:
        folder = home / "runs" / name
        try:
            facts = read_facts(folder)
        except RunError:
            continue
        seed = f", seed {facts.seed}" if facts.seed is not None else ""
        text = f"{name}  {safe_text(facts.title, 60)}{seed}"
        group, verb, note, kind = OFFERS[state_of(folder, facts)]
        began = began_said(facts.created, datetime.now())
        note = f"up since {began.removeprefix('today ')}" if kind == "up" else began if verb == note else note
        world = "simulated" if facts.world == "simulated" else "real processes"
        about = f"{safe_text(facts.title, 60)}{seed}, {world}, {began}"
        choices.append(Choice(group, verb, name, text, note, kind, about))
    return sorted(choices, key=lambda choice: choice.group, reverse=True)


def began_said(created: str, now: datetime) -> str:
    """As "today 09:41", "yesterday" or "12 Nov"; empty for what is no time."""
    try:
        began = datetime.fromisoformat(created).replace(tzinfo=None)
    except ValueError:
        return ""
    days = (now.date() - began.date()).days
    return f"today {began:%H:%M}" if days == 0 else "yesterday" if days == 1 else f"{began.day} {began:%b}"


def mission_choice(board: Board) -> Choice:
    """The missions, which are done in the free lab."""
    text, note = "Missions: break it on purpose, and be told what came of it", missions_headline(board)
    return Choice("Free lab", "lab", "missions", text, note, "done" if board.current is None else "")


def challenge_choices() -> list[Choice]:
    """All of them; one with a form of its own is told about, and played from the command line."""
    return [Choice("Challenges", *offer) for offer in offers()]


def quiz_choices() -> list[Choice]:
    """Before the course and after it, with how far the learner is."""
    about = (
        "Each question is the last one of a lesson. No cluster is needed, and nothing is explained. It is asked "
        "line by line; q leaves, and the next time it goes on there. workbench quiz tells how many were right."
    )
    choices = []
    for when, answers in answers_of().items():
        done = f"{len(answers)} of {len(CHOSEN)} answered" if answers else ""
        choices.append(Choice("Quiz", "quiz", when, f"Twelve questions, {when} the course", done, "up", about))
    return choices


def incident_choices() -> list[Choice]:
    """Public incidents; one is played in simulation when it is opened, and its recording shown."""
    try:
        incidents = all_incidents()
    except LessonError as error:
        return [Choice("Incidents", "", "", safe_text(str(error), 200))]
    choices = []
    for incident in incidents:
        about = [f"{incident.system}. {', '.join(incident.sources)}."]
        about += [f"{heading}: {' '.join(text.split())}" for heading, text in incident.parts]
        about.append("Enter plays it in simulation and opens the recording; c on its runs compares then and since.")
        words = "\n\n".join(safe_text(part, 2000) for part in about)
        title = f"{incident.number}  {safe_text(incident.title, 80)}"
        choices.append(Choice("Incidents", "incident", incident.name, title, str(incident.year), "", words))
    return choices


def all_choices(home: Path) -> list[Choice]:
    """What the first screen offers, in order."""
    lab = Choice("Free lab", "lab", "", "A living cluster: break it yourself", "3 controllers, 3 brokers")
    simulated = Choice("Free lab", "simulated", "", "A simulated cluster: halt its time, rewind, branch", "seed 0")
    labs = mission_choice(Board()), lab, simulated
    lessons, runs = lesson_choices(), run_choices(home)
    up = [choice for choice in runs if choice.verb == "attach"]
    recorded = [choice for choice in runs if choice.verb != "attach"]
    return [
        *go_on_choices(lessons),
        *labs,
        *up,
        *lessons,
        *challenge_choices(),
        *quiz_choices(),
        *incident_choices(),
        *recorded,
    ]
