"""Batches that kio wrote are taken and read."""

from __future__ import annotations

import datetime
import io
from random import Random
from typing import Any

from kio.records import schema as kio_schema
from kio.records import writers

from cluster.kafka.batches.header import ProducedBatch, check_produced
from tests.support.clients.client_batches import ClientRecord, read_records

schema: Any = kio_schema
"""Its numbers are classes of their own; it takes plain ones too."""


def test_batches_of_kio_are_taken_and_read() -> None:
    rng = Random(2)
    for _ in range(200):
        records = []
        second = 1_700_000_000
        for offset in range(rng.choice((1, 2, 30))):
            headers = tuple((b"h%d" % at, rng.choice((None, b"", b"x" * 9))) for at in range(rng.choice((0, 0, 2))))
            key = rng.choice((None, b"", rng.randbytes(5)))
            value = rng.choice((None, rng.randbytes(rng.choice((1, 200, 9_000)))))
            records.append(ClientRecord(offset, (second + offset) * 1000, key, value, headers))
        theirs = schema.NewRecordBatch(
            producer_id=9,
            producer_epoch=1,
            base_sequence=4,
            attributes=0,
            records=tuple(_to_kio(record) for record in records),
        )
        out = io.BytesIO()
        writers.write_batch(out, theirs)
        found = check_produced(out.getvalue(), 9)
        assert isinstance(found, ProducedBatch)
        assert (found.producer_id, found.producer_epoch, found.base_sequence) == (9, 1, 4)
        assert found.count == len(records)
        assert read_records(out.getvalue()) == records


def _to_kio(record: ClientRecord) -> Any:
    return schema.Record(
        attributes=0,
        timestamp=datetime.datetime.fromtimestamp(record.timestamp_ms / 1000, tz=datetime.UTC),
        offset=record.offset,
        key=record.key,
        value=record.value,
        headers=tuple(schema.RecordHeader(key=name, value=content) for name, content in record.headers),
    )
