"""The file of a snapshot: batches like those of a log, between a header and a footer. Source: KIP-630."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cluster.model.codec import DecodeError, decode_metadata_record, encode_metadata_record
from cluster.model.identifiers import Epoch, SnapshotId
from cluster.model.metadata_records import MetadataRecord, SnapshotFooterRecord, SnapshotHeaderRecord
from cluster.model.record_batch import (
    BatchHeader,
    CorruptBatchError,
    batches,
    check_crc,
    decode_records,
    encode_batch,
)

SUFFIX = ".checkpoint"
VERSION = 0
BATCH_RECORDS = 1000
_END_DIGITS, _EPOCH_DIGITS = 20, 10


class BadSnapshotError(Exception):
    """Bytes that are not the snapshot that their name says. One clause says why."""


class Snapshot(NamedTuple):
    """What a good file holds."""

    header: SnapshotHeaderRecord
    control: tuple[MetadataRecord, ...]
    """Beside the header: what belongs to the quorum and not to the image, the voters of KIP-853."""
    records: list[MetadataRecord]
    """They rebuild the image."""


def snapshot_name(snapshot_id: SnapshotId) -> str:
    """The file's name: twenty digits of its end offset, ten of its epoch."""
    return f"{snapshot_id}{SUFFIX}"


def parse_snapshot_name(name: str) -> SnapshotId | None:
    """The id in a file's name, which may stand in a folder; None for another file."""
    stem = name.rpartition("/")[2]
    end, _, epoch = stem.removesuffix(SUFFIX).partition("-")
    is_one = stem.endswith(SUFFIX) and (len(end), len(epoch)) == (_END_DIGITS, _EPOCH_DIGITS)
    if not is_one or not (end + epoch).isascii() or not (end + epoch).isdecimal():
        return None
    return SnapshotId(int(end), int(epoch))


def encode_snapshot(
    snapshot_id: SnapshotId,
    records: Sequence[MetadataRecord],
    last_timestamp_ms: int,
    control: Sequence[MetadataRecord] = (),
) -> bytes:
    """The whole file; the same on every node that is given the same."""
    header = SnapshotHeaderRecord(
        version=VERSION,
        end_offset=snapshot_id.end_offset,
        epoch=snapshot_id.epoch,
        last_contained_log_timestamp_ms=last_timestamp_ms,
    )
    parts: list[tuple[Sequence[MetadataRecord], bool]] = [((header, *control), True)]
    parts += [(records[at : at + BATCH_RECORDS], False) for at in range(0, len(records), BATCH_RECORDS)]
    parts.append(((SnapshotFooterRecord(version=VERSION),), True))
    encoded, offset = [], 0
    for part, is_control in parts:
        plain = [encode_metadata_record(record) for record in part]
        encoded.append(encode_batch(plain, offset, snapshot_id.epoch, last_timestamp_ms, control=is_control))
        offset += len(part)
    return b"".join(encoded)


def verify_snapshot(snapshot_id: SnapshotId, data: bytes) -> SnapshotHeaderRecord:
    """Its header, once every byte is found to be as it was written. BadSnapshotError when not; records stay packed."""
    checked = _checked_batches(data, snapshot_id.epoch)
    if len(checked) < 2:
        raise BadSnapshotError("it holds no footer" if checked else "it is empty")
    first, last = (_control_records(checked[at]) for at in (0, -1))
    header = first[0]
    if not isinstance(header, SnapshotHeaderRecord):
        raise BadSnapshotError("it does not begin with a header")
    if not isinstance(last[0], SnapshotFooterRecord):
        raise BadSnapshotError("it holds no footer")
    if (header.version, last[0].version) != (VERSION, VERSION):
        raise BadSnapshotError(f"its version is {header.version}, {VERSION} can be read")
    inside = SnapshotId(header.end_offset, header.epoch)
    if inside != snapshot_id:
        raise BadSnapshotError(f"it is misnamed: inside it is {inside}")
    return header


def decode_snapshot(snapshot_id: SnapshotId, data: bytes) -> Snapshot:
    """All records of it. BadSnapshotError when it is not what its name says."""
    header = verify_snapshot(snapshot_id, data)
    control: list[MetadataRecord] = []
    records: list[MetadataRecord] = []
    try:
        for one, batch in batches(data):
            target = control if one.control else records
            target += [decode_metadata_record(record) for record in decode_records(batch)]
    except (CorruptBatchError, DecodeError, ValueError) as error:
        raise BadSnapshotError(f"a record cannot be read: {error}") from error
    return Snapshot(header, tuple(control[1:-1]), records)


def control_records(data: bytes) -> tuple[MetadataRecord, ...]:
    """What stands in a good file beside header and footer and is not part of the image; the image stays packed."""
    return tuple(_control_records(next(iter(batches(data))))[1:])


def _checked_batches(data: bytes, epoch: Epoch) -> list[tuple[BatchHeader, memoryview | bytes]]:
    """Whole batches without gaps whose CRCs match."""
    checked: list[tuple[BatchHeader, memoryview | bytes]] = []
    end, position = 0, 0
    try:
        for header, batch in batches(data):
            if header.base_offset != end or header.leader_epoch != epoch or not check_crc(batch):
                raise BadSnapshotError(f"the batch at byte {position} fails its check")
            checked.append((header, batch))
            end, position = header.end_offset, position + header.size_bytes
    except CorruptBatchError as error:
        raise BadSnapshotError(f"it is cut short or damaged: {error}") from error
    return checked


def _control_records(checked: tuple[BatchHeader, memoryview | bytes]) -> list[MetadataRecord]:
    header, batch = checked
    if not header.control:
        raise BadSnapshotError("it is not framed by header and footer")
    try:
        return [decode_metadata_record(record) for record in decode_records(batch)]
    except (CorruptBatchError, DecodeError, ValueError) as error:
        raise BadSnapshotError(f"header or footer cannot be read: {error}") from error
