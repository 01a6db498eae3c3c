"""What consumer groups are behind, and what Kafka clients asked and got."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from cluster.model import events as ev
from tests.support.traces.made_events import at, frame, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def _mark(t_ms: float, high_watermark: int, *, node: int = 1, role: str = "leader", partition: int = 0) -> Any:
    log: dict[str, Any] = {"topic": "t", "partition": partition, "leader_epoch": 1, "log_end_offsets": ()}
    return at(t_ms, node, ev.HighWatermarkAdvanced(high_watermark=high_watermark, role=role, **log))


def _committed(t_ms: float, group: str, *offsets: tuple[str, int, int]) -> Any:
    return at(t_ms, 2, ev.OffsetsCommitted(group=group, member_id="m", generation=1, offset=0, offsets=offsets))


def _polled(t_ms: float, base_offset: int, count: int) -> Any:
    told: dict[str, Any] = {"client_id": "c", "group": "g", "member_id": "m", "generation": 1, "values": ()}
    return at(t_ms, 9, ev.ConsumerPolled(topic="t", partition=0, base_offset=base_offset, count=count, **told))


def test_a_group_is_behind_by_what_it_has_not_committed_and_by_what_it_has_not_read(spark: SparkSession) -> None:
    from workbench.analysis.tables.consumer_lag import consumer_lag

    forgotten = ev.OffsetsForgotten(group="g", why="expired", partitions=(("t", 0),))
    events = [
        _mark(10, 5),
        _mark(11, 3, node=3, role="follower"),
        _mark(12, 7, partition=1),
        _polled(20, 0, 4),
        _committed(30, "g", ("t", 0, 4)),
        _mark(40, 9),
        _committed(50, "h", ("t", 1, 9)),
        at(60, 2, forgotten),
    ]
    names = ("group", "partition", "t_ms", "what", "committed_offset", "read_offset", "high_watermark", "lag", "unread")
    assert rows(consumer_lag(frame(spark, events)), *names) == [
        ("g", 0, 10.0, "high watermark", None, None, 5, None, None),
        ("g", 0, 20.0, "read", None, 4, 5, None, 1),
        ("g", 0, 30.0, "committed", 4, 4, 5, 1, 1),
        ("g", 0, 40.0, "high watermark", 4, 4, 9, 5, 5),
        ("g", 0, 60.0, "forgotten", None, 4, 9, None, 5),
        ("h", 1, 12.0, "high watermark", None, None, 7, None, None),
        ("h", 1, 50.0, "committed", 9, None, 7, 0, None),
    ]


def _requested(t_ms: float, client: str, api: str, count: int, *about: str, node: int = 1, version: int = 3) -> Any:
    told: dict[str, Any] = {"connection_id": 4, "client_id": client, "version": version, "about": about}
    return at(t_ms, node, ev.ClientRequested(api=api, count=count, size_bytes=10 * count, **told))


def _answered(t_ms: float, error: int, count: int, *, kafka_client: bool = True) -> Any:
    told: dict[str, Any] = {"topic": "t", "partition": 0, "client_id": "writer", "acks": -1, "base_offset": 0}
    return at(t_ms, 1, ev.ProduceAnswered(error=error, count=count, kafka_client=kafka_client, **told))


def test_a_client_is_told_with_what_it_asked_of_each_broker_and_what_it_got(spark: SparkSession) -> None:
    from workbench.analysis.tables.client_requests import CLIENT_REQUESTS_COLUMNS, client_requests

    refusal: dict[str, Any] = {
        "group": "g",
        "member_id": "m",
        "generation": 1,
        "group_generation": 2,
        "state": "Stable",
    }
    refused = at(41, 2, ev.GroupRequestRefused(function="heartbeat", error=22, **refusal))
    other = at(42, 2, ev.GroupRequestRefused(function="heartbeat", error=25, **refusal))
    events = [
        at(1, 1, ev.ClientConnected(connection_id=4, client_id="writer", software="librdkafka", software_version="2")),
        _requested(10, "writer", "Produce", 1, "t-0", version=9),
        _requested(20, "writer", "Produce", 5, "t-1", "t-0", version=10),
        _answered(21, 0, 3),
        _answered(22, 0, 2),
        _answered(23, 19, 4),
        _answered(24, 0, 8, kafka_client=False),
        at(25, 1, ev.ProduceRefused(topic="t", partition=0, client_id="writer", error=6, acks=-1)),
        at(26, 1, ev.ClientResponseLost(connection_id=4, client_id="writer", about=("t-0",))),
        _requested(40, "reader", "Heartbeat", 2, "g", node=2),
        structs.replace(refused, trigger="Heartbeat of client 4"),
        structs.replace(other, trigger="Heartbeat of client 5"),
    ]
    assert rows(client_requests(frame(spark, events)), *CLIENT_REQUESTS_COLUMNS[1:]) == [
        ("reader", None, 2, "Heartbeat", [3], 1, 2, 20, ["g"], 40.0, 40.0, None, ["ILLEGAL_GENERATION"], 1, 0),
        (
            *("writer", "librdkafka 2", 1, "Produce", [9, 10], 1, 6, 60, ["t-0", "t-1"], 10.0, 20.0, 5),
            *(["NOT_ENOUGH_REPLICAS", "NOT_LEADER_OR_FOLLOWER"], 2, 1),
        ),
    ]
