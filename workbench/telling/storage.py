"""Disks: what is durable, what a start finds, segments, damage."""

from __future__ import annotations

from cluster.model.entry import Entry
from cluster.model.events import storage
from cluster.model.identifiers import METADATA, TopicPartition
from workbench.telling.telling import BAD, DIM, INFO, WARN, Printed, Telling
from workbench.telling.template import fill


def _recovered(e: storage.LogRecovered) -> str:
    start = "begins at {log_start_offset}, " if e.log_start_offset else ""
    return fill(
        f"{{log}} opened ({{why}}): {start}LEO {{log_end_offset}} HW {{high_watermark}}"
        "{dropped_bytes:, {} bytes dropped/}",
        e,
    )


def _is_news(e: storage.LogRecovered, entry: Entry) -> bool:
    """What a first start makes of an empty disk, or of the log of metadata, is none."""
    return bool(e.log_end_offset) and (entry.incarnation > 0 or TopicPartition(e.topic, e.partition) != METADATA)


TELLINGS: dict[type, Telling] = {
    storage.Fsynced: Telling(DIM, "fsync {log} claims {claimed_offset}, durable {durable_offset}{lied: LIE/}"),
    storage.LogRecovered: Telling(INFO, _recovered, printed=_is_news),
    storage.ElectionPersisted: Telling(DIM, "quorum-state on disk: e{epoch}, vote {voted_for}{lied: LIE/}"),
    storage.StorageError: Printed(BAD, "disk refused (errno {errno}): {what}"),
    storage.LogCleaned: Printed(
        INFO,
        "{log} compacted below {end_offset}: {removed_count} of {record_count:record} went, {segments_after:segment} "
        "with {bytes_after} bytes instead of {segments_before} with {bytes_before}",
    ),
    storage.SegmentRolled: Printed(
        INFO, "{log} closes segment {base_offset} with {size_bytes} bytes ({why}), goes on at {end_offset}"
    ),
    storage.SegmentsTrusted: Printed(
        INFO, "{log} takes {segments:segment} ({size_bytes} bytes) unread, reads from {scanned_from}"
    ),
    storage.DamageFound: Printed(BAD, "{path} is not used: {what}; instead {instead}"),
    storage.LogRemoved: Telling(WARN, "{log} removed from disk, it ended at {log_end_offset}"),
}
