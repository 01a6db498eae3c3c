"""Figures beside the floors and goals they are held against."""

from __future__ import annotations

import asyncio
import platform
import statistics
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from cluster.runtime.node.busy_poll import may_busy_poll

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Aim:
    """What a figure must reach (floor) and should reach (goal), in its own unit."""

    floor: float | None
    """Worse than this is a defect; None where the specification names none."""
    goal: float
    """What we want."""
    higher_is_better: bool = True
    """False for times and shares."""

    def verdict(self, value: float) -> str:
        """Floor and goal, each met or missed and by what part of it."""
        floor = "" if self.floor is None else f"floor {self.floor:g} {self._held(value, self.floor)}, "
        return f"{floor}goal {self.goal:g} {self._held(value, self.goal)}"

    def _held(self, value: float, bound: float) -> str:
        gap = (bound - value if self.higher_is_better else value - bound) / bound
        return "met" if gap <= 0 else f"missed by {100 * gap:.0f} %"


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share (0 to 1) of all values do not exceed; nan when there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else float("nan")


def spread(values: Iterable[float]) -> str:
    """least / median / most."""
    ordered = sorted(values)
    if not ordered:
        return "none"
    return f"{ordered[0]:,.0f} / {statistics.median(ordered):,.0f} / {ordered[-1]:,.0f}"


def line(what: str, value: float, unit: str, aim: Aim | None = None, note: str = "") -> None:
    """Print one figure."""
    shown = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    told = [part for part in (aim.verdict(value) if aim else "", note) if part]
    print(f"  {what:<44} {shown:>9} {unit:<10} {'; '.join(told)}", flush=True)


def machine() -> str:
    """Interpreter, event loop of the nodes and whether it may stay awake, system."""
    try:
        import uvloop

        loop = f"uvloop {uvloop.__version__}"
    except ImportError:
        loop = "asyncio's own loop (uvloop is not installed)"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    awake = "nodes busy-poll" if may_busy_poll() else "nodes sleep between any two inputs"
    return f"{python}, {loop}, {awake}, {platform.system()} {platform.machine()}"


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run it on the event loop that the nodes use: the client is one of the four hops of a commit."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(work)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)
