"""Takes a lesson up again where it was left: what its cluster had been through is played again, silently."""

from __future__ import annotations

from math import inf
from pathlib import Path

from workbench.session.lesson.keeping import kept_of
from workbench.session.lesson.player import LessonPlayer
from workbench.session.lesson.step_progress import DONE, OPEN


def take_up(player: LessonPlayer, folder: Path | None) -> None:
    """Go on where the learner left, if there is anything left to do; `catch_up` makes the cluster that is needed."""
    kept = kept_of(player.lesson, folder)
    if kept is None or kept.is_finished:
        return
    for own, before in zip(player.steps, kept.steps, strict=True):
        own.answer, own.checked, own.told = before.answer, before.checked, before.told
        own.failed = dict(before.refused)
        own.state = DONE if before.is_done else OPEN
    player.at = min(kept.at, kept.open_place)


def missing_steps(player: LessonPlayer) -> list[int]:
    """Steps that made the cluster with which the first open step goes on, and whose cluster is gone."""
    steps, pairs = player.lesson.steps, zip(player.lesson.steps, player.steps, strict=True)
    first = next((place for place, (step, own) in enumerate(pairs) if step.do and own.state != DONE), len(steps))
    if first == len(steps) or player.has_cluster:
        return []
    missing: list[int] = []
    for place in range(first, -1, -1):
        section = player.section(steps[place])
        if section is not None and place < first:
            missing.insert(0, place)
        if section is not None and section.plan is not None:
            break
    return missing


async def catch_up(player: LessonPlayer) -> bool:
    """Play what is missing, in virtual time as fast as it goes. Whether all held."""
    pace = player.pace
    speed = pace.speed if pace is not None else inf
    try:
        for place in missing_steps(player):
            if pace is not None:
                pace.speed, pace.is_halted = inf, False
            if not await player.play_silently(place):
                return False
        return True
    finally:
        if pace is not None:
            pace.speed, pace.is_halted = speed, True
        player.changed.set()
