"""Sentences about Kafka clients at a broker. What they call themselves is made safe here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.events import kafka_client
from workbench.session.describe.counted import counted
from workbench.session.describe.tones import DIM, INFO, WARN
from workbench.support.safe_text import safe_text


def _client(e: Any) -> str:
    return f"Kafka client {safe_text(e.client_id, 40)}" if e.client_id else "a Kafka client"


def _software(e: kafka_client.ClientConnected) -> str:
    named = " ".join(part for part in (safe_text(e.software, 40), safe_text(e.software_version, 20)) if part)
    return f" ({named})" if named else ""


def _about(e: Any) -> str:
    shown = ", ".join(safe_text(name, 40) for name in e.about[:3])
    more = " ..." if len(e.about) > 3 else ""
    return f": {shown}{more}" if shown else ""


def _times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""


SENTENCES: dict[type, tuple[str, Callable[[Any], str]]] = {
    kafka_client.ClientConnected: (
        INFO,
        lambda e: f"Kafka client {safe_text(e.client_id, 40) or 'without a name'} connects{_software(e)}",
    ),
    kafka_client.ClientRequested: (
        DIM,
        lambda e: f"{_client(e)} asks {safe_text(e.api, 40)} v{e.version}{_times(e.count)}{_about(e)}",
    ),
    kafka_client.ClientDisconnected: (
        INFO,
        lambda e: f"{_client(e)} is gone after {counted(e.count, 'request')}: {safe_text(e.why, 80)}",
    ),
    kafka_client.ClientRefused: (
        WARN,
        lambda e: f"{_client(e)} refused{_times(e.count)}: {safe_text(e.why, 100)}",
    ),
    kafka_client.ClientResponseLost: (WARN, lambda e: f"{_client(e)} loses the answer to its Produce{_about(e)}"),
}
"""By event: tone and sentence."""
