"""The coordinator's log: each transaction is a record; its zxid is one above its offset. Source: ZooKeeper TxnLog."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from cluster.model.identifiers import NodeId, Offset, TopicPartition
from cluster.model.log_view import LogView
from cluster.model.messages import NO_SESSION
from cluster.model.record_batch import Record, batches, decode_records, encode_batch
from cluster.zookeeper.tree import Change

TRANSACTIONS = TopicPartition("__zookeeper", 0)
"""Where the coordinator keeps them."""
READ_BYTES = 1 << 20


class Transaction(Struct, frozen=True, kw_only=True, array_like=True):
    """All that one request did, or the beginning or end of a session."""

    changes: tuple[Change, ...] = ()
    session_id: int = NO_SESSION
    """The one that begins or ends; 0 for neither."""
    client: NodeId = -1
    """Of a session that begins."""
    timeout_ms: int = 0
    """Of a session that begins; 0 for one that ends."""


_encode, _decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder(Transaction).decode


def encode_transaction(transaction: Transaction, offset: Offset) -> bytes:
    """As a batch of one record; there are no leader epochs here."""
    return encode_batch([Record(None, _encode(transaction))], offset, 0)


def read_transactions(log: LogView) -> list[Transaction]:
    """All that a log holds, oldest first."""
    transactions: list[Transaction] = []
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        for header, batch in batches(log.read(offset, READ_BYTES, log.log_end_offset)):
            transactions += [_decode(record.value or b"") for record in decode_records(batch)]
            offset = header.end_offset
    return transactions
