"""A coordinator reads all of its partition's log, each batch once, in pieces with other work between them."""

from __future__ import annotations

from cluster.coordination.led_partition import LedPartition
from cluster.coordination.reading import PAUSE_MS, READ_BYTES, RETRY_MS, read_on
from cluster.model.effects import SetTimer
from cluster.model.record_batch import BatchHeader, Record, decode_records, encode_batch
from tests.support.worlds.coordinated import Log


class Reader:
    """A partition that is loading, and what was taken of it."""

    def __init__(self, *values: bytes, next_offset: int = 0) -> None:
        self.log = Log()
        for value in values:
            self.log.append(encode_batch([Record(None, value)]))
        self.led = LedPartition(
            partition=0, leader_epoch=4, replica=self.log, next_offset=next_offset, load_timer="load.0"
        )
        self.taken: list[tuple[int, bytes | None]] = []

    def take(self, header: BatchHeader, batch: bytes | memoryview) -> None:
        self.taken += [(header.base_offset, record.value) for record in decode_records(batch)]

    def pieces(self) -> int:
        """How many there were until nothing was left."""
        count = 0
        while effects := read_on(self.led, self.take):
            assert effects == [SetTimer("load.0", PAUSE_MS)]
            count += 1
        return count


def test_an_empty_log_is_read_at_once() -> None:
    reader = Reader()
    assert (reader.pieces(), reader.taken, reader.led.next_offset) == (0, [], 0)


def test_batches_are_taken_in_the_order_of_the_log_and_then_the_reader_comes_again() -> None:
    reader = Reader(b"a", b"b")
    assert reader.pieces() == 1
    assert (reader.taken, reader.led.next_offset) == ([(0, b"a"), (1, b"b")], 2)


def test_what_was_written_meanwhile_is_read_by_the_next_piece_and_nothing_twice() -> None:
    reader = Reader(b"a")
    assert read_on(reader.led, reader.take)
    reader.log.append(encode_batch([Record(None, b"b"), Record(None, b"c")]))
    assert reader.pieces() == 1
    assert ([value for _, value in reader.taken], reader.led.next_offset) == ([b"a", b"b", b"c"], 3)


def test_a_reader_begins_at_its_next_offset() -> None:
    reader = Reader(b"a", b"b", next_offset=1)
    reader.pieces()
    assert reader.taken == [(1, b"b")]


def test_a_log_that_is_larger_than_a_piece_is_read_in_several() -> None:
    large = [bytes([65 + number]) * (READ_BYTES // 2 + 1) for number in range(3)]
    reader = Reader(*large)
    assert reader.pieces() > 1
    assert [value for _, value in reader.taken] == large


def test_what_is_damaged_is_not_taken_and_read_again_later() -> None:
    reader = Reader(b"a")
    whole = encode_batch([Record(None, b"b")])
    reader.log.append(whole[:-1] + bytes([whole[-1] ^ 1]))
    for _ in range(2):
        assert read_on(reader.led, reader.take) == [SetTimer("load.0", RETRY_MS)]
        assert (reader.taken, reader.led.next_offset) == ([(0, b"a")], 1)
