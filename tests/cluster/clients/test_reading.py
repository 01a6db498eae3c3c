"""A consumer against answers written by hand."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.events import OperationFailed, OperationSucceeded
from cluster.model.inputs import ClientRequest
from cluster.model.messages import FetchRequest, FetchResponse
from cluster.model.record_batch import Record, encode_batch, is_intact
from tests.support.worlds.talk import Talk


def test_a_consumer_reads_to_the_high_watermark_it_saw_first() -> None:
    talk = Talk()
    talk.give(ClientRequest(operation="consume", arguments={"topic": "orders", "partition": 0, "offset": 0}))
    talk.leader(1)
    first = encode_batch([Record(None, b"a"), Record(None, b"b")])
    second = encode_batch([Record(None, b"c")], base_offset=2)
    talk.answer(FetchResponse(topic="orders", partition=0, high_watermark=3, records=first))
    assert [asked.fetch_offset for asked in talk.asked(FetchRequest)] == [0, 2]
    talk.answer(FetchResponse(topic="orders", partition=0, high_watermark=9, records=second))
    assert [event.values for event in talk.named(OperationSucceeded)] == [("a", "b"), ("c",)]
    assert talk.client.idle


def test_a_consumer_takes_no_bytes_that_fail_their_crc() -> None:
    talk = Talk()
    talk.give(ClientRequest(operation="consume", arguments={"topic": "orders", "partition": 0, "offset": 0}))
    talk.leader(1)
    whole = encode_batch([Record(b"k", b"v")])
    rotten = whole[:-1] + bytes([whole[-1] ^ 1])
    talk.answer(FetchResponse(topic="orders", partition=0, high_watermark=1, records=rotten))
    assert [event.error for event in talk.named(OperationFailed)] == [ErrorCode.CORRUPT_MESSAGE]
    assert talk.client.idle
    assert is_intact(whole) and not is_intact(rotten) and not is_intact(whole[:-1])


def test_a_consumer_tells_the_stretches_of_offsets_as_they_came() -> None:
    talk = Talk()
    talk.give(ClientRequest(operation="consume", arguments={"topic": "orders", "partition": 0, "offset": 1}))
    talk.leader(1)
    records = [Record(b"k", b"v")] * 2
    came = b"".join(encode_batch(records, base_offset=base) for base in (0, 2, 6))
    talk.answer(FetchResponse(topic="orders", partition=0, high_watermark=8, records=came))
    assert [event.stretches for event in talk.named(OperationSucceeded)] == [((1, 3), (6, 2))]


def fetched(error: ErrorCode = ErrorCode.NONE, log_start_offset: int = 0, *values: str) -> FetchResponse:
    end = log_start_offset + len(values)
    records = encode_batch([Record(None, value.encode()) for value in values], log_start_offset, 0) if values else b""
    return FetchResponse(
        topic="orders", partition=0, error=error, leader_id=1, leader_epoch=0, high_watermark=end,
        log_start_offset=log_start_offset, records=records,
    )  # fmt: skip


def reading(offset: int) -> Talk:
    talk = Talk()
    talk.give(ClientRequest(operation="consume", arguments={"topic": "orders", "offset": offset}))
    talk.leader(1)
    return talk


def test_a_consumer_behind_the_log_start_is_told_so_and_goes_on_there() -> None:
    talk = reading(2)
    talk.answer(fetched(ErrorCode.OFFSET_OUT_OF_RANGE, 5))
    assert [event.error for event in talk.named(OperationFailed)] == [ErrorCode.OFFSET_OUT_OF_RANGE]
    assert [asked.fetch_offset for asked in talk.asked(FetchRequest)] == [2, 5]
    talk.answer(fetched(ErrorCode.NONE, 5, "a", "b"))
    (read,) = talk.named(OperationSucceeded)
    assert (read.base_offset, read.count) == (5, 2)
    assert talk.client.idle


def test_a_consumer_past_the_log_end_is_told_so_and_stays() -> None:
    talk = reading(9)
    talk.answer(fetched(ErrorCode.OFFSET_OUT_OF_RANGE, 5))
    assert len(talk.requests(FetchRequest)) == 1
    assert talk.client.idle
