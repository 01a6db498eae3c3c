"""Sentences for consumers that read from a replica that does not lead; names are made safe here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.events import client, replica
from workbench.session.describe.counted import counted
from workbench.session.describe.tones import DIM, INFO
from workbench.session.describe.transactions import TRANSACTION_SENTENCES
from workbench.support.safe_text import safe_text

ELSEWHERE_SENTENCES: dict[type, tuple[str, Callable[[Any], str]]] = {
    **TRANSACTION_SENTENCES,
    client.OperationRedirected: (
        INFO,
        lambda e: (
            f"{safe_text(e.client_id, 40)} #{e.operation_id} reads {safe_text(e.topic, 60)}-{e.partition} "
            f"from n{e.target}, where n{e.source} sent it"
        ),
    ),
    replica.ReadReplicaChosen: (
        INFO,
        lambda e: (
            f"{safe_text(e.topic, 60)}-{e.partition} sends a consumer in rack {safe_text(e.rack, 40)} to "
            f"n{e.replica_id}, from {e.fetch_offset}"
        ),
    ),
    replica.FollowerRead: (
        DIM,
        lambda e: (
            f"{safe_text(e.topic, 60)}-{e.partition} gives a consumer "
            f"{counted(e.end_offset - e.fetch_offset, 'record')} as follower, to {e.end_offset}, HW {e.high_watermark}"
        ),
    ),
}
"""By class of event."""
