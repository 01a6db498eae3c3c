"""The network between simulated processes: frames arrive in order, late by a latency, or not at all once one is broken.

Messages are handed over as they are, never encoded: nobody changes a message once it is made.
"""

from __future__ import annotations

from cluster.faults.judge import Unkindness
from cluster.links.frame import Frame
from cluster.model.identifiers import NodeId
from cluster.simulation.world.connections import Connection, End
from cluster.simulation.world.kernel import NS_PER_MS, Kernel
from cluster.simulation.world.options import Options, Range

NS_PER_US = 1_000


class Network:
    """Knows who listens, and how long things take."""

    __slots__ = ("_connect", "_draw", "_hang_up", "_latency", "kernel", "listening", "members", "options", "unkind")

    def __init__(self, kernel: Kernel, options: Options, members: tuple[NodeId, ...]) -> None:
        self.kernel = kernel
        """The clock."""
        self.options = options
        """How long, how unkind."""
        self.members = frozenset(members)
        """Who can be called at all."""
        self.listening: dict[NodeId, End] = {}
        """Nodes that accept connections, and the clients, which only make them."""
        self._draw = kernel.stream("network").random
        self._latency = _nanoseconds(options.latency_us)
        self._connect = _nanoseconds(options.connect_us)
        self._hang_up = _nanoseconds(options.hang_up_us)
        self.unkind: Unkindness | None = None
        """What befalls every message of the run, whatever rules say; None for nothing."""
        if options.is_unkind:
            self.unkind = Unkindness(options.loss, options.duplicate, options.reorder, options.reorder_ms)

    def carry(self, via: Connection, sender: End, frame: Frame) -> None:
        """Let a frame arrive at the other end, after those before it."""
        least, spread = self._latency
        kernel = self.kernel
        arrive_ns = kernel.now_ns + least + int(self._draw() * spread)
        if sender is via.caller:
            if arrive_ns <= via.last_there_ns:
                arrive_ns = via.last_there_ns + 1
            via.last_there_ns = arrive_ns
            kernel.at(arrive_ns, via.reach_acceptor, frame)
        else:
            if arrive_ns <= via.last_back_ns:
                arrive_ns = via.last_back_ns + 1
            via.last_back_ns = arrive_ns
            kernel.at(arrive_ns, via.reach_caller, frame)

    def carry_unkindly(self, via: Connection, sender: End, frame: Frame, unkind: Unkindness) -> None:
        """Lose a frame, repeat it, or let those behind it overtake it."""
        draw = self._draw
        if draw() < unkind.loss:
            return
        for _ in range(2 if draw() < unkind.duplicate else 1):
            if draw() < unkind.reorder:
                low, high = unkind.late_ms
                reach = via.reach_acceptor if sender is via.caller else via.reach_caller
                self.kernel.after(int((low + draw() * (high - low)) * NS_PER_MS), reach, frame)
            else:
                self.carry(via, sender, frame)

    def connect_ns(self) -> int:
        """How long a handshake takes."""
        least, spread = self._connect
        return least + int(self._draw() * spread)

    def latency_ns(self) -> int:
        """How long one way takes."""
        least, spread = self._latency
        return least + int(self._draw() * spread)

    def draw(self) -> float:
        """In [0, 1)."""
        return self._draw()

    def part(self, via: Connection, gone: End) -> None:
        """One end's process has ended: the other sees it a little later, after what was on its way to it."""
        survivor = via.other(gone)
        least, spread = self._hang_up
        seen_ns = self.kernel.now_ns + least + int(self._draw() * spread)
        last_ns = via.last_there_ns if survivor is via.acceptor else via.last_back_ns
        self.kernel.at(max(seen_ns, last_ns + 1), via.hang_up, survivor)

    def refuse_waiting(self, gone: End) -> None:
        """Calls that were on their way to a process that has ended fail."""
        least, spread = self._hang_up
        for _, caller in sorted(self.listening.items()):
            call = caller.calls.get(gone.node_id)
            if call is not None and call.is_connecting:
                wait_ns = least + int(self._draw() * spread)
                self.kernel.after(wait_ns, caller.abandon, (gone.node_id, call, call.generation))


def _nanoseconds(wanted: Range) -> tuple[int, int]:
    least, most = wanted
    return least * NS_PER_US, max(0, most - least) * NS_PER_US
