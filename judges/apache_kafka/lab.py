"""A cluster of Apache Kafka as a lab: commands of our scripts go in, events come out. It implements TimedLab."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, monotonic_ns

from cluster.faults.effects_on_links import LinkRules
from cluster.faults.fault import Fault, LinkFault
from cluster.faults.grammar import parse_command
from cluster.faults.healing import Heal
from cluster.faults.processes import Kill, Pause, PowerLoss, Resume, Start, Stop
from cluster.lab import Answer
from cluster.language.command import Command
from cluster.language.words import CommandError
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.events import Event
from cluster.model.identifiers import NodeId
from cluster.model.settings import Settings
from cluster.runtime.run.folder import private_folder
from cluster.runtime.run.ports import LOOPBACK, blocks, reserve
from cluster.scenario.script import ClusterPlan
from judges.apache_kafka.client import KafkaClient
from judges.apache_kafka.disks import Disks
from judges.apache_kafka.jars import Jars
from judges.apache_kafka.jobs import Job, Jobs
from judges.apache_kafka.links import Links
from judges.apache_kafka.nodes import KafkaNodes

LOOK_SECONDS = 0.05
START_SECONDS = 120.0
STOP_SECONDS = 60.0
AGAIN_SECONDS = 0.05
FIRST_CONTROLLER = 101


@dataclass(slots=True)
class KafkaLab:
    """One cluster of Apache Kafka, from its formatting to its end."""

    run_folder: Path
    nodes: KafkaNodes
    links: Links
    reserved: int
    """Descriptor that keeps other runs off its ports."""
    jobs: Jobs = field(init=False)
    disks: Disks = field(init=False)
    _entries: list[Entry] = field(default_factory=list)
    _faults: list[tuple[int, LinkFault]] = field(default_factory=list)
    """In force, each with its number."""
    _paused: dict[NodeId, int] = field(default_factory=dict)
    _working: set[asyncio.Task[Answer]] = field(default_factory=set)
    _looked_s: float = 0.0
    _count: int = 0
    _fault_id: int = 0

    def __post_init__(self) -> None:
        self.disks = Disks(self.nodes, self._tell)
        self.jobs = Jobs(KafkaClient(self.nodes.ports), self.nodes.settings, self._answering, self._tell)

    def _answering(self) -> list[NodeId]:
        return [node for node in self.nodes.brokers if self.nodes.is_up(node) and node not in self._paused]

    def _tell(self, node: NodeId, event: Event) -> None:
        self._count += 1
        self._entries.append(
            Entry(self.run_folder.name, node, 0, self._count, monotonic_ns(), 0, self._count, None, "", None, event)
        )

    async def begin(self) -> None:
        """Start all nodes and wait until every broker is in service. OSError when that takes too long."""
        self.nodes.format(self.links)
        await self.links.start()
        for node in (*self.nodes.controllers, *self.nodes.brokers):
            self._start(node)
        wanted = set(self.nodes.brokers)
        await self._until(lambda: self._in_service() >= wanted, START_SECONDS, "its brokers are not in service")

    def _in_service(self) -> set[NodeId]:
        self.look()
        state: dict[NodeId, bool] = {}
        for entry in self._entries:
            if isinstance(entry.event, ev.BrokerUnfenced | ev.BrokerFenced):
                state[entry.event.broker_id] = isinstance(entry.event, ev.BrokerUnfenced)
        return {node for node, serves in state.items() if serves}

    async def _until(self, holds: Callable[[], bool], seconds: float, what: str) -> None:
        deadline_s = monotonic() + seconds
        while not holds():
            dead = [node for node, process in self.nodes.processes.items() if process.poll() and not self._faults]
            if dead or monotonic() > deadline_s:
                raise OSError(f"Apache Kafka: {what}; {self.nodes.folder} has what its nodes said")
            await asyncio.sleep(AGAIN_SECONDS)

    def _start(self, node: NodeId) -> None:
        roles = ("controller",) if node in self.nodes.controllers else ("broker",)
        pid = self.nodes.start(node)
        self._tell(0, ev.ProcessStarted(node_id=node, roles=roles, incarnation_number=0, pid=pid))
        if node in self.nodes.controllers:
            self._tell(node, ev.QuorumBooted(
                epoch=0, voted_for=-1, leader_id=-1, log_end_offset=0, last_epoch=0, voters=self.nodes.controllers
            ))  # fmt: skip
        self._tell(0, ev.ProcessReady(node_id=node, port=self.nodes.ports[node]))

    def look(self) -> None:
        """Read the disks, at most every LOOK_SECONDS."""
        if monotonic() - self._looked_s >= LOOK_SECONDS:
            self.disks.look()
            self._looked_s = monotonic()

    async def send(self, text: str, by: str = "") -> Answer:  # noqa: ARG002
        """Carry out one command; those that Apache Kafka has no counterpart of are refused."""
        try:
            command = parse_command(text)
        except CommandError as error:
            return Answer(False, str(error))
        if isinstance(command, Job):
            return await self._work(command)
        return await self._break(command)

    async def _work(self, command: Job) -> Answer:
        if getattr(command, "wait", True):
            return await self.jobs.do(command)
        task = asyncio.get_running_loop().create_task(self.jobs.do(command))
        self._working.add(task)
        task.add_done_callback(self._working.discard)
        await asyncio.sleep(0)
        return Answer(True, "a client is at it")

    async def _break(self, command: Command) -> Answer:
        if isinstance(command, Fault):
            self._fault_id += 1  # as our labs count, since a script may heal by number
        match command:
            case Kill(node=node):
                await self._end(node.node_id, signal.SIGKILL)
            case Stop(node=node):
                await self._end(node.node_id, signal.SIGTERM)
                self.nodes.note_flushed(node.node_id)
            case PowerLoss(at=at):
                for node in at:
                    await self._end(node.node_id, signal.SIGKILL)
                for node in at:
                    self.nodes.lose_power(node.node_id)
            case Start(node=node):
                await self._start_again(node.node_id)
            case Pause(node=node):
                self._pause(node.node_id)
            case Resume(node=node):
                self._resume(node.node_id)
            case LinkFault():
                self._faults.append((self._fault_id, command))
                self._obey()
            case Heal():
                self._heal(command)
            case _:
                return Answer(False, f"Apache Kafka has no '{command.verb}'")
        return Answer(True, "done")

    async def _end(self, node: NodeId, number: signal.Signals) -> None:
        process = self.nodes.processes[node]
        self.nodes.signal(node, number)
        deadline_s = monotonic() + STOP_SECONDS
        while process.poll() is None:
            if monotonic() > deadline_s:
                raise OSError(f"Apache Kafka: node {node} does not end")
            await asyncio.sleep(AGAIN_SECONDS)
        self._paused.pop(node, None)
        self.links.drop(node)
        self.disks.look()
        self._tell(0, ev.ProcessExited(
            node_id=node, incarnation_number=0, exit_code=process.returncode, expected=True
        ))  # fmt: skip

    async def _start_again(self, node: NodeId) -> None:
        """Done once it is there for the others: a broker has registered, a controller listens."""
        registered = self.disks.incarnations.get(node, 0)
        self._start(node)
        deadline_s = monotonic() + START_SECONDS
        while monotonic() < deadline_s:
            self.look()
            if node in self.nodes.controllers:
                with suppress(OSError):
                    _, writer = await asyncio.open_connection(LOOPBACK, self.nodes.ports[node])
                    writer.transport.abort()
                    return
            elif self.disks.incarnations.get(node, 0) > registered:
                return
            await asyncio.sleep(AGAIN_SECONDS)

    def _pause(self, node: NodeId) -> None:
        self._paused[node] = self._fault_id
        self.nodes.signal(node, signal.SIGSTOP)
        self._tell(
            0, ev.FaultApplied(fault_id=self._fault_id, kind="Pause", arguments=str(node), nodes=(node,), family="node")
        )

    def _resume(self, node: NodeId) -> None:
        number = self._paused.pop(node, None)
        self.nodes.signal(node, signal.SIGCONT)
        if number is not None:
            self._tell(0, ev.FaultReverted(fault_id=number, kind="Pause", arguments=str(node), nodes=(node,)))

    def _heal(self, command: Heal) -> None:
        if command.described is not None:
            found = [item for item in self._faults if item[1] == command.described][-1:]
        elif command.fault_id is not None:
            found = [item for item in self._faults if item[0] == command.fault_id]
        else:
            found = list(self._faults)
        self._faults = [item for item in self._faults if item not in found]
        self._obey()
        if command.described is None and command.fault_id is None and not command.family:
            for node in list(self._paused):
                self._resume(node)

    def _obey(self) -> None:
        numbers = tuple(self.nodes.ports)
        rules = LinkRules(rule for number, fault in self._faults for rule in fault.rules(numbers, number))
        self.links.obey(rules.cuts, {way: delay.delay_ms for way, delay in rules.delays.items()})

    def now_s(self) -> float:
        """The machine's monotonic clock."""
        return monotonic()

    async def pass_time(self, seconds: float) -> None:
        """Sleep; nobody need ask more often than the disks are looked at."""
        await asyncio.sleep(max(seconds, LOOK_SECONDS))

    async def pass_until(self, elapsed_ns: int) -> None:
        """Not at all: a script with times of its own is not judged."""

    def poll(self) -> list[Entry]:
        """What the disks and our clients have told since the last poll."""
        self.look()
        found, self._entries = self._entries, []
        return found

    def note(self, event: Event, trigger: str) -> None:  # noqa: ARG002
        """What the script says of itself."""
        self._tell(0, event)

    def when(self, matches: Callable[[Entry], bool], command: str) -> None:
        """Not at all: a script that waits for an event of a node is not judged."""

    async def close(self) -> None:
        """End every process and every link."""
        for task in list(self._working):
            task.cancel()
        await asyncio.gather(*self._working, return_exceptions=True)
        self.nodes.kill_all()
        await self.links.close()
        with suppress(OSError):
            os.close(self.reserved)


def made(jars: Jars, plan: ClusterPlan, settings: Settings, *, controllers: int) -> KafkaLab:
    """A cluster that has not begun, in a temporary folder. OSError when no ports are free."""
    folder = Path(tempfile.mkdtemp(prefix="kraft-workbench-kafka-"))
    numbers = tuple(range(FIRST_CONTROLLER, FIRST_CONTROLLER + controllers))
    brokers = tuple(range(1, 1 + plan.brokers))
    block, reserved = _reserved(len(numbers) + len(brokers))
    ports = dict(zip((*numbers, *brokers), block, strict=True))
    places = {node: place for place, node in enumerate(ports, 1)}
    nodes = KafkaNodes(jars, folder, settings, numbers, brokers, ports)
    return KafkaLab(folder, nodes, Links(ports, places), reserved)


def _reserved(count: int) -> tuple[tuple[int, ...], int]:
    """Ports that no other run takes while the descriptor is open. OSError when there are none."""
    for block in blocks(count, None):
        descriptor = reserve(block, private_folder())
        if descriptor is not None:
            return block, descriptor
    raise OSError("no free ports for Apache Kafka")
