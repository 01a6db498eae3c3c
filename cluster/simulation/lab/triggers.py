"""Commands that wait for an event: carried out at the very moment it is told."""

from __future__ import annotations

from collections.abc import Callable

from cluster.commands.carry_out import carry_out_at_once
from cluster.faults.fault_book import Injected
from cluster.faults.grammar import parse_command
from cluster.faults.processes import Kill
from cluster.model import exit_codes
from cluster.model.entry import Entry, EventId
from cluster.model.events import FramesHeld, FramesReleased, LinkConnected, LinkReset, MessagePlucked
from cluster.simulation.world.cluster import SimulatedCluster
from cluster.simulation.world.ended import Ended
from cluster.simulation.world.kernel import NS_PER_MS

BESIDE = (FramesHeld, FramesReleased, LinkConnected, LinkReset, MessagePlucked)
"""Told while a node's network is at work, not in a step of the node itself."""


class Triggers:
    """A listener of a recording. It must be the last one: it may end the node that tells an event, then and there."""

    __slots__ = ("_armed", "_cluster")

    def __init__(self, cluster: SimulatedCluster) -> None:
        self._cluster = cluster
        self._armed: list[tuple[Callable[[Entry], bool], str]] = []

    def add(self, matches: Callable[[Entry], bool], command: str) -> None:
        """Wait for the first such event."""
        self._armed.append((matches, command))

    def __call__(self, entry: Entry) -> None:
        """Look at one event; Ended when its own node is to be killed for it."""
        due = [armed for armed in self._armed if armed[0](entry)]
        for armed in due:
            self._armed.remove(armed)
        for _, text in due:
            command = parse_command(text)
            if isinstance(command, Kill) and command.node.node_id == entry.node and not isinstance(entry.event, BESIDE):
                self._kill_here(command, entry)
            self._cluster.kernel.after(0, self._carry_out, text)

    def _kill_here(self, command: Kill, entry: Entry) -> None:
        """At this instruction: what the step had already written stays, what it had not sent is never sent."""
        cluster = self._cluster
        fault, cause = cluster.desk.inject(command)
        cluster.processes[entry.node].is_expected_to_end = True
        cluster.kernel.after(0, self._killed, (fault, cause))
        raise Ended(exit_codes.KILLED)

    def _killed(self, told: tuple[Injected, EventId]) -> None:
        fault, cause = told
        self._cluster.desk.book.add(fault)
        self._cluster.desk.applied(fault, cause)

    def _carry_out(self, text: str) -> None:
        """Between two steps of the cluster. While another command is being carried out, it waits its turn."""
        cluster = self._cluster
        if cluster.desk.one_at_a_time.locked():
            cluster.kernel.after(NS_PER_MS, self._carry_out, text)
        else:
            self._begin(text)

    def _begin(self, text: str) -> None:
        carry_out_at_once(self._cluster.desk, text, self._cluster.ready)
