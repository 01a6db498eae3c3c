"""The world of processes as commands see it: node processes, their orders, built-in clients, the trace folder."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cluster.commands.desk import Desk
from cluster.commands.world import ClientCommand, CommandRefused
from cluster.faults.effects_on_links import Direction, LinkRules, from_plain
from cluster.lab import Answer
from cluster.model import exit_codes
from cluster.model.entry import EventId
from cluster.model.events import MessagePlucked, PortTaken
from cluster.model.identifiers import FIRST_CLIENT_ID, LAB_ID, NodeId
from cluster.model.settings import Settings
from cluster.picture.cluster_state import ClusterState
from cluster.runtime.lab.supervisor import NodeHandle, Supervisor
from cluster.runtime.run.continuation import read_continuation
from cluster.runtime.run.facts import RunFacts
from cluster.runtime.run.port_holder import holder_of
from cluster.runtime.run.ports import Ports
from cluster.storage.host_files import HostFiles
from cluster.storage.power_loss import Losses, cut_to_durable
from cluster.trace.reader import TraceError, TraceFolder
from cluster.trace.writer import TraceWriter

if TYPE_CHECKING:
    from cluster.runtime.lab.client_host import ClientHost

LISTEN_SECONDS = 20.0
PORT_SECONDS = 10.0
"""How long a start waits for a port that another program has."""
PORT_PAUSE_SECONDS = 0.05
PORT_PAUSE_SECONDS_MAX = 1.0
"""Between two tries: twice as long each time, up to this."""
KEEP_UP_SECONDS = 0.5


class LabState:
    """Implements World. Shared by all commands of one lab."""

    def __init__(self, folder: Path, facts: RunFacts, lock: int) -> None:
        self.before = read_continuation(folder)
        """What was there before this lab."""
        self.folder = folder
        self.facts = facts
        self.settings = Settings(**facts.settings)
        self.ports = Ports()
        """Once a block was found."""
        self.clients: ClientHost | None = None
        """Once the nodes listen."""
        self.is_ending = False
        """No process is started any more."""
        self.trace = self._new_trace(LAB_ID)
        """The lab's own events."""
        self.desk = Desk(self, self.trace, self.before.fault_count)
        """Where commands are carried out."""
        self.supervisor = Supervisor(folder, facts, lock, self._on_exit, self.before.starts)
        """Of the node processes."""
        self.kill = self.supervisor.kill
        self._cluster = ClusterState()
        self._events = TraceFolder(folder / "trace")

    @property
    def nodes(self) -> tuple[NodeId, ...]:
        """All nodes of the run."""
        return self.facts.nodes

    @property
    def brokers(self) -> tuple[NodeId, ...]:
        """All brokers of the run."""
        return self.facts.brokers

    @property
    def is_simulated(self) -> bool:
        """Real processes of this machine."""
        return False

    def now_s(self) -> float:
        """The event loop's clock."""
        return asyncio.get_running_loop().time()

    async def pass_time(self, seconds: float) -> None:
        """Sleep."""
        await asyncio.sleep(seconds)

    def is_up(self, node: NodeId) -> bool:
        """Whether its process lives."""
        return node in self.supervisor.nodes

    def is_paused(self, node: NodeId) -> bool:
        """Whether it was stopped by SIGSTOP."""
        handle = self.supervisor.nodes.get(node)
        return handle is not None and handle.is_paused

    def client_trace(self) -> TraceWriter:
        """Where the built-in clients tell what they do."""
        return self._new_trace(FIRST_CLIENT_ID)

    def _new_trace(self, writer: NodeId) -> TraceWriter:
        start = self.before.starts.get(writer, 0)
        path = self.folder / "trace" / f"{writer}-{start}.trace"
        return TraceWriter(path, self.facts.id, writer, start, shift_ns=self.facts.clock_shift_ns)

    @property
    def entries_read(self) -> int:
        """How far the lab has read along."""
        return self._cluster.entries

    def cluster(self) -> ClusterState:
        """The cluster as its events tell it, up to now."""
        for entry in self._events.each():
            self._cluster.apply(entry)
            if isinstance(entry.event, MessagePlucked) and (late_ms := self.desk.over_in_ms(entry.event)) is not None:
                ending = asyncio.get_running_loop().create_task(self._end_on_links(late_ms, entry.event.fault_id))
                self.desk.endings.add(ending)
                ending.add_done_callback(self.desk.endings.discard)
        return self._cluster

    async def _end_on_links(self, after_ms: int, fault_id: int) -> None:
        await asyncio.sleep(after_ms / 1000)
        async with self.desk.one_at_a_time:
            await self.desk.end_on_links(fault_id)

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

    def launch(self, node: NodeId, cause: EventId | None = None) -> NodeHandle:
        """Start one node process with the faults that are in force. CommandRefused when the run is ending."""
        if self.is_ending:
            raise CommandRefused("the run is ending")
        book = self.desk.book
        handle = self.supervisor.start(
            node, self.ports, book.rules(self.nodes), book.disk(node), book.client_faults(node)
        )
        self.desk.started(node, self.facts.roles(node), handle.incarnation, handle.process.pid, cause)
        return handle

    async def start(self, node: NodeId, cause: EventId | None) -> str:
        """Start one node process; empty once it listens. A port that another program has is waited for a while."""
        loop = asyncio.get_running_loop()
        deadline, pause_s = loop.time() + PORT_SECONDS, PORT_PAUSE_SECONDS
        while True:
            taken = self.ports.taken(node)
            if not taken and (why := await self._try_to_start(node, cause)) is not None:
                return why
            port = taken or self.ports.nodes[node]
            holder = holder_of(port)
            if pause_s == PORT_PAUSE_SECONDS:
                self.trace.write(PortTaken(node_id=node, port=port, holder=holder), trigger="lab")
            if loop.time() > deadline or self.is_ending:
                by = f" by {holder}" if holder else ""
                return f"port {port} of node {node} is taken{by}; free it, then: start {node}"
            await asyncio.sleep(pause_s)
            pause_s = min(PORT_PAUSE_SECONDS_MAX, 2 * pause_s)

    async def _try_to_start(self, node: NodeId, cause: EventId | None) -> str | None:
        """Empty once it listens, else why not; None when its port was taken after all."""
        handle = self.launch(node, cause)
        await asyncio.wait({handle.ready, handle.exited}, timeout=LISTEN_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not handle.ready.done():
            return f"node {node} does not listen yet after {LISTEN_SECONDS:g} s; see logs/{node}.log in the run folder"
        if handle.exited.done() and handle.exited.result() == exit_codes.PORT_TAKEN:
            return None
        if handle.exited.done():
            why = exit_codes.reason(handle.exited.result())
            return f"node {node} ended at once with {why}; see logs/{node}.log in the run folder"
        return ""

    async def stop(self, node: NodeId, patience_s: float) -> bool:
        """Ask it to leave in order; SIGKILL when it does not."""
        return await self.supervisor.stop(node, patience_s)

    async def pause(self, *nodes: NodeId) -> bool:
        """SIGSTOP, confirmed by the system."""
        return all(await asyncio.gather(*(self.supervisor.pause(node) for node in nodes)))

    async def resume(self, node: NodeId) -> None:
        """SIGCONT."""
        self.supervisor.resume(node)

    async def stutter(self, node: NodeId, run_ms: int, stop_ms: int) -> None:
        """SIGSTOP and SIGCONT in turn."""
        self.supervisor.stutter(node, run_ms / 1000, stop_ms / 1000)

    async def steady(self, node: NodeId) -> None:
        """No more of that."""
        self.supervisor.steady(node)

    async def power_off(self, nodes: Sequence[NodeId], keep: str, pick: int) -> dict[NodeId, Losses]:
        """Blackhole, SIGKILL, then cut the files."""
        for node in nodes:
            self.supervisor.steady(node)
        living = [self.supervisor.nodes[node] for node in nodes if node in self.supervisor.nodes]
        await asyncio.gather(*(handle.order({"do": "blackhole"}) for handle in living))
        await self.supervisor.kill(*nodes)
        data = self.folder / "data"
        return {
            node: await asyncio.to_thread(cut_to_durable, data / str(node), keep, f"{pick}/{node}") for node in nodes
        }

    async def tell_links(self, rules: Sequence[Mapping[str, Any]], *nodes: NodeId) -> dict[NodeId, str]:
        """Order these nodes, or all, to obey link faults."""
        order = {"do": "links", "rules": list(rules)}
        if self.clients is not None:
            self.clients.apply(LinkRules(map(from_plain, rules)))
        if not nodes:
            return await self.supervisor.order_all(order)
        answers = {node: await self.supervisor.nodes[node].order(order) for node in nodes}
        return {node: why for node, why in answers.items() if why}

    def is_on_its_way(self, way: Direction, message: str, number: int) -> bool:
        """Never asked for: while a command comes, a message has arrived."""
        raise AssertionError("only a simulation waits for commands")

    async def tell_disk(self, node: NodeId, told: Mapping[str, Any]) -> str:
        """Order a node to let its disk misbehave."""
        handle = self.supervisor.nodes.get(node)
        return "" if handle is None else await handle.order({"do": "disk", **told})

    async def flush(self, node: NodeId) -> str:
        """Order a node to flush its logs."""
        handle = self.supervisor.nodes.get(node)
        return "it has ended" if handle is None else await handle.order({"do": "flush"})

    def tell_clock(self, node: NodeId, offset_ms: int, percent: int) -> None:
        """Never asked for: all processes share the clock of this machine."""
        raise AssertionError("only simulated clocks can be set off")

    def arm(self, node: NodeId, point: str) -> None:
        """Never asked for: a process is killed from outside."""
        raise AssertionError("only simulated nodes have crash points")

    async def tell_clients(self, node: NodeId, told: Mapping[str, Any]) -> str:
        """Order a broker to trouble its Kafka clients."""
        handle = self.supervisor.nodes.get(node)
        return "" if handle is None else await handle.order({"do": "clients", **told})

    def disk_files(self, node: NodeId) -> HostFiles:
        """The data folder of a node."""
        return HostFiles(self.folder / "data" / str(node))

    async def reset(self, first: NodeId, second: NodeId) -> bool:
        """Order both ends to break their connections."""
        ends = [(node, peer) for node, peer in ((first, second), (second, first)) if node in self.supervisor.nodes]
        orders = [self.supervisor.nodes[node].order({"do": "reset", "peer": peer}) for node, peer in ends]
        return any(not why for why in await asyncio.gather(*orders))

    async def run_client(self, command: ClientCommand) -> Answer:
        """Over the lab's own connections."""
        assert self.clients is not None, "commands wait until the nodes listen"
        return await self.clients.run(command)

    def _on_exit(self, handle: NodeHandle, code: int) -> None:
        is_moving = code == exit_codes.PORT_TAKEN and self.clients is None  # the whole run tries other ports now
        expected = handle.is_expected_to_end or is_moving
        self.desk.exited(handle.node, handle.incarnation, code, expected=expected)
