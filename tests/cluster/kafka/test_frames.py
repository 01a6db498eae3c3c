"""Headers, lengths, and frames that are refused."""

from __future__ import annotations

import pytest

from cluster.kafka.api import Request
from cluster.kafka.apis.api_versions import API_VERSIONS, ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from cluster.kafka.apis.fetch import FETCH, FetchableTopicResponse, FetchResponse, PartitionData
from cluster.kafka.apis.group_membership import HEARTBEAT, HeartbeatRequest, HeartbeatResponse
from cluster.kafka.codec.limits import FRAME_BYTES_MAX, CodecError, UnsupportedVersionError
from cluster.kafka.frames import (
    check_frame_length,
    decode_request,
    decode_response,
    encode_request,
    encode_response,
    response_parts,
)


def test_the_response_header_of_api_versions_is_never_flexible() -> None:
    response = ApiVersionsResponse(api_keys=[ApiVersion(18, 0, 4)])
    frame = encode_response(API_VERSIONS, 3, 7, response)
    assert frame[4:8] == (7).to_bytes(4, "big")
    assert frame[8:11] == b"\x00\x00\x02"
    assert decode_response(API_VERSIONS, 3, frame[4:]) == (7, response)
    flexible = encode_response(HEARTBEAT, 4, 7, HeartbeatResponse())
    assert flexible[8] == 0
    assert len(flexible) == len(encode_response(HEARTBEAT, 3, 7, HeartbeatResponse())) + 2


def test_the_client_id_is_never_compact() -> None:
    for version in HEARTBEAT.versions:
        frame = encode_request(Request(HEARTBEAT, version, 1, "abc", HeartbeatRequest()))
        assert frame[12:17] == b"\x00\x03abc"
    frame = encode_request(Request(HEARTBEAT, 4, 1, None, HeartbeatRequest()))
    assert frame[12:15] == b"\xff\xff\x00"
    assert decode_request(frame[4:]).client_id is None


def test_unknown_tags_of_a_header_are_stepped_over() -> None:
    frame = encode_request(Request(HEARTBEAT, 4, 1, "abc", HeartbeatRequest()))[4:]
    assert frame[13] == 0
    assert decode_request(frame[:13] + b"\x01\x00\x02xy" + frame[14:]).message == HeartbeatRequest()
    with pytest.raises(CodecError, match="request header"):
        decode_request(frame[:13] + b"\x01\x00\x7f" + frame[14:])


@pytest.mark.parametrize(("key", "version"), [(0, 2), (0, 14), (1, 3), (4, 0), (17, 2), (18, 99), (999, 0), (-1, 0)])
def test_what_the_table_lacks_is_told_apart(key: int, version: int) -> None:
    head = key.to_bytes(2, "big", signed=True) + version.to_bytes(2, "big") + b"\x00\x00\x00\x09\x00\x01c"
    with pytest.raises(UnsupportedVersionError) as caught:
        decode_request(head + b"whatever")
    assert (caught.value.api_key, caught.value.api_version) == (key, version)
    assert (caught.value.correlation_id, caught.value.client_id) == (9, "c")


def test_bytes_after_a_request_are_let_be_as_in_kafka() -> None:
    """librdkafka 2.16 asks for all topics so."""
    frame = bytes.fromhex("0003000c000000030009636f6e666c75656e740000000000010000")
    assert decode_request(frame).message.topics is None


def test_bytes_after_a_response_are_reported() -> None:
    answer = encode_response(HEARTBEAT, 4, 1, HeartbeatResponse())[4:]
    with pytest.raises(CodecError, match="1 bytes after the message"):
        decode_response(HEARTBEAT, 4, answer + b"\x00")


@pytest.mark.parametrize("size", range(14))
def test_a_header_that_is_cut_short_is_refused(size: int) -> None:
    frame = encode_request(Request(HEARTBEAT, 4, 1, "abc", HeartbeatRequest()))[4:]
    with pytest.raises(CodecError):
        decode_request(frame[:size])


def test_a_client_id_that_is_not_text_is_refused() -> None:
    with pytest.raises(CodecError, match="not UTF-8 in request header"):
        decode_request(b"\x00\x12\x00\x00\x00\x00\x00\x01\x00\x01\xff")
    with pytest.raises(CodecError, match="a length of -2"):
        decode_request(b"\x00\x12\x00\x00\x00\x00\x00\x01\xff\xfe")


@pytest.mark.parametrize("length", [0, -1, -(1 << 31), (1 << 31) - 1, FRAME_BYTES_MAX + 1])
def test_a_length_out_of_bounds_is_refused_before_memory_is_taken(length: int) -> None:
    with pytest.raises(CodecError, match=f"a frame of {length} bytes"):
        check_frame_length(length.to_bytes(4, "big", signed=True))


def test_other_protocols_are_recognised() -> None:
    with pytest.raises(CodecError, match="looks like HTTP"):
        check_frame_length(b"GET ")
    with pytest.raises(CodecError, match="looks like TLS"):
        check_frame_length(b"\x16\x03\x01\x02")


def test_record_sets_of_a_response_are_handed_on_by_reference() -> None:
    records = bytes(70_000)
    response = FetchResponse(responses=[FetchableTopicResponse("t", partitions=[PartitionData(records=records)])])
    parts = response_parts(FETCH, 12, 5, response)
    assert any(part is records for part in parts)
    assert b"".join(parts) == encode_response(FETCH, 12, 5, response)
    assert int.from_bytes(parts[0][:4], "big") == sum(map(len, parts)) - 4


def test_an_object_of_the_wrong_type_is_refused() -> None:
    with pytest.raises(CodecError):
        encode_response(HEARTBEAT, 4, 1, ApiVersionsRequest())
    with pytest.raises(CodecError, match="request header"):
        encode_request(Request(HEARTBEAT, 4, 1 << 40, None, HeartbeatRequest()))
    bad = FetchResponse(responses=[FetchableTopicResponse("t", partitions=[PartitionData(records="text")])])  # type: ignore[arg-type]
    with pytest.raises(CodecError, match="FetchResponse"):
        encode_response(FETCH, 12, 5, bad)
