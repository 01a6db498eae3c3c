"""The timing of a lesson: that of its clusters, or another one, and so the figures of its text."""

from __future__ import annotations

from dataclasses import replace

from cluster.model.settings import Settings
from cluster.scenario.script import Script, settings_of
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


def settings_at(script: Script, section: str, slow: float = 1.0) -> Settings:
    """Of the cluster that a section acts on; the defaults before any is begun."""
    names = [each.name for each in script.sections]
    until = script.sections[: names.index(section) + 1] if section in names else ()
    plan = next((each.plan for each in reversed(until) if each.plan is not None), None)
    return settings_of(plan, slow) if plan is not None else Settings()
