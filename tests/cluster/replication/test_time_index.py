"""What a log remembers of its records' times agrees with a look at every record, whatever is appended and cut."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.record_batch import APPEND_TIME_BIT, Record, encode_batch
from cluster.replication import time_index
from cluster.replication.time_index import FoundRecord, TimeIndex
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


@pytest.mark.parametrize("compression", [0, 1])
def test_all_records_of_a_batch_have_the_time_at_which_it_was_appended(compression: int) -> None:
    log, index = CountedLog(), TimeIndex()
    batch = bytearray(encode_batch([Record(None, b"v")] * 3, 0, 0, 5))
    struct.pack_into(">h", batch, 21, APPEND_TIME_BIT | compression)
    struct.pack_into(">q", batch, 35, 70)
    log.append(bytes(batch))
    assert index.first_at(log, 6, 0) == FoundRecord(0, 70, 0)
    assert index.first_at(log, 71, 0) is None
    assert index.largest(log, 0) == FoundRecord(0, 70, 0), "the first of them"


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
