"""What the lab's commands work on: processes, faults in force, the lab's own trace, and names of nodes."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

from cluster.faults.catalogue import Command, NodeName, Pause
from cluster.faults.commands import format_command
from cluster.faults.fault_book import Fault, FaultBook
from cluster.model.entry import EventId
from cluster.model.events import FaultApplied, FaultInjected, FaultReverted, ProcessExited, ProcessStarted
from cluster.model.identifiers import FIRST_CLIENT_ID, METADATA, NO_NODE, NodeId
from cluster.runtime.client_host import ClientHost
from cluster.runtime.node_process import EXIT_PORT_TAKEN
from cluster.runtime.run_folder import RunFacts
from cluster.runtime.supervisor import NodeHandle, Supervisor
from cluster.trace.cluster_state import ClusterState
from cluster.trace.reader import TraceError, TraceFolder
from cluster.trace.writer import TraceWriter

LAB_ID: NodeId = 0
NAME_SECONDS = 5.0
NAME_POLL_SECONDS = 0.01
KEEP_UP_SECONDS = 0.5


class CommandRefused(Exception):
    """A command that makes no sense now. The message is one clause for the learner."""


class LabState:
    """Shared by all commands of one lab."""

    def __init__(self, folder: Path, facts: RunFacts, lock: int) -> None:
        self.folder = folder
        """The run folder."""
        self.facts = facts
        """Of the run."""
        self.ports: dict[NodeId, int] = {}
        """Of every node, once a block was found."""
        self.book = FaultBook()
        """Faults in force."""
        self.clients: ClientHost | None = None
        """Once the nodes listen."""
        self.is_ending = False
        """No process is started any more."""
        self.trace = TraceWriter(folder / "trace" / f"{LAB_ID}-0.trace", facts.id, LAB_ID, 0)
        """The lab's own events."""
        self.supervisor = Supervisor(folder, facts, lock, self._on_exit)
        """Of the node processes."""
        self._cluster = ClusterState()
        self._events = TraceFolder(folder / "trace")

    def _on_exit(self, handle: NodeHandle, code: int) -> None:
        is_moving = code == EXIT_PORT_TAKEN and self.clients is None  # the whole run tries other ports now
        for fault in self.book.find((Pause,), handle.node):
            self.reverted(fault)
        self.trace.write(
            ProcessExited(
                node_id=handle.node,
                incarnation_number=handle.incarnation,
                exit_code=code,
                expected=handle.is_expected_to_end or is_moving,
            ),
            trigger="lab",
        )

    def client_trace(self) -> TraceWriter:
        """Where the built-in clients tell what they do."""
        path = self.folder / "trace" / f"{FIRST_CLIENT_ID}-0.trace"
        return TraceWriter(path, self.facts.id, FIRST_CLIENT_ID, 0)

    @property
    def entries_read(self) -> int:
        """How far the lab has read along."""
        return self._cluster.entries

    def cluster(self) -> ClusterState:
        """The cluster as its events tell it, up to now."""
        for entry in self._events.poll():
            self._cluster.apply(entry)
        return self._cluster

    async def keep_up(self) -> None:
        """Read along until cancelled, so that a name in a command is known at once, hours into a run too.

        What the nodes tell at a high rate may not keep the lab from its work: it reads a twentieth of the time at most.
        """
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            with suppress(TraceError):
                self.cluster()
            await asyncio.sleep(max(KEEP_UP_SECONDS, 20 * (loop.time() - began)))

    def start(self, node: NodeId, cause: EventId | None = None) -> NodeHandle:
        """Start one node process; what had ended it is over. CommandRefused when the run is ending."""
        if self.is_ending:
            raise CommandRefused("the run is ending")
        handle = self.supervisor.start(node, self.ports, self.book.rules(self.facts.nodes), self.book.disk(node))
        self.trace.write(
            ProcessStarted(
                node_id=node,
                roles=self.facts.roles(node),
                incarnation_number=handle.incarnation,
                pid=handle.process.pid,
            ),
            cause=cause,
            trigger="lab",
        )
        return handle

    async def find(self, name: NodeName) -> NodeId:
        """The node a name means now; waits a little while an election is on. CommandRefused when it means none."""
        if not name.part:
            if name.node_id not in self.facts.nodes:
                raise CommandRefused(f"no node {name.node_id}; there are {', '.join(map(str, self.facts.nodes))}")
            return name.node_id
        deadline = asyncio.get_running_loop().time() + NAME_SECONDS
        while (found := self._named(name)) == NO_NODE:
            if asyncio.get_running_loop().time() > deadline:
                raise CommandRefused(f"there is no {name} now")
            await asyncio.sleep(NAME_POLL_SECONDS)
        return found

    def _named(self, name: NodeName) -> NodeId:
        cluster = self.cluster()
        if name.part == "controller":
            return cluster.quorum_leader
        where = name.topic_partition or METADATA
        leader = cluster.leader_of(where)
        if name.part == "leader" or leader == NO_NODE:
            return leader
        facts = cluster.facts(where)
        members = cluster.voters if where == METADATA else facts.isr if facts is not None else ()
        followers = sorted(node for node in members if node != leader and node in self.supervisor.nodes)
        return followers[0] if followers else NO_NODE

    def running(self, node: NodeId) -> NodeHandle:
        """Its process. CommandRefused when it is down."""
        handle = self.supervisor.nodes.get(node)
        if handle is None:
            raise CommandRefused(f"node {node} is not running")
        return handle

    def inject(self, command: Command) -> tuple[Fault, EventId]:
        """Write that a fault was asked for, before anything is done."""
        fault = self.book.open(command)
        injected = FaultInjected(
            fault_id=fault.fault_id,
            kind=fault.kind,
            arguments=fault.arguments,
            command=format_command(command),
        )
        return fault, self.trace.write(injected, trigger="command")

    def applied(self, fault: Fault, cause: EventId) -> None:
        """Write that it is in force."""
        event = FaultApplied(fault_id=fault.fault_id, kind=fault.kind, arguments=fault.arguments)
        self.trace.write(event, cause=cause, trigger="lab")

    def reverted(self, fault: Fault) -> EventId:
        """Strike it from the book and write so."""
        self.book.remove(fault)
        event = FaultReverted(fault_id=fault.fault_id, kind=fault.kind, arguments=fault.arguments)
        return self.trace.write(event, trigger="command")
