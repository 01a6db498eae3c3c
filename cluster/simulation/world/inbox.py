"""What waits for a simulated node, and what is said to have set each of its steps off."""

from __future__ import annotations

from typing import TypeAlias

from cluster.model.entry import EventId
from cluster.model.identifiers import NodeId
from cluster.model.inputs import Input
from cluster.model.messages import MESSAGES

RESPONSES = frozenset(kind for name, kind in MESSAGES.items() if name.endswith("Response"))
Waiting: TypeAlias = tuple[Input, EventId | None, str, int]
"""An input, the event that led to it, what set it off, and the logical clock it came with."""

TRIGGERS: dict[tuple[type, NodeId], str] = {}
"""Said of each message of a kind from a node: made once, since nearly every input has one."""


def trigger_of(kind: type, sender: NodeId) -> str:
    """What set off a step: a message of that kind."""
    trigger = TRIGGERS[kind, sender] = f"{kind.__name__} from {sender}"
    return trigger
