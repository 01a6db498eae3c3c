"""The `learn` command: a lesson on the screen."""

from __future__ import annotations

from dataclasses import replace

from workbench.course.play import check_timing, lessons_named, with_timing
from workbench.places import usable_home
from workbench.tui.launch import open_home, open_lesson


def learn(name: str, slow: float, timing: str, data_dir: str | None) -> int:
    """Show one lesson, or the list of them when none is named. Returns the exit code."""
    check_timing(timing)
    if not name:
        return open_home(usable_home(data_dir))
    lesson = lessons_named([name])[0]
    timed = replace(lesson, script=with_timing(lesson.script, timing))
    return open_lesson(timed, usable_home(data_dir), slow=slow)
