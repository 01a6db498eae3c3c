"""Sentences about a workload."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.language.topics import acks_text
from cluster.model.events import load
from workbench.session.describe.tones import DIM, INFO
from workbench.support.safe_text import safe_text


def _tp(e: Any) -> str:
    return f"{safe_text(e.topic, 60)}-{e.partition}"


def _counted(e: load.LoadCounted) -> str:
    parts = [f"{e.acked_count} acknowledged"]
    others = {"failed": e.failed_count, "unknown": e.unknown_count, "lost": e.lost_count, "waiting": e.waiting_count}
    parts += [f"{count} {word}" for word, count in others.items() if count]
    if e.p50_ms >= 0:
        parts.append(f"typical {e.p50_ms} ms, slowest {e.p99_ms} ms")
    return f"{_tp(e)}: {', '.join(parts)}; the consumer is at {e.position}"


LOAD_SENTENCES: dict[type, tuple[str, Callable[[Any], str]]] = {
    load.LoadStarted: (
        INFO,
        lambda e: (
            f"{safe_text(e.producer_id, 40)} writes {e.rate_per_s} records/s to {_tp(e)} with "
            f"acks={acks_text(e.acks)}, {safe_text(e.consumer_id, 40)} reads them"
        ),
    ),
    load.LoadCounted: (DIM, _counted),
    load.LoadEnded: (INFO, lambda e: f"the producer and the consumer of {_tp(e)} have stopped"),
}
"""By event: tone and sentence."""
