"""What a coordinator tells of must be below the high watermark of its partition."""

from __future__ import annotations

from typing import Any

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.traces.group_traces import GroupTrace

OFFSETS: dict[str, Any] = {"topic": "__consumer_offsets", "partition": 0}


def led(high_watermark: int) -> GroupTrace:
    """Node 1 leads the offsets topic; all below the high watermark is committed."""
    trace = GroupTrace()
    applied = ev.PartitionApplied(
        **OFFSETS, leader=1, leader_epoch=0, partition_epoch=0, isr=(1,), elr=(), replicas=(1,), min_insync_replicas=1
    )
    trace.add(1, applied)
    trace.add(1, ev.BecameLeader(**OFFSETS, leader_epoch=0, epoch_start_offset=0, high_watermark=0, isr=(1,)))
    advanced = ev.HighWatermarkAdvanced(
        **OFFSETS, high_watermark=high_watermark, leader_epoch=0, role="leader", log_end_offsets=((1, high_watermark),)
    )
    trace.add(1, advanced)
    return trace


def test_what_is_committed_may_be_seen() -> None:
    trace = led(6)
    trace.commit("a", 0, 3, at=5)
    assert trace.verdicts()["GR13"].verdict is Verdict.HOLDS


def test_gr13_an_offset_that_is_seen_before_its_commit_is_committed() -> None:
    trace = led(5)
    trace.commit("a", 0, 3, at=5)
    assert trace.violations("GR13")[0].sentence == (
        "node 1 tells group g of its record at offset 5 of __consumer_offsets-0; no high watermark passed 5"
    )


def test_gr13_is_not_asked_where_the_offsets_topic_is_not_told_of() -> None:
    trace = GroupTrace()
    trace.commit("a", 0, 3, at=5)
    assert trace.verdicts()["GR13"].verdict is Verdict.NOT_EVALUATED
