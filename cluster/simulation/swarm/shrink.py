"""Makes a failing run small: few commands that still break the same rule.

Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (2002), ddmin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from cluster.model.entry import Entry
from cluster.simulation.swarm.judge import AT_REST, OF_NO_RULE, Finding, Judge
from cluster.simulation.swarm.schedule import Player, Schedule, Timed, play
from cluster.simulation.world.cluster import SimulatedCluster
from cluster.simulation.world.kernel import NS_PER_MS, NS_PER_S, START_NS

RUNS_MAX = 400
"""Runs after which it is small enough."""
PLAYED_S_MAX = 6_000.0
"""Virtual seconds after which it is: a few minutes of one core, however long the schedule."""
STARTS_EVERY_NS = 5 * NS_PER_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrunk:
    """A run made small."""

    schedule: Schedule
    """What is left of it."""
    finding: Finding
    """What is wrong with it."""
    runs: int
    """How often it was played."""


class _Broken(BaseException):
    """The rule is broken; no handler of a node may take this for a crash of its own."""


class _Stop:
    """A listener that ends the run at the very event that breaks a rule."""

    __slots__ = ("_judge", "_rule")

    def __init__(self, judge: Judge, rule: str) -> None:
        self._judge, self._rule = judge, rule

    def __call__(self, _entry: Entry) -> None:
        if self._judge.is_broken(self._rule):
            raise _Broken


def rule_to_keep(findings: Sequence[Finding]) -> str:
    """Which of several findings a small run has to show: a rule says more than a crash or a lack of order does."""
    rules = [item.rule for item in findings]
    return next((rule for rule in rules if rule not in OF_NO_RULE), rules[0])


def shrink(
    schedule: Schedule, rule: str, runs_max: int = RUNS_MAX, played_s_max: float = PLAYED_S_MAX
) -> Shrunk | None:
    """The same failure with fewer commands; None when playing the schedule again does not break the rule.

    It ends after so many runs, or so many virtual seconds of them, with the fewest commands found by then.
    """
    if rule == AT_REST:
        before = tuple(item for item in schedule.timed if item.at_ns <= schedule.rest_ns)
        schedule = replace(schedule, timed=before, end_ns=schedule.rest_ns)
    whole = _with_calm(schedule) if _needs_calm(rule) else schedule
    end_ns = _end_of(whole, rule)
    if end_ns is None and whole is not schedule:  # it takes what was done in calm: a consumer, a core that is left
        whole = schedule
        end_ns = _end_of(whole, rule)
    if end_ns is None:
        return None
    whole = replace(whole, timed=tuple(item for item in whole.timed if item.at_ns <= end_ns), end_ns=end_ns)
    runs = [1]
    played_ns = [end_ns]

    def breaks(timed: Sequence[Timed]) -> bool:
        runs[0] += 1
        broken_ns = _end_of(replace(whole, timed=tuple(timed)), rule)
        played_ns[0] += whole.end_ns if broken_ns is None else broken_ns
        return broken_ns is not None

    def is_enough() -> bool:
        return runs[0] >= runs_max or played_ns[0] >= played_s_max * NS_PER_S

    rounded = [Timed(item.at_ns // NS_PER_MS * NS_PER_MS, item.command) for item in whole.timed]
    timed = rounded if breaks(rounded) else list(whole.timed)
    fixed = {place for place, item in enumerate(timed) if _is_fixed(item, whole, rule)}

    def those(places: Iterable[int]) -> tuple[Timed, ...]:
        return tuple(timed[place] for place in sorted(fixed.union(places)))

    free = [place for place in range(len(timed)) if place not in fixed]
    left = _fewest(free, lambda places: breaks(those(places)), is_enough)
    small = replace(whole, timed=those(left))
    finding = next((item for item in findings_of(small) if item.rule == rule), None)
    return None if finding is None else Shrunk(schedule=small, finding=finding, runs=runs[0])


def findings_of(schedule: Schedule) -> list[Finding]:
    """Play a schedule to its end; what is wrong with it."""
    cluster, judge = SimulatedCluster(schedule.config, observes=False), Judge()
    judge.attend(cluster)
    cluster.begin()
    play(schedule.timed, schedule.end_ns, Player(cluster))
    return judge.end(judge.missing() if schedule.end_ns == schedule.rest_ns else "")


def _end_of(schedule: Schedule, rule: str) -> int | None:
    """A moment after the rule was broken, since the beginning; None when it was not."""
    cluster, judge = SimulatedCluster(schedule.config, observes=False), Judge()
    judge.attend(cluster)
    if judge.knows(rule):
        cluster.recording.listeners.append(_Stop(judge, rule))
    try:
        cluster.begin()
        play(schedule.timed, schedule.end_ns, Player(cluster))
        found = judge.end("" if judge.knows(rule) else judge.missing())
    except _Broken:
        return min(schedule.end_ns, cluster.kernel.now_ns - START_NS + NS_PER_MS)
    return schedule.end_ns if any(item.rule == rule for item in found) else None


def _needs_calm(rule: str) -> bool:
    """Whether it says what must come to pass after the trouble."""
    return rule == AT_REST or rule.startswith("L")


def _with_calm(schedule: Schedule) -> Schedule:
    """With an end that calms whatever trouble is left of the schedule."""
    before = [item for item in schedule.timed if item.at_ns < schedule.calm_ns]
    tail = [Timed(schedule.calm_ns, "heal")]
    cluster = SimulatedCluster(schedule.config, observes=False)
    for at_ns in range(schedule.calm_ns, schedule.end_ns, STARTS_EVERY_NS):
        tail += [Timed(at_ns, f"start {node}") for node in cluster.nodes]
    return replace(schedule, timed=(*before, *tail))


def _is_fixed(item: Timed, schedule: Schedule, rule: str) -> bool:
    """Other commands make no sense without the topic, and no rule holds in trouble that speaks of calm."""
    return item.command.startswith("topic ") or (_needs_calm(rule) and item.at_ns >= schedule.calm_ns)


def _fewest(items: list[int], breaks: Callable[[list[int]], bool], is_enough: Callable[[], bool]) -> list[int]:
    """Leave out ever smaller pieces, as long as the rest breaks the rule."""
    if items and breaks([]):
        return []
    pieces = 2
    while len(items) > 1 and not is_enough():
        size = -(-len(items) // pieces)
        for start in range(0, len(items), size):
            without = items[:start] + items[start + size :]
            if is_enough():
                return items
            if breaks(without):
                items, pieces = without, max(2, pieces - 1)
                break
        else:
            if size == 1:
                return items
            pieces = min(len(items), 2 * pieces)
    return items
