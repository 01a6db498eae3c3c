"""Reads a do block: its section, the moments at which the view is held, or what the learner does instead."""

from __future__ import annotations

import re
from difflib import get_close_matches

from workbench.course.content import Do, Hint, Hold, Task
from workbench.course.lesson_error import LessonError
from workbench.course.reading.cluster_so_far import ClusterSoFar
from workbench.course.reading.frame import Piece

PANES = ("lesson", "map", "quorum", "logs", "isr", "events", "clients")
BY_LEARNER, NOW = "by learner", "now"
_LOOK = re.compile(r"look: ([a-z]+): (.+)")
_HINT = re.compile(r"hint ([1-9][0-9]{0,3})s: (.+)")
_TASK, _DONE = "task: ", "done when: "


def section_of(piece: Piece) -> str:
    """The section that a do block names."""
    return piece.argument.partition(" ")[0]


def read_do(piece: Piece, cluster: ClusterSoFar) -> Do:
    """The block. The cluster has played its section."""
    section, _, how = piece.argument.partition(" ")
    how = how.strip()
    if how == BY_LEARNER:
        return Do(section, task=_task(piece, cluster), line=piece.line)
    if how not in ("", NOW):
        raise LessonError(cluster.path, piece.line, f"do {section}: '{how[:40]}'; allowed: {NOW}, {BY_LEARNER}")
    return Do(section, at_once=how == NOW, holds=_holds(piece, cluster), line=piece.line)


def _holds(piece: Piece, cluster: ClusterSoFar) -> tuple[Hold, ...]:
    holds: list[Hold] = []
    lines = piece.numbered()
    for place in range(0, len(lines), 2):
        number, text = lines[place]
        if text.startswith("look: "):
            raise LessonError(cluster.path, number, "look without a hold; above it stands hold at, or hold when")
        if not text.startswith(("hold at ", "hold when ")):
            allowed = "hold at EVENT, hold when CONDITION, look: PANE: TEXT"
            raise LessonError(cluster.path, number, f"not a line of a do block: '{text[:60]}'; allowed: {allowed}")
        if place + 1 == len(lines) or not lines[place + 1][1].startswith("look:"):
            raise LessonError(cluster.path, number, "hold without a look; below it stands: look: PANE: TEXT")
        pane, look = _look(*lines[place + 1], cluster)
        _, kind, wanted = text.strip().split(maxsplit=2)
        if kind == "at":
            holds.append(Hold(cluster.pattern(number, wanted), (), pane, look, number, wanted))
        else:
            conditions = cluster.conditions(number, wanted, "hold when")
            holds.append(Hold(None, conditions, pane, look, number, wanted))
    return tuple(holds)


def _look(number: int, text: str, cluster: ClusterSoFar) -> tuple[str, str]:
    parts = _LOOK.fullmatch(text.strip())
    if parts is None:
        raise LessonError(cluster.path, number, "the form is: look: PANE: what to see there")
    if parts[1] not in PANES:
        near = get_close_matches(parts[1], PANES, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise LessonError(cluster.path, number, f"no pane '{parts[1][:40]}'; {hint}allowed: {', '.join(PANES)}")
    cluster.check_values([(number, parts[2])])
    return parts[1], parts[2]


def _task(piece: Piece, cluster: ClusterSoFar) -> Task:
    lines = piece.numbered()
    (task_at, task), (done_at, done) = [*lines, (piece.line, ""), (piece.line, "")][:2]
    if not task.startswith(_TASK):
        raise LessonError(cluster.path, task_at, "a learner's step begins with 'task: what to do'")
    if not done.startswith(_DONE):
        raise LessonError(cluster.path, done_at, "below the task stands: done when: CONDITION")
    cluster.check_timers([(task_at, task)])
    conditions = cluster.conditions(done_at, done.removeprefix(_DONE), "done when")
    hints: list[Hint] = []
    for number, text in lines[2:]:
        hint = _hint(number, text.strip(), cluster)
        if hints and hint.after_s <= hints[-1].after_s:
            raise LessonError(cluster.path, number, f"hint {hint.after_s}s does not come after {hints[-1].after_s}s")
        hints.append(hint)
    return Task(task.removeprefix(_TASK).strip(), conditions, tuple(hints), task_at)


def _hint(number: int, text: str, cluster: ClusterSoFar) -> Hint:
    parts = _HINT.fullmatch(text)
    if parts is None:
        wrong = f"not a line of a learner's step: '{text[:60]}'; the form is: hint 30s: text"
        raise LessonError(cluster.path, number, wrong)
    cluster.check_timers([(number, parts[2])])
    return Hint(int(parts[1]), parts[2])
