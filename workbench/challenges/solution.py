"""A solution: a script that begins with the field of its challenge, and how many commands it adds to that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from cluster.scenario.parse import parse_script
from cluster.scenario.script import At, ClusterPlan, Do, Expect, Say, Script, ScriptError, When
from cluster.scenario.told import VerdictIs
from workbench.challenges.learners_file import read_text
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text

IMPOSSIBLE = "impossible"


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """What a learner hands in."""

    path: Path
    text: str
    """As it is in the file."""
    script: Script
    """With the lines of the field."""
    commands: int
    """Those of the field are not counted; expectations, waits and what is remembered neither."""
    is_impossible: bool
    """Whether it says so."""


def read_solution(path: Path, field: str) -> Solution:
    """The checked solution in a file. Refusal names the line that is wrong, or that another field was taken."""
    text = read_text(path)
    name = safe_text(str(path), 200)
    has_field = any(line.strip().startswith(("cluster ", "[")) for line in text.splitlines())
    head = "" if has_field else f"{field}\n"
    try:
        script = parse_script(head + text)
    except ScriptError as error:
        line = error.line - head.count("\n")
        raise Refusal(BAD_DATA, f"{name}: line {max(1, line)}: {safe_text(error.what, 400)}") from error
    if wrong := _strange(script, parse_script(field)):
        raise Refusal(BAD_DATA, f"{name}: {wrong}")
    return Solution(
        path=path,
        text=text,
        script=script,
        commands=count_commands(script) - count_commands(parse_script(field)),
        is_impossible=any(isinstance(step, Say) and step.text.strip() == IMPOSSIBLE for step in _steps(script)),
    )


def count_commands(script: Script) -> int:
    """How many commands it sends."""
    return sum(isinstance(step, Do | At | When) for step in _steps(script))


def refuse_verdicts(path: Path, script: Script) -> None:
    """Refusal when a script asks the checker: where the broken rule is the question, it may not."""
    for step in _steps(script):
        if isinstance(step, Expect) and isinstance(step.condition, VerdictIs):
            what = "a bug hunt asks you which rule is broken, so a script may not ask the checker"
            raise Refusal(BAD_DATA, f"{safe_text(str(path), 200)}: line {step.line}: {what}; take out: {step.text}")


def _steps(script: Script) -> list[object]:
    return [step for section in script.sections for step in section.steps]


def _strange(script: Script, field: Script) -> str:
    """Where it leaves the field; empty when it does not."""
    first, wanted = script.sections[0], field.sections[0]
    assert wanted.plan is not None
    shown = "; ".join([_said(wanted.plan), *(step.text for step in wanted.steps)])
    if len([section for section in script.sections if section.plan is not None]) > 1:
        return "it starts a second cluster; a solution is played on one"
    if first.plan is None or _without_lines(first.plan) != _without_lines(wanted.plan):
        line = first.line if first.plan is not None else 1
        return f"line {line}: another cluster than the one it is played on: {shown}"
    for step, given in zip(first.steps, wanted.steps, strict=False):
        if not isinstance(step, Do) or step.text != given.text:
            return f"line {step.line}: it has to begin with: {shown}"
    return "" if len(first.steps) >= len(wanted.steps) else f"it has to begin with: {shown}"


def _without_lines(plan: ClusterPlan) -> ClusterPlan:
    return replace(plan, given_at=(), overrides=tuple(sorted(plan.overrides)))


def _said(plan: ClusterPlan) -> str:
    words = [f"cluster controllers={plan.controllers} brokers={plan.brokers}"]
    words += [f"{name}={_value(value)}" for name, value in plan.overrides]
    return "; ".join([" ".join(words), *(f"given {line}" for line in plan.given_lines)])


def _value(value: int | bool | str) -> int | str:  # noqa: FBT001
    return ("on" if value else "off") if isinstance(value, bool) else value
