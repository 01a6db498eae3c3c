"""Small clusters for a learner's rule: each seed draws one, with at most ten commands, and what befalls it can be made
smaller still.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random

from cluster.cluster_spec import ClusterSpec, Options
from cluster.invariants.all_invariants import DECISIONS
from cluster.model.settings import classroom_timing
from cluster.simulation.swarm.judge import Finding
from cluster.simulation.swarm.schedule import Schedule, Timed
from cluster.simulation.swarm.shrink import Shrunk, findings_of, rule_to_keep
from cluster.simulation.world.kernel import NS_PER_MS, NS_PER_S

COMMANDS_MAX = 10
CALM_S, LONG_CALM_S = 12.0, 66.0
"""After the last command; the long one is longer than rule L11 asks for."""
CALM_SHARE = 0.3
"""Of the seeds of the rule that only a long calm tells wrong from right."""
SLOW_US = (2_000, 8_000)
"""One way of a frame in a long calm: followers are behind for a moment with each record."""
PASSES_MAX = 3


def draw(seed: int, rule: str) -> Schedule:
    """The cluster of a seed, and what befalls it: more to the quorum when the rule is one of the quorum."""
    random = Random(f"own rule {seed}")
    is_quorum, stays_calm = rule == "grant_vote", rule == "leave_isr" and random.random() < CALM_SHARE
    config = ClusterSpec(
        seed=seed,
        controllers=random.choice((3, 4, 4, 5)) if is_quorum else random.choice((1, 3)),
        brokers=1 if is_quorum else random.choice((2, 3, 3)),
        settings=replace(
            classroom_timing(), elr=random.random() < 0.5, replica_lag_time_max_ms=random.choice((1_000, 5_000))
        ),
        title=f"Own rule, seed {seed}",
        options=Options(latency_us=SLOW_US) if stays_calm else Options(),
    )
    world = _World(config, random, is_quorum=is_quorum)
    if stays_calm:
        world.send("load 4", 0.2)
    else:
        world.break_it()
    end_s = world.now_s + (LONG_CALM_S if stays_calm else CALM_S)
    end_ns, calm_ns = round(end_s * NS_PER_S), round(world.now_s * NS_PER_S)
    return Schedule(config=config, timed=tuple(world.timed), end_ns=end_ns, calm_ns=calm_ns, rest_ns=end_ns + 1)


class _World:
    """Draws the commands of one seed: something breaks, records are written, it is mended, and so on."""

    def __init__(self, config: ClusterSpec, random: Random, *, is_quorum: bool) -> None:
        self._random, self._is_quorum = random, is_quorum
        self._nodes = config.voters if is_quorum else config.broker_ids
        self._brokers = config.broker_ids
        self.timed: list[Timed] = []
        self.now_s = 0.4 if is_quorum else 0.6
        self._least = random.choice((1, 1, 2)) if len(self._brokers) > 1 else 1
        self._order: list[int] = []
        if not is_quorum:
            self._order = list(self._brokers)
            random.shuffle(self._order)
            self.send(f"topic orders assign={_listed(self._order)} min-isr={self._least}", 0.3)
            self._produce()

    def break_it(self) -> None:
        """As often as there is room for what breaks, what is written and what mends it."""
        if not self._is_quorum:
            self._random.choice((self._alone, self._one_by_one, self._episode))()
        while len(self.timed) <= COMMANDS_MAX - (2 if self._is_quorum else 4):
            self._episode()

    def send(self, command: str, after_s: float) -> None:
        """One command, and the time that passes behind it."""
        self.timed.append(Timed(round(self.now_s * 1000) * NS_PER_MS, command))
        self.now_s += after_s

    def _produce(self) -> None:
        random = self._random
        many = "batch=1 in-flight=5" if random.random() < 0.5 else ""
        command = f"produce orders {random.randint(1, 6)} acks={random.choice(('all', 'all', '1'))} {many}".strip()
        self.send(f"{command} wait=no", random.choice((0.01, 0.05, 0.3)))

    def _alone(self) -> None:
        """The leader writes what nobody copies, dies, and comes back when another leads."""
        leader, *others = self._order
        self.send(f"partition {leader}|{_listed(others)}", 0.05)
        self.send(f"produce orders {self._random.randint(1, 4)} acks=1 retries=no wait=no", 0.3)
        self.send(f"kill {leader}", 0.1)
        self.send("heal", self._random.choice((1.8, 2.5)))
        self.send(f"start {leader}", 1.0)

    def _one_by_one(self) -> None:
        """A follower dies, records are written without it, the others die; then it is the first to come back."""
        leader, *others = self._order
        self.send(f"kill {_listed(others)}" if len(others) == 1 else f"power-loss {_listed(others)}", 1.8)
        self.send(f"produce orders {self._random.randint(1, 4)} acks=all wait=no", 0.3)
        self.send(f"kill {leader}", 1.8)
        self.send(f"start {others[0]}", self._random.choice((0.5, 2.0)))
        self.send(f"start {leader}", 1.0)

    def _episode(self) -> None:
        """One fault, what is written meanwhile, and its end."""
        random = self._random
        node = random.choice(self._nodes)
        command, mended = random.choice(
            (
                (f"kill {node}", f"start {node}"),
                (f"restart {node}", ""),
                (f"power-loss {node}", f"start {node}"),
                (f"pause {node}", f"resume {node}"),
                (f"isolate {node}", "heal"),
                (self._parted(), "heal"),
            )
        )
        self.send(command, random.choice((0.05, 0.4, 1.7, 2.5)))
        if not self._is_quorum and random.random() < 0.7:
            self._produce()
            self.now_s += random.choice((0.0, 0.3, 2.0))
        if mended:
            self.send(mended, random.choice((0.02, 0.5, 1.5)))

    def _parted(self) -> str:
        nodes = list(self._nodes)
        self._random.shuffle(nodes)
        place = self._random.randint(1, max(1, len(nodes) - 1))
        left, right = nodes[:place], nodes[place:]
        if not right:
            return f"isolate {left[0]}"
        return f"partition {_listed(left)}|{_listed(right)}"


def _listed(nodes: Iterable[int]) -> str:
    return ",".join(map(str, nodes))


def broken(schedule: Schedule) -> Finding | None:
    """What a small world breaks, if anything. To decide unlike Kafka is no fault of a rule as long as all holds."""
    findings = [finding for finding in findings_of(schedule) if finding.rule not in DECISIONS]
    if not findings:
        return None
    rule = rule_to_keep(findings)
    return next(finding for finding in findings if finding.rule == rule)


def smallest(schedule: Schedule, finding: Finding, on_run: Callable[[], None] = lambda: None) -> Shrunk:
    """The same with as few commands as break the same rule: one after the other is left out, from the end.

    on_run is called before each time that it is played.
    """
    runs, timed = 0, list(schedule.timed)
    for _ in range(PASSES_MAX):
        before = len(timed)
        for place in range(len(timed) - 1, -1, -1):
            less = timed[:place] + timed[place + 1 :]
            runs += 1
            on_run()
            findings = [item for item in findings_of(replace(schedule, timed=tuple(less))) if item.rule == finding.rule]
            if findings:
                timed, finding = less, findings[0]
        if len(timed) == before:
            break
    return Shrunk(schedule=replace(schedule, timed=tuple(timed)), finding=finding, runs=runs)
