"""A few frames laid out by hand from the protocol guide, byte by byte; their lengths are counted."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.kafka.api import Api, Request
from cluster.kafka.apis.api_versions import API_VERSIONS, ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from cluster.kafka.apis.fetch import (
    FETCH,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from cluster.kafka.apis.metadata import (
    METADATA,
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from cluster.kafka.apis.produce import (
    PRODUCE,
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from cluster.kafka.codec.fields import NO_UUID
from cluster.kafka.frames import decode_request, decode_response, encode_request, encode_response

REQUESTS: dict[str, tuple[Api, int, Any, str]] = {
    "ApiVersions 0 has a header and nothing else": (
        API_VERSIONS,
        0,
        ApiVersionsRequest(),
        "0012 0000 00000007 0003 6b6361",
    ),
    "ApiVersions 3 names the client's software": (
        API_VERSIONS,
        3,
        ApiVersionsRequest("rd", "2.1"),
        "0012 0003 00000007 0003 6b6361 00  03 7264  04 322e31  00",
    ),
    "Metadata 1 asks for all topics with null": (
        METADATA,
        1,
        MetadataRequest(topics=None),
        "0003 0001 00000007 0003 6b6361  ffffffff",
    ),
    "Metadata 12 asks for one topic by name": (
        METADATA,
        12,
        MetadataRequest([MetadataRequestTopic(NO_UUID, "t")], allow_auto_topic_creation=False),
        "0003 000c 00000007 0003 6b6361 00  02 00000000000000000000000000000000 02 74 00  00 00  00",
    ),
    "Produce 7 has 2-byte and 4-byte lengths": (
        PRODUCE,
        7,
        ProduceRequest(
            None, -1, 30_000, [TopicProduceData("t", partition_data=[PartitionProduceData(1, b"\xaa\xbb")])]
        ),
        "0000 0007 00000007 0003 6b6361  ffff ffff 00007530  00000001 0001 74  00000001 00000001 00000002 aabb",
    ),
    "Produce 9 is compact": (
        PRODUCE,
        9,
        ProduceRequest(None, 1, 30_000, [TopicProduceData("t", partition_data=[PartitionProduceData(1, b"\xaa\xbb")])]),
        "0000 0009 00000007 0003 6b6361 00  00 0001 00007530  02 02 74  02 00000001 03 aabb 00 00  00",
    ),
    "Fetch 4 is what an old consumer sends": (
        FETCH,
        4,
        FetchRequest(
            max_wait_ms=500,
            min_bytes=1,
            max_bytes=1024,
            topics=[FetchTopic("t", partitions=[FetchPartition(2, fetch_offset=9, partition_max_bytes=64)])],
        ),
        "0001 0004 00000007 0003 6b6361"
        "  ffffffff 000001f4 00000001 00000400 00  00000001 0001 74"
        "  00000001 00000002 0000000000000009 00000040",
    ),
    "Fetch 12 of a follower says the cluster in a tag": (
        FETCH,
        12,
        FetchRequest(
            cluster_id="c",
            replica_id=2,
            max_wait_ms=500,
            min_bytes=1,
            max_bytes=1024,
            topics=[FetchTopic("t", partitions=[FetchPartition(0, 5, 9, 4, 0, 64)])],
        ),
        "0001 000c 00000007 0003 6b6361 00"
        "  00000002 000001f4 00000001 00000400 00 00000000 ffffffff"
        "  02 02 74  02 00000000 00000005 0000000000000009 00000004 0000000000000000 00000040 00 00"
        "  01  01  01 00 02 02 63",
    ),
}
RESPONSES: dict[str, tuple[Api, int, Any, str]] = {
    "ApiVersions 3 keeps the old header": (
        API_VERSIONS,
        3,
        ApiVersionsResponse(api_keys=[ApiVersion(18, 0, 4)]),
        "00000007  0000 02 0012 0000 0004 00 00000000 00",
    ),
    "Metadata 1": (
        METADATA,
        1,
        MetadataResponse(
            brokers=[MetadataResponseBroker(1, "h", 9092)],
            controller_id=1,
            topics=[
                MetadataResponseTopic(
                    name="t",
                    partitions=[MetadataResponsePartition(leader_id=1, replica_nodes=[1, 2], isr_nodes=[1])],
                )
            ],
        ),
        "00000007  00000001 00000001 0001 68 00002384 ffff  00000001"
        "  00000001 0000 0001 74 00  00000001 0000 00000000 00000001"
        "  00000002 00000001 00000002  00000001 00000001",
    ),
    "Produce 9": (
        PRODUCE,
        9,
        ProduceResponse(
            [TopicProduceResponse("t", partition_responses=[PartitionProduceResponse(1, 0, 42, log_start_offset=0)])]
        ),
        "00000007 00  02 02 74  02 00000001 0000 000000000000002a ffffffffffffffff"
        " 0000000000000000 01 00 00 00  00000000 00",
    ),
    "Fetch 12 tells a follower where the logs part": (
        FETCH,
        12,
        FetchResponse(
            responses=[
                FetchableTopicResponse(
                    "t",
                    partitions=[
                        PartitionData(
                            high_watermark=3,
                            last_stable_offset=3,
                            log_start_offset=0,
                            diverging_epoch=EpochEndOffset(4, 2),
                            aborted_transactions=None,
                            records=b"",
                        )
                    ],
                )
            ]
        ),
        "00000007 00  00000000 0000 00000000  02 02 74  02"
        " 00000000 0000 0000000000000003 0000000000000003 0000000000000000 00 ffffffff 01"
        " 01 00 0d 00000004 0000000000000002 00  00  00",
    ),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_has_the_bytes_of_the_guide(name: str) -> None:
    api, version, message, text = REQUESTS[name]
    request = Request(api, version, 7, "kca", message)
    frame = bytes.fromhex(text)
    assert encode_request(request).hex() == (len(frame).to_bytes(4, "big") + frame).hex()
    assert decode_request(frame) == request


@pytest.mark.parametrize("name", RESPONSES)
def test_a_response_has_the_bytes_of_the_guide(name: str) -> None:
    api, version, message, text = RESPONSES[name]
    frame = bytes.fromhex(text)
    assert encode_response(api, version, 7, message).hex() == (len(frame).to_bytes(4, "big") + frame).hex()
    assert decode_response(api, version, frame) == (7, message)
