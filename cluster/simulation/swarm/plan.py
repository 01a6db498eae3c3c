"""What one seed of the swarm is made of: everything is drawn anew, so that unlike runs meet unlike troubles.

Faults spaced seconds apart find little; a swarm of intensities, sizes and mixtures finds more. Source: swarm testing
(Groce and others, ISSTA 2012).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from random import Random
from typing import TypedDict, Unpack

from cluster.cluster_spec import ClusterSpec
from cluster.faults.fault import Fault
from cluster.faults.grammar import COMMANDS
from cluster.model.identifiers import OF_ONE_ROLE_MAX
from cluster.model.settings import KRAFT, classroom_timing
from cluster.simulation.swarm.ambushes import draw_ambushes
from cluster.simulation.swarm.planned import (
    COMPACTED_STREAM,
    PlannedGroup,
    PlannedTopic,
    compacted,
    draw_groups,
    offsets_topic,
)
from cluster.simulation.swarm.second_terms import draw_second_terms
from cluster.simulation.swarm.settings import (
    draw_options,
    draw_settings,
    draw_zookeeper,
    for_groups,
    with_fetch_sessions,
    with_racks,
    with_snapshots,
)
from cluster.simulation.swarm.spells import draw_one_kind
from cluster.simulation.swarm.transactions import with_transactions

CONTROLLERS, BROKERS = (1, 2, 3, 3, 3, 4, 5), (1, 2, 3, 3, 3, 4, 5, 6)
REPLICAS = (1, 2, 3, 3, 3, 3, 4, 5)
TOPICS = ("orders", "events")
SECOND_SHARE = 0.35
"""Of the seeds that have a second topic, with settings of its own."""
MAJORITY_SHARE, MAJORITY_RUN_SHARE = 0.2, 0.05
"""Of the topics that a majority commits, and of the seeds in which the run has that for all that do not say."""
DELETION_SHARE = 0.25
"""Of the seeds in which records are deleted."""
DELETE_EVERY_S = (1.0, 5.0, 20.0)
REASSIGNMENT_SHARE = 0.25
"""Of the seeds in which replicas are moved."""
REASSIGN_EVERY_S = (0.3, 1.0, 4.0)
VOTERS_SHARE = 0.15
"""Of the seeds whose quorum is dynamic: voters come and go."""
CHANGE_EVERY_S = (0.3, 1.0, 4.0)
NEW_RULE_SHARE = 0.9
"""Of these, the ones that know disks, and the ones with the correction of 2015: what the others break is excused."""
REPLACED_SHARE = 0.3
"""Of these, the ones in which disks are replaced and controllers join by themselves."""
RACKED_SHARE, RACKED_STREAM = 0.2, "racks 1649"
"""Of the seeds whose brokers stand in racks, and in which consumers read from followers; drawn from a stream that
leaves the seeds that tests name the runs that they were."""
SEGMENTED_SHARE = 0.25
"""Of the seeds whose logs have small segments."""
SEGMENT_BYTES, RETENTION_BYTES, RETENTION_MS = (150, 400, 1_500), (0, 300, 1_000, 4_000), (0, 0, 2_000, 8_000)
"""0 for no bound."""
RETENTION_CHECK_MS = (200, 1_000, 3_000)
STUTTER_SHARE = 0.25
"""Of the seeds in which nodes stutter."""
STUTTER_EVERY_S = (1.0, 4.0)
WITHHOLD_SHARE = 0.2
"""Of the seeds in which some kinds of messages do not pass a link for a while."""
WITHHOLD_EVERY_S = (0.5, 2.0)
DECLARED = {kind.verb: kind.swarm for kind in COMMANDS if issubclass(kind, Fault) and kind.swarm}
"""Faults that say in which share of the seeds they may strike."""
OF_VERB = {kind.verb: kind for kind in COMMANDS}
FIRST_KINDS = (
    "kill", "crash", "stop", "restart", "pause", "freeze", "power-loss", "cut", "cut links", "isolate", "partition",
    "delay", "slow-link", "reset", "fsync slow", "fsync lie", "disk-full", "fsync lie-dir", "fsync fail", "lose",
    "duplicate", "reorder", "clock skew", "clock drift", "elect", "elect unclean", "ok", "undo",
)  # fmt: skip
"""Drawn from one stream, in an order that stays. A fault that came later has a stream of its own, so that all else in a
seed stays what it was."""
ALL_KINDS = (*FIRST_KINDS, *(verb for verb in DECLARED if verb not in FIRST_KINDS))
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
OF_SNAPSHOTS = "spoil-snapshot"
"""The same, where there are snapshots."""
DAMAGED_SHARE, DAMAGE_SHARE = 1 / 3, 0.5
"""Of the seeds whose disks are damaged, and of those the ones that have each kind of it."""
FAULT_EVERY_S = (0.05, 0.3, 1.0, 3.0)
DELAYS_MS = (20, 200, 1_000)
CORE_SHARE, CALM_SHARE = 0.5, 0.1
LOSSES = (0, 0, 0, 2, 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwarmPlan:
    """One seed's run."""

    config: ClusterSpec
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
    offsets: PlannedTopic | None = None
    """The topic of offsets, when it is made before its first group."""
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
    reassign_every_s: float = 0.0
    """Mean time between two moves of a partition's replicas, or their cancellation; 0 for none."""
    stutter_every_s: float = 0.0
    """Mean time from the end of one stutter to the begin of the next; 0 for none."""
    withhold_every_s: float = 0.0
    """As the last, of kinds of messages that are withheld."""
    damages: tuple[str, ...] = ()
    """What may befall disks; empty for nothing."""
    change_voters_every_s: float = 0.0
    """Mean time between two changes of the voters; 0 for a static quorum."""
    transactions_every_s: float = 0.0
    """Mean time between two steps of producers with transactions; 0 for none."""
    ambush_every_s: float = 0.0
    """Mean time between two faults that strike while a transaction is decided and not complete; 0 for none."""
    replaces_disks: bool = False
    """Whether voters change because their disks are replaced, and not because somebody asks."""
    second_term_every_s: float = 0.0
    """Mean time between two leaders that are put out of office and come back to it; 0 for none."""
    one_kind_every_s: float = 0.0
    """As withhold_every_s, of one kind of messages that a node is without on all its links."""

    def _rhythms(self) -> list[tuple[str, float]]:
        """What comes now and then beside faults, by the name of its field."""
        names = [item.name for item in fields(self) if item.name.endswith("_every_s") and item.name != "fault_every_s"]
        return [(name, getattr(self, name)) for name in names]

    def __str__(self) -> str:
        """The drawn values in one line."""
        config, settings = self.config, self.config.settings
        plain, usual = asdict(settings), asdict(classroom_timing())
        switches = [f"{name}={value}" for name, value in plain.items() if value != usual[name] and name[-3:] != "_ms"]
        return " ".join(
            (
                f"seed={config.seed} controllers={config.controllers} brokers={config.brokers}",
                f"combined={config.combined}",
                *(
                    f"{topic.name}={topic.partitions}x{topic.replicas}/{topic.rule}{topic.bounds}"
                    for topic in self.topics
                ),
                f"every={self.fault_every_s:g}s delay={self.delay_ms}ms at-once={self.at_once:g}",
                f"loss={self.loss_percent}% election={settings.quorum_election_timeout_ms}ms",
                f"producers={self.producers} acks={','.join(self.acks)} in-flight={self.in_flight}",
                f"idempotent={self.idempotent:g} gives-up={self.gives_up:g}",
                *(f"{one.name}={one.members}x{one.protocol}/{one.assignor}" for one in self.groups),
                *(f"{name[:-2].replace('_', '-')}={plain_s:g}s" for name, plain_s in self._rhythms() if plain_s),
                *("replaced-disks" for _ in range(self.replaces_disks)),
                *switches,
                *(f"damages={','.join(self.damages)}" for _ in self.damages[:1]),
                f"faults={','.join(kind.replace(' ', '-') for kind in self.kinds)}",
            )
        )


class AskedOfPlan(TypedDict, total=False):
    """What may be asked of a seed beside what it draws."""

    disk_faults: bool
    """Damage disks whatever the seed says; that changes nothing else of it."""
    voter_changes: bool
    """Have voters come and go whatever the seed says."""
    transactions: bool
    """Have producers write in transactions; no seed does that by itself."""
    fetch_sessions: bool
    """Have brokers and members of groups fetch in sessions; no seed does that by itself."""
    control: str
    """zookeeper has the same seed play in that mode: one coordinator, and brokers that race."""


def draw_plan(seed: int, duration_s: float, **asked: Unpack[AskedOfPlan]) -> SwarmPlan:
    """Everything that is not drawn while it runs."""
    damages, changes = asked.get("disk_faults", False), asked.get("voter_changes", False)
    plan = _draw(seed, duration_s, disk_faults=damages, voter_changes=changes)
    if asked.get("transactions"):
        settings, every_s = with_transactions(Random(f"{seed}/transactions"), plan.config.settings)
        plan = replace(plan, config=replace(plan.config, settings=settings), transactions_every_s=every_s)
        plan = _with_ambushes(plan, draw_ambushes(seed))
    if asked.get("fetch_sessions"):
        settings = with_fetch_sessions(Random(f"{seed}/fetch sessions"), plan.config.settings)
        plan = replace(plan, config=replace(plan.config, settings=settings))
    if asked.get("control", KRAFT) == KRAFT:
        return plan
    settings = draw_zookeeper(Random(f"{seed}/zookeeper"), plan.config.settings)
    config = replace(plan.config, controllers=1, combined=False, settings=settings)
    return replace(
        plan,
        config=config,
        leaves_core=False,
        topics=tuple(each._replace(commit_rule="") for each in plan.topics),
        change_voters_every_s=0.0,
        replaces_disks=False,
        damages=tuple(kind for kind in plan.damages if kind != OF_SNAPSHOTS),
    )


def _with_ambushes(plan: SwarmPlan, every_s: float) -> SwarmPlan:
    """Other faults are rarer there: where they strike all the time, hardly a transaction comes to its decision."""
    if not every_s:
        return plan
    return replace(
        plan,
        ambush_every_s=every_s,
        fault_every_s=max(plan.fault_every_s, FAULT_EVERY_S[-1]),
        loss_percent=min(plan.loss_percent, LOSSES[-2]),
    )


def _draw(seed: int, duration_s: float, *, disk_faults: bool, voter_changes: bool) -> SwarmPlan:
    random = Random(f"{seed}/swarm")
    brokers = random.choice(BROKERS)
    kinds = _kinds(seed, random)
    config = ClusterSpec(
        seed=seed,
        controllers=random.choice(CONTROLLERS),
        brokers=brokers,
        combined=random.random() < 0.15,
        settings=draw_settings(random),
        title=f"Swarm seed {seed}",
        options=draw_options(random),
    )
    names = TOPICS if random.random() < SECOND_SHARE else TOPICS[:1]
    rules = Random(f"{seed}/commit rules")
    if rules.random() < MAJORITY_RUN_SHARE:
        config = replace(config, settings=replace(config.settings, commit_rule="majority"))
    topics = tuple(_topic(random, name, brokers)._replace(commit_rule=_commit_rule(rules)) for name in names)
    groups = draw_groups(Random(f"{seed}/group load"), names)
    config, topics = _segmented(Random(f"{seed}/segments"), config, topics)
    config, topics, offsets = _compacted(Random(f"{seed}/{COMPACTED_STREAM}"), config, topics, has_groups=bool(groups))
    if groups:
        own = Random(f"{seed}/group settings")
        config = replace(config, settings=for_groups(own, config.settings, topics[0].min_isr))
    config = replace(config, settings=with_racks(Random(f"{seed}/{RACKED_STREAM}"), config.settings, RACKED_SHARE))
    is_dynamic = voter_changes or Random(f"{seed}/dynamic quorum").random() < VOTERS_SHARE
    change_every_s = _every_s(Random(f"{seed}/voters"), float(is_dynamic), CHANGE_EVERY_S)
    replaces = Random(f"{seed}/replaced disks").random() < REPLACED_SHARE
    if change_every_s:
        config = _with_voters(Random(f"{seed}/voter settings"), config, replaces)
    has_snapshots = (settings := with_snapshots(Random(f"{seed}/snapshots"), config.settings)) is not config.settings
    config = replace(config, settings=settings)
    return SwarmPlan(
        config=config,
        duration_s=duration_s,
        kinds=kinds or ("kill",),
        fault_every_s=random.choice(FAULT_EVERY_S),
        loss_percent=random.choice(LOSSES),
        delay_ms=random.choice(DELAYS_MS),
        at_once=random.choice((0.0, 0.5, 1.0)),
        topics=topics,
        offsets=offsets,
        producers=random.choice((1, 2, 4)),
        acks=random.choice((("all",), ("all",), ("all",), ("all", "1"), ("all", "1", "0"))),
        in_flight=random.choice((1, 1, 5)),
        leaves_core=random.random() < CORE_SHARE,
        stays_calm=random.random() < CALM_SHARE,
        idempotent=random.choice((0.0, 0.5, 0.5, 1.0)),
        gives_up=random.choice((0.0, 0.0, 0.3)),
        groups=groups,
        delete_every_s=_every_s(Random(f"{seed}/deletions"), DELETION_SHARE, DELETE_EVERY_S),
        reassign_every_s=_every_s(Random(f"{seed}/reassignments"), REASSIGNMENT_SHARE, REASSIGN_EVERY_S),
        stutter_every_s=_every_s(Random(f"{seed}/stutters"), STUTTER_SHARE, STUTTER_EVERY_S),
        withhold_every_s=_every_s(Random(f"{seed}/withheld"), WITHHOLD_SHARE, WITHHOLD_EVERY_S),
        damages=_damages(Random(f"{seed}/damages"), topics, asked=disk_faults, of_snapshots=has_snapshots),
        change_voters_every_s=change_every_s,
        replaces_disks=replaces and change_every_s > 0,
        second_term_every_s=draw_second_terms(seed),
        one_kind_every_s=draw_one_kind(seed),
    )


def _kinds(seed: int, random: Random) -> tuple[str, ...]:
    """Of the faults and what else may strike."""
    kinds = [kind for kind in FIRST_KINDS if random.random() < SHARES.get(kind, USUAL_SHARE)]
    kinds += [kind for kind in ALL_KINDS[len(FIRST_KINDS) :] if Random(f"{seed}/{kind}").random() < SHARES[kind]]
    aim = Random(f"{seed}/aim")
    return (*kinds, *(kind for kind in AIMED if aim.random() < AIMED_SHARE))


def _compacted(
    random: Random, config: ClusterSpec, topics: tuple[PlannedTopic, ...], *, has_groups: bool
) -> tuple[ClusterSpec, tuple[PlannedTopic, ...], PlannedTopic | None]:
    """The same with logs that are compacted soon, in some seeds; the topic of offsets too, where there are groups."""
    topics = compacted(random, topics) or topics
    if not any(topic.cleanup for topic in topics):
        return config, topics, None
    settings = replace(config.settings, log_cleaner_backoff_ms=random.choice(RETENTION_CHECK_MS))
    offsets = offsets_topic(random, topics[0].replicas, topics[0].min_isr) if has_groups else None
    return replace(config, settings=settings), topics, offsets


def _with_voters(random: Random, config: ClusterSpec, replaces_disks: bool) -> ClusterSpec:  # noqa: FBT001
    """The same with voters that come and go: one or two controllers more, which do not vote at first."""
    spare = min(random.choice((1, 1, 2)), OF_ONE_ROLE_MAX - config.controllers)
    joins = replaces_disks or random.random() < 0.3
    settings = replace(
        config.settings,
        dynamic_quorum=True,
        spare_controllers=spare,
        auto_join=joins,
        voter_directories=random.random() < NEW_RULE_SHARE,
        voter_change_waits=random.random() < NEW_RULE_SHARE,
    )
    return replace(config, controllers=config.controllers + spare, settings=settings)


def _topic(random: Random, name: str, brokers: int) -> PlannedTopic:
    replicas = min(random.choice(REPLICAS), brokers)
    return PlannedTopic(name, random.choice((1, 1, 3)), replicas, random.randint(1, min(3, replicas)))


def _commit_rule(random: Random) -> str:
    return "majority" if random.random() < MAJORITY_SHARE else ""


def _segmented(
    random: Random, config: ClusterSpec, topics: tuple[PlannedTopic, ...]
) -> tuple[ClusterSpec, tuple[PlannedTopic, ...]]:
    """A quarter of the seeds have logs of many segments, most of which do not keep all."""
    if random.random() >= SEGMENTED_SHARE:
        return config, topics
    settings = replace(config.settings, log_retention_check_interval_ms=random.choice(RETENTION_CHECK_MS))
    bounded = [
        topic._replace(
            segment_bytes=random.choice(SEGMENT_BYTES),
            retention_bytes=random.choice(RETENTION_BYTES),
            retention_ms=random.choice(RETENTION_MS),
        )
        for topic in topics
    ]
    return replace(config, settings=settings), tuple(bounded)


def _every_s(random: Random, share: float, choices: tuple[float, ...]) -> float:
    """One of the choices in a share of the seeds; 0 in the others."""
    return random.choice(choices) if random.random() < share else 0.0


def _damages(random: Random, topics: tuple[PlannedTopic, ...], *, asked: bool, of_snapshots: bool) -> tuple[str, ...]:
    """What rots in a segment that a start does not read is refused by followers for ever, in Kafka as here."""
    is_segmented = any(topic.segment_bytes for topic in topics)
    is_damaged = random.random() < DAMAGED_SHARE
    some = tuple(kind for kind in DAMAGES if random.random() < DAMAGE_SHARE)
    if is_segmented:
        some = tuple(kind for kind in some if kind != "rot")
    some = some or (random.choice([kind for kind in DAMAGES if kind != "rot" or not is_segmented]),)
    if of_snapshots:
        some += (OF_SNAPSHOTS,)
    return some if asked or is_damaged else ()
