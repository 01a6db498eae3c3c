"""Bugs of snapshots and of the log start that follows them."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.controller.image import MetadataImage
from cluster.model.effects import AdvanceLogStart, DeleteSnapshots, Effect
from cluster.model.identifiers import METADATA, SnapshotId
from cluster.model.metadata_records import BrokerRegistrationChangeRecord, ProducerIdsRecord
from cluster.model.ruling import Ruling
from cluster.node import committed, snapshot_part
from cluster.raft import serving, snapshots
from cluster.storage import node_store, snapshot_files
from tests.support.bugs.planted import PlantedBug


def _leaves_out(*kinds: type) -> Any:
    def plant(records: Any) -> Any:
        return lambda image: [record for record in records(image) if not isinstance(record, kinds)]

    return plant


def _all_unfenced(rebuild: Any) -> Any:
    """A snapshot says nothing of fences: whoever loads it takes every broker for one in service."""

    def rebuilt(records: Any, end_offset: int) -> MetadataImage:
        image: MetadataImage = rebuild(records, end_offset)
        image.brokers = {node: replace(state, fenced=False) for node, state in image.brokers.items()}
        return image

    return rebuilt


def _named_after_the_log_end(write: Any) -> Any:
    """The id says where the log ends, and the image only goes to the high watermark."""

    def named(applied: Any, view: Any, start: int, settings: Any, make: Any) -> Any:
        later = SnapshotId(applied.snapshot_id.end_offset + 1, applied.snapshot_id.epoch)
        return write(snapshots.Applied(later, *applied[1:]), view, start, settings, make)

    return named


def _deletes_the_newest(on_check: Any) -> Any:
    """The older snapshot is kept, and the one at the log start goes."""

    def check(state: Any, now_ms: int) -> list[Effect]:
        effects: list[Effect] = on_check(state, now_ms)
        kept = state.snapshots.kept
        past = SnapshotId(kept[-1].snapshot_id.end_offset + 1, 0) if kept else None
        return [DeleteSnapshots(past) if isinstance(one, DeleteSnapshots) and past else one for one in effects]

    return check


def _cuts_past_the_snapshot(on_check: Any) -> Any:
    """The log start goes to the log end, where no snapshot ends."""

    def check(state: Any, now_ms: int) -> list[Effect]:
        effects: list[Effect] = on_check(state, now_ms)
        end = state.log.log_end_offset
        return [AdvanceLogStart(METADATA, end) if isinstance(one, AdvanceLogStart) else one for one in effects]

    return check


def _never_offers(_rule: Any) -> Any:
    return lambda *_given: Ruling(None, False, "planted")


def _uses_half(on_response: Any) -> Any:
    """The first chunk is taken for all of it."""

    def half(state: Any, sender: int, correlation: int, response: Any) -> Any:
        if response.data and not response.error:
            response = replace(response, size_bytes=response.position + len(response.data))
        return on_response(state, sender, correlation, response)

    return half


def _no_check(_verify: Any) -> Any:
    return lambda _snapshot_id, _data: None


def _keeps_its_log(install: Any) -> Any:
    """The snapshot is written, and the log goes on from where it ended."""

    def keep(self: Any, snapshot_id: SnapshotId, data: bytes) -> None:
        self.snapshots.write(snapshot_id, data)

    return keep


def _keeps_its_image(load_newest: Any) -> Any:
    """The place in the log moves on and the image does not."""

    def load(self: committed.Committed) -> Any:
        before = self.image.copy()
        found = load_newest(self)
        if found is not None and before.offset >= 0:
            offset = self.image.offset
            self.image.become(before)
            self.image.offset = offset
        return found

    return load


def _epoch_of_nothing(_place: Any) -> Any:
    """A log that begins at a snapshot does not know the epoch of what is before it."""
    return lambda _self: None


SNAPSHOT_BUGS = (
    PlantedBug("snapshot-without-producer-ids", "quorum", "a snapshot forgets which producer ids were given away",
        frozenset({"R10", "P28"}), ((snapshot_part, "image_records", _leaves_out(ProducerIdsRecord)),), seeds=(6,)),
    PlantedBug("snapshot-without-departures", "quorum", "a snapshot forgets who is about to leave",
        frozenset({"R10"}), ((snapshot_part, "image_records", _leaves_out(BrokerRegistrationChangeRecord)),),
        seeds=(80,)),
    PlantedBug("snapshot-without-fences", "quorum", "whoever loads a snapshot takes every broker for one in service",
        frozenset({"R10"}), ((committed, "rebuild_image", _all_unfenced),), seeds=(6,)),
    PlantedBug("snapshot-past-its-image", "quorum", "a snapshot is named after one record more than it holds",
        frozenset({"R15", "R10"}), ((snapshots, "write_when_due", _named_after_the_log_end),), seeds=(6,)),
    PlantedBug("deletes-its-last-snapshot", "quorum", "the snapshot at the log start is deleted too",
        frozenset({"R10", "R8", "R17", "L7", "T5"}), ((snapshots, "on_retention_check", _deletes_the_newest),),
        seeds=(26,)),
    PlantedBug("cuts-past-its-snapshot", "quorum", "the log is cut where no snapshot ends",
        frozenset({"R15", "T5"}), ((snapshots, "on_retention_check", _cuts_past_the_snapshot),), seeds=(6,)),
    PlantedBug("offers-no-snapshot", "quorum", "a leader looks for what it has deleted in its log",
        frozenset({"T5", "R8", "R12", "R13", "R15"}), ((serving, "snapshot_to_send", _never_offers),), seeds=(6,)),
    PlantedBug("uses-half-a-snapshot", "quorum", "the first chunk of a snapshot is taken for all, and not checked",
        frozenset({"T5", "R10", "R15"}),
        ((snapshots, "on_fetch_snapshot_response", _uses_half), (snapshots, "verify_snapshot", _no_check)),
        seeds=(47,)),
    PlantedBug("installs-no-log-start", "quorum", "a snapshot that was fetched does not take the place of the log",
        frozenset({"R13", "R15", "R17", "R10", "P17", "T5"}),
        ((node_store.NodeStore, "install_snapshot", _keeps_its_log),), seeds=(25,)),
    PlantedBug("loads-no-image", "quorum", "a snapshot that was fetched leaves the image as it was",
        frozenset({"R10"}), ((committed.Committed, "load_newest", _keeps_its_image),), seeds=(6,)),
    PlantedBug("forgets-the-epoch-before", "quorum", "a log that begins at a snapshot forgets its epoch",
        frozenset({"R4", "R13", "R15", "R9", "R12", "T5"}),
        ((snapshot_files.SnapshotFiles, "note_start", _epoch_of_nothing),), seeds=(82,)),
)  # fmt: skip
"""All are caught in seeds that draw small thresholds."""
