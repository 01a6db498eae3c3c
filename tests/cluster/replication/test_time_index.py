"""What a log remembers of its records' times agrees with a look at every record, whatever is appended and cut."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.compression import Compression, packed
from cluster.model.record_batch import APPEND_TIME_BIT, Record, encode_batch, thinned
from cluster.replication import time_index
from cluster.replication.time_index import FoundRecord, TimeIndex
from tests.support.clients.client_batches import ClientRecord, client_batch, patched
from tests.support.worlds.node_world import MemoryLog


class CountedLog(MemoryLog):
    """Counts what is read, and reads in pieces as a log on disk does."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes_read = 0

    def read(self, start_offset: int, max_bytes: int, end_offset: int | None = None) -> bytes:
        data = b""
        for _, end, _, batch in self.batches:
            if end <= start_offset or (end_offset is not None and end > end_offset):
                continue
            if data and len(data) + len(batch) > max_bytes:
                break
            data += batch
        self.bytes_read += len(data)
        return data


def written(log: MemoryLog, time_ms: int, count: int) -> None:
    records = [Record(None, b"v" * 20)] * count
    log.append(encode_batch(records, log.log_end_offset, 0, time_ms))


changes = st.one_of(
    st.tuples(st.just("append"), st.integers(0, 50), st.integers(1, 4)),
    st.tuples(st.just("cut"), st.integers(0, 40), st.just(0)),
    st.tuples(st.just("ask"), st.integers(0, 55), st.integers(0, 30)),
)


@given(st.lists(changes, max_size=40))
def test_it_finds_what_a_look_at_every_record_finds(steps: list[tuple[str, int, int]]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(time_index, "SPAN_BYTES", 300)
        log, index = CountedLog(), TimeIndex()
        times: list[int] = []
        for step, number, other in steps:
            if step == "append":
                written(log, number, other)
                times += [number] * other
            elif step == "cut":
                log.truncate(number)
                index.truncate(log.log_end_offset)
                del times[log.log_end_offset :]
            else:
                late = [at for at, time_ms in enumerate(times) if time_ms >= number and at >= other]
                found = index.first_at(log, number, other)
                assert (found and found.offset) == (late[0] if late else None)
                largest = index.largest(log, 0)
                assert (largest and largest.offset) == (times.index(max(times)) if times else None)


def compressed(codec: int, *times_ms: int, base_offset: int = 0) -> bytes:
    records = [ClientRecord(base_offset + n, time_ms, b"%d" % n, b"v") for n, time_ms in enumerate(times_ms)]
    pack = (lambda data: packed(codec, data)) if codec else bytes
    return client_batch(records, attributes=codec, pack=pack, base_offset=base_offset)


@pytest.mark.parametrize("codec", Compression)
def test_a_record_is_found_by_its_own_time_whatever_its_batch_is_compressed_with(codec: int) -> None:
    """Kafka before 3.8 answered with the offset of the batch: KAFKA-16310, KAFKA-16342."""
    log, index = CountedLog(), TimeIndex()
    log.append(compressed(codec, 5, 1))
    log.append(compressed(codec, 1_000, 10_000, 4_000, base_offset=2))
    assert index.first_at(log, 1_001, 0) == FoundRecord(3, 10_000, -1)
    assert index.first_at(log, 1_001, 4) == FoundRecord(4, 4_000, -1)
    assert index.first_at(log, 6, 0) == FoundRecord(2, 1_000, -1)
    assert index.first_at(log, 10_001, 0) is None
    assert index.largest(log, 0) == FoundRecord(3, 10_000, -1)


@pytest.mark.parametrize("codec", Compression)
def test_the_time_of_a_record_that_compaction_took_is_nobodys(codec: int) -> None:
    batches = compressed(codec, 7, 9_000, 8), compressed(codec, 9_500, base_offset=3)
    kept = thinned(batches[0], {0, 2}), thinned(batches[1], set())
    log, index = CountedLog(), TimeIndex()
    for batch in kept:
        log.append(batch)
    assert index.largest(log, 0) == FoundRecord(2, 8, -1)
    assert index.first_at(log, 9, 0) is None


@pytest.mark.parametrize("compression", Compression)
def test_all_records_of_a_batch_have_the_time_at_which_it_was_appended(compression: int) -> None:
    log, index = CountedLog(), TimeIndex()
    batch = compressed(compression, 5, 5, 5)
    log.append(patched(batch, 21, struct.pack(">hiqq", APPEND_TIME_BIT | compression, 2, 5, 70)))
    assert index.first_at(log, 6, 0) == FoundRecord(0, 70, -1)
    assert index.first_at(log, 71, 0) is None
    assert index.largest(log, 0) == FoundRecord(0, 70, -1), "the first of them"


def test_what_was_read_once_is_not_read_again() -> None:
    log, index = CountedLog(), TimeIndex()
    for number in range(3_600):
        written(log, number, 20)
    index.first_at(log, 10**6, 0)
    first = log.bytes_read
    assert first > 2 * time_index.SPAN_BYTES
    log.bytes_read = 0
    index.first_at(log, 10**6, 0)
    assert log.bytes_read <= time_index.SPAN_BYTES // 2
