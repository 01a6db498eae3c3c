"""Sentences for events of partitions that a majority of their replicas commits; names are made safe here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.events import controller, replica
from cluster.model.identifiers import NO_EPOCH
from workbench.session.describe.tones import DIM, INFO
from workbench.support.safe_text import safe_text


def _whole_with(epoch: int) -> str:
    return f", whole with the beginning of e{epoch}" if epoch != NO_EPOCH else ""


MAJORITY_SENTENCES: dict[type, tuple[str, Callable[[Any], str]]] = {
    replica.EpochAdopted: (
        DIM,
        lambda e: (
            f"{safe_text(e.topic, 60)}-{e.partition} holds all with which e{e.leader_epoch} began "
            f"(to {e.epoch_start_offset}): it counts from now on"
        ),
    ),
    replica.LogEndReported: (
        INFO,
        lambda e: (
            f"{safe_text(e.topic, 60)}-{e.partition} has no leader in e{e.leader_epoch}: "
            f"tells its log end {e.log_end_offset}{_whole_with(e.adopted_epoch)}"
        ),
    ),
    controller.LogEndHeard: (
        DIM,
        lambda e: (
            f"{safe_text(e.topic, 60)}-{e.partition} log of n{e.broker_id} ends at {e.log_end_offset}"
            f"{_whole_with(e.adopted_epoch)}"
        ),
    ),
}
"""By class of event."""
