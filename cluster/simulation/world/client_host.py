"""Built-in clients in the simulation: their connections to the nodes and their timers, on the virtual clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.commands.clients import Clients, Job
from cluster.commands.world import ClientCommand
from cluster.faults.effects_on_links import LinkRules
from cluster.lab import Answer
from cluster.language.members import MemberOrder
from cluster.language.topics import Load
from cluster.links.frame import Frame
from cluster.model.entry import EventId
from cluster.model.events import Event
from cluster.model.identifiers import FIRST_CLIENT_ID, NodeId
from cluster.model.settings import Settings
from cluster.simulation.world.clock import MachineClock
from cluster.simulation.world.endpoint import Endpoint
from cluster.simulation.world.kernel import NS_PER_MS, Action, Kernel
from cluster.simulation.world.network import Network
from cluster.simulation.world.timers import SimulatedTimers
from cluster.trace.tracer import Writer


class SimulatedClients:
    """All clients of a simulated lab, in one process that never stands still. Implements Carrier and Party."""

    is_still = False
    """No command pauses the clients."""

    def __init__(
        self,
        kernel: Kernel,
        network: Network,
        brokers: tuple[NodeId, ...],
        controllers: tuple[NodeId, ...],
        settings: Settings,
        trace: Writer,
        *,
        observes: bool = True,
    ) -> None:
        self._kernel = kernel
        self._clients = Clients(brokers, controllers, settings, trace, self)
        self.on_frame: Callable[[Frame], None] = self._clients.on_frame
        """An answer came in."""
        chance = kernel.stream("timers of clients")
        self._timers = SimulatedTimers(MachineClock(kernel), kernel, self, self._clients.on_timer, chance)
        observe = trace.observe if observes else None
        self._endpoint = Endpoint(network, self, FIRST_CLIENT_ID, settings.request_timeout_ms, observe)
        self._endpoint.listen()

    def begin(self, command: ClientCommand) -> tuple[Job, list[Job]]:
        """Start a command; the list is filled once it is done."""
        finished: list[Job] = []
        return self._clients.begin(command, None, finished.append), finished

    def apply(self, rules: LinkRules) -> None:
        """Obey link faults."""
        self._endpoint.apply(rules)

    def order(self, command: MemberOrder) -> Answer:
        """Have a member of a group do something, or do something to it."""
        return self._clients.order(command, None)

    def load(self, command: Load) -> Answer:
        """Have a producer and a consumer go to work, go on at another rate, or end."""
        return self._clients.load(command, None)

    def close(self) -> None:
        """Drop all connections; commands that still wait are told so."""
        self._clients.close()
        self._timers.close()
        self._endpoint.leave()

    def now_ms(self) -> int:
        """The virtual clock."""
        return self._kernel.now_ns // NS_PER_MS

    def request(self, target: NodeId, frame: Frame) -> None:
        """Over the clients' own connection to that node."""
        self._endpoint.request(target, frame)

    def set_timer(self, name: str, delay_ms: int, jitter_ms: int, cause: EventId | None) -> None:
        """On the virtual clock."""
        self._timers.set(name, delay_ms, jitter_ms, cause)

    def cancel_timer(self, name: str) -> None:
        """Forget it, if it is set."""
        self._timers.cancel(name)

    def flush(self) -> None:
        """Requests leave at once."""

    def on_lost(self, peer: NodeId) -> None:
        """A connection to that node is gone."""
        self._clients.on_lost(peer)

    def tell(self, event: Event, trigger: str) -> None:
        """What of it is worth telling of clients."""
        self._clients.tell_of_links(event, trigger)

    def defer(self, action: Action, argument: Any) -> None:
        """Never asked for."""
        raise AssertionError("clients do not stand still")

    def defer_timer(self, action: Action, argument: Any) -> None:
        """Never asked for."""
        raise AssertionError("clients do not stand still")
