"""A whole simulated cluster: machines with their files, their processes, the network, clients. Implements World."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, TypeAlias

from cluster.cluster_spec import ClusterSpec
from cluster.commands.clients import Job, is_awaited
from cluster.commands.desk import Desk
from cluster.commands.world import ClientCommand, CommandRefused
from cluster.faults.effects_on_links import Direction, LinkRules, from_plain
from cluster.faults.processes import Kill
from cluster.lab import Answer
from cluster.language.members import MemberOrder
from cluster.language.topics import Load
from cluster.language.words import NodeName
from cluster.model import exit_codes
from cluster.model.entry import EventId
from cluster.model.events import MessagePlucked, RunEnded, RunStarted
from cluster.model.identifiers import FIRST_CLIENT_ID, LAB_ID, NodeId
from cluster.node.config import BROKER_ROLE, CONTROLLER_ROLE, COORDINATOR_ROLE, NodeConfig
from cluster.picture.cluster_state import ClusterState
from cluster.simulation.world.client_host import SimulatedClients
from cluster.simulation.world.clock import MachineClock
from cluster.simulation.world.endpoint import Endpoint
from cluster.simulation.world.kernel import NS_PER_MS, NS_PER_S, Kernel
from cluster.simulation.world.network import Network
from cluster.simulation.world.node import SimulatedNode
from cluster.simulation.world.recording import Recording
from cluster.simulation.world.stutter import Stutter
from cluster.storage.memory_files import MemoryFiles
from cluster.storage.meta_properties import format_disk
from cluster.storage.power_loss import Losses, cut_to_durable
from cluster.trace.tracer import Tracer

LISTEN_SECONDS = 20.0
WORLD = "simulated"
FOREVER_S = 1_000_000.0
"""A client always knows its outcome before; its own deadlines see to that."""
Wait: TypeAlias = Callable[[Callable[[], bool], float], Awaitable[bool]]
"""Lets time pass until something is so, at most so many seconds; whether it is."""


class SimulatedCluster:
    """Everything of one run. Time passes only when it is asked for."""

    def __init__(self, config: ClusterSpec, *, observes: bool = True) -> None:
        """`observes`: whether messages and timers are told, which costs time and changes nothing else."""
        self.config = config
        self.settings = config.settings
        self.brokers = config.broker_ids
        self.nodes = config.nodes
        """All nodes, controllers first, in the order they are started."""
        self.kernel = Kernel(config.seed)
        """Clock, heap and chance."""
        self.recording = Recording(config.run, self.kernel, observes=observes)
        self.wait: Wait = self._wait_at_once
        """How a command waits: nothing but the cluster happens meanwhile, unless somebody puts another way here."""
        self.logs: list[tuple[NodeId, str]] = []
        """What processes would have written to their standard error."""
        self.files = {node: MemoryFiles() for node in self.nodes}
        """The disk of each machine, over all lives of its node."""
        self.clocks = {node: MachineClock(self.kernel) for node in self.nodes}
        """The clocks of each machine."""
        self.processes: dict[NodeId, SimulatedNode] = {}
        """Those that live, paused or not."""
        self._lives = dict.fromkeys(self.nodes, 0)
        self.network = Network(self.kernel, config.options, self.nodes)
        """Between all of them."""
        self._draw = self.kernel.stream("machines")
        self._state = ClusterState()
        self.recording.readers.append(self._state.apply_all)
        trace = self.recording.writer(LAB_ID, 0)
        self.desk = Desk(self, trace)
        """Where commands are carried out."""
        self._clients = SimulatedClients(
            self.kernel,
            self.network,
            self.brokers,
            self.brokers if config.settings.is_zookeeper else config.voters,
            config.settings,
            self.recording.writer(FIRST_CLIENT_ID, 0),
            observes=observes,
        )

    def begin(self) -> None:
        """Start all nodes; nothing runs before time passes."""
        config = json.dumps(asdict(self.settings))
        latency_us = self.config.options.latency_us[1]
        started = RunStarted(config=config, world=WORLD, title=self.config.title, latency_us_max=latency_us)
        self.desk.trace.write(started, trigger="lab")
        for node in self.nodes:
            self._launch(node, None)

    def finish(self) -> None:
        """End everything at once and say so."""
        self._clients.close()
        for node in list(self.processes):
            self._end(node)
        self.desk.trace.write(RunEnded(clean=True), trigger="lab")
        self.recording.catch_up()

    def advance(self, seconds: float) -> None:
        """Let so much time pass."""
        self.kernel.advance(self.kernel.now_ns + round(seconds * NS_PER_S))

    def run_until(self, is_reached: Callable[[], bool], limit_s: float) -> bool:
        """Let time pass until it is so, at most so long; whether it is."""
        return self.kernel.run_until(is_reached, round(limit_s * NS_PER_S))

    @property
    def is_simulated(self) -> bool:
        """True: its nodes are objects of this process."""
        return True

    def now_s(self) -> float:
        """The virtual clock."""
        return self.kernel.now_ns / NS_PER_S

    async def _wait_at_once(self, is_reached: Callable[[], bool], limit_s: float) -> bool:
        return self.run_until(is_reached, limit_s)

    async def pass_time(self, seconds: float) -> None:
        """Let so much time pass."""
        await self.wait(lambda: False, seconds)

    def cluster(self) -> ClusterState:
        """The cluster as its events tell it, up to now."""
        self.recording.catch_up()
        return self._state

    def active_controllers(self) -> list[NodeId]:
        """Nodes that take themselves for the active controller; may be more than one for a moment."""
        servers = {node: process.server for node, process in self.processes.items()}
        return [node for node, server in servers.items() if server is not None and server.is_active_controller]

    def is_up(self, node: NodeId) -> bool:
        """Whether its process lives."""
        return node in self.processes

    def is_paused(self, node: NodeId) -> bool:
        """Whether a command has its process stand still."""
        process = self.processes.get(node)
        return process is not None and process.is_held

    async def ready(self) -> None:
        """Wait until the nodes that were started first listen, as a lab of processes does."""
        first = [process for process in self.processes.values() if process.incarnation == 0]
        await self.wait(lambda: all(item.is_ready or item.exit_code is not None for item in first), LISTEN_SECONDS)

    async def start(self, node: NodeId, cause: EventId | None) -> str:
        """Start a node on the files it left; empty once it listens."""
        process = self._launch(node, cause)
        await self.wait(lambda: process.is_ready or process.exit_code is not None, LISTEN_SECONDS)
        if process.exit_code is not None:
            return f"node {node} ended at once with {exit_codes.reason(process.exit_code)}"
        return "" if process.is_ready else f"node {node} does not listen yet after {LISTEN_SECONDS:g} s"

    async def kill(self, *nodes: NodeId) -> None:
        """End them at any instruction."""
        for node in nodes:
            self._end(node)

    async def stop(self, node: NodeId, patience_s: float) -> bool:
        """Ask it to leave in order; kill it when it does not."""
        process = self.processes[node]
        process.is_expected_to_end = True
        await self.steady(node)
        if process.is_held:
            await self.resume(node)
        await self.wait(lambda: process.is_ready or process.exit_code is not None, patience_s)
        if process.is_ready:
            process.ask_to_stop()
        if not await self.wait(lambda: process.exit_code is not None, patience_s):
            self._end(node)
        return process.exit_code == 0

    async def pause(self, *nodes: NodeId) -> bool:
        """Have them stand still."""
        for node in nodes:
            process = self.processes[node]
            process.is_held = True
            process.pause()
        return True

    async def resume(self, node: NodeId) -> None:
        """Let it go on; one that stutters goes on when its round says so."""
        process = self.processes[node]
        process.is_held = False
        if process.stutter is None or not process.stutter.is_still:
            process.resume()

    async def stutter(self, node: NodeId, run_ms: int, stop_ms: int) -> None:
        """Have it run and stand still in turn."""
        await self.steady(node)
        process = self.processes[node]
        process.stutter = Stutter(self.kernel, process, run_ms, stop_ms)

    async def steady(self, node: NodeId) -> None:
        """It stutters no more."""
        process = self.processes[node]
        rounds, process.stutter = process.stutter, None
        if rounds is not None:
            rounds.end()

    async def power_off(self, nodes: Sequence[NodeId], keep: str, pick: int) -> dict[NodeId, Losses]:
        """Silence and end those that run, and take away what was not durable."""
        for node in nodes:
            if node in self.processes:
                self.processes[node].endpoint.silence()
        for node in nodes:
            self._end(node)
        return {node: cut_to_durable(self.files[node], keep, f"{pick}/{node}") for node in nodes}

    async def tell_links(self, rules: Sequence[Mapping[str, Any]], *nodes: NodeId) -> dict[NodeId, str]:
        """Put link faults in force; a node that stands still hears of them when it goes on."""
        for node in nodes or tuple(self.processes):
            process = self.processes.get(node)
            if process is not None and not process.is_held:
                process.endpoint.apply(LinkRules(map(from_plain, rules)))
        told = (rule for rule in rules if FIRST_CLIENT_ID in (rule["source"], rule["target"]))
        self._clients.apply(LinkRules(map(from_plain, told)))
        return {}

    def is_on_its_way(self, way: Direction, message: str, number: int) -> bool:
        """On the network, or kept back at either end."""
        ends = (self.processes[node].endpoint for node in way if node in self.processes)
        return self.network.carries(way, message, number) or any(
            end.traffic.keeps(way, message, number) for end in ends
        )

    def on_plucked(self, event: MessagePlucked) -> None:
        """A fault has had its message."""
        if (late_ms := self.desk.over_in_ms(event)) is not None:
            self.kernel.after(late_ms * NS_PER_MS, self._end_on_links, event.fault_id)

    def _end_on_links(self, fault_id: int) -> None:
        with suppress(StopIteration):  # nothing in it waits
            self.desk.end_on_links(fault_id).send(None)

    async def tell_disk(self, node: NodeId, told: Mapping[str, Any]) -> str:
        """Put disk faults in force."""
        if node in self.processes:
            self.processes[node].spoil_disk(told)
        return ""

    async def flush(self, node: NodeId) -> str:
        """At once, whatever the disk."""
        self.processes[node].disk.flush_all()
        return ""

    def tell_clock(self, node: NodeId, offset_ms: int, percent: int) -> None:
        """Set a machine's clocks off."""
        rate_before = self.clocks[node].set(offset_ms * NS_PER_MS, percent)
        if node in self.processes:
            self.processes[node].retime(rate_before)

    def arm(self, node: NodeId, point: str) -> None:
        """Have a node die at a place of its code."""
        if node in self.processes:
            self.processes[node].arm(point)

    async def tell_clients(self, node: NodeId, told: Mapping[str, Any]) -> str:
        """Simulated brokers have no listener, so there are no clients to trouble."""
        if any(told.values()):
            raise CommandRefused(f"broker {node} is simulated and has no listener; Kafka clients need real processes")
        return ""

    def disk_files(self, node: NodeId) -> MemoryFiles:
        """The disk of a machine."""
        return self.files[node]

    async def reset(self, first: NodeId, second: NodeId) -> bool:
        """Break their connections once, at both ends that run."""
        ends = [(node, peer) for node, peer in ((first, second), (second, first)) if self._obeys(node)]
        for node, peer in ends:
            self.processes[node].endpoint.reset(peer, "fault")
        return bool(ends)

    async def run_client(self, command: ClientCommand) -> Answer:
        """Have a built-in client carry out a command; let time pass until its outcome is known."""
        if isinstance(command, MemberOrder):
            return self._clients.order(command)
        if isinstance(command, Load):
            return self._clients.load(command)
        job, finished = self.begin_client(command)
        if not is_awaited(command):
            return Answer(True, f"{job.name} is at it")
        await self.wait(lambda: bool(finished), FOREVER_S)
        return job.answer()

    def begin_client(self, command: ClientCommand) -> tuple[Job, list[Job]]:
        """Start a command of a built-in client without waiting; the list is filled once it is done."""
        return self._clients.begin(command)

    def on_exit(self, process: SimulatedNode, code: int) -> None:
        """A process has ended."""
        node = process.config.node_id
        if self.processes.get(node) is process:
            del self.processes[node]
        self.desk.exited(node, process.incarnation, code, expected=process.is_expected_to_end)

    def crash(self, process: SimulatedNode, point: str) -> None:
        """A node was to die at a point of its own code and has reached it; told as the kill that it is."""
        fault, cause = self.desk.inject(Kill(NodeName(process.config.node_id)))
        process.is_expected_to_end = True
        process.end(exit_codes.KILLED)
        self.desk.book.add(fault)
        self.desk.applied(fault, cause)
        self.log(process.config.node_id, f"killed {point}")

    def log(self, node_id: NodeId, text: str) -> None:
        """What a process would write to its standard error."""
        self.logs.append((node_id, text))

    def _obeys(self, node: NodeId) -> bool:
        process = self.processes.get(node)
        return process is not None and process.is_ready and not process.is_paused

    def _end(self, node: NodeId) -> None:
        process = self.processes.get(node)
        if process is not None:
            process.is_expected_to_end = True
            process.end(exit_codes.KILLED)

    def _launch(self, node: NodeId, cause: EventId | None) -> SimulatedNode:
        if node in self.processes:
            raise CommandRefused(f"node {node} is running")
        config, options = self.config, self.config.options
        incarnation = self._lives[node]
        self._lives[node] = incarnation + 1
        first = COORDINATOR_ROLE if config.settings.is_zookeeper else CONTROLLER_ROLE
        roles = ((first, config.voters), (BROKER_ROLE, self.brokers))
        node_config = NodeConfig(
            node_id=node,
            roles=tuple(role for role, members in roles if node in members),
            controllers=config.voters,
            brokers=self.brokers,
            settings=config.settings,
            incarnation_id=f"{self.kernel.stream(f'incarnation {node}-{incarnation}').getrandbits(64):016x}",
            incarnation=incarnation,
            run=config.run if config.settings.dynamic_quorum else "",
        )
        if config.settings.dynamic_quorum:
            format_disk(self.files[node], node_config.run, node, incarnation)
        clock = self.clocks[node]
        tracer = Tracer(self.recording.writer(node, incarnation, clock))
        process = SimulatedNode(self, node_config, incarnation, self.files[node], clock, tracer)
        observe = process.observe if self.recording.observes else None
        endpoint = Endpoint(self.network, process, node, config.settings.request_timeout_ms, observe)
        endpoint.apply(LinkRules(map(from_plain, self.desk.book.rules(self.nodes))))
        self.processes[node] = process
        self.desk.started(node, node_config.roles, incarnation, 0, cause)
        boot_ns = round(self._draw.uniform(*options.boot_ms) * NS_PER_MS)
        process.begin(endpoint, boot_ns, options.flush_us, self.desk.book.disk(node))
        return process
