"""How far consumer groups are behind what they can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

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
