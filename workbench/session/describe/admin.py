"""Sentences for events of idempotent producers and of admin requests; names are made safe here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.events import controller, producer, replica, storage
from workbench.session.describe.counted import counted
from workbench.session.describe.tones import INFO, WARN
from workbench.support.safe_text import safe_text

ADMIN_SENTENCES: dict[type, tuple[str, Callable[[Any], str]]] = {
    controller.TopicCreated: (
        INFO,
        lambda e: (
            f"topic {safe_text(e.topic, 60)}: {counted(e.partitions, 'partition')}, min.insync {e.min_insync_replicas}"
        ),
    ),
    controller.TopicDeleted: (
        WARN,
        lambda e: f"topic {safe_text(e.topic, 60)} DELETED with {counted(e.partitions, 'partition')}",
    ),
    replica.LogStartAdvanced: (
        INFO,
        lambda e: f"{safe_text(e.topic, 60)}-{e.partition} deleted before {e.log_start_offset} as {e.role}",
    ),
    storage.LogRemoved: (
        WARN,
        lambda e: f"{safe_text(e.topic, 60)}-{e.partition} removed from disk, it ended at {e.log_end_offset}",
    ),
    controller.TopicConfigChanged: (
        INFO,
        lambda e: (
            f"topic {safe_text(e.topic, 60)}: {safe_text(e.config, 60)} is "
            f"{'the default again' if e.is_default else safe_text(e.value, 60)}"
        ),
    ),
    producer.ProducerIdsAllocated: (
        INFO,
        lambda e: (
            f"producer ids {e.producer_id_start} to {e.producer_id_start + e.producer_id_count - 1} "
            f"for broker n{e.broker_id}"
        ),
    ),
    producer.ProduceDuplicated: (
        WARN,
        lambda e: (
            f"{safe_text(e.topic, 60)}-{e.partition} {safe_text(e.client_id, 40)} sent sequence {e.base_sequence} "
            f"of producer {e.producer_id} again: it stands at {e.base_offset}"
        ),
    ),
    producer.ProducerIdGiven: (
        INFO,
        lambda e: f"{safe_text(e.client_id, 40)} is producer {e.producer_id}, epoch {e.producer_epoch}",
    ),
}
"""By class of event."""
