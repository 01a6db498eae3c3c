"""What one seed of the swarm is made of: everything is drawn anew, so that unlike runs meet unlike troubles.

Faults spaced seconds apart find little; a swarm of intensities, sizes and mixtures finds more. Source: swarm testing
(Groce and others, ISSTA 2012).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from random import Random

from cluster.model.settings import Settings, classroom_timing
from cluster.simulation.world.cluster import SimulationConfig
from cluster.simulation.world.options import Options

GROUP_SHARE = 0.35
"""Of the seeds that have a consumer group."""
NEWER_SHARE = 0.3
"""Of the groups, those of the newer protocol."""
DELETION_SHARE = 0.25
"""Of the seeds in which records are deleted."""
DELETE_EVERY_S = (1.0, 5.0, 20.0)
STUTTER_SHARE = 0.25
"""Of the seeds in which nodes stutter."""
STUTTER_EVERY_S = (1.0, 4.0)
KINDS = (
    "kill", "crash", "stop", "pause", "power-loss", "cut", "isolate", "partition", "delay", "slow-link", "reset",
    "fsync slow", "fsync lie", "disk-full", "fsync lie-dir", "fsync fail", "lose", "duplicate", "reorder",
    "clock skew", "clock drift",
)  # fmt: skip
USUAL_SHARE = 0.6
SHARES = {
    **dict.fromkeys(("fsync lie", "disk-full"), 0.12),
    **dict.fromkeys(("fsync lie-dir", "fsync fail"), 0.06),
    **dict.fromkeys(("power-loss", "lose", "duplicate", "reorder", "clock skew", "clock drift"), 0.3),
}
"""Of the seeds that have a fault: less of what excuses much that others may not break, and of what rarely breaks."""
DAMAGES = ("wipe", "tear", "rot", "misread")
"""What befalls disks when a seed is asked for it: most of it takes away what was durable, which excuses much."""
DAMAGE_SHARE = 0.5
"""Of the seeds that are asked for damage that have each kind of it."""
FAULT_EVERY_S = (0.05, 0.3, 1.0, 3.0)
DELAYS_MS = (20, 200, 1_000)
CORE_SHARE, CALM_SHARE = 0.5, 0.1
FETCH_BYTES = (250, 1_000, 1_048_576)
"""Most seeds need several fetches to copy or to read a log."""
LOSSES = (0, 0, 0, 2, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwarmPlan:
    """One seed's run."""

    config: SimulationConfig
    """The cluster."""
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
    partitions: int
    """Of the topic."""
    min_isr: int
    """min.insync.replicas of the topic."""
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
    idempotent: bool = False
    """Whether producers with acks=all are idempotent."""
    members: int = 0
    """Of a consumer group, at work at a time; 0 for no group."""
    protocol: str = "classic"
    """Of the group: classic or consumer (KIP-848)."""
    assignor: str = "range"
    """How they divide the partitions."""
    delete_every_s: float = 0.0
    """Mean time between two deletions of records; 0 for none."""
    stutter_every_s: float = 0.0
    """Mean time from the end of one stutter to the begin of the next; 0 for none."""
    damages: tuple[str, ...] = ()
    """What may befall disks; empty unless it was asked for."""

    def __str__(self) -> str:
        """The drawn values in one line."""
        config, settings = self.config, self.config.settings
        plain, usual = asdict(settings), asdict(classroom_timing())
        switches = [f"{name}={value}" for name, value in plain.items() if value != usual[name] and name[-3:] != "_ms"]
        return " ".join(
            (
                f"seed={config.seed} controllers={config.controllers} brokers={config.brokers}",
                f"combined={config.combined} partitions={self.partitions} min-isr={self.min_isr}",
                f"every={self.fault_every_s:g}s delay={self.delay_ms}ms at-once={self.at_once:g}",
                f"loss={self.loss_percent}% election={settings.quorum_election_timeout_ms}ms",
                f"producers={self.producers} acks={','.join(self.acks)} in-flight={self.in_flight}",
                f"idempotent={self.idempotent} members={self.members}",
                f"protocol={self.protocol} assignor={self.assignor}",
                *(f"delete-every={self.delete_every_s:g}s" for _ in range(self.delete_every_s > 0)),
                *(f"stutter-every={self.stutter_every_s:g}s" for _ in range(self.stutter_every_s > 0)),
                *switches,
                *(f"damages={','.join(self.damages)}" for _ in self.damages[:1]),
                f"faults={','.join(kind.replace(' ', '-') for kind in self.kinds)}",
            )
        )


def draw_plan(seed: int, duration_s: float, *, disk_faults: bool = False) -> SwarmPlan:
    """Everything that is not drawn while it runs. Whether disks are damaged changes nothing else of it."""
    random = Random(f"{seed}/swarm")
    brokers = random.choice((1, 2, 3, 3, 4))
    kinds = tuple(kind for kind in KINDS if random.random() < SHARES.get(kind, USUAL_SHARE))
    config = SimulationConfig(
        seed=seed,
        controllers=random.choice((1, 3, 3, 3, 5)),
        brokers=brokers,
        combined=random.random() < 0.15,
        settings=_settings(random),
        title=f"Swarm seed {seed}",
        options=_options(random),
    )
    plan = SwarmPlan(
        config=config,
        duration_s=duration_s,
        kinds=kinds or ("kill",),
        fault_every_s=random.choice(FAULT_EVERY_S),
        loss_percent=random.choice(LOSSES),
        delay_ms=random.choice(DELAYS_MS),
        at_once=random.choice((0.0, 0.5, 1.0)),
        partitions=random.choice((1, 1, 3)),
        min_isr=random.randint(1, min(2, brokers)),
        producers=random.choice((1, 2, 4)),
        acks=random.choice((("all",), ("all",), ("all",), ("all", "1"), ("all", "1", "0"))),
        in_flight=random.choice((1, 1, 5)),
        leaves_core=random.random() < CORE_SHARE,
        stays_calm=random.random() < CALM_SHARE,
        idempotent=Random(f"{seed}/idempotence").random() < 0.4,
        delete_every_s=_every_s(Random(f"{seed}/deletions"), DELETION_SHARE, DELETE_EVERY_S),
        stutter_every_s=_every_s(Random(f"{seed}/stutters"), STUTTER_SHARE, STUTTER_EVERY_S),
    )
    if disk_faults:
        plan = replace(plan, damages=_damages(Random(f"{seed}/damages")))
    settings = replace(config.settings, fetch_max_bytes=random.choice(FETCH_BYTES))
    return _with_group(replace(plan, config=replace(config, settings=settings)), Random(f"{seed}/group load"))


def _with_group(plan: SwarmPlan, random: Random) -> SwarmPlan:
    """A third of the seeds have a consumer group; its offsets topic is small, so that its partitions change leaders."""
    if random.random() >= GROUP_SHARE:
        return plan
    settings = replace(
        plan.config.settings,
        offsets_topic_partitions=random.choice((1, 2)),
        offsets_topic_min_isr=plan.min_isr,
        group_min_session_timeout_ms=100,
        consumer_session_timeout_ms=plan.config.settings.consumer_session_timeout_ms // random.choice((1, 3, 5)),
        consumer_rebalance_timeout_ms=plan.config.settings.consumer_rebalance_timeout_ms // random.choice((1, 10)),
    )
    members, assignor = random.choice((1, 2, 3)), random.choice(("range", "roundrobin", "sticky", "cooperative-sticky"))
    protocol = "classic"
    if random.random() < NEWER_SHARE:
        protocol, assignor = "consumer", random.choice(("uniform", "range"))
    return replace(
        plan,
        config=replace(plan.config, settings=settings),
        members=members,
        protocol=protocol,
        assignor=assignor,
    )


def _every_s(random: Random, share: float, choices: tuple[float, ...]) -> float:
    """One of the choices in a share of the seeds; 0 in the others."""
    return random.choice(choices) if random.random() < share else 0.0


def _damages(random: Random) -> tuple[str, ...]:
    return tuple(kind for kind in DAMAGES if random.random() < DAMAGE_SHARE) or (random.choice(DAMAGES),)


def _settings(random: Random) -> Settings:
    scale = random.choice((0.5, 1.0, 1.0, 2.0))
    settings = classroom_timing().scaled(scale)
    return replace(
        settings,
        replica_lag_time_max_ms=random.choice((300, 1_000, settings.replica_lag_time_max_ms)),
        request_timeout_ms=random.choice((1_000, settings.request_timeout_ms)),
        pre_vote=random.random() < 0.7,
        elr=random.random() < 0.7,
        hw_gate=random.random() < 0.8,
        flush_partitions=random.random() < 0.3,
        unclean_leader_election=random.random() < 0.1,
        truncation_mode=random.choice(("fetch",) * 9 + ("kip279",)),
    )


def _options(random: Random) -> Options:
    return Options(latency_us=random.choice(((60, 250), (60, 250), (200, 5_000), (1_000, 20_000))))
