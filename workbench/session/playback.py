"""A recorded run as a film: which stretches of its time are shown, and when each moment has its turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from workbench.session.recording import Recording

NEAR_NS = 1_000_000_000
"""What lies within this time before or after a notable event is shown; of a longer idle stretch the middle is not."""


class Stretch(NamedTuple):
    """A part of the run that is shown, on the run's clock."""

    from_ns: int
    until_ns: int


class Moment(NamedTuple):
    """One frame."""

    shown_ns: int
    """Time of the film, from 0."""
    run_ns: int
    """The run's clock."""


def notable_times(recording: Recording) -> list[int]:
    """When something happened that the story tells, in order."""
    told = [moment.t_ns for moment in recording.story.moments]
    told += [line.first.t_ns for incident in recording.story.incidents for line in incident.steps]
    return sorted(told)


def stretches(times: Iterable[int], start_ns: int, end_ns: int) -> list[Stretch]:
    """What is near the start, the end or one of the times; times ascend. Stretches that touch are one."""
    found: list[Stretch] = []
    for t_ns in (start_ns, *times, end_ns):
        from_ns, until_ns = max(start_ns, t_ns - NEAR_NS), min(end_ns, t_ns + NEAR_NS)
        if found and from_ns <= found[-1].until_ns:
            found[-1] = Stretch(found[-1].from_ns, max(found[-1].until_ns, until_ns))
        else:
            found.append(Stretch(from_ns, until_ns))
    return found


def moments(shown: Sequence[Stretch], step_ns: int, speed: float) -> Iterator[Moment]:
    """A frame every step of the film, and one at both ends of each stretch; speed is run time by film time."""
    passed_ns, stride_ns = 0, max(1, round(step_ns * speed))
    for part in shown:
        for run_ns in range(part.from_ns, part.until_ns, stride_ns):
            yield Moment(round((passed_ns + run_ns - part.from_ns) / speed), run_ns)
        passed_ns += part.until_ns - part.from_ns
        yield Moment(round(passed_ns / speed), part.until_ns)
