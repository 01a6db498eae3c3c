"""One cell with one seed: warm up, trouble, mend, calm, verdicts. Plain Python, run by the workers of Spark."""

from __future__ import annotations

import gc
import hashlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from statistics import median_low
from typing import Any

from cluster.commands.carry_out import carry_out_at_once
from cluster.commands.clients import Job
from cluster.invariants.checker import Checker
from cluster.invariants.clients.producers import last_logs
from cluster.invariants.verdicts.verdict import InvariantVerdict, Verdict
from cluster.language.topics import Produce
from cluster.model import exit_codes
from cluster.model.entry import Entry
from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from cluster.simulation.world.cluster import SimulatedCluster
from cluster.simulation.world.kernel import NS_PER_MS
from cluster.simulation.world.recording import Reader
from workbench.analysis.campaign.outcome import Outcome
from workbench.analysis.campaign.plan import PLACE, TOPIC, CellPlan
from workbench.analysis.campaign.watching import Commits, Elections, Producers, Service

ORDERS = TopicPartition(TOPIC, 0)
ACKS = {"all": -1, "1": 1, "0": 0}
LOOK_S = 0.25
FIRST_LEADER_S = 60.0
NS_PER_US = 1000
MODULES = ("plan", "watching", "one_run", "outcome")


class Run:
    """One simulated cluster under one plan."""

    def __init__(self, plan: CellPlan, seed: int, title: str, readers: Iterable[Reader] = ()) -> None:
        self.plan = plan
        self.cluster = SimulatedCluster(plan.config(seed, title), observes=False)
        self.checker = Checker()
        """Judges every event."""
        self.elections, self.service = Elections(), Service()
        self.commits, self.producers = Commits(plan.watched), Producers(plan.load.records)
        self._handlers: dict[type, list[Callable[[Entry, Any], None]]] = {}
        for part in (self.elections, self.service, self.commits, self.producers):
            for kind, handler in part.handlers().items():
                self._handlers.setdefault(kind, []).append(handler)
        self.cluster.recording.listeners.append(self._watch)
        self.cluster.recording.readers += [self.checker.feed_all, *readers]
        self._random = self.cluster.kernel.stream("campaign")
        self._is_producing = False
        self._waiting: list[list[Job]] = []

    def _watch(self, entry: Entry) -> None:
        for handler in self._handlers.get(type(entry.event), ()):
            handler(entry, entry.event)

    def play(self) -> str:
        """From the start to the end of calm; what is not in order then, empty when all is."""
        cluster, plan = self.cluster, self.plan
        begin_ns = cluster.kernel.now_ns
        cluster.begin()
        if plan.brokers:
            self.send(f"topic {TOPIC} partitions=1 replicas={plan.replicas} min-isr={plan.min_isr}")
            self._is_producing = plan.load.waiting_max > 0
            self._produce(None)
        warm_ns = begin_ns + plan.warm_up_ms * NS_PER_MS
        cluster.advance(max(0.0, (warm_ns - cluster.kernel.now_ns) / 1e9))
        cluster.run_until(self._is_led, FIRST_LEADER_S)
        cluster.advance(self._random.random() * plan.shift_ms / 1000)
        self._trouble()
        self._mend()
        unrest = self._calm()
        now_ns = cluster.kernel.now_ns
        self.elections.close(now_ns)
        self.service.close(now_ns)
        return unrest

    def _is_led(self) -> bool:
        state = self.cluster.cluster()
        return state.active_controller != NO_NODE and (not self.plan.brokers or state.leader_of(ORDERS) != NO_NODE)

    def _trouble(self) -> None:
        """The steps at their times, then nothing until the time is up."""
        cluster, members = self.cluster, self._members()
        begin_ns = cluster.kernel.now_ns
        for part in (self.elections, self.service, self.commits, self.producers):
            part.open(begin_ns)
        for step in self.plan.trouble.steps:
            self._advance_to(begin_ns + step.at_ms * NS_PER_MS)
            self.send(PLACE.sub(lambda found: str(members[int(found[1]) - 1]), step.command))
        self._advance_to(begin_ns + self.plan.trouble_ms * NS_PER_MS)
        self._is_producing = False
        for watch in (self.commits, self.producers):
            watch.close(cluster.kernel.now_ns)

    def _advance_to(self, due_ns: int) -> None:
        """A command may have taken longer: then the time is over."""
        self.cluster.advance(max(0, due_ns - self.cluster.kernel.now_ns) / 1e9)

    def _members(self) -> list[NodeId]:
        """The leader of the watched log, then its other replicas by number."""
        state = self.cluster.cluster()
        if self.plan.watched == "quorum":
            leader, members = state.active_controller, self.cluster.config.voters
        else:
            facts = state.facts(ORDERS)
            leader, members = (NO_NODE, ()) if facts is None else (facts.leader, facts.replicas)
        return [leader, *sorted(set(members) - {leader})]

    def _mend(self) -> None:
        """Take back whatever is in force and start every node."""
        cluster = self.cluster
        for node in cluster.nodes:
            if cluster.is_paused(node):
                self.send(f"resume {node}")
        self.send("heal")
        self._start_all()

    def _start_all(self) -> None:
        for node in self.cluster.nodes:
            if not self.cluster.is_up(node):
                self.send(f"start {node}")

    def _calm(self) -> str:
        """Wait until everything is in order and every producer has its answer."""
        cluster = self.cluster
        end_s = cluster.now_s() + self.plan.calm_ms / 1000
        while (missing := self._missing()) and cluster.now_s() < end_s:
            cluster.advance(LOOK_S)
            self._start_all()
        return missing

    def _missing(self) -> str:
        cluster, state = self.cluster, self.cluster.cluster()
        down = [node for node in cluster.nodes if not cluster.is_up(node)]
        if down:
            return f"nodes {down} are down"
        servers = [process.server for process in cluster.processes.values()]
        active = [server for server in servers if server is not None and server.is_active_controller]
        if len(active) != 1:
            return f"{len(active)} controllers are active"
        fenced = sorted(set(cluster.brokers) - set(active[0].image.unfenced_brokers()))
        if fenced:
            return f"brokers {fenced} are not in service"
        facts = state.facts(ORDERS)
        if self.plan.brokers and (facts is None or facts.leader == NO_NODE):
            return f"{ORDERS} has no leader"
        if facts is not None and set(facts.isr) != set(facts.replicas):
            return f"{ORDERS} has ISR {facts.isr}, not all of {facts.replicas}"
        self._waiting = [jobs for jobs in self._waiting if not jobs]
        return f"{len(self._waiting)} producers wait for an answer" if self._waiting else ""

    def _produce(self, _nothing: None) -> None:
        """One more produce, and the next one later."""
        load = self.plan.load
        if not self._is_producing:
            return
        self._waiting = [jobs for jobs in self._waiting if not jobs]
        if len(self._waiting) < load.waiting_max:
            produce = Produce(ORDERS, load.records, ACKS[load.acks], batch=load.records, wait=False)
            self._waiting.append(self.cluster.begin_client(produce)[1])
        self.cluster.kernel.after(load.every_ms * NS_PER_MS, self._produce, None)

    def send(self, text: str) -> None:
        """Carry out one command; a refusal stands in the trace and is an outcome like any other."""
        carry_out_at_once(self.cluster.desk, text, self.cluster.ready)


def run_cell(plan: CellPlan, seed: int, title: str = "Campaign", readers: Iterable[Reader] = ()) -> Outcome:
    """Run one seed of one cell to its end. What a bug raises is told like a broken rule."""
    engine = engine_digest()
    run = Run(plan, seed, title, readers)
    begin_ns = run.cluster.kernel.now_ns
    failures: list[str] = []
    unrest = ""
    table: tuple[InvariantVerdict, ...] = ()
    try:
        unrest = run.play()
        run.cluster.finish()
        table = run.checker.finish()
    except Exception as error:  # whatever a bug raises: the campaign goes on, and this run is told
        failures.append(f"the simulation itself failed: {type(error).__name__}: {error}")
    lost, duplicated = _fates(run)
    commits, producers = run.commits, run.producers
    return Outcome(
        cell=plan.key(engine),
        seed=seed,
        events=run.cluster.recording.count,
        simulated_us=(run.cluster.kernel.now_ns - begin_ns) // NS_PER_US,
        elections=run.elections.count,
        splits=run.elections.splits,
        leaderless_us=run.elections.leaderless_ns // NS_PER_US,
        acknowledged=sum(count for _, count, _ in producers.acknowledged),
        refused=producers.refused,
        in_doubt=producers.in_doubt,
        lost=lost,
        duplicated=duplicated,
        silence_us=producers.longest_ns // NS_PER_US if producers.invoked else None,
        answer_us=median_low(producers.answers_ns) // NS_PER_US if producers.answers_ns else None,
        no_acks_all_us=run.service.no_acks_all_ns // NS_PER_US,
        under_min_isr_us=run.service.under_min_isr_ns // NS_PER_US,
        commit_gap_us=commits.longest_ns // NS_PER_US if commits.was_led else None,
        commit_us=median_low(commits.waits_ns) // NS_PER_US if commits.waits_ns else None,
        unrest=unrest,
        violated=(*failures, *_crashes(run.cluster), *_ids(table, Verdict.VIOLATED)),
        excused=_ids(table, Verdict.EXPECTED),
        engine=engine,
    )


def run_all(plans: list[tuple[CellPlan, int]]) -> Iterable[Outcome]:
    """One after the other; garbage is collected between runs, not within.

    What was there before is left out of the collecting for good: a worker of Spark has so many objects that looking at
    them all takes as long as a run.
    """
    collects = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        for plan, seed in plans:
            yield run_cell(plan, seed)
            gc.collect()
    finally:
        if collects:
            gc.enable()


def _ids(table: tuple[InvariantVerdict, ...], verdict: Verdict) -> tuple[str, ...]:
    return tuple(line.info.id for line in table if line.verdict is verdict)


def _crashes(cluster: SimulatedCluster) -> list[str]:
    return [
        f"exit {exit_codes.CRASHED}: {text.strip().splitlines()[-1]}"
        for _, text in cluster.logs
        if text.startswith("Traceback")
    ]


def _fates(run: Run) -> tuple[int, int]:
    """(acknowledged records that are gone, records that stand twice), by the log of the partition's last leader."""
    logs = last_logs(run.checker.ghost.partition(*ORDERS))
    if not logs:
        return 0, 0
    lost = 0
    for base_offset, count, crc in run.producers.acknowledged:
        places = [(log, log.index_of(base_offset)) for log in logs.values()]
        if not any(place >= 0 and crc in (-1, log.crcs[place]) for log, place in places):
            lost += count
    leader = next(iter(logs.values()))
    copies = Counter(crc for crc in leader.crcs if crc != -1)
    return lost, sum(count - 1 for count in copies.values()) * run.plan.load.records


@cache
def engine_digest() -> str:
    """Names the code that makes outcomes: the simulated cluster and what watches it, also when it comes as a zip."""
    hashed = hashlib.sha256()
    cluster = import_module("cluster")
    names = sorted(item.name for item in pkgutil.walk_packages(cluster.__path__, "cluster.") if _counts(item.name))
    for name in [*names, *(f"workbench.analysis.campaign.{name}" for name in MODULES)]:
        loader: Any = getattr(find_spec(name), "loader", None)
        hashed.update(f"{name}\n{loader.get_source(name)}".encode())
    return hashed.hexdigest()[:16]


def _counts(name: str) -> bool:
    return not name.startswith(("cluster.runtime", "cluster.kafka", "cluster.scenario"))
