"""How what brokers tell of Kafka clients changes the view: one small function per event class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.entry import Entry
from cluster.model.events import kafka_client, lab
from workbench.session.views.clients import ConnectionView
from workbench.session.views.state import ViewState
from workbench.support.safe_text import safe_text

CONNECTIONS_MAX = 2000


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
