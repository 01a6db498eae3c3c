"""Snapshots of the metadata log."""

from __future__ import annotations

from cluster.model.events import snapshot
from workbench.telling.telling import BAD, DIM, GOOD, INFO, WARN, Printed, Telling
from workbench.telling.template import fill

SNAPSHOT = "snapshot {end_offset}@e{epoch}"


def _rejected(e: snapshot.SnapshotRejected) -> str:
    return fill("BAD snapshot {file}{source: from {}/} is not used: {why}", e, {"file": e.path.rpartition("/")[2]})


TELLINGS: dict[type, Telling] = {
    snapshot.SnapshotWritten: Printed(
        INFO,
        f"wrote {SNAPSHOT}: {{record_count:record}}, {{size_bytes}} bytes, image {{digest}}{{voters:, voters {{}}/}}",
    ),
    snapshot.SnapshotLoaded: Printed(GOOD, f"loaded {SNAPSHOT}: {{record_count:record}}, image {{digest}}"),
    snapshot.SnapshotOffered: Printed(
        WARN,
        "tells {replica_id}, which asks for {fetch_offset}@e{last_fetched_epoch}, to fetch "
        f"{SNAPSHOT}: the log begins at {{log_start_offset}}",
    ),
    snapshot.SnapshotFetchBegun: Telling(INFO, f"fetches {SNAPSHOT} from {{leader_id}}"),
    snapshot.SnapshotFetchEnded: Printed(WARN, f"gives {SNAPSHOT} up after {{fetched_bytes}} bytes: {{why}}"),
    snapshot.SnapshotInstalled: Printed(
        GOOD,
        "\u2702 metadata log [{old_log_start_offset},{old_end_offset}) gives way to "
        f"{SNAPSHOT} of {{leader_id}}, {{size_bytes}} bytes",
    ),
    snapshot.MetadataLogStartAdvanced: Printed(
        INFO,
        "metadata deleted before {log_start_offset}, it began at {old_log_start_offset} and ends at {log_end_offset}",
    ),
    snapshot.SnapshotDeleted: Telling(DIM, f"deleted {SNAPSHOT}"),
    snapshot.SnapshotRejected: Printed(BAD, _rejected),
}
