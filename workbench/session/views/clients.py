"""Kafka clients as the screen lists them: one line for all connections of a client."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from cluster.model.identifiers import NodeId
from cluster.picture.asked import Connection
from workbench.support.safe_text import safe_text


class ClientLine(NamedTuple):
    """All connections of one client together."""

    name: str
    software: str
    nodes: tuple[NodeId, ...]
    asks: tuple[tuple[str, int], ...]
    """The most frequent request first."""
    about: str
    lost: int


def client_lines(connections: Iterable[Connection]) -> list[ClientLine]:
    """One line for each client id and software, by name."""
    found: dict[tuple[str, str], list[Connection]] = {}
    for item in connections:
        found.setdefault((safe_text(item.client_id, 60), _software(item)), []).append(item)
    lines = []
    for (name, software), items in sorted(found.items()):
        asks: dict[str, int] = {}
        for item in items:
            for api, count in item.asks.items():
                asks[safe_text(api, 40)] = asks.get(safe_text(api, 40), 0) + count
        most = tuple(sorted(asks.items(), key=lambda pair: (-pair[1], pair[0])))
        about = next((safe_text(item.about, 60) for item in reversed(items) if item.about), "")
        nodes = tuple(sorted({item.node for item in items}))
        lines.append(ClientLine(name, software, nodes, most, about, sum(item.lost for item in items)))
    return lines


def _software(item: Connection) -> str:
    name, version = item.software
    return " ".join(part for part in (safe_text(name, 40), safe_text(version, 20)) if part)
