"""The numbers that label messages."""

from __future__ import annotations

import pytest

from cluster.links.frame import Frame
from cluster.links.numbers import about, numbers_of
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import EpochEnd
from cluster.model.messages import AlterPartitionRequest, FetchResponse, VoteResponse
from cluster.model.record_batch import Record, encode_batch
from tests.cluster.links.test_frame import FRAMES


def fetched(records: bytes = b"", diverging: EpochEnd | None = None) -> dict[str, int]:
    response = FetchResponse(topic="orders", partition=0, leader_epoch=3, high_watermark=8, records=records,
                             diverging=diverging)  # fmt: skip
    return dict(numbers_of(response))


def test_an_answer_to_a_fetch_says_what_it_brings() -> None:
    batch = encode_batch([Record(b"k", b"v"), Record(b"k", b"w")], 80, 3, 0)
    assert fetched() == {"epoch": 3, "high_watermark": 8}
    assert fetched(batch) == {"epoch": 3, "high_watermark": 8, "offset": 80, "records": 2}
    assert fetched(batch + batch) == {"epoch": 3, "high_watermark": 8, "offset": 80}, "to count them all takes too long"
    assert fetched(b"rotten") == {"epoch": 3, "high_watermark": 8}
    assert fetched(diverging=EpochEnd(1, 70))["diverging_end_offset"] == 70


def test_yes_and_no_are_numbers_and_an_error_comes_first() -> None:
    answer = VoteResponse(error=ErrorCode.FENCED_LEADER_EPOCH, epoch=2, granted=True, pre_vote=False)
    numbers = numbers_of(answer)
    assert numbers[0] == ("error", int(ErrorCode.FENCED_LEADER_EPOCH))
    assert dict(numbers)["granted"] == 1 and all(type(number) is int for _, number in numbers)


def test_an_isr_is_told_member_by_member() -> None:
    request = AlterPartitionRequest(broker_id=1, broker_epoch=5, topic="orders", topic_id=1, partition=0,
                                    leader_epoch=2, partition_epoch=4, new_isr=((1, 5), (3, 7)))  # fmt: skip
    assert [number for name, number in numbers_of(request) if name == "isr"] == [1, 3]
    assert about(request) == ("orders", 0)


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: type(frame.message).__name__)
def test_every_message_can_be_labelled(frame: Frame) -> None:
    message = frame.message
    assert all(type(name) is str and type(number) is int for name, number in numbers_of(message))
    topic, partition = about(message)
    assert (topic == "") == (partition == -1)
