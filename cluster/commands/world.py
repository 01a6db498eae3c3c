"""What commands need of a world: nodes to start and to end, links and disks to spoil, time that passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from cluster.faults.effects_on_links import Direction
from cluster.lab import Answer
from cluster.language.members import MemberOrder, Subscribe
from cluster.language.topics import AlterTopic, Consume, CreateTopic, DeleteRecords, Elect, Load, Produce, Reassign
from cluster.language.transactions import TxnCommand
from cluster.language.voters import AddVoter, RemoveVoter
from cluster.language.znodes import AskZooKeeper
from cluster.model.entry import EventId
from cluster.model.identifiers import NodeId
from cluster.model.settings import Settings
from cluster.picture.cluster_state import ClusterState
from cluster.storage.files import Files
from cluster.storage.power_loss import Losses

ClientCommand = (
    Produce
    | Consume
    | CreateTopic
    | AlterTopic
    | DeleteRecords
    | Elect
    | Reassign
    | Load
    | Subscribe
    | MemberOrder
    | AddVoter
    | RemoveVoter
    | AskZooKeeper
    | TxnCommand
)


class CommandRefused(Exception):
    """A command that makes no sense now. The message is one clause for the learner."""


class World(Protocol):
    """Processes of an operating system, or simulated ones. What is awaited is in force when it returns."""

    @property
    def nodes(self) -> tuple[NodeId, ...]:
        """All nodes of the run, up or down."""

    @property
    def brokers(self) -> tuple[NodeId, ...]:
        """All brokers of the run."""

    @property
    def settings(self) -> Settings:
        """What the run was started with."""

    @property
    def is_simulated(self) -> bool:
        """Whether it can do what no process, no connection and no clock of this machine does."""

    def now_s(self) -> float:
        """A clock that never goes back, in seconds."""

    async def pass_time(self, seconds: float) -> None:
        """Let the cluster go on for so long."""

    def cluster(self) -> ClusterState:
        """The cluster as its events tell it, up to now."""

    def is_up(self, node: NodeId) -> bool:
        """Whether its process lives, paused or not."""

    def is_paused(self, node: NodeId) -> bool:
        """Whether its process lives and a command has it stand still."""

    async def start(self, node: NodeId, cause: EventId | None) -> str:
        """Start a node on the files it left; empty once it listens, else why it does not. CommandRefused at the end."""

    async def kill(self, *nodes: NodeId) -> None:
        """End them at any instruction."""

    async def stop(self, node: NodeId, patience_s: float) -> bool:
        """Ask it to leave in order and wait; false when it had to be killed."""

    async def pause(self, *nodes: NodeId) -> bool:
        """Have them stand still; false when one ended instead."""

    async def resume(self, node: NodeId) -> None:
        """Let it go on."""

    async def stutter(self, node: NodeId, run_ms: int, stop_ms: int) -> None:
        """Have it run and stand still in turn until it ends, in place of older rounds; paused, it stands still."""

    async def steady(self, node: NodeId) -> None:
        """Let it run all the time again; nothing happens when it does."""

    async def power_off(self, nodes: Sequence[NodeId], keep: str, pick: int) -> dict[NodeId, Losses]:
        """Silence and end those that run, and leave of the files of all what cluster.storage.power_loss says."""

    async def tell_links(self, rules: Sequence[Mapping[str, Any]], *nodes: NodeId) -> dict[NodeId, str]:
        """Put link faults in force at these nodes, at all when none is named; who did not obey, and why."""

    def is_on_its_way(self, way: Direction, message: str, number: int) -> bool:
        """Whether a message of this kind and number has left and not arrived. Only where is_simulated."""

    async def tell_disk(self, node: NodeId, told: Mapping[str, Any]) -> str:
        """Put disk faults in force; why not when it did not obey. One that is down hears of them when it starts."""

    async def flush(self, node: NodeId) -> str:
        """Have the logs of a node that runs written to its disk; why not when it did not obey."""

    def tell_clock(self, node: NodeId, offset_ms: int, percent: int) -> None:
        """Set a node's clocks off. Only where is_simulated."""

    def arm(self, node: NodeId, point: str) -> None:
        """Have a node die at a place of its code, the next time; empty for nowhere. Only where is_simulated."""

    async def tell_clients(self, node: NodeId, told: Mapping[str, Any]) -> str:
        """Put faults between a broker and its Kafka clients in force; why not when it did not obey.

        CommandRefused in a world without such clients.
        """

    def disk_files(self, node: NodeId) -> Files:
        """The disk of a node that is down."""

    async def reset(self, first: NodeId, second: NodeId) -> bool:
        """Break their connections once; false when neither end could."""

    async def run_client(self, command: ClientCommand) -> Answer:
        """Have a built-in client carry out a command."""
