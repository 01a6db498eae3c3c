"""Consumer groups as their coordinators and members tell them, with what the screen asks of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from cluster.model.identifiers import NO_NODE, NodeId
from workbench.support.safe_text import safe_text

ROWS_MAX = 200
PHASES = {
    "Empty": "empty",
    "PreparingRebalance": "JOIN",
    "CompletingRebalance": "SYNC",
    "Assigning": "ASSIGN",
    "Reconciling": "RECONCILE",
    "Stable": "STABLE",
    "Dead": "dead",
}
"""The states of a group, by the phase of a rebalance that they are. Source: Kafka GroupState."""
Part = tuple[str, int]


@dataclass(slots=True)
class MemberView:
    """One member of a group."""

    member_id: str
    client_id: str = ""
    instance_id: str = ""
    """Of a static member; empty for a dynamic one."""
    assigned: tuple[Part, ...] = ()
    """By the newest assignment of the coordinator."""
    owned: tuple[Part, ...] | None = None
    """As the member itself says; None for a client that tells nothing."""
    epoch: int | None = None
    """Member epoch of a member of the newer protocol (KIP-848); None for a classic one."""
    target: tuple[Part, ...] = ()
    """What such a member is to have in the end."""
    revoking: tuple[Part, ...] = ()
    """What it has to give up, and may still have."""


class GroupRow(NamedTuple):
    """One row of the chart of a group. Source and target are member ids; empty is the coordinator."""

    t_ns: int
    source: str
    target: str
    text: str
    tone: str


@dataclass(slots=True)
class GroupView:
    """One group."""

    name: str
    coordinator: NodeId = NO_NODE
    """The broker that told of it last; NO_NODE when it said that it coordinates it no more."""
    state: str = ""
    generation: int = 0
    """Of a group of the newer protocol: its group epoch."""
    is_consumer: bool = False
    """Its members speak the newer protocol (KIP-848): they have epochs, and the coordinator assigns."""
    protocol: str = ""
    """The assignor."""
    leader: str = ""
    """Member id."""
    members: dict[str, MemberView] = field(default_factory=dict)
    committed: dict[Part, int] = field(default_factory=dict)
    """Next offset to read of each partition."""
    rows: list[GroupRow] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    """Client id by member id, also of members that are gone."""

    def copy(self) -> GroupView:
        """An independent copy."""
        members = {key: replace(member) for key, member in self.members.items()}
        return replace(self, members=members, committed=dict(self.committed),
                       rows=list(self.rows), names=dict(self.names))  # fmt: skip

    @property
    def phase(self) -> str:
        """Where its rebalance is."""
        return PHASES.get(self.state, safe_text(self.state, 20))

    def name_of(self, member_id: str) -> str:
        """A member in few letters: its client id, with the end of its member id when two have the same."""
        client = self.names.get(member_id, "")
        if not client:
            return safe_text(member_id or "nobody", 24)
        same = sum(other.client_id == client for other in self.members.values())
        return safe_text(client, 24) + (f"~{safe_text(member_id, 80)[-4:]}" if same > 1 else "")

    def add(self, row: GroupRow) -> None:
        """One more row of the chart."""
        self.rows.append(row)
        if len(self.rows) > ROWS_MAX:
            del self.rows[: len(self.rows) - ROWS_MAX]


def short_parts(parts: tuple[Part, ...]) -> str:
    """0,1,2 of one topic; orders-0,1 users-2 of several; nothing for none."""
    topics = dict.fromkeys(topic for topic, _ in parts)
    texts = []
    for topic in topics:
        numbers = ",".join(str(number) for name, number in sorted(parts) if name == topic)
        texts.append(numbers if len(topics) == 1 else f"{safe_text(topic, 20)}-{numbers}")
    return " ".join(texts) or "nothing"
