"""A lesson with another timing than its own: its clusters, and the figures of its text."""

from __future__ import annotations

from dataclasses import replace

from cluster.scenario.script import ClusterPlan, Script, settings_of
from workbench.course.figures import told
from workbench.course.lesson import Lesson, LessonStep


def with_timing(lesson: Lesson, timing: str) -> Lesson:
    """The lesson with another timing profile on each of its clusters; as it is when timing is empty."""
    if not timing:
        return lesson
    sections = [
        section if section.plan is None else replace(section, plan=replace(section.plan, timing=timing))
        for section in lesson.script.sections
    ]
    return replace(lesson, script=Script(tuple(sections)), timing=timing)


def with_figures(lesson: Lesson, slow: float = 1.0) -> Lesson:
    """The lesson with each figure as it is in the cluster of its step, when every timer is stretched so."""
    plan: ClusterPlan | None = None
    steps: list[LessonStep] = []
    for step in lesson.steps:
        section = lesson.script.section(step.do)
        plan = section.plan if section is not None and section.plan is not None else plan
        if plan is None:
            steps.append(step)
            continue
        settings = settings_of(plan, slow)
        prose, reveal, notes = (told(text, settings) for text in (step.prose, step.reveal, step.notes))
        steps.append(replace(step, prose=prose, reveal=reveal, notes=notes))
    return replace(lesson, steps=tuple(steps))
