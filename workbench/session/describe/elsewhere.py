"""Sentences for consumers that read from a replica that does not lead, and for fetch sessions; names are made safe."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.errors import ErrorCode
from cluster.model.events import client, fetch_session, replica
from cluster.model.identifiers import FIRST_CLIENT_ID, NodeId
from workbench.session.describe.counted import counted
from workbench.session.describe.tones import DIM, INFO
from workbench.session.describe.transactions import TRANSACTION_SENTENCES
from workbench.support.safe_text import safe_text


def _fetcher(node: NodeId) -> str:
    return "a consumer" if node >= FIRST_CLIENT_ID else f"n{node}"


def _say_session(event: fetch_session.FetchSessionOpened) -> str:
    what = counted(event.partitions, "partition")
    return f"begins fetch session {event.session_id} for {_fetcher(event.fetcher)}, of {what}"


def _say_refused(event: fetch_session.FetchSessionRefused) -> str:
    known = event.error == ErrorCode.INVALID_FETCH_SESSION_EPOCH
    why = "got it out of turn" if known else "does not know it"
    return f"refuses fetch session {event.session_id} of {_fetcher(event.fetcher)}: {why} (error {event.error})"


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
    fetch_session.FetchSessionOpened: (DIM, _say_session),
    fetch_session.FetchSessionRefused: (INFO, _say_refused),
    replica.FollowerRead: (
        DIM,
        lambda e: (
            f"{safe_text(e.topic, 60)}-{e.partition} gives a consumer "
            f"{counted(e.end_offset - e.fetch_offset, 'record')} as follower, to {e.end_offset}, HW {e.high_watermark}"
        ),
    ),
}
"""By class of event."""
