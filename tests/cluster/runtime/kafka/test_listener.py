"""Kafka's protocol at a living broker, byte by byte."""

from __future__ import annotations

import struct
import time
from pathlib import Path

import pytest

from cluster.kafka.apis import APIS
from cluster.kafka.apis.api_versions import API_VERSIONS, ApiVersionsRequest
from cluster.kafka.apis.describe_log_dirs import DESCRIBE_LOG_DIRS, DescribeLogDirsRequest
from cluster.kafka.apis.list_offsets import LIST_OFFSETS, ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from cluster.kafka.apis.metadata import METADATA, MetadataRequest, MetadataRequestTopic
from cluster.kafka.apis.produce import PartitionProduceResponse
from cluster.kafka.frames import decode_response
from cluster.model.errors import ErrorCode
from cluster.runtime.kafka.listener import CONNECTIONS_MAX
from tests.support.clients.kafka_broker import Broker
from tests.support.clients.raw_client import LIMIT_S, RawClient, knock

pytestmark = pytest.mark.processes
MUST_CLOSE = [
    (b"GET / HTTP/1.1\r\n\r\n", "looks like HTTP"),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "looks like TLS"),
    (struct.pack(">i", 2**31 - 1), "2147483647 bytes"),
    (struct.pack(">i", -1), "-1 bytes"),
    (struct.pack(">i", 0), "0 bytes"),
    (
        b"\x00\x00\x00\x20" + b"\x00\x03\x00\x0c\x00\x00\x00\x01\x00\x01c\x00" + b"\xff\xff\xff\xff\x07" + bytes(15),
        "elements",
    ),
]


def end_of(client: RawClient, topic: str = "orders") -> int:
    return int(client.produce(topic, b"x").base_offset) + 1


@pytest.mark.first
def test_only_loopback_is_listened_on(broker: Broker) -> None:
    listening = Path("/proc/net/tcp").read_text() if Path("/proc/net/tcp").exists() else ""
    hosts = {
        line.split()[1].split(":")[0]
        for line in listening.splitlines()[1:]
        if line.split()[1].endswith(f"{broker.port:04X}")
    }
    assert hosts <= {"0100007F"}


def test_every_api_is_advertised_and_nothing_else(client: RawClient) -> None:
    found = client.ask(API_VERSIONS, 3, ApiVersionsRequest("tests", "1.0"))
    assert {each.api_key: each.max_version for each in found.api_keys} == {key: api.last for key, api in APIS.items()}


@pytest.mark.first
def test_what_is_produced_is_fetched(client: RawClient) -> None:
    first = client.produce("orders", b"a", b"b")
    assert first.error_code == 0
    assert client.fetch("orders", first.base_offset) == (0, [b"a", b"b"])


def test_brokers_and_leaders_are_told_with_addresses_that_can_be_reached(broker: Broker, client: RawClient) -> None:
    found = client.ask(METADATA, 9, MetadataRequest([MetadataRequestTopic(name="orders")]))
    assert [(each.node_id, each.host, each.port) for each in found.brokers] == [(1, "127.0.0.1", broker.port)]
    (partition,) = found.topics[0].partitions
    assert (partition.leader_id, partition.isr_nodes, found.controller_id) == (1, [1], 1)


def test_responses_come_in_the_order_of_the_requests(broker: Broker, client: RawClient) -> None:
    end = end_of(client)
    waiting = client.send_fetch("orders", end, wait_ms=60_000)
    metadata = client.send(METADATA, 9, MetadataRequest([]))
    with RawClient(broker.port) as other:
        other.produce("orders", b"late")
    assert client.values(waiting) == (0, [b"late"])
    assert client.receive(metadata).topics == []


def test_a_topic_says_which_times_its_records_have(client: RawClient) -> None:
    began_ms = time.time_ns() // 1_000_000
    assert client.create("stamped", message_timestamp_type="LogAppendTime") == 0
    assert client.create("young", message_timestamp_before_max_ms="60000") == 0
    stamped = until_known(client, "stamped")
    assert began_ms <= stamped.log_append_time_ms <= time.time_ns() // 1_000_000
    asked = ListOffsetsTopic("stamped", [ListOffsetsPartition(0, -1, began_ms)])
    (found,) = client.ask(LIST_OFFSETS, 7, ListOffsetsRequest(-1, 0, [asked])).topics[0].partitions
    assert (found.offset, found.timestamp) == (stamped.base_offset, stamped.log_append_time_ms)
    refused = until_known(client, "young")
    assert refused.error_code == ErrorCode.INVALID_TIMESTAMP, "its record is of 1970"


def until_known(client: RawClient, topic: str) -> PartitionProduceResponse:
    """What a producer is told once the broker has read of the topic."""
    end_s = time.monotonic() + LIMIT_S
    while (told := client.produce(topic, b"x")).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
        assert time.monotonic() < end_s
    assert isinstance(told, PartitionProduceResponse)
    return told


def test_a_fetch_without_records_waits_as_long_as_it_may(client: RawClient) -> None:
    end = end_of(client)
    began_s = time.monotonic()
    assert client.fetch("orders", end, wait_ms=300) == (0, [])
    assert time.monotonic() - began_s >= 0.25


def test_a_producer_without_acks_is_not_answered_and_its_record_is_there(client: RawClient) -> None:
    end = end_of(client)
    assert client.produce("orders", b"quiet", acks=0) is None
    assert client.fetch("orders", end, wait_ms=5_000) == (0, [b"quiet"])


@pytest.mark.parametrize(
    ("topic", "records", "error"),
    [("orders", b"no batch", "INVALID_RECORD"), ("elsewhere", None, "UNKNOWN_TOPIC_OR_PARTITION")],
)
def test_a_refused_producer_without_acks_is_disconnected_and_the_trace_says_why(
    broker: Broker, client: RawClient, topic: str, records: bytes | None, error: str
) -> None:
    client.produce(topic, b"x", acks=0, records=records)
    assert client.is_closed()
    assert broker.told("client.disconnected", why=f"refused without acks: {topic}-0 {error}")


def test_an_unknown_version_of_api_versions_is_answered_in_version_0(client: RawClient) -> None:
    client.socket.sendall(struct.pack(">ihhih", 10, 18, 99, 7, -1))
    correlation_id, message = decode_response(API_VERSIONS, 0, client.frame())
    assert (correlation_id, message.error_code) == (7, ErrorCode.UNSUPPORTED_VERSION)
    assert (18, 0, 4) in [(each.api_key, each.min_version, each.max_version) for each in message.api_keys]


@pytest.mark.parametrize(("key", "version"), [(4, 0), (17, 2), (36, 3), (71, 0), (24, 3), (0, 2), (3, 14), (999, 0)])
def test_what_is_not_advertised_ends_the_connection(broker: Broker, client: RawClient, key: int, version: int) -> None:
    client.socket.sendall(struct.pack(">ihhih", 13, key, version, 7, 3) + b"abc")
    assert client.is_closed()
    assert broker.told("client.refused", kind="version", client_id="abc")


@pytest.mark.parametrize(("sent", "why"), MUST_CLOSE)
def test_bytes_that_are_no_frame_end_the_connection(broker: Broker, sent: bytes, why: str) -> None:
    def are_told() -> bool:
        with RawClient(broker.port) as client:
            client.socket.sendall(sent)
            assert client.is_closed()
        return any(why in event.why for event in broker.told("client.refused"))

    deadline_s = time.monotonic() + LIMIT_S
    while not are_told():  # one kind of refusal is told once a second
        assert time.monotonic() < deadline_s
    with RawClient(broker.port) as other:
        assert other.produce("orders", b"still here").error_code == 0


def test_what_speaks_another_protocol_is_told_of_amid_other_bad_bytes(broker: Broker) -> None:
    for sent in (struct.pack(">i", -1), b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01"):
        with RawClient(broker.port) as client:
            client.socket.sendall(sent)
            assert client.is_closed()
    assert broker.told("client.refused", kind="http")
    assert broker.told("client.refused", kind="tls")


def test_a_client_is_told_of_with_its_name_and_software(broker: Broker) -> None:
    with RawClient(broker.port, "\x1b[31mred" + "x" * 200) as client:
        client.ask(API_VERSIONS, 3, ApiVersionsRequest("tests", "1.0"))
        client.produce("orders", b"a")
    connected = [each for each in broker.told("client.connected") if each.client_id.startswith("\x1b[31m")]
    assert [(len(each.client_id), each.software, each.software_version) for each in connected] == [
        (100, "tests", "1.0")
    ]
    number = connected[0].connection_id
    asked = [
        (each.api, each.about, each.count) for each in broker.told("client.requested") if each.connection_id == number
    ]
    assert asked == [("ApiVersions", (), 1), ("Produce", ("orders-0",), 1)]
    (event,) = broker.told("client.disconnected", connection_id=number)
    assert (event.count, event.why) == (2, "closed by the client")


def test_logs_are_told_as_they_lie_on_the_disk(broker: Broker, client: RawClient) -> None:
    client.produce("orders", b"weighed")
    (folder,) = client.ask(DESCRIBE_LOG_DIRS, 4, DescribeLogDirsRequest(None)).results
    assert folder.log_dir == str(broker.cluster.folder / "data" / "1")
    assert 0 < folder.usable_bytes <= folder.total_bytes
    ((told,),) = [topic.partitions for topic in folder.topics if topic.name == "orders"]
    files = (Path(folder.log_dir) / "orders-0").glob("*.log")
    assert (told.partition_size, told.offset_lag) == (sum(file.stat().st_size for file in files), 0)


def test_a_lost_response_leaves_the_record(broker: Broker, client: RawClient) -> None:
    end = end_of(client)
    broker.order(drop=1.0)
    try:
        with pytest.raises((EOFError, ConnectionResetError)):
            client.produce("orders", b"kept")
    finally:
        broker.order()
    with RawClient(broker.port) as other:
        assert other.fetch("orders", end, wait_ms=5_000) == (0, [b"kept"])
    assert broker.told("client.response_lost")[-1].about == ("orders-0",)


def test_a_slow_client_is_answered_later(broker: Broker, client: RawClient) -> None:
    broker.order(slow_ms=300)
    try:
        began_s = time.monotonic()
        assert client.produce("orders", b"slow").error_code == 0
        assert time.monotonic() - began_s >= 0.3
    finally:
        broker.order()


@pytest.mark.first
def test_a_cut_client_hears_nothing_until_it_heals(broker: Broker, client: RawClient) -> None:
    client.produce("orders", b"before")
    broker.order(cut=True)
    request = client.send(METADATA, 9, MetadataRequest([]))
    client.socket.settimeout(0.3)
    with pytest.raises(TimeoutError):
        client.frame()
    client.socket.settimeout(LIMIT_S)
    broker.order()
    assert client.receive(request).topics == []


def test_a_long_frame_is_read_whole(client: RawClient) -> None:
    assert client.produce("orders", bytes(900_000)).error_code == 0
    assert client.produce("orders", bytes(2_000_000)).error_code == ErrorCode.MESSAGE_TOO_LARGE


def test_a_client_too_many_is_refused_and_the_others_go_on(broker: Broker, client: RawClient) -> None:
    assert client.produce("orders", b"x").error_code == 0
    others = [knock(broker.port) for _ in range(CONNECTIONS_MAX + 40)]
    try:
        assert broker.told("client.refused", kind="full")
        assert client.produce("orders", b"y").error_code == 0
    finally:
        for other in others:
            other.close()


def test_a_client_that_begins_and_does_not_go_on_is_closed(broker: Broker) -> None:
    with RawClient(broker.port) as client:
        client.socket.sendall(b"\x00\x00")
        assert client.is_closed()
    assert broker.told("client.refused", kind="slow")


def test_a_broker_that_leaves_in_order_closes_its_clients_and_says_so(tmp_path: Path) -> None:
    leaving = Broker(tmp_path)
    try:
        with RawClient(leaving.port) as client:
            assert client.create("orders") == 0
            assert client.produce("orders", b"x").error_code == 0
            waiting = client.send_fetch("orders", 1, wait_ms=60_000)
            leaving.process.terminate()
            assert leaving.process.wait(LIMIT_S) == 0
            assert client.values(waiting) == (ErrorCode.NOT_LEADER_OR_FOLLOWER, []), (
                "whom it asks next it must find out"
            )
            assert client.is_closed()
        assert leaving.told("client.disconnected", why="the broker stops")
    finally:
        leaving.end()


def test_a_run_may_let_clients_have_several_requests_at_a_time_and_answers_stay_in_order(tmp_path: Path) -> None:
    made = Broker(tmp_path, client_pipelining=True)
    try:
        with RawClient(made.port) as client, RawClient(made.port) as other:
            assert client.create("orders") == 0
            waiting = client.send_fetch("orders", 0, wait_ms=60_000)
            metadata = client.send(METADATA, 9, MetadataRequest([]))
            client.produce("orders", b"own", acks=0)  # taken while the fetch before it still waits, and ends its wait
            assert client.values(waiting) == (0, [b"own"])
            assert client.receive(metadata).topics == []
            assert other.fetch("orders") == (0, [b"own"])
    finally:
        made.end()
