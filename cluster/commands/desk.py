"""Where the commands of one lab are carried out: its world, the faults in force, its own trace, names of nodes."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from cluster.commands.world import CommandRefused, World
from cluster.faults.fault import Fault
from cluster.faults.fault_book import FaultBook, Injected
from cluster.faults.plucking import Pluck
from cluster.faults.processes import CrashPoint, Freeze, Pause, Stutter
from cluster.language.words import CLIENT, NodeName
from cluster.model.entry import EventId
from cluster.model.events import (
    FaultApplied,
    FaultInjected,
    FaultReverted,
    MessagePlucked,
    ProcessExited,
    ProcessStarted,
)
from cluster.model.events.lab import HOLD
from cluster.model.identifiers import FIRST_CLIENT_ID, METADATA, NO_NODE, OFFSETS_TOPIC, NodeId, TopicPartition
from cluster.model.offsets_topic import partition_for
from cluster.picture.cluster_state import ClusterState
from cluster.trace.tracer import Writer

COMMANDED = "command"
NAME_SECONDS = 5.0
NAME_POLL_SECONDS = 0.01


def commanded(by: str) -> str:
    """The trigger of what was asked for: command by script. Recordings of earlier versions name nobody."""
    return f"{COMMANDED} by {by}" if by else COMMANDED


def offsets_partition(cluster: ClusterState, group: str) -> TopicPartition:
    """The partition that holds a group, whose leader is its coordinator."""
    return TopicPartition(OFFSETS_TOPIC, partition_for(group, cluster.offsets_partitions))


class Desk:
    """Shared by all commands of one lab."""

    __slots__ = ("book", "by", "endings", "one_at_a_time", "trace", "world")

    def __init__(self, world: World, trace: Writer, fault_count: int = 0) -> None:
        """`fault_count`: faults that the run has seen before."""
        self.world = world
        """What the commands act on."""
        self.trace = trace
        """The lab's own events."""
        self.book = FaultBook(fault_count)
        self.by = ""
        """Who gave the command that is being carried out, or the last one; empty when that is not known."""
        self.one_at_a_time = asyncio.Lock()
        """Held by a command that changes what is in force."""
        self.endings: set[asyncio.Task[None]] = set()
        """Faults that end by themselves, each waiting for its time."""

    async def find(self, name: NodeName) -> NodeId:
        """The node a name means now; waits a little while an election is on. CommandRefused when it means none."""
        world = self.world
        if not name.part:
            if name.node_id not in world.nodes:
                raise CommandRefused(f"no node {name.node_id}; there are {', '.join(map(str, world.nodes))}")
            return name.node_id
        deadline = world.now_s() + NAME_SECONDS
        while (node := self._named(name)) == NO_NODE:
            if world.now_s() > deadline:
                raise CommandRefused(f"there is no {name} now")
            await world.pass_time(NAME_POLL_SECONDS)
        return node

    def _named(self, name: NodeName) -> NodeId:
        cluster = self.world.cluster()
        if name.part == CLIENT:
            return FIRST_CLIENT_ID
        if name.part == "controller":
            return cluster.quorum_leader
        if name.part == "coordinator":
            return cluster.leader_of(offsets_partition(cluster, name.group))
        where = name.topic_partition or METADATA
        leader = cluster.leader_of(where)
        if name.part == "leader" or leader == NO_NODE:
            return leader
        facts = cluster.facts(where)
        members = cluster.voters if where == METADATA else facts.isr if facts is not None else ()
        followers = sorted(node for node in members if node != leader and self.world.is_up(node))
        return followers[0] if followers else NO_NODE

    def running(self) -> tuple[NodeId, ...]:
        """Nodes that live and are not paused."""
        return tuple(node for node in self.world.nodes if self.world.is_up(node) and not self.world.is_paused(node))

    def must_run(self, node: NodeId) -> None:
        """CommandRefused when it is down."""
        if not self.world.is_up(node):
            raise CommandRefused(f"node {node} is not running")

    def must_be_down(self, node: NodeId) -> None:
        """CommandRefused while it runs."""
        if self.world.is_up(node):
            raise CommandRefused(f"node {node} is running; kill {node} comes first")

    def inject(self, command: Fault) -> tuple[Injected, EventId]:
        """Write that a fault was asked for, before anything is done."""
        fault = self.book.open(command, self.world.nodes)
        if isinstance(command, Freeze):
            fault = replace(fault, nodes=self.running())
        injected = FaultInjected(**fault.told(), command=str(command))
        return fault, self.trace.write(injected, trigger=commanded(self.by))

    def end_older(self, kind: type[Fault], node: NodeId) -> None:
        """A new fault of this kind takes the place of those that the node has."""
        for older in self.book.find((kind,), node):
            self.reverted(older)

    def applied(self, fault: Injected, cause: EventId) -> None:
        """Write that it is in force."""
        self.trace.write(FaultApplied(**fault.told()), cause=cause, trigger="lab")

    def reverted(self, fault: Injected) -> EventId:
        """Strike it from the book and write so."""
        self.book.remove(fault)
        return self.trace.write(FaultReverted(**fault.told()), trigger="command")

    def over_in_ms(self, event: MessagePlucked) -> int | None:
        """When a fault that has had its message is over; None when that is for heal to say."""
        fault = self.book.get(event.fault_id)
        if fault is None or not isinstance(fault.command, Pluck) or fault.command.fate == HOLD:
            return None
        return fault.command.late_ms

    async def end_on_links(self, fault_id: int) -> None:
        """A fault of links is over by itself, unless it was healed meanwhile."""
        if (fault := self.book.get(fault_id)) is not None:
            self.reverted(fault)
            await self.world.tell_links(self.book.rules(self.world.nodes))

    def started(self, node: NodeId, roles: tuple[str, ...], incarnation: int, pid: int, cause: EventId | None) -> None:
        """Write that a node was started."""
        started = ProcessStarted(node_id=node, roles=roles, incarnation_number=incarnation, pid=pid)
        self.trace.write(started, cause=cause, trigger="lab")

    def exited(self, node: NodeId, incarnation: int, code: int, *, expected: bool) -> None:
        """Write that a node is gone; it is not paused and stutters no more, and waits for no place to die at."""
        for fault in self.book.find((Pause, Stutter, CrashPoint), node):
            self.reverted(fault)
        exited = ProcessExited(node_id=node, incarnation_number=incarnation, exit_code=code, expected=expected)
        self.trace.write(exited, trigger="lab")
