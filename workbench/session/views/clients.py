"""Kafka clients as the brokers tell them: their connections, and one line for each client."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from cluster.faults.clients import CLIENT_FAULTS
from cluster.model.identifiers import NodeId

FAULT_WORDS = {kind.__name__: kind.mark for kind in CLIENT_FAULTS}
"""What stands between a broker and its clients, by the kind of fault."""


@dataclass(slots=True)
class ConnectionView:
    """One connection of a client to a broker."""

    node: NodeId
    client_id: str
    software: str
    """Name and version of its library; empty when it does not say."""
    asks: dict[str, int] = field(default_factory=dict)
    """Requests so far, by the name of the request."""
    about: str = ""
    """What the newest one that names anything names."""
    lost: int = 0
    """Answers to its produce requests that a fault took."""

    def copy(self) -> ConnectionView:
        """An independent copy."""
        return replace(self, asks=dict(self.asks))


class ClientLine(NamedTuple):
    """All connections of one client together."""

    name: str
    software: str
    nodes: tuple[NodeId, ...]
    asks: tuple[tuple[str, int], ...]
    """The most frequent request first."""
    about: str
    lost: int


Key = tuple[NodeId, int, int]
"""Broker, its incarnation, number of the connection."""


def client_lines(connections: dict[Key, ConnectionView]) -> list[ClientLine]:
    """One line for each client id and software, by name."""
    found: dict[tuple[str, str], list[ConnectionView]] = {}
    for item in connections.values():
        found.setdefault((item.client_id, item.software), []).append(item)
    lines = []
    for (name, software), items in sorted(found.items()):
        asks: dict[str, int] = {}
        for item in items:
            for api, count in item.asks.items():
                asks[api] = asks.get(api, 0) + count
        most = tuple(sorted(asks.items(), key=lambda pair: (-pair[1], pair[0])))
        about = next((item.about for item in reversed(items) if item.about), "")
        nodes = tuple(sorted({item.node for item in items}))
        lines.append(ClientLine(name, software, nodes, most, about, sum(item.lost for item in items)))
    return lines
