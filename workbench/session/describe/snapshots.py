"""Sentences for events of snapshots of the metadata log; names are made safe here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.events import quorum, snapshot
from cluster.model.identifiers import NO_NODE
from workbench.session.describe.counted import counted
from workbench.session.describe.tones import BAD, DIM, GOOD, INFO, WARN
from workbench.support.safe_text import safe_text


def _id(e: Any) -> str:
    return f"snapshot {e.end_offset}@e{e.epoch}"


def _rejected(e: snapshot.SnapshotRejected) -> str:
    where = "" if e.source == NO_NODE else f" from n{e.source}"
    return f"BAD snapshot {safe_text(e.path.rpartition('/')[2], 60)}{where} is not used: {safe_text(e.why, 100)}"


SNAPSHOT_SENTENCES: dict[type, tuple[str, Callable[[Any], str]]] = {
    snapshot.SnapshotWritten: (
        INFO,
        lambda e: (
            f"wrote {_id(e)}: {counted(e.record_count, 'record')}, {e.size_bytes} bytes, image {e.digest}"
            f"{', voters ' * bool(e.voters)}{','.join(f'n{voter}' for voter in e.voters)}"
        ),
    ),
    snapshot.SnapshotLoaded: (
        GOOD,
        lambda e: f"loaded {_id(e)}: {counted(e.record_count, 'record')}, image {e.digest}",
    ),
    snapshot.SnapshotOffered: (
        WARN,
        lambda e: (
            f"tells n{e.replica_id}, which asks for {e.fetch_offset}@e{e.last_fetched_epoch}, to fetch "
            f"{_id(e)}: the log begins at {e.log_start_offset}"
        ),
    ),
    snapshot.SnapshotFetchBegun: (INFO, lambda e: f"fetches {_id(e)} from n{e.leader_id}"),
    snapshot.SnapshotFetchEnded: (
        WARN,
        lambda e: f"gives {_id(e)} up after {e.fetched_bytes} bytes: {safe_text(e.why, 100)}",
    ),
    snapshot.SnapshotInstalled: (
        GOOD,
        lambda e: (
            f"\u2702 metadata log [{e.old_log_start_offset},{e.old_end_offset}) gives way to {_id(e)} of "
            f"n{e.leader_id}, {e.size_bytes} bytes"
        ),
    ),
    snapshot.MetadataLogStartAdvanced: (
        INFO,
        lambda e: (
            f"metadata deleted before {e.log_start_offset}, it began at {e.old_log_start_offset} "
            f"and ends at {e.log_end_offset}"
        ),
    ),
    snapshot.SnapshotDeleted: (DIM, lambda e: f"deleted {_id(e)}"),
    snapshot.SnapshotRejected: (BAD, _rejected),
}
"""By class of event."""


def record_kinds(event: quorum.MetadataAppended) -> str:
    """The first kinds of records that were appended, and how many more."""
    kinds = [safe_text(kind.removesuffix("Record"), 40) for kind in event.kinds[:3]]
    return ",".join(kinds) + (f" +{len(event.kinds) - 3}" if len(event.kinds) > 3 else "")
