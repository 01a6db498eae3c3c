"""Objects to bytes and back, for every version, and what bad bytes and bad objects get."""

from __future__ import annotations

from random import Random

import pytest

from cluster.kafka.api import Api
from cluster.kafka.apis import APIS
from cluster.kafka.apis.delete_topics import DELETE_TOPICS
from cluster.kafka.apis.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from cluster.kafka.apis.groups import FindCoordinatorRequest
from cluster.kafka.apis.metadata import METADATA, MetadataRequest, MetadataRequestTopic, MetadataResponseBroker
from cluster.kafka.apis.produce import PartitionProduceData, ProduceRequest, ProduceResponse, TopicProduceData
from cluster.kafka.broker_view import LeaderIdAndEpoch
from cluster.kafka.codec import codec
from cluster.kafka.codec.fields import NO_UUID, fields_of
from cluster.kafka.codec.limits import ELEMENTS_MAX, CodecError
from cluster.model.byte_reader import uvarint
from tests.support.clients.random_messages import EACH, named, random_message

ROUNDS = 8


def written(kind: type, version: int, flexible: bool, value: object) -> bytes:
    return b"".join(codec.write(kind, version, flexible, value))


@pytest.mark.parametrize("case", EACH, ids=named)
def test_what_was_written_is_read_back(case: tuple[Api, int]) -> None:
    api, version = case
    rng = Random(named(case))
    flexible = api.flexible(version)
    for kind in (api.request, api.response):
        for _ in range(ROUNDS):
            message = random_message(rng, kind, version)
            data = written(kind, version, flexible, message)
            assert codec.read(kind, version, flexible, data) == (message, len(data))
            for held in (bytearray(data), memoryview(data)):
                assert codec.read(kind, version, flexible, b"12" + bytes(held), 2) == (message, len(data) + 2)
                assert codec.read(kind, version, flexible, held) == (message, len(data))


@pytest.mark.parametrize("case", EACH, ids=named)
def test_every_prefix_of_a_message_is_refused(case: tuple[Api, int]) -> None:
    api, version = case
    rng = Random(named(case))
    flexible = api.flexible(version)
    for kind in (api.request, api.response):
        data = written(kind, version, flexible, random_message(rng, kind, version))[:400]
        for size in range(len(data) - 1):
            try:
                _, end = codec.read(kind, version, flexible, data[:size])
            except CodecError:
                continue
            pytest.fail(f"{size} of {len(data)} bytes were read as a message that ends at {end}")


@pytest.mark.parametrize("case", EACH, ids=named)
def test_defaults_can_be_written_in_every_version(case: tuple[Api, int]) -> None:
    api, version = case
    flexible = api.flexible(version)
    for kind in (api.request, api.response):
        data = written(kind, version, flexible, kind())
        assert codec.read(kind, version, flexible, data) == (kind(), len(data))


def test_a_field_that_the_version_lacks_is_not_written_and_reads_as_its_default() -> None:
    data = written(
        FindCoordinatorRequest, 0, False, FindCoordinatorRequest(key="g1", key_type=1, coordinator_keys=["x"])
    )
    assert data == b"\x00\x02g1"
    read, _ = codec.read(FindCoordinatorRequest, 0, False, data)
    assert read == FindCoordinatorRequest(key="g1")


def test_a_tagged_field_is_written_only_when_it_differs_from_its_default() -> None:
    plain = FetchResponse(responses=[FetchableTopicResponse("t", partitions=[PartitionData(records=b"")])])
    data = written(FetchResponse, 16, True, plain)
    plain.responses[0].partitions[0].current_leader = LeaderIdAndEpoch()
    assert written(FetchResponse, 16, True, plain) == data
    plain.responses[0].partitions[0].current_leader = LeaderIdAndEpoch(2, 7)
    tagged = b"\x01" + bytes((1, 9)) + (2).to_bytes(4, "big") + (7).to_bytes(4, "big") + b"\x00"
    assert written(FetchResponse, 16, True, plain) == data[:-3] + tagged + data[-2:]


def test_unknown_tagged_fields_are_stepped_over() -> None:
    data = written(FindCoordinatorRequest, 3, True, FindCoordinatorRequest(key="g1"))
    assert data[-1] == 0
    tagged = data[:-1] + bytes((2, 5, 3)) + b"abc" + bytes((0x80, 1, 0))
    assert codec.read(FindCoordinatorRequest, 3, True, tagged) == (FindCoordinatorRequest(key="g1"), len(tagged))


def test_a_record_set_is_a_view_of_its_frame_when_read_and_a_reference_when_written() -> None:
    records = bytes(range(256)) * 300
    request = ProduceRequest(topic_data=[TopicProduceData("t", partition_data=[PartitionProduceData(0, records)])])
    parts = codec.write(ProduceRequest, 9, True, request)
    assert any(part is records for part in parts)
    data = b"".join(parts)
    read, _ = codec.read(ProduceRequest, 9, True, data)
    view = read.topic_data[0].partition_data[0].records
    assert isinstance(view, memoryview)
    assert view.obj is data
    assert view == records


def test_an_error_says_field_and_byte() -> None:
    data = written(ProduceRequest, 3, False, ProduceRequest(topic_data=[TopicProduceData("topic")]))
    bad = data.replace(b"topic", b"to\xffic")
    with pytest.raises(CodecError) as caught:
        codec.read(ProduceRequest, 3, False, bad)
    assert caught.value.field == "ProduceRequest.topic_data.name"
    assert caught.value.offset == bad.index(b"to\xffic")
    assert str(caught.value) == "text that is not UTF-8 in ProduceRequest.topic_data.name at byte 14"


def test_an_error_in_fields_that_are_read_together_names_them_all() -> None:
    with pytest.raises(CodecError) as caught:
        codec.read(MetadataResponseBroker, 9, True, b"\x00\x00")
    assert caught.value.field == "MetadataResponseBroker.node_id"
    with pytest.raises(CodecError, match=r"cut short in ProduceRequest\.acks, timeout_ms, topic_data at byte 2"):
        codec.read(ProduceRequest, 3, False, b"\xff\xff\x00")


def test_an_object_that_cannot_be_written_is_refused_with_its_field() -> None:
    for topics, what in (
        ([MetadataRequestTopic(name=None)], "NoneType"),
        ([MetadataRequestTopic(name="\ud800")], "surrogates"),
        ([MetadataRequestTopic(name="x" * 40_000)], "h"),
    ):
        with pytest.raises(CodecError, match=what) as caught:
            codec.write(MetadataRequest, 4, False, MetadataRequest(topics=topics))
        assert caught.value.field == "MetadataRequest.topics.name"
        assert caught.value.offset == -1


def test_an_id_has_sixteen_bytes() -> None:
    topics = [MetadataRequestTopic(topic_id=NO_UUID + b"x")]
    with pytest.raises(CodecError, match="an id of 17 bytes"):
        codec.write(MetadataRequest, 12, True, MetadataRequest(topics=topics))


def test_null_is_refused_where_the_version_has_no_null() -> None:
    with pytest.raises(CodecError, match=r"null where null is not allowed in MetadataRequest\.topics"):
        codec.read(MetadataRequest, 0, False, b"\xff\xff\xff\xff")
    assert codec.read(MetadataRequest, 1, False, b"\xff\xff\xff\xff")[0].topics is None
    with pytest.raises(CodecError, match=r"null where null is not allowed in MetadataRequest\.topics\.name"):
        codec.read(MetadataRequest, 9, True, b"\x02\x00\x00\x00\x00\x00")


@pytest.mark.parametrize("count", [b"\x7f\xff\xff\xff", b"\x80\x00\x00\x00", b"\x00\x00\x00\x15", b"\xff\xff\xff\xfe"])
def test_a_count_is_held_against_what_is_left_before_anything_is_made(count: bytes) -> None:
    with pytest.raises(CodecError, match="elements with 40 bytes left"):
        codec.read(MetadataRequest, 1, False, count + bytes(40))


def test_a_compact_length_is_held_against_what_is_left() -> None:
    for length in (b"\x06", b"\x80\x01", b"\xff\xff\xff\xff\x07"):
        with pytest.raises(CodecError, match="a length of"):
            codec.read(FindCoordinatorRequest, 3, True, length + b"abcd")


def test_elements_of_one_message_are_bounded_over_all_arrays() -> None:
    few = ELEMENTS_MAX // 2
    names = DELETE_TOPICS
    data = (few + 1).to_bytes(4, "big") + b"\x00\x01a" * few + b"\x00\x01a" + bytes(4)
    read, _ = codec.read(names.request, 1, False, data)
    assert len(read.topic_names) == few + 1
    data = (ELEMENTS_MAX + 1).to_bytes(4, "big") + b"\x00\x01a" * (ELEMENTS_MAX + 1) + bytes(4)
    with pytest.raises(CodecError, match=f"more than {ELEMENTS_MAX} elements in DeleteTopicsRequest.topic_names"):
        codec.read(names.request, 1, False, data)
    replicas = (few + 1).to_bytes(4, "big") + bytes(4 * (few + 1))
    partition = bytes(10) + replicas + replicas
    response = bytes(4) + (1).to_bytes(4, "big") + b"\x00\x00\x00\x01a" + (1).to_bytes(4, "big") + partition
    with pytest.raises(CodecError, match="elements in MetadataResponse.topics.partitions.isr_nodes"):
        codec.read(METADATA.response, 0, False, response)


def test_unknown_tagged_fields_count_as_elements() -> None:
    many = uvarint(ELEMENTS_MAX + 1) + b"\x09\x00" * (ELEMENTS_MAX + 1)
    with pytest.raises(CodecError, match="more than"):
        codec.read(FindCoordinatorRequest, 3, True, b"\x02g\x00" + many)


def test_a_tagged_field_must_be_as_long_as_it_says() -> None:
    endpoints = b"\x01\x01"
    assert codec.read(ProduceResponse, 10, True, b"\x01" + bytes(4) + b"\x01\x00" + endpoints)[1] == 9
    with pytest.raises(CodecError, match=r"another size than it says in ProduceResponse\.node_endpoints"):
        codec.read(ProduceResponse, 10, True, b"\x01" + bytes(4) + b"\x01\x00" + b"\x02\x01\x00")


def test_every_field_of_the_table_has_a_place_in_some_version() -> None:
    for api in APIS.values():
        for kind in (api.request, api.response):
            for item in fields_of(kind):
                assert any(version in item.versions for version in api.versions), f"{kind.__name__}.{item.name}"
