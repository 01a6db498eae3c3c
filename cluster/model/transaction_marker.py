"""The control record that ends a transaction in a partition. Source: Kafka ControlRecordType, EndTransactionMarker.

Key: version 2 bytes, type 2 bytes (0 abort, 1 commit). Value: version 2 bytes, coordinator epoch 4 bytes.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from cluster.model.identifiers import Epoch
from cluster.model.record_batch import CorruptBatchError, Record, decode_records, encode_batch

_KEY, _VALUE = struct.Struct(">hh"), struct.Struct(">hi")
_VERSION, _ABORT, _COMMIT = 0, 0, 1
_NO_SEQUENCE = -1


class Marker(NamedTuple):
    """How a transaction ended."""

    committed: bool
    coordinator_epoch: Epoch


def encode_marker(producer_id: int, producer_epoch: int, marker: Marker) -> bytes:
    """A whole batch with this one record."""
    key = _KEY.pack(_VERSION, _COMMIT if marker.committed else _ABORT)
    record = Record(key, _VALUE.pack(_VERSION, marker.coordinator_epoch))
    return encode_batch(
        [record], control=True, transactional=True, sequenced=(producer_id, producer_epoch, _NO_SEQUENCE)
    )


def read_marker(batch: bytes | memoryview) -> Marker | None:
    """Of a control batch; None for control records of another kind. CorruptBatchError when it is cut short."""
    return marker_of(decode_records(batch)[0])


def marker_of(record: Record) -> Marker | None:
    """Of its one record."""
    key, value = record.key or b"", record.value or b""
    if len(key) < _KEY.size:
        raise CorruptBatchError("a control record without a type")
    _, kind = _KEY.unpack_from(key)
    if kind not in (_ABORT, _COMMIT):
        return None
    if len(value) < _VALUE.size:
        raise CorruptBatchError("a marker without its coordinator's epoch")
    return Marker(kind == _COMMIT, _VALUE.unpack_from(value)[1])
