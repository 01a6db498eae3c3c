"""What the life of a simulated node needs of the machine it runs on, and how it may end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from cluster.model.entry import EventId
from cluster.model.identifiers import NodeId
from cluster.model.inputs import Input
from cluster.model.messages import MESSAGES
from cluster.simulation.kernel import Kernel

if TYPE_CHECKING:
    from cluster.simulation.simulated_node import SimulatedNode

EXIT_HALTED = 1
EXIT_CRASHED = 70
EXIT_STORAGE_FAILED = 74
EXIT_KILLED = -9
RESPONSES = frozenset(kind for name, kind in MESSAGES.items() if name.endswith("Response"))
Waiting: TypeAlias = tuple[Input, EventId | None, str, int]
"""An input, the event that led to it, what set it off, and the logical clock it came with."""

TRIGGERS: dict[tuple[type, NodeId], str] = {}
"""Said of each message of a kind from a node: made once, since nearly every input has one."""


def trigger_of(kind: type, sender: NodeId) -> str:
    """What set off a step: a message of that kind."""
    trigger = TRIGGERS[kind, sender] = f"{kind.__name__} from {sender}"
    return trigger


class Machine(Protocol):
    """What a node's life needs of the simulated machine it runs on."""

    kernel: Kernel

    def on_exit(self, node: SimulatedNode, code: int) -> None:
        """Its process has ended."""

    def crash(self, node: SimulatedNode, point: str) -> None:
        """It has reached the place where it was to die, as CRASH_POINTS names it: end it there, as a fault."""

    def log(self, node_id: NodeId, text: str) -> None:
        """What a process would write to its standard error."""


class Ended(Exception):
    """The process ends here; what it had not sent is never sent."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code
        """Negative for a signal."""
