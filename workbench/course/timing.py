"""A lesson with another timing than its own: its clusters, and so the figures of its text."""

from __future__ import annotations

from dataclasses import replace

from cluster.scenario.script import Script
from workbench.course.content import Lesson


def with_timing(lesson: Lesson, timing: str) -> Lesson:
    """The lesson with another timing profile on each of its clusters; as it is when timing is empty."""
    return replace(lesson, script=script_with_timing(lesson.script, timing))


def script_with_timing(script: Script, timing: str) -> Script:
    """The script with another timing profile on each of its clusters; as it is when timing is empty."""
    if not timing:
        return script
    sections = [
        section if section.plan is None else replace(section, plan=replace(section.plan, timing=timing))
        for section in script.sections
    ]
    return Script(tuple(sections))
