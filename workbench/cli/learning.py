"""The `learn` command: a lesson on the screen."""

from __future__ import annotations

from workbench.cli.play import check_timing, lessons_named
from workbench.course.library import lesson_names
from workbench.runs.launch import PROCESSES, WorldChoice
from workbench.support.places import usable_home
from workbench.support.refusal import USAGE, Refusal
from workbench.tui.at_home import open_home
from workbench.tui.launch import open_lesson


def learn(name: str, slow: float, timing: str, data_dir: str | None, world: WorldChoice = PROCESSES) -> int:
    """Show one lesson, or the list of them when none is named. Returns the exit code."""
    check_timing(timing, slow)
    if world.seed is not None and not world.simulated:
        raise Refusal(USAGE, "--seed is for --simulated; real processes have none")
    if world.simulated and not name:
        raise Refusal(USAGE, f"--simulated: name a lesson; there are {', '.join(lesson_names())}")
    if not name:
        return open_home(usable_home(data_dir))
    return open_lesson(lessons_named([name])[0], usable_home(data_dir), slow=slow, world=world, timing=timing)
