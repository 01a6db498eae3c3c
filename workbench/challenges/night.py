"""Challenge 8: the faults of one night are given; the learner chooses the settings that get through it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.scenario.parse import parse_script
from cluster.scenario.script import At, Do, Script
from cluster.simulation.swarm.schedule import Player, Timed, play
from cluster.simulation.world.cluster import SimulatedCluster
from cluster.simulation.world.kernel import NS_PER_S, START_NS
from workbench.challenges.acknowledged import Acknowledged
from workbench.challenges.grade import Grade
from workbench.challenges.learners_file import read_text
from workbench.runs.launch import WorldChoice
from workbench.session.views.cluster import ClusterView
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text

SEEDS = 20
CHOICES = {
    "replicas": ("1", "2", "3"),
    "min-isr": ("1", "2", "3"),
    "acks": ("all", "1", "0"),
    "unclean": ("on", "off"),
}
"""What may be chosen, each on a line of its own."""
EXAMPLE = "replicas=3\nmin-isr=1\nacks=1\nunclean=on"
NIGHT = """\
at 4s kill 3
at 8s stop 1
at 13s power-loss 2
at 16s start 2
at 17s start 1
at 18s start 3
at 28s kill 3
at 33s kill 1
at 33.1s kill 2
at 35s start 3
at 42s start 2
at 43s start 1
at 52s isolate leader(orders-0)
at 57s heal
at 64s power-loss 1
at 73s start 1
at 76s load off"""
"""One dies, one leaves, the last one loses power; all die, and the one that was down comes first; a leader is cut
off; one loses power.
"""
OFF_S, END_S = 76, 80
SILENT_NS = 1_000_000_000
"""Between two acknowledgements: what is longer counts as refused."""


def begin() -> str:
    """What a solution looks like, and the night."""
    return f"{EXAMPLE}\n\n# The night, the same for everybody:\n" + "\n".join(f"# {line}" for line in NIGHT.split("\n"))


class _Night:
    """One night as its events tell it. A reader of a simulated recording."""

    def __init__(self) -> None:
        self.lost = 0
        self.refused_ns = 0
        self._acknowledged = Acknowledged()
        self._picture = ClusterView()
        self._newest_ns = 0

    def __call__(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._take(entry)

    def _take(self, entry: Entry) -> None:
        self._picture.apply(entry)
        event = entry.event
        match event:
            case ev.OperationInvoked():
                self._acknowledged.apply(event)
            case ev.OperationSucceeded(function="produce"):
                self._acknowledged.apply(event)
                self.note(entry.t_ns)
            case ev.LoadStarted():
                self._newest_ns = entry.t_ns
            case ev.BecameLeader() | ev.ReplicaTruncated():
                self.lost = max(self.lost, sum(self._acknowledged.lost(self._picture, acks) for acks in (-1, 0, 1)))

    def note(self, now_ns: int) -> None:
        """A write was acknowledged now, or the load is over: nothing was since the one before it."""
        gap_ns = now_ns - self._newest_ns
        self.refused_ns += gap_ns if gap_ns > SILENT_NS else 0
        self._newest_ns = max(self._newest_ns, now_ns)


def _play(script: Script, seed: int) -> _Night:
    """One night in a bare simulation: nothing of it is kept."""
    section = script.sections[0]
    plan = section.plan
    assert plan is not None
    timed = [Timed(step.at_ns, step.command) for step in section.steps if isinstance(step, At)]
    before = [Timed(NS_PER_S, step.text) for step in section.steps if isinstance(step, Do)]
    cluster, night = SimulatedCluster(plan.spec("A night", seed=seed), observes=False), _Night()
    cluster.recording.readers.append(night)
    cluster.begin()
    play([*before, *timed], END_S * NS_PER_S, Player(cluster))
    cluster.recording.catch_up()
    night.note(START_NS + OFF_S * NS_PER_S)
    return night


def grade(path: Path, seed: int, home: Path, world: WorldChoice) -> Grade:  # noqa: ARG001
    """Play the night with these settings under 20 seeds, from `seed` on. Refusal for what are no settings."""
    if not world.simulated:
        raise Refusal(USAGE, "challenge 8 is played in 20 simulations; it has no --real")
    text = read_text(path)
    script = parse_script(script_text(path, text))
    nights = {each: _play(script, each) for each in range(seed, seed + SEEDS)}
    bad = [each for each, night in nights.items() if night.lost]
    refused_ms = sum(night.refused_ns for night in nights.values()) // len(nights) // 1_000_000
    what = f"{refused_ms / 1000:.1f} s of {OFF_S} without an acknowledged write, on average"
    if bad:
        lost = sum(night.lost for night in nights.values())
        what = f"{lost} acknowledged records lost, seeds {', '.join(map(str, bad[:5]))}{' ...' if bad[5:] else ''}"
    return Grade(solved=not bad, what=what, cost=refused_ms, commands=0, text=text)


def script_text(path: Path, text: str) -> str:
    """The script of the night with the settings in a file. Refusal names the line that is none."""
    name, chosen = safe_text(str(path), 200), dict[str, str]()
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        key, _, value = words.partition("=")
        if key not in CHOICES or value not in CHOICES[key] or key in chosen:
            allowed = "; ".join(f"{each}={'|'.join(values)}" for each, values in CHOICES.items())
            raise Refusal(BAD_DATA, f"{name}: line {number}: '{safe_text(words, 60)}'; each once: {allowed}")
        chosen[key] = value
    if missing := [key for key in CHOICES if key not in chosen]:
        raise Refusal(BAD_DATA, f"{name}: {missing[0]}= is missing; allowed: {', '.join(CHOICES[missing[0]])}")
    if chosen["min-isr"] > chosen["replicas"]:
        raise Refusal(BAD_DATA, f"{name}: min-isr={chosen['min-isr']} of {chosen['replicas']} replicas takes no write")
    brokers = "1,2,3"[: 2 * int(chosen["replicas"]) - 1]
    return (
        f"cluster controllers=3 brokers=3 unclean_leader_election={chosen['unclean']}\n"
        f"topic orders assign={brokers} min-isr={chosen['min-isr']}\n"
        f"load 5 acks={chosen['acks']}\n{NIGHT}\n"
    )
