"""Breaks a simulated cluster at random: one command of the grammar after the other, drawn from the seed."""

from __future__ import annotations

from typing import Any

from cluster.commands.carry_out import carry_out
from cluster.commands.clients import Job
from cluster.faults.catalogue import Consume, Produce
from cluster.faults.fault_book import DOWN
from cluster.faults.simulated import CRASH_POINTS
from cluster.model.entry import Entry
from cluster.model.events import FaultApplied, FaultInjected, FaultReverted, ProcessExited
from cluster.model.identifiers import NodeId, TopicPartition
from cluster.simulation.cluster import SimulatedCluster
from cluster.simulation.swarm_plan import SwarmPlan

TOPIC = "orders"
ACKS = {"all": -1, "1": 1, "0": 0}
QUIET_SHARE = 0.25
QUIET_S = 3.0


class Nemesis:
    """One plan's troubles and its clients."""

    def __init__(self, cluster: SimulatedCluster, plan: SwarmPlan) -> None:
        self._cluster, self._plan = cluster, plan
        self._random = cluster.kernel.stream("nemesis")
        self._busy: list[list[Job]] = []
        self._written = 0
        self._unkind: dict[str, Any] | None = None
        self.faults = 0
        """How many were injected."""
        self.unordered: set[NodeId] = set()
        """Nodes that ended without order at least once."""
        self.was_harsh = False
        """A disk lied, was full, or lost power: promises may be excused."""
        cluster.recording.listeners.append(self._note)

    def _note(self, entry: Entry) -> None:
        event = entry.event
        if isinstance(event, FaultInjected):
            self.faults += 1
            self.was_harsh = self.was_harsh or event.kind in ("PowerLoss", "FsyncLie", "DiskFull")
        elif isinstance(event, ProcessExited) and event.exit_code != 0:
            self.unordered.add(event.node_id)

    def send(self, text: str) -> bool:
        """One command; whether it was carried out."""
        carrying = carry_out(self._cluster.desk, text, self._cluster.ready)
        try:
            carrying.send(None)
        except StopIteration as stopped:
            return bool(stopped.value.ok)
        raise AssertionError("a simulation waits for nothing outside of it")

    def rage(self) -> None:
        """Trouble for as long as the plan says; a quarter of the time is quiet, but for what the network does."""
        cluster, plan, random = self._cluster, self._plan, self._random
        end_s = cluster.now_s() + plan.duration_s
        while cluster.now_s() < end_s:
            period_end_s = min(end_s, cluster.now_s() + QUIET_S)
            is_quiet = random.random() < QUIET_SHARE
            while cluster.now_s() < period_end_s:
                self._employ()
                if not is_quiet:
                    self._strike()
                cluster.advance(random.expovariate(1 / plan.fault_every_s) + 0.001)

    def calm(self) -> None:
        """Take back every fault, the network's own among them, and start every node."""
        self._cluster.network.be_kind()
        if self._unkind is not None:
            # Who waits for an answer that was lost on a connection which lives waits for its whole request timeout.
            self._cluster.advance(1.1 * self._cluster.settings.request_timeout_ms / 1000)
            self._cluster.desk.trace.write(FaultReverted(**self._unkind), trigger="nemesis")
        for node, process in list(self._cluster.processes.items()):
            process.arm("")
            if self._cluster.is_paused(node):
                self.send(f"resume {node}")
        self.send("heal")
        self.start_all()

    def start_all(self) -> None:
        """Start every node that is down; a broker that cannot register in time ends itself."""
        for node in self._cluster.nodes:
            if not self._cluster.is_up(node):
                self.send(f"start {node}")

    def leave_core(self) -> tuple[NodeId, ...]:
        """End all but a random core for good; the core has a majority of the voters and a broker. Source: TigerBeetle.

        Nothing is left out where every node is needed. Returns the core.
        """
        cluster, random = self._cluster, self._random
        voters, brokers = list(cluster.config.voters), list(cluster.brokers)
        core = {
            *random.sample(voters, random.randint(len(voters) // 2 + 1, len(voters))),
            *random.sample(brokers, random.randint(1, len(brokers))),
        }
        for node in cluster.nodes:
            if node not in core and cluster.is_up(node):
                self.send(f"kill {node}")
        return tuple(sorted(core))

    def probe(self) -> None:
        """A few acknowledged produces to each partition."""
        for number in range(self._plan.partitions):
            self._produce(TopicPartition(TOPIC, number), 3, acks=-1, batch=1)

    def _produce(self, where: TopicPartition, count: int, *, acks: int, batch: int) -> list[Job]:
        """No two producers write the same, so that what is read tells who wrote it."""
        self._written += 1
        produce = Produce(
            where,
            count,
            acks,
            value=f"w{self._written}",
            batch=batch,
            in_flight=self._plan.in_flight,
            wait=False,
            idempotent=self._plan.idempotent and acks == -1,
        )
        return self._cluster.begin_client(produce)[1]

    def tell_of_network(self) -> None:
        """A network that loses frames is a fault in force, and the trace has to say so."""
        options = self._plan.config.options
        if not options.is_unkind:
            return
        arguments = f"loss={options.loss:g} duplicate={options.duplicate:g} reorder={options.reorder:g}"
        desk = self._cluster.desk
        self._unkind = {"fault_id": desk.book.number(), "kind": "UnkindNetwork", "arguments": arguments}
        cause = desk.trace.write(FaultInjected(**self._unkind, command=arguments), trigger="nemesis")
        desk.trace.write(FaultApplied(**self._unkind), cause=cause, trigger="nemesis")

    def _employ(self) -> None:
        """Keep as many clients at work as planned."""
        plan, random = self._plan, self._random
        self._busy = [jobs for jobs in self._busy if not jobs]
        while len(self._busy) < plan.producers:
            partition = TopicPartition(TOPIC, random.randrange(plan.partitions))
            if random.random() < 0.15:
                self._busy.append(self._cluster.begin_client(Consume(partition, 0))[1])
                continue
            acks = ACKS[random.choice(plan.acks)]
            batch, count = random.choice((1, 1, 3)), random.randint(1, 12)
            self._busy.append(self._produce(partition, count, acks=acks, batch=batch))

    def _strike(self) -> None:
        """One fault, or the end of one."""
        cluster, random = self._cluster, self._random
        down = [node for node in cluster.nodes if not cluster.is_up(node)]
        paused = [node for node in cluster.nodes if cluster.is_paused(node)]
        healing = [fault for fault in cluster.desk.book if not isinstance(fault.command, DOWN)]
        if down and random.random() < max(0.3, self._plan.at_once):
            self.send(f"start {random.choice(down)}")
        elif paused and random.random() < 0.4:
            self.send(f"resume {random.choice(paused)}")
        elif healing and random.random() < 0.35:
            self.send(f"heal {random.choice(healing).fault_id}")
        else:
            self._inject(random.choice(self._plan.kinds))

    def _inject(self, kind: str) -> None:
        cluster, random = self._cluster, self._random
        up = [node for node in cluster.nodes if cluster.is_up(node)]
        if not up:
            return
        node, delay_ms = random.choice(up), random.randint(1, self._plan.delay_ms)
        one, other = self._two()
        way = f"{one}{random.choice('->')}{other}" if other else ""
        match kind:
            case "kill" | "stop" | "pause" | "isolate" | "fsync lie":
                self.send(f"{kind} {node}")
            case "power-loss":
                together = random.sample(up, random.randint(1, min(3, len(up))))
                self.send(f"power-loss {','.join(map(str, together))}")
            case "crash":
                cluster.processes[node].arm(random.choice(CRASH_POINTS))
            case "fsync slow":
                self.send(f"fsync slow {node} {delay_ms}ms")
            case "disk-full":
                self.send(f"disk-full {node} {random.randint(1, 4096)}")
            case "partition" if other:
                self.send(f"partition {self._groups()}")
            case "cut" if other:
                self.send(f"cut {way}")
            case "delay" if other:
                self.send(f"delay {way} {delay_ms}ms {delay_ms}ms jitter")
            case "slow-link" if other:
                self.send(f"slow-link {way} {random.choice(('1KiB', '16KiB'))}")
            case "reset" if other:
                self.send(f"reset {one}-{other}")

    def _two(self) -> tuple[NodeId, NodeId]:
        nodes = self._cluster.nodes
        if len(nodes) < 2:
            return nodes[0], 0
        one, other = self._random.sample(nodes, 2)
        return one, other

    def _groups(self) -> str:
        nodes = list(self._cluster.nodes)
        self._random.shuffle(nodes)
        cut = self._random.randint(1, len(nodes) - 1)
        return "|".join(",".join(map(str, group)) for group in (nodes[:cut], nodes[cut:]))
