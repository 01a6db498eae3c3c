"""Challenge 9: a recording whose faults are hidden; the learner says what was done, to whom and when."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from msgspec.structs import replace

from cluster.cluster_spec import ClusterSpec
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.settings import classroom_timing
from cluster.scenario.parse import parse_script
from cluster.scenario.script import At, ScriptError
from cluster.simulation.swarm.schedule import Player, Timed, play
from cluster.simulation.world.cluster import SimulatedCluster
from cluster.simulation.world.kernel import NS_PER_S
from cluster.simulation.world.recording import TraceFiles
from workbench.challenges.grade import Grade
from workbench.challenges.learners_file import read_text
from workbench.runs.launch import WorldChoice, recorded
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text

FIELD = "cluster controllers=3 brokers=3"
NEAR_NS = NS_PER_S // 2
WINDOWS_S = ((4.0, 8.0), (16.0, 20.0), (28.0, 32.0))
LASTS_S = 6.0
END_S = 42.0
TROUBLES = ("kill", "pause", "isolate", "cut")
HIDDEN = (
    ev.FaultInjected, ev.FaultApplied, ev.FaultReverted, ev.ProcessExited, ev.ProcessStarted, ev.ProcessReady,
    ev.FramesHeld, ev.FramesReleased, ev.MessagePlucked, ev.LinkReset, ev.LinkConnected,
)  # fmt: skip
"""What would give a fault away once all nodes are up."""


class Deed(NamedTuple):
    """One thing that was done, or that a learner says was done."""

    kind: str
    nodes: frozenset[int]
    at_ns: int
    """Since the run began."""


@dataclass(frozen=True, slots=True)
class Case:
    """What a seed hides."""

    deeds: tuple[Deed, ...]
    timed: tuple[Timed, ...]
    """With what makes the topic, writes to it and takes the faults back."""


def case_of(seed: int) -> Case:
    """Drawn from the seed alone."""
    random = Random(f"detective {seed}")
    timed = [Timed(NS_PER_S, "topic orders assign=1,2,3 min-isr=2"), Timed(2 * NS_PER_S, "load 10")]
    deeds = []
    for kind, (first_s, last_s) in zip(random.sample(TROUBLES, 3), WINDOWS_S, strict=True):
        at_ns = round(random.uniform(first_s, last_s) * 100) * (NS_PER_S // 100)
        nodes = [1, random.choice((2, 3))] if kind == "cut" else [random.choice((1, 2, 3, 101, 102, 103))]
        where = "-".join(map(str, nodes))
        deeds.append(Deed(kind, frozenset(nodes), at_ns))
        timed += [Timed(at_ns, f"{kind} {where}"), Timed(at_ns + round(LASTS_S * NS_PER_S), "heal")]
        if kind == "kill":
            timed[-1] = Timed(timed[-1].at_ns, f"start {where}")
    return Case(tuple(deeds), tuple(timed))


def record(seed: int, home: Path) -> Path:
    """Play the case and keep a recording of all but the faults. The run's folder."""
    config = ClusterSpec(seed=seed, settings=classroom_timing(), title=f"Detective, case {seed}")
    with recorded(home, config) as folder:
        cluster, files = SimulatedCluster(config, observes=False), TraceFiles(folder / "trace")
        hide = _Hide(case_of(seed).deeds[0].at_ns)
        cluster.recording.readers.append(lambda entries: files(hide.rest(entries)))
        cluster.begin()
        play(case_of(seed).timed, round(END_S * NS_PER_S), Player(cluster))
        cluster.finish()
        cluster.recording.catch_up()
        files.close()
        return folder


class _Hide:
    """Leaves the faults out of a trace and closes the gaps in its numbers."""

    def __init__(self, first_ns: int) -> None:
        self._first_ns, self._began_ns = first_ns, 0
        self._gone: dict[tuple[int, int], int] = {}
        """(node, incarnation) to how many of its events are left out."""
        self._new: dict[EventId, EventId] = {}
        """What is left, by its number before."""

    def rest(self, entries: Iterable[Entry]) -> list[Entry]:
        """What stays, in order."""
        entries_left = []
        for entry in entries:
            self._began_ns = self._began_ns or entry.t_ns
            writer = entry.node, entry.incarnation
            if isinstance(entry.event, HIDDEN) and entry.t_ns - self._began_ns >= self._first_ns:
                self._gone[writer] = self._gone.get(writer, 0) + 1
                continue
            entries_left.append(self._numbered(entry, self._gone.get(writer, 0)))
        return entries_left

    def _numbered(self, entry: Entry, gone: int) -> Entry:
        own = EventId(entry.node, entry.incarnation, entry.seq - gone)
        self._new[entry.id] = own
        return replace(entry, seq=own.seq, cause=None if entry.cause is None else self._new.get(entry.cause))


def grade(path: Path, seed: int, home: Path, world: WorldChoice) -> Grade:  # noqa: ARG001
    """Hold an answer against what was hidden. Refusal names a line that is none."""
    if not world.simulated:
        raise Refusal(USAGE, "challenge 9 has a simulated recording; it has no --real")
    text = read_text(path)
    claims, hidden = read_answer(path, text), case_of(seed).deeds
    right = [_nearest(deed, claims) for deed in hidden]
    hits = sum(off_ns is not None for off_ns in right)
    solved = hits == len(hidden) == len(claims)
    off_ms = sum(off_ns or 0 for off_ns in right) // 1_000_000
    what = f"{hits} of {len(hidden)} found" + (f", {off_ms} ms off in all" if solved else f", {len(claims)} said")
    return Grade(solved=solved, what=what, commands=len(claims), time_ms=off_ms if solved else 0, text=text)


def _nearest(deed: Deed, said: list[Deed]) -> int | None:
    """How far off the nearest line is that names it; None when none is near enough."""
    offs = [abs(each.at_ns - deed.at_ns) for each in said if (each.kind, each.nodes) == (deed.kind, deed.nodes)]
    near = [off for off in offs if off <= NEAR_NS]
    return min(near, default=None)


def read_answer(path: Path, text: str) -> list[Deed]:
    """The lines of an answer. Refusal for a line that says nothing of the kind."""
    name = safe_text(str(path), 200)
    try:
        script = parse_script(f"{FIELD}\n{text}")
    except ScriptError as error:
        raise Refusal(BAD_DATA, f"{name}: line {max(1, error.line - 1)}: {safe_text(error.what, 300)}") from error
    deeds = []
    for step in script.sections[0].steps:
        kind = step.command.split()[0] if isinstance(step, At) else ""
        if not isinstance(step, At) or kind not in TROUBLES:
            what = f"a line is a time and one of {', '.join(TROUBLES)}, such as: at 4.2s pause 2"
            raise Refusal(BAD_DATA, f"{name}: line {step.line - 1}: '{safe_text(step.text, 60)}'; {what}")
        deeds.append(Deed(kind, frozenset(map(int, re.findall("[0-9]+", step.command))), step.at_ns))
    return deeds
