"""What one seed of the swarm is made of: everything is drawn anew, so that unlike runs meet unlike troubles.

Faults spaced seconds apart find little; a swarm of intensities, sizes and mixtures finds more. Source: swarm testing
(Groce and others, ISSTA 2012).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from random import Random
from typing import NamedTuple

from cluster.faults.fault import Fault
from cluster.faults.grammar import COMMANDS
from cluster.model.settings import classroom_timing
from cluster.simulation.swarm.settings import draw_options, draw_settings, for_groups
from cluster.simulation.world.cluster import SimulationConfig

CONTROLLERS, BROKERS = (1, 2, 3, 3, 3, 4, 5), (1, 2, 3, 3, 3, 4, 5, 6)
REPLICAS = (1, 2, 3, 3, 3, 3, 4, 5)
TOPICS = ("orders", "events")
SECOND_SHARE = 0.35
"""Of the seeds that have a second topic, with settings of its own."""
GROUP_SHARE, SECOND_GROUP_SHARE = 0.5, 0.3
"""Of the seeds that have a consumer group, and of those the ones that have a second."""
NEWER_SHARE = 0.45
"""Of the groups, those of the newer protocol."""
ASSIGNORS = ("range", "roundrobin", "sticky", "cooperative-sticky")
NEWER_ASSIGNORS = ("uniform", "range")
DELETION_SHARE = 0.25
"""Of the seeds in which records are deleted."""
DELETE_EVERY_S = (1.0, 5.0, 20.0)
STUTTER_SHARE = 0.25
"""Of the seeds in which nodes stutter."""
STUTTER_EVERY_S = (1.0, 4.0)
DECLARED = {kind.verb: kind.swarm for kind in COMMANDS if issubclass(kind, Fault) and kind.swarm}
"""Faults that say in which share of the seeds they may strike."""
FIRST_KINDS = (
    "kill", "crash", "stop", "restart", "pause", "freeze", "power-loss", "cut", "cut links", "isolate", "partition",
    "delay", "slow-link", "reset", "fsync slow", "fsync lie", "disk-full", "fsync lie-dir", "fsync fail", "lose",
    "duplicate", "reorder", "clock skew", "clock drift", "elect", "elect unclean", "ok", "undo",
)  # fmt: skip
KINDS = (*FIRST_KINDS, *(verb for verb in DECLARED if verb not in FIRST_KINDS))
"""In an order that stays, so that a seed stays the run that it was."""
AIMED = ("kill leader", "starve")
"""At the leader of a partition or of the quorum: it dies, at once or when the next leader has not heard of it for a
while, so that the next one has another log than the rest.
"""
AIMED_SHARE = 0.4
"""Of the seeds that have each of them."""
USUAL_SHARE = 0.6
SHARES = {
    **DECLARED,
    **dict.fromkeys(("elect", "cut links", "restart", "ok", "undo"), 0.3),
    "elect unclean": 0.06,
}
"""Of the seeds that have a fault: less of what excuses much that others may not break, and of what rarely breaks."""
DAMAGES = ("wipe", "tear", "rot", "misread")
"""What befalls disks: most of it takes away what was durable, which excuses much."""
DAMAGED_SHARE, DAMAGE_SHARE = 1 / 3, 0.5
"""Of the seeds whose disks are damaged, and of those the ones that have each kind of it."""
FAULT_EVERY_S = (0.05, 0.3, 1.0, 3.0)
DELAYS_MS = (20, 200, 1_000)
CORE_SHARE, CALM_SHARE = 0.5, 0.1
LOSSES = (0, 0, 0, 2, 20)


class PlannedTopic(NamedTuple):
    """One topic of a seed."""

    name: str
    partitions: int
    replicas: int
    """Of each partition."""
    min_isr: int
    """min.insync.replicas."""


class PlannedGroup(NamedTuple):
    """One consumer group of a seed."""

    name: str
    topics: tuple[str, ...]
    """What its members subscribe to."""
    members: int
    """At work at a time."""
    protocol: str
    """classic or consumer (KIP-848)."""
    assignor: str
    """How they divide the partitions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwarmPlan:
    """One seed's run."""

    config: SimulationConfig
    duration_s: float
    """Of trouble, in virtual time; calm follows."""
    kinds: tuple[str, ...]
    """Faults that may strike."""
    fault_every_s: float
    """Mean time between two."""
    loss_percent: int
    """Of all messages that vanish, come twice, or are overtaken, from the first to the calm."""
    delay_ms: int
    """Most that a link is delayed."""
    at_once: float
    """Share of ended nodes that are started again at once."""
    topics: tuple[PlannedTopic, ...]
    """Made when the run begins."""
    producers: int
    """At work at a time."""
    acks: tuple[str, ...]
    """What they ask for."""
    in_flight: int
    """Requests of one producer on their way."""
    leaves_core: bool
    """At the end some nodes die for good, and those that are left must go on."""
    stays_calm: bool
    """At the end nothing happens for more than a minute, and nothing may change."""
    idempotent: float = 0.0
    """Share of the producers with acks=all that are idempotent."""
    gives_up: float = 0.0
    """Share of the other producers that never try again."""
    groups: tuple[PlannedGroup, ...] = ()
    delete_every_s: float = 0.0
    """Mean time between two deletions of records; 0 for none."""
    stutter_every_s: float = 0.0
    """Mean time from the end of one stutter to the begin of the next; 0 for none."""
    damages: tuple[str, ...] = ()
    """What may befall disks; empty for nothing."""

    def __str__(self) -> str:
        """The drawn values in one line."""
        config, settings = self.config, self.config.settings
        plain, usual = asdict(settings), asdict(classroom_timing())
        switches = [f"{name}={value}" for name, value in plain.items() if value != usual[name] and name[-3:] != "_ms"]
        return " ".join(
            (
                f"seed={config.seed} controllers={config.controllers} brokers={config.brokers}",
                f"combined={config.combined}",
                *(f"{topic.name}={topic.partitions}x{topic.replicas}/{topic.min_isr}" for topic in self.topics),
                f"every={self.fault_every_s:g}s delay={self.delay_ms}ms at-once={self.at_once:g}",
                f"loss={self.loss_percent}% election={settings.quorum_election_timeout_ms}ms",
                f"producers={self.producers} acks={','.join(self.acks)} in-flight={self.in_flight}",
                f"idempotent={self.idempotent:g} gives-up={self.gives_up:g}",
                *(f"{one.name}={one.members}x{one.protocol}/{one.assignor}" for one in self.groups),
                *(f"delete-every={self.delete_every_s:g}s" for _ in range(self.delete_every_s > 0)),
                *(f"stutter-every={self.stutter_every_s:g}s" for _ in range(self.stutter_every_s > 0)),
                *switches,
                *(f"damages={','.join(self.damages)}" for _ in self.damages[:1]),
                f"faults={','.join(kind.replace(' ', '-') for kind in self.kinds)}",
            )
        )


def draw_plan(seed: int, duration_s: float, *, disk_faults: bool = False) -> SwarmPlan:
    """Everything that is not drawn while it runs.

    Args:
        disk_faults: damage disks whatever the seed says; that changes nothing else of it.
    """
    random = Random(f"{seed}/swarm")
    brokers = random.choice(BROKERS)
    kinds = tuple(kind for kind in KINDS if random.random() < SHARES.get(kind, USUAL_SHARE))
    aim = Random(f"{seed}/aim")
    kinds += tuple(kind for kind in AIMED if aim.random() < AIMED_SHARE)
    config = SimulationConfig(
        seed=seed,
        controllers=random.choice(CONTROLLERS),
        brokers=brokers,
        combined=random.random() < 0.15,
        settings=draw_settings(random),
        title=f"Swarm seed {seed}",
        options=draw_options(random),
    )
    names = TOPICS if random.random() < SECOND_SHARE else TOPICS[:1]
    topics = tuple(_topic(random, name, brokers) for name in names)
    groups = _groups(Random(f"{seed}/group load"), names)
    settings = for_groups(Random(f"{seed}/group settings"), config.settings, topics[0].min_isr)
    return SwarmPlan(
        config=replace(config, settings=settings) if groups else config,
        duration_s=duration_s,
        kinds=kinds or ("kill",),
        fault_every_s=random.choice(FAULT_EVERY_S),
        loss_percent=random.choice(LOSSES),
        delay_ms=random.choice(DELAYS_MS),
        at_once=random.choice((0.0, 0.5, 1.0)),
        topics=topics,
        producers=random.choice((1, 2, 4)),
        acks=random.choice((("all",), ("all",), ("all",), ("all", "1"), ("all", "1", "0"))),
        in_flight=random.choice((1, 1, 5)),
        leaves_core=random.random() < CORE_SHARE,
        stays_calm=random.random() < CALM_SHARE,
        idempotent=random.choice((0.0, 0.5, 0.5, 1.0)),
        gives_up=random.choice((0.0, 0.0, 0.3)),
        groups=groups,
        delete_every_s=_every_s(Random(f"{seed}/deletions"), DELETION_SHARE, DELETE_EVERY_S),
        stutter_every_s=_every_s(Random(f"{seed}/stutters"), STUTTER_SHARE, STUTTER_EVERY_S),
        damages=_damages(Random(f"{seed}/damages"), asked=disk_faults),
    )


def _topic(random: Random, name: str, brokers: int) -> PlannedTopic:
    replicas = min(random.choice(REPLICAS), brokers)
    return PlannedTopic(name, random.choice((1, 1, 3)), replicas, random.randint(1, min(3, replicas)))


def _groups(random: Random, topics: tuple[str, ...]) -> tuple[PlannedGroup, ...]:
    """Half of the seeds have a consumer group, and some a second beside it."""
    if random.random() >= GROUP_SHARE:
        return ()
    names = ("swarm", "other") if random.random() < SECOND_GROUP_SHARE else ("swarm",)
    found = []
    for name in names:
        protocol = "consumer" if random.random() < NEWER_SHARE else "classic"
        assignor = random.choice(ASSIGNORS if protocol == "classic" else NEWER_ASSIGNORS)
        some = topics if random.random() < 0.5 else topics[:1]
        found.append(PlannedGroup(name, some, random.choice((1, 2, 3)), protocol, assignor))
    return tuple(found)


def _every_s(random: Random, share: float, choices: tuple[float, ...]) -> float:
    """One of the choices in a share of the seeds; 0 in the others."""
    return random.choice(choices) if random.random() < share else 0.0


def _damages(random: Random, *, asked: bool) -> tuple[str, ...]:
    is_damaged = random.random() < DAMAGED_SHARE
    some = tuple(kind for kind in DAMAGES if random.random() < DAMAGE_SHARE) or (random.choice(DAMAGES),)
    return some if asked or is_damaged else ()
