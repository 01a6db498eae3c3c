"""Kafka clients as the brokers tell them: a pure fold over their connections."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from cluster.model.entry import Entry
from cluster.model.events import kafka_client, lab
from cluster.model.identifiers import NodeId
from workbench.session.safe_text import safe_text

if TYPE_CHECKING:
    from workbench.session.views.state import ViewState

CONNECTIONS_MAX = 2000
FAULT_WORDS = {"ClientCut": "clients CUT", "ClientSlow": "answers slow", "ClientDropResponses": "answers LOST"}
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


def _connected(view: ViewState, entry: Entry, e: kafka_client.ClientConnected) -> None:
    software = " ".join(part for part in (safe_text(e.software, 40), safe_text(e.software_version, 20)) if part)
    key = entry.node, entry.incarnation, e.connection_id
    view.connections[key] = ConnectionView(entry.node, safe_text(e.client_id, 60), software)
    while len(view.connections) > CONNECTIONS_MAX:
        del view.connections[next(iter(view.connections))]


def _requested(view: ViewState, entry: Entry, e: kafka_client.ClientRequested) -> None:
    item = view.connections.get((entry.node, entry.incarnation, e.connection_id))
    if item is not None:
        api = safe_text(e.api, 40)
        item.asks[api] = item.asks.get(api, 0) + e.count
        if e.about:
            item.about = safe_text(e.about[-1], 60)


def _disconnected(view: ViewState, entry: Entry, e: kafka_client.ClientDisconnected) -> None:
    view.connections.pop((entry.node, entry.incarnation, e.connection_id), None)


def _lost(view: ViewState, entry: Entry, e: kafka_client.ClientResponseLost) -> None:
    item = view.connections.get((entry.node, entry.incarnation, e.connection_id))
    if item is not None:
        item.lost += 1


def forget_clients(view: ViewState, _entry: Entry, e: lab.ProcessExited) -> None:
    """A broker that is gone has no connection."""
    for key in [key for key in view.connections if key[0] == e.node_id]:
        del view.connections[key]


CLIENT_HANDLERS: dict[type, Callable[[ViewState, Entry, Any], None]] = {
    kafka_client.ClientConnected: _connected,
    kafka_client.ClientRequested: _requested,
    kafka_client.ClientDisconnected: _disconnected,
    kafka_client.ClientResponseLost: _lost,
}
