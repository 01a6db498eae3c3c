"""Kafka's protocol: what one message costs to read and to write, beside kio in the same run.

A broker reads requests and writes responses, so that is what is measured: header and message, from the bytes of a
frame to an object and from an object to what a transport is given (kio: one bytes object; ours: a list of parts, record
sets by reference). kio reads in Rust and writes in Python. Processor time of this process, so that a busy machine
falsifies less; each sample of ours is followed by one of kio, and medians are compared.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import io
import re
import statistics
import struct
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any

from benchmarks.report import Aim, line
from cluster.kafka.api import Api, Request
from cluster.kafka.apis import fetch, metadata, produce
from cluster.kafka.apis.fetch import FETCH, FetchExchange
from cluster.kafka.apis.metadata import METADATA
from cluster.kafka.apis.produce import PRODUCE, ProduceExchange
from cluster.kafka.batches.header import ProducedBatch, check_produced, placed
from cluster.kafka.batches.records import check_records
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import NO_UUID
from cluster.kafka.frames import LENGTH_BYTES, decode_request, encode_request, encode_response, response_parts
from cluster.model.compression import Compression, packed
from cluster.model.messages import FetchResponse as CoreFetchResponse
from cluster.model.messages import ProduceResponse as CoreProduceResponse
from cluster.model.record_batch import HEADER_BYTES, Record, crc_of, encode_batch

ROUNDS, CALLS = 9, 1_000
AIM = Aim(1.0, 2.0)
"""A codec of our own must not cost more than the one it stands in for."""
PARTITIONS = 3
KIB = 1024
SIZES = (KIB, 64 * KIB)
TOPIC, CLIENT = "orders", "rdkafka"
VIEW = BrokerView(node_id=1, cluster_id="c1", controller_id=1, brokers={}, partitions={})
RECORDS = 1_000
PRODUCE_VERSION, FETCH_VERSION, METADATA_VERSION = 9, 12, 12


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its response."""

    name: str
    """What is printed."""
    request: Request
    """What is read."""
    response: Any
    """What is written."""


def run() -> None:
    """Measure and print."""
    with_kio = importlib.util.find_spec("kio") is not None
    if not with_kio:
        print("  kio is not installed (make install-test): no comparison")
    for exchange in _exchanges():
        _measure(exchange, with_kio=with_kio)
    _measure_door()
    for size in SIZES:
        batch = _batch(size)
        (checked,) = _medians([lambda batch=batch: (check_produced(batch, PRODUCE_VERSION), placed(batch, 7, 3))])
        line(f"batch of {size // KIB} KiB: check, CRC, put in place", checked, "us")
    _measure_opening()


def _measure_opening() -> None:
    """What a broker pays for a look at the records of a batch, whatever it is compressed with."""
    work: list[Callable[[], Any]] = []
    for codec in Compression:
        batch = _compressed(codec)
        found = check_produced(batch, PRODUCE_VERSION)
        assert isinstance(found, ProducedBatch), found
        work.append(lambda batch=batch, found=found: check_records(batch, found))
    spent = _medians(work, CALLS // 10)
    rates = [f"{codec.name.lower()} {RECORDS / each:.2f}" for codec, each in zip(Compression, spent, strict=True)]
    line(f"{RECORDS} records opened and checked, none", spent[0], "us", note=f"million records/s: {', '.join(rates)}")


def _measure(exchange: Exchange, *, with_kio: bool) -> None:
    request, response = exchange.request, exchange.response
    api, version = request.api, request.version
    frame = encode_request(request)[LENGTH_BYTES:]
    work: list[Callable[[], Any]] = [
        lambda: decode_request(frame),
        lambda: response_parts(api, version, 7, response),
    ]
    if with_kio:
        work += _kio_work(api, version, frame, encode_response(api, version, 7, response)[LENGTH_BYTES:])
    ours_read, ours_write, *kio = _medians(work)
    for what, ours, theirs in (("read", ours_read, kio[:1]), ("write", ours_write, kio[1:])):
        note = f"{1e6 / ours:,.0f}/s" + (f"; kio {theirs[0]:.3g} us" if theirs else "")
        line(f"{exchange.name}: {what}", ours, "us", note=note)
    if kio:
        line(f"{exchange.name}: both", sum(kio) / (ours_read + ours_write), "x kio", AIM)


def _measure_door() -> None:
    """From the frame of a request to the frame of its response, all but the core's own work."""
    produced, _, fetched, *_ = _exchanges()
    frames = [encode_request(each.request)[LENGTH_BYTES:] for each in (produced, fetched)]

    def produce_door() -> Any:
        request = decode_request(frames[0])
        door = ProduceExchange(request, VIEW)
        door.answer(door.requests[0], CoreProduceResponse(topic=TOPIC, partition=0, base_offset=42))
        return response_parts(request.api, request.version, request.correlation_id, door.response())

    def fetch_door() -> Any:
        request = decode_request(frames[1])
        door = FetchExchange(request, VIEW)
        for index in range(PARTITIONS):
            door.answer(
                door.requests[0], CoreFetchResponse(topic=TOPIC, partition=index, high_watermark=43, records=batch)
            )
        return response_parts(request.api, request.version, request.correlation_id, door.response())

    batch = _batch(KIB)
    produce_us, fetch_us = _medians([produce_door, fetch_door])
    line("Produce, 1 x 1 KiB: in, checked, out", produce_us, "us", note=f"{1e6 / produce_us:,.0f}/s")
    line(f"Fetch, {PARTITIONS} x 1 KiB: in, out", fetch_us, "us", note=f"{1e6 / fetch_us:,.0f}/s")


def _medians(work: list[Callable[[], Any]], calls: int = CALLS) -> list[float]:
    """Microseconds a call of each, measured in turns."""
    samples: list[list[float]] = [[] for _ in work]
    for _ in range(ROUNDS):
        for call, found in zip(work, samples, strict=True):
            began = process_time()
            for _ in range(calls):
                call()
            found.append((process_time() - began) / calls * 1e6)
    return [statistics.median(found) for found in samples]


def _batch(size: int) -> bytes:
    return encode_batch([Record(None, bytes(size - 80))])


def _compressed(codec: Compression) -> bytes:
    """A batch of records of 100 bytes of text."""
    texts = [(b"order %d of customer %d;" % (n * 7_919, n % 100)).ljust(100, b"-") for n in range(RECORDS)]
    whole = encode_batch([Record(b"customer-%02d" % (n % 100), text) for n, text in enumerate(texts)])
    body = packed(codec, whole[HEADER_BYTES:]) if codec else whole[HEADER_BYTES:]
    batch = bytearray(whole[:HEADER_BYTES] + body)
    struct.pack_into(">i", batch, 8, len(batch) - 12)
    struct.pack_into(">h", batch, 21, codec)
    struct.pack_into(">I", batch, 17, crc_of(batch))
    return bytes(batch)


def _exchanges() -> list[Exchange]:
    found = []
    for size in SIZES:
        data = [produce.TopicProduceData(TOPIC, partition_data=[produce.PartitionProduceData(0, _batch(size))])]
        asked = produce.ProduceRequest(None, -1, 30_000, data)
        answered = produce.TopicProduceResponse(
            TOPIC, partition_responses=[produce.PartitionProduceResponse(0, 0, 42, -1, 0)]
        )
        request = Request(PRODUCE, PRODUCE_VERSION, 7, CLIENT, asked)
        found.append(Exchange(f"Produce, 1 x {size // KIB} KiB", request, produce.ProduceResponse([answered])))
    return [*found, *(_fetch(size) for size in SIZES), _metadata()]


def _fetch(size: int) -> Exchange:
    wanted = [fetch.FetchPartition(index, 3, 42, -1, 0, 1 << 20) for index in range(PARTITIONS)]
    asked = fetch.FetchRequest(max_wait_ms=500, min_bytes=1, topics=[fetch.FetchTopic(TOPIC, partitions=wanted)])
    given = [
        fetch.PartitionData(index, 0, 42, 42, 0, aborted_transactions=None, records=_batch(size))
        for index in range(PARTITIONS)
    ]
    answered = fetch.FetchResponse(responses=[fetch.FetchableTopicResponse(TOPIC, partitions=given)])
    request = Request(FETCH, FETCH_VERSION, 7, CLIENT, asked)
    return Exchange(f"Fetch, {PARTITIONS} x {size // KIB} KiB", request, answered)


def _metadata() -> Exchange:
    asked = metadata.MetadataRequest([metadata.MetadataRequestTopic(NO_UUID, TOPIC)])
    brokers = [metadata.MetadataResponseBroker(node, "127.0.0.1", 19_092 + node) for node in (1, 2, 3)]
    partitions = [
        metadata.MetadataResponsePartition(0, index, index + 1, 3, [1, 2, 3], [1, 2, 3], [])
        for index in range(PARTITIONS)
    ]
    topics = [metadata.MetadataResponseTopic(0, TOPIC, bytes(range(16)), False, partitions)]
    answered = metadata.MetadataResponse(0, brokers, "a cluster of twenty-two", 1, topics)
    request = Request(METADATA, METADATA_VERSION, 7, CLIENT, asked)
    return Exchange(f"Metadata, 3 brokers, {PARTITIONS} partitions", request, answered)


def _kio_work(api: Api, version: int, request: bytes, response: bytes) -> list[Callable[[], Any]]:
    """The same two steps with kio: a request from its bytes, a response to its bytes."""
    from kio.serial import entity_reader, entity_writer

    asked, answered = _kio_class(api, version, "Request"), _kio_class(api, version, "Response")
    read_request_header, read_request = entity_reader(asked.__header_schema__), entity_reader(asked)
    header, size = entity_reader(answered.__header_schema__)(response, 0)
    message, _ = entity_reader(answered)(response, size)
    write_header, write_response = entity_writer(type(header)), entity_writer(answered)

    def read() -> Any:
        header, size = read_request_header(request, 0)
        return header, read_request(request, size)

    def write() -> bytes:
        out = io.BytesIO()
        write_header(out, header)
        write_response(out, message)
        body = out.getvalue()
        return len(body).to_bytes(LENGTH_BYTES, "big") + body

    assert write()[LENGTH_BYTES:] == response, "kio and we write different bytes"
    assert dataclasses.is_dataclass(read()[1][0])
    return [read, write]


def _kio_class(api: Api, version: int, kind: str) -> Any:
    snake = re.sub(r"(?<!^)(?=[A-Z])", "_", api.name).lower()
    module = importlib.import_module(f"kio.schema.{snake}.v{version}.{kind.lower()}")
    return getattr(module, f"{api.name}{kind}")
