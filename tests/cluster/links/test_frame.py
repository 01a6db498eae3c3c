"""Frames survive any cut of the stream; nothing but a WireError comes of bad bytes."""

from __future__ import annotations

import random
import tracemalloc

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cluster.links.frame import FRAME_BYTES_MAX, Frame, FrameDecoder, WireError, decode_frame, encode_frame, paced_size
from cluster.model import messages
from cluster.model.entry import EventId
from cluster.model.identifiers import EpochEnd
from cluster.model.messages import (
    MESSAGES,
    AlterPartitionRequest,
    FetchRequest,
    FetchResponse,
    MetadataResponse,
    ProduceRequest,
    VoteRequest,
)
from cluster.model.partition_state import PartitionState
from tests.support.kinds import as_kind

STATE = PartitionState(
    topic_id=1, replicas=(1, 2), isr=(1, 2), leader=1, leader_epoch=2, partition_epoch=0, min_insync_replicas=1
)
FRAMES = [
    Frame(101, 4, VoteRequest(voter_id=102, candidate_id=101, epoch=3, last_epoch=2, last_offset=9, pre_vote=True)),
    Frame(2, 6, FetchRequest(replica_id=2, topic="orders", partition=0, fetch_offset=7), EventId(2, 0, 55), 12),
    Frame(1, 6, FetchResponse(topic="orders", partition=0, records=b"\x00" * 300, diverging=EpochEnd(1, 5))),
    Frame(
        1,
        9,
        AlterPartitionRequest(
            broker_id=1,
            broker_epoch=5,
            topic="orders",
            topic_id=1,
            partition=0,
            leader_epoch=2,
            partition_epoch=3,
            new_isr=((1, 5), (2, -1)),
        ),
    ),
    Frame(3, 1, MetadataResponse(brokers=(1, 2), partitions=(("orders", 0, STATE),)), EventId(3, 1, 0), 1 << 40),
]


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: type(frame.message).__name__)
def test_a_frame_reads_back_as_it_was(frame: Frame) -> None:
    assert FrameDecoder().feed(encode_frame(frame)) == [frame]


@given(cuts=st.lists(st.integers(0, 800), max_size=12))
def test_the_stream_may_be_cut_anywhere(cuts: list[int]) -> None:
    stream = b"".join(encode_frame(frame) for frame in FRAMES)
    places = sorted({0, len(stream), *(min(cut, len(stream)) for cut in cuts)})
    decoder, got = FrameDecoder(), []
    for start, end in zip(places, places[1:], strict=False):
        got += decoder.feed(stream[start:end])
    assert got == FRAMES


def test_one_byte_at_a_time() -> None:
    decoder, got = FrameDecoder(), []
    for byte in b"".join(encode_frame(frame) for frame in FRAMES):
        got += decoder.feed(bytes([byte]))
    assert got == FRAMES


@pytest.mark.parametrize("size", [0, FRAME_BYTES_MAX + 1, 0x7FFFFFFF, 0xFFFFFFFF])
def test_a_length_out_of_bounds_is_refused_before_memory_is_taken(size: int) -> None:
    decoder = FrameDecoder()
    tracemalloc.start()
    try:
        with pytest.raises(WireError, match="allowed are"):
            decoder.feed(size.to_bytes(4, "big"))
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    with pytest.raises(WireError, match="after a bad frame"):
        decoder.feed(encode_frame(FRAMES[0]))


def test_a_decoder_may_have_a_smaller_limit() -> None:
    with pytest.raises(WireError):
        FrameDecoder(limit=100).feed(encode_frame(FRAMES[2]))


def test_a_frame_too_long_is_not_sent() -> None:
    message = ProduceRequest(
        client_id="c", topic="t", partition=0, acks=1, timeout_ms=1, records=bytes(FRAME_BYTES_MAX)
    )
    with pytest.raises(WireError, match="longer than"):
        encode_frame(Frame(1, 1, message))


def test_many_record_bytes_are_welcome() -> None:
    frame = Frame(1, 1, FetchResponse(topic="t", partition=0, records=bytes(15 << 20)))
    assert FrameDecoder().feed(encode_frame(frame)) == [frame]


BOMBS = {
    "flat": [2, 1, 1, 0, None, [[] for _ in range(200_000)]],
    "wide": [0, 1, 1, 0, None, [[[]] * 9_999 for _ in range(40)]],
    "no list": [0, 1, 1, 0, None, "x" * 300_000],
}


@pytest.mark.parametrize("name", BOMBS)
def test_many_small_objects_are_refused_without_much_memory(name: str) -> None:
    body = msgpack.packb(BOMBS[name])
    tracemalloc.start()
    try:
        with pytest.raises(WireError):
            decode_frame(body)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


VOTE = [102, 101, 3, 2, 9, True]


@pytest.mark.parametrize(
    "plain",
    [
        None,
        [],
        [0, 1, 1, 0, None],
        [99, 1, 1, 0, None, []],
        [-1, 1, 1, 0, None, []],
        [True, 1, 1, 0, None, VOTE],
        ["VoteRequest", 1, 1, 0, None, VOTE],
        [0, -1, 1, 0, None, VOTE],
        [0, 1, "1", 0, None, VOTE],
        [0, 1, 1, 0, [1, 2], VOTE],
        [0, 1, 1, 0, [1, 2, "3"], VOTE],
        [0, 1, 1, 0, None, VOTE[:-1]],
        [0, 1, 1, 0, None, [*VOTE, 1]],
        [0, 1, 1, 0, None, [*VOTE[:-1], 1]],
        [0, 1, 1, 0, None, {"voter_id": 1}],
        [0, 1, 1, 0, None, msgpack.ExtType(1, b"x")],
    ],
    ids=range(16),
)
def test_what_does_not_fit_is_refused(plain: object) -> None:
    with pytest.raises(WireError):
        decode_frame(msgpack.packb(plain))


@pytest.mark.parametrize("body", [b"\x91" * 200_000, b"\xdd\xff\xff\xff\xff", b"\xc1", b"\x96\xa2\xff\xff", b"\x96"])
def test_broken_msgpack_is_refused(body: bytes) -> None:
    with pytest.raises(WireError):
        decode_frame(body)


def test_a_lone_surrogate_does_not_stop_the_sender() -> None:
    frame = Frame(2, 6, FetchRequest(replica_id=2, topic="a\ud800", partition=0, fetch_offset=7))
    (read,) = FrameDecoder().feed(encode_frame(frame))
    assert as_kind(FetchRequest, read.message).topic == "a?"


def test_mutated_frames_raise_nothing_but_wire_errors() -> None:
    draw = random.Random(7)
    bodies = [encode_frame(frame)[4:] for frame in FRAMES]
    refused = 0
    for _ in range(5000):
        body = bytearray(draw.choice(bodies))
        for _ in range(draw.randint(1, 4)):
            match draw.randrange(3):
                case 0:
                    body[draw.randrange(len(body))] = draw.randrange(256)
                case 1:
                    body.insert(draw.randrange(len(body)), draw.randrange(256))
                case _ if len(body) > 1:
                    del body[draw.randrange(len(body))]
        try:
            FrameDecoder().feed(len(body).to_bytes(4, "big") + bytes(body))
        except WireError:
            refused += 1
    assert refused > 2000


def test_every_kind_of_message_has_a_number() -> None:
    assert {type(frame.message).__name__ for frame in FRAMES} <= set(MESSAGES)
    numbers = [kind.wire_number for kind in MESSAGES.values()]
    assert len(set(numbers)) == len(numbers) and max(numbers) < 128, "a kind is one byte"


def test_every_message_that_is_declared_stands_in_the_union_of_its_file() -> None:
    declared = {name for name, kind in vars(messages).items() if hasattr(kind, "wire_number")}
    assert declared == set(MESSAGES)


@pytest.mark.parametrize("frame", FRAMES[:5], ids=lambda frame: type(frame.message).__name__)
def test_a_slow_link_is_as_slow_whether_messages_are_observed_or_not(frame: Frame) -> None:
    seen = replace(frame, left_ns=1 << 50)
    tagged = sum(getattr(frame.message, name, None) == "" for name in ("directory_id", "voter_directory_id"))
    assert paced_size(seen) == paced_size(frame) == len(encode_frame(frame)) - 1 - tagged
