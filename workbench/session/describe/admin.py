"""Sentences for events of idempotent producers and of admin requests; names are made safe here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.events import controller, producer, replica, storage
from workbench.session.describe.counted import counted
from workbench.session.describe.tones import BAD, INFO, WARN
from workbench.support.safe_text import safe_text


def _nodes(nodes: tuple[int, ...]) -> str:
    return ",".join(f"n{node}" for node in nodes) or "nobody"


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
    controller.ReassignmentBegun: (
        WARN,
        lambda e: (
            f"{safe_text(e.topic, 60)}-{e.partition} REASSIGNED to {_nodes(e.replicas)}: "
            f"{_nodes(e.adding_replicas)} to copy it first, {_nodes(e.removing_replicas)} to leave then"
        ),
    ),
    controller.ReassignmentEnded: (
        INFO,
        lambda e: (
            f"{safe_text(e.topic, 60)}-{e.partition} reassignment {e.how}: on {_nodes(e.replicas)} now, "
            f"off {_nodes(e.left)}"
        ),
    ),
    replica.LogStartAdvanced: (
        INFO,
        lambda e: f"{safe_text(e.topic, 60)}-{e.partition} deleted before {e.log_start_offset} as {e.role}",
    ),
    replica.SegmentsExpired: (
        INFO,
        lambda e: (
            f"{safe_text(e.topic, 60)}-{e.partition} lets {counted(len(e.segments), 'segment')} go, up to "
            f"{e.segments[-1][1]}: {e.setting} is {e.limit}"
        ),
    ),
    replica.CleaningBegan: (
        INFO,
        lambda e: (
            f"{safe_text(e.topic, 60)}-{e.partition} compacts its log below {e.end_offset}; "
            f"new is what is from {e.dirty_offset} on"
        ),
    ),
    storage.LogCleaned: (
        INFO,
        lambda e: (
            f"{safe_text(e.topic, 60)}-{e.partition} compacted below {e.end_offset}: "
            f"{e.removed_count} of {counted(e.record_count, 'record')} went, {counted(e.segments_after, 'segment')} "
            f"with {e.bytes_after} bytes instead of {e.segments_before} with {e.bytes_before}"
        ),
    ),
    storage.SegmentRolled: (
        INFO,
        lambda e: (
            f"{safe_text(e.topic, 60)}-{e.partition} closes segment {e.base_offset} with {e.size_bytes} bytes "
            f"({e.why}), goes on at {e.end_offset}"
        ),
    ),
    storage.SegmentsTrusted: (
        INFO,
        lambda e: (
            f"{safe_text(e.topic, 60)}-{e.partition} takes {counted(e.segments, 'segment')} ({e.size_bytes} bytes) "
            f"unread, reads from {e.scanned_from}"
        ),
    ),
    storage.DamageFound: (
        BAD,
        lambda e: f"{safe_text(e.path, 100)} is not used: {safe_text(e.what, 100)}; instead {safe_text(e.instead, 60)}",
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
