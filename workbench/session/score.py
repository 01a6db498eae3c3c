"""What a direction has shown and will show, part by part: steps, and the silences between them."""

from __future__ import annotations

from typing import NamedTuple

from workbench.session.director import Beat, Director
from workbench.session.steps.sequence import Step
from workbench.telling.telling import DEED


class Part(NamedTuple):
    """One step, or the silence before it."""

    step: Step | None
    """None for a silence."""
    from_ns: int
    until_ns: int
    """Of a step: where the next part begins, in the run's time."""
    number: int
    """Of the step, from 1; of a silence that of the step that it leads to."""
    since_ns: int = 0
    """From the deed that a step follows to the step; 0 for the deed itself."""


def parts_of(director: Director) -> list[Part]:
    """All that is known of it by now, in order."""
    steps, first = director.recording.steps.all, director.first
    parts: list[Part] = []
    deed_ns = steps[first].t_ns if first < len(steps) else 0
    for index in range(first, min(director.last + 1, len(steps))):
        step = steps[index]
        if step.opens or step.phase == DEED:
            deed_ns = step.t_ns
        if index > first and director.silence_before(index):
            parts.append(Part(None, steps[index - 1].end_ns, step.t_ns, index - first + 1))
        follows = index < director.last and not director.silence_before(index + 1)
        until_ns = steps[index + 1].t_ns if follows else step.end_ns
        parts.append(Part(step, step.t_ns, until_ns, index - first + 1, step.t_ns - deed_ns))
    if parts and director.t_ns > parts[-1].until_ns and director.beat is not Beat.STEP:
        parts.append(Part(None, parts[-1].until_ns, director.t_ns, parts[-1].number + 1))
    return parts


def part_in_view(director: Director, parts: list[Part]) -> int:
    """Index of the part that is shown now; -1 before the first."""
    wanted = director.step - director.first + 1
    is_silent = director.beat is not Beat.STEP and director.beat is not Beat.REST
    if director.beat is Beat.RETURN:
        return len(parts) - 1
    here = -1
    for index, part in enumerate(parts):
        if part.number < wanted or part.number == wanted and (not is_silent or part.step is None):
            here = index
    return here


def silence_words(silent_ns: int) -> str:
    """Its length between two signs of silence: 297 ms, 1.48 s, 2 min."""
    ms = silent_ns // 1_000_000
    if ms < 1_000:
        length = f"{ms} ms"
    elif ms < 60_000:
        length = f"{ms / 1000:.2f} s" if ms < 10_000 else f"{ms / 1000:.1f} s"
    else:
        length = f"{ms // 60_000} min {ms // 1000 % 60} s"
    return f"\u22ef {length} \u22ef"


def ahead_words(director: Director, present_ns: int) -> str:
    """How far the cluster is beyond what is shown."""
    return f"the cluster is {max(0, present_ns - director.t_ns) / 1e9:.1f} s ahead"


def moment_words(director: Director) -> str:
    """Which step of how many is in view."""
    count = director.last - director.first + 1
    number = min(count, director.step - director.first + 1)
    return f"moment {number} of {count}" if count > 0 else "no moment yet"
