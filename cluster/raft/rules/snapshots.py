"""The rules of snapshots: when one is written, who is sent one, what may be deleted. Source: KIP-630."""

from __future__ import annotations

from collections.abc import Sequence

from cluster.model.identifiers import Epoch, Offset, SnapshotId
from cluster.model.log_view import KeptSnapshot
from cluster.model.ruling import Numbers, Ruling, rule, yes_or_no
from cluster.model.settings import Settings


@rule(source="KIP-630, KIP-876", kafka="SnapshotGenerator.onMetadataUpdate")
def snapshot_due(applied_bytes: int, age_ms: int, settings: Settings, *, is_missing: bool) -> Ruling[bool]:
    """A node writes a snapshot once it has applied enough since its newest one, or once that one is old enough.

    Args:
        applied_bytes: of the batches that were applied since.
        age_ms: since it was written, or loaded, or since the node began.
        is_missing: the front of the log is deleted, and no good snapshot is left that stands for it.
    """
    most_bytes = settings.metadata_log_max_record_bytes_between_snapshots
    interval_ms = settings.metadata_log_max_snapshot_interval_ms
    is_large, is_old = applied_bytes >= most_bytes, age_ms >= interval_ms
    if not (is_large or is_old or is_missing):
        return yes_or_no(False, "too little has come since the newest snapshot, and it is not old")
    numbers: Numbers = {
        "bytes applied since": applied_bytes,
        "bytes between snapshots": most_bytes,
        "age_ms": age_ms,
        "interval_ms": interval_ms,
    }
    if is_missing:
        numbers["none is left"] = 1
        return yes_or_no(True, "the log begins later than 0 and no good snapshot is left", numbers)
    return yes_or_no(True, "enough has come since the newest snapshot" if is_large else "it is old", numbers)


@rule(source="KIP-630, KIP-595", kafka="RaftLog.validateOffsetAndEpoch")
def snapshot_to_send(
    fetch_offset: Offset, last_fetched_epoch: Epoch, log_start_offset: Offset, kept: Sequence[SnapshotId]
) -> Ruling[SnapshotId | None]:
    """A fetcher that wants what the leader has deleted, or that has nothing, is told to fetch the newest snapshot.

    None where the leader's log can tell what is wanted.

    Args:
        log_start_offset: of the leader (inclusive).
        kept: its snapshots, oldest first; at least one.
    """
    oldest, newest = kept[0], kept[-1]
    is_below = fetch_offset < log_start_offset
    at_start = fetch_offset == log_start_offset == oldest.end_offset
    if fetch_offset == 0:
        reason = "its log is empty, and there is a snapshot"
    elif is_below:
        reason = "it wants what is before the log start"
    elif at_start and last_fetched_epoch != oldest.epoch:
        reason = "it comes to the log start from another epoch"
    elif last_fetched_epoch < oldest.epoch:
        reason = "its last epoch is older than the oldest snapshot"
    else:
        return Ruling(None, False, "the log goes back so far")
    numbers: Numbers = {
        "fetch offset": fetch_offset,
        "last fetched epoch": last_fetched_epoch,
        "log start": log_start_offset,
        "oldest snapshot": f"{oldest.end_offset}@e{oldest.epoch}",
        "newest snapshot": f"{newest.end_offset}@e{newest.epoch}",
    }
    return Ruling(newest, True, reason, numbers)


@rule(source="KIP-630", kafka="KafkaRaftLog.maybeClean")
def may_delete_oldest(
    kept: Sequence[KeptSnapshot], log_bytes: int, now_ms: int, settings: Settings
) -> Ruling[SnapshotId | None]:
    """The oldest snapshot and the log in front of the next one go when both take too much room, or when it is too old.

    The value is the snapshot at which the log begins then; None while nothing may go. The last one always stays.

    Args:
        kept: all snapshots, oldest first.
        log_bytes: of the log as it is.
    """
    if len(kept) < 2:
        return Ruling(None, False, "there is no newer one")
    total_bytes = log_bytes + sum(one.size_bytes for one in kept)
    age_ms = now_ms - kept[0].last_timestamp_ms
    numbers: Numbers = {
        "log and snapshots, bytes": total_bytes,
        "retention, bytes": settings.metadata_max_retention_bytes,
        "age of the oldest, ms": age_ms,
        "retention_ms": settings.metadata_max_retention_ms,
    }
    if total_bytes > settings.metadata_max_retention_bytes:
        return Ruling(kept[1].snapshot_id, True, "log and snapshots take too much room", numbers)
    if age_ms > settings.metadata_max_retention_ms:
        return Ruling(kept[1].snapshot_id, True, "the oldest snapshot is too old", numbers)
    return Ruling(None, False, "neither too much nor too old", numbers)
