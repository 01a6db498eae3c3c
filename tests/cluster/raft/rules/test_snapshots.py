"""When a snapshot is written, who is sent one, and what may be deleted: KIP-630, sentence by sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cluster.model.identifiers import SnapshotId
from cluster.model.log_view import KeptSnapshot
from cluster.model.settings import Settings
from cluster.raft.rules.snapshots import may_delete_oldest, snapshot_due, snapshot_to_send

SETTINGS = replace(
    Settings(),
    metadata_log_max_record_bytes_between_snapshots=1000,
    metadata_log_max_snapshot_interval_ms=5000,
    metadata_max_retention_bytes=300,
    metadata_max_retention_ms=9000,
)
OLD, NEW = SnapshotId(20, 2), SnapshotId(30, 4)


@pytest.mark.parametrize(
    ("applied_bytes", "age_ms", "is_missing", "is_due"),
    [
        (999, 4999, False, False),
        (1000, 0, False, True),
        (0, 5000, False, True),
        (0, 0, True, True),
    ],
)
def test_bytes_or_time_or_a_lack_make_a_snapshot_due(
    applied_bytes: int, age_ms: int, is_missing: bool, is_due: bool
) -> None:
    ruling = snapshot_due(applied_bytes, age_ms, SETTINGS, is_missing=is_missing)
    assert ruling.granted is is_due
    assert ("no good snapshot" in ruling.reason) is is_missing
    assert ("enough has come" in ruling.reason) is (applied_bytes == 1000)
    assert ruling.numbers.get("none is left") == (1 if is_missing else None)


def test_kafkas_defaults_are_20_mib_and_an_hour() -> None:
    assert not snapshot_due(20 * 1024 * 1024 - 1, 3_599_999, Settings(), is_missing=False).granted
    assert snapshot_due(20 * 1024 * 1024, 0, Settings(), is_missing=False).granted
    assert snapshot_due(0, 3_600_000, Settings(), is_missing=False).granted


@pytest.mark.parametrize(
    ("fetch_offset", "last_epoch", "log_start", "sent"),
    [
        (0, 0, 0, NEW),  # an empty log, though the leader still has everything
        (0, 0, 20, NEW),
        (19, 2, 20, NEW),  # below the log start
        (20, 2, 20, None),  # at the log start, in the epoch of its snapshot
        (20, 1, 20, NEW),  # from another epoch
        (20, 3, 20, NEW),  # also from a newer one
        (25, 1, 20, NEW),  # its last epoch is older than the oldest snapshot
        (25, 3, 20, None),
        (10, 2, 0, None),  # nothing is deleted: the log can tell
        (1, 2, 0, None),
        (10, 1, 0, NEW),  # but its epoch is older than the oldest snapshot
        (30, 4, 20, None),
    ],
)
def test_who_wants_what_is_deleted_is_sent_the_newest_snapshot(
    fetch_offset: int, last_epoch: int, log_start: int, sent: SnapshotId | None
) -> None:
    ruling = snapshot_to_send(fetch_offset, last_epoch, log_start, [OLD, NEW])
    assert ruling.value == sent
    assert ruling.granted is (sent is not None)


def test_who_has_nothing_is_sent_the_newest_snapshot_even_if_the_first_leader_wrote_it() -> None:
    first = SnapshotId(20, 0)
    assert snapshot_to_send(0, 0, 0, [first]).value == first
    assert snapshot_to_send(1, 0, 0, [first]).value is None


def _kept(*sizes: int) -> list[KeptSnapshot]:
    ids = (OLD, NEW, SnapshotId(40, 4))
    return [KeptSnapshot(one, size, 1000 * place) for place, (one, size) in enumerate(zip(ids, sizes, strict=False))]


@pytest.mark.parametrize(
    ("sizes", "log_bytes", "now_ms", "start_at"),
    [
        ((), 999, 0, None),
        ((999,), 999, 99_999, None),  # the last one always stays
        ((100, 100), 100, 0, None),
        ((100, 100), 101, 0, NEW),
        ((100, 100, 100), 1, 0, NEW),  # one at a time
        ((1, 1), 1, 9000, None),
        ((1, 1), 1, 9001, NEW),
    ],
)
def test_the_oldest_goes_for_room_or_for_age_but_never_the_last(
    sizes: tuple[int, ...], log_bytes: int, now_ms: int, start_at: SnapshotId | None
) -> None:
    ruling = may_delete_oldest(_kept(*sizes), log_bytes, now_ms, SETTINGS)
    assert (ruling.value, ruling.granted) == (start_at, start_at is not None)
