"""What befalls a simulated cluster and when, as commands: enough to have the same run again, or a smaller one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from cluster.cluster_spec import ClusterSpec
from cluster.commands.carry_out import carry_out_at_once
from cluster.commands.clients import Job
from cluster.language.topics import Consume, DeleteRecords, Produce, Reassign
from cluster.language.voters import AddVoter, RemoveVoter
from cluster.simulation.world.cluster import SimulatedCluster
from cluster.simulation.world.kernel import START_NS


class Timed(NamedTuple):
    """A command, and when it is given."""

    at_ns: int
    """Since the run began; at once when the one before took longer."""
    command: str
    """In the grammar of commands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A whole run from outside."""

    config: ClusterSpec
    timed: tuple[Timed, ...]
    """In order."""
    end_ns: int
    """When the run is ended, since it began."""
    calm_ns: int
    """When all trouble was taken back, since it began."""
    rest_ns: int
    """When all had to be in order again, since it began."""


class Hand(Protocol):
    """Whoever lets time pass and carries out commands."""

    def pass_until(self, at_ns: int) -> None:
        """Let time pass until so long after the beginning; nothing when that is over."""

    def send(self, command: str) -> bool:
        """Carry out one command; whether it was not refused."""


class Player:
    """Carries out commands on a bare cluster and keeps them with their times. Implements Hand."""

    __slots__ = ("_cluster", "timed")

    def __init__(self, cluster: SimulatedCluster) -> None:
        self._cluster = cluster
        self.timed: list[Timed] = []
        """Everything that was sent."""

    def pass_until(self, at_ns: int) -> None:
        """Let time pass."""
        self._cluster.kernel.advance(START_NS + at_ns)

    def send(self, command: str) -> bool:
        """Carry out one command; time passes until its effect is in force."""
        self._keep(command)
        return carry_out_at_once(self._cluster.desk, command, self._cluster.ready).ok

    def begin_client(self, command: Produce | Consume | DeleteRecords | Reassign | AddVoter | RemoveVoter) -> list[Job]:
        """As sending it does where nobody waits for it and its topic is there; the list is filled once it is done."""
        assert not command.wait, f"{command} is waited for"
        self._keep(str(command))
        return self._cluster.begin_client(command)[1]

    def _keep(self, command: str) -> None:
        kernel = self._cluster.kernel
        while kernel.next_ns is not None and kernel.next_ns <= kernel.now_ns:
            kernel.step()  # so that the time says it all: whatever was due by now has happened
        self.timed.append(Timed(self._cluster.kernel.now_ns - START_NS, command))


def play(timed: Sequence[Timed], end_ns: int, hand: Hand) -> None:
    """Have it all again; what is refused is passed over."""
    for at_ns, command in timed:
        hand.pass_until(at_ns)
        hand.send(command)
    hand.pass_until(end_ns)
