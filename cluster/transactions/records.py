"""Records of __transaction_state in Kafka's own layouts, so that Kafka's tools can read the partition's log.

Key: version 0, the transactional id. Value: version 1 (flexible, KIP-890); version 0 is read too. A null value deletes.
Source: TransactionLogKey and TransactionLogValue.
"""

from __future__ import annotations

import struct
from itertools import groupby

from cluster.coordination.fields import Reader, RecordError, compact, text
from cluster.model.byte_reader import uvarint
from cluster.model.identifiers import TopicPartition
from cluster.model.record_batch import Record
from cluster.transactions.state import ENDED, NO_PRODUCER_EPOCH, NO_PRODUCER_ID, Transaction, TransactionState

KEY_VERSION, VALUE_VERSION = 0, 1
_STATES = (
    TransactionState.EMPTY, TransactionState.ONGOING, TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT,
    TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT, TransactionState.DEAD,
)  # fmt: skip
"""By Kafka's number."""
_HEAD, _TIMES = struct.Struct(">hqhib"), struct.Struct(">qq")
_PREVIOUS_ID, _NEXT_ID, _CLIENT_VERSION = range(3)
"""Tags of fields that version 1 of a value has beside its fixed ones. Source: TransactionLogValue.json."""


def key_of(transactional_id: str) -> bytes:
    """The key of its records."""
    return struct.pack(">h", KEY_VERSION) + text(transactional_id)


def record_of(transaction: Transaction) -> Record:
    """How it stands; None for a value when it is forgotten."""
    key = key_of(transaction.transactional_id)
    if transaction.state is TransactionState.DEAD:
        return Record(key, None)
    head = _HEAD.pack(
        VALUE_VERSION,
        transaction.producer_id,
        transaction.producer_epoch,
        transaction.timeout_ms,
        _STATES.index(transaction.state),
    )
    times = _TIMES.pack(transaction.updated_ms, transaction.started_ms)
    return Record(key, head + _partitions(transaction) + times + _tags(transaction))


def read_record(record: Record) -> tuple[str, Transaction | None] | None:
    """The id and how it stands, None when forgotten; None for a key of another kind. RecordError when cut short."""
    keys = Reader(record.key or b"")
    if keys.int16() != KEY_VERSION:
        return None
    transactional_id = keys.text()
    if record.value is None:
        return transactional_id, None
    reader = Reader(record.value)
    version, producer_id, producer_epoch = reader.int16(), reader.int64(), reader.int16()
    timeout_ms, number = reader.int32(), reader.int8()
    if not 0 <= number < len(_STATES) or version not in (0, VALUE_VERSION):
        raise RecordError(f"value of version {version} with state {number}")
    partitions = _read_partitions(reader, is_flexible=version > 0)
    updated_ms, started_ms = reader.int64(), reader.int64()
    tags = reader.tags() if version > 0 else {}
    state, bumps_epoch = _STATES[number], _CLIENT_VERSION in tags
    return transactional_id, Transaction(
        transactional_id=transactional_id,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        last_epoch=producer_epoch - 1 if bumps_epoch and state in ENDED and producer_epoch else NO_PRODUCER_EPOCH,
        next_producer_id=int.from_bytes(tags[_NEXT_ID], signed=True) if _NEXT_ID in tags else -1,
        previous_producer_id=int.from_bytes(tags[_PREVIOUS_ID], signed=True) if _PREVIOUS_ID in tags else -1,
        timeout_ms=timeout_ms,
        state=state,
        partitions=partitions,
        started_ms=started_ms,
        updated_ms=updated_ms,
        bumps_epoch=bumps_epoch,
    )


def _partitions(transaction: Transaction) -> bytes:
    topics = [
        (topic, list(partitions))
        for topic, partitions in groupby(sorted(transaction.partitions), lambda each: each.topic)
    ]
    parts = [uvarint(len(topics) + 1)]
    for topic, partitions in topics:
        parts += [compact(topic), uvarint(len(partitions) + 1)]
        parts += [struct.pack(">i", each.partition) for each in partitions]
        parts.append(b"\x00")
    return b"".join(parts)


def _read_partitions(reader: Reader, *, is_flexible: bool) -> frozenset[TopicPartition]:
    partitions: list[TopicPartition] = []
    count = reader.count() if is_flexible else reader.array_size()
    for _ in range(count):
        topic = reader.compact() if is_flexible else reader.text()
        length = reader.count() if is_flexible else reader.array_size()
        partitions += [TopicPartition(topic, reader.int32()) for _ in range(length)]
        if is_flexible:
            reader.tags()
    return frozenset(partitions)


def _tags(transaction: Transaction) -> bytes:
    tags = []
    if transaction.previous_producer_id != NO_PRODUCER_ID:
        tags.append((_PREVIOUS_ID, struct.pack(">q", transaction.previous_producer_id)))
    if transaction.next_producer_id != NO_PRODUCER_ID:
        tags.append((_NEXT_ID, struct.pack(">q", transaction.next_producer_id)))
    if transaction.bumps_epoch:
        tags.append((_CLIENT_VERSION, struct.pack(">h", 2)))
    return uvarint(len(tags)) + b"".join(uvarint(tag) + uvarint(len(data)) + data for tag, data in tags)
