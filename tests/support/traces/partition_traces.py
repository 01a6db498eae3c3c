"""A short life of one data partition, written by hand."""

from __future__ import annotations

from cluster.model import events as ev
from tests.support.traces.traces import Trace


def decided(leader: int, leader_epoch: int) -> ev.PartitionDecided:
    return ev.PartitionDecided(
        topic="orders",
        partition=0,
        leader=leader,
        leader_epoch=leader_epoch,
        partition_epoch=leader_epoch,
        isr=(1, 2),
        elr=(),
        replicas=(1, 2),
        min_insync_replicas=2,
        why="by hand",
        unclean=False,
    )


def appended(base: int, *batches: tuple[int, int, str]) -> ev.ReplicaAppended:
    """Batches of (count, epoch, digest)."""
    told, end = [], base
    for count, epoch, digest in batches:
        told.append((end, count, epoch, digest))
        end += count
    return ev.ReplicaAppended(
        topic="orders",
        partition=0,
        base_offset=base,
        count=end - base,
        end_offset=end,
        leader_epoch=told[-1][2],
        batches=tuple(told),
        role="leader",
        size_bytes=1,
    )


def advanced(offset: int, leader_epoch: int, role: str = "leader") -> ev.HighWatermarkAdvanced:
    return ev.HighWatermarkAdvanced(
        topic="orders",
        partition=0,
        high_watermark=offset,
        leader_epoch=leader_epoch,
        role=role,
        log_end_offsets=(),
    )


def orders() -> Trace:
    """Node 1 leads epoch 0 with three records; node 2 has two of them, and they are committed."""
    trace = Trace()
    trace.run()
    for node in (101, 1, 2):
        trace.start(node)
    trace.add(101, decided(1, 0))
    trace.add(1, appended(0, (2, 0, "a"), (1, 0, "b")))
    trace.add(2, appended(0, (2, 0, "a")))
    trace.add(1, advanced(2, 0))
    return trace
