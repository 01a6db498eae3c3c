"""Events of a workload: a producer and a consumer that go on by themselves. Each of their operations is told, too."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.identifiers import Offset
from cluster.model.positional import Positional

CLIENT = "load-"
"""Begins the names of the two clients: their operations are so many that they are told apart from all others."""


class LoadStarted(Positional, kw_only=True):
    """A producer and a consumer go to work, or go on at another rate."""

    name: ClassVar[str] = "load.started"
    producer_id: str
    """Client id of the producer, as in its operations."""
    consumer_id: str
    topic: str
    partition: int
    rate_per_s: int
    """Records that become due each second."""
    acks: int
    """-1 all, 1 leader only, 0 none."""


class LoadCounted(Positional, kw_only=True):
    """What a workload has reached so far; told once a second."""

    name: ClassVar[str] = "load.counted"
    topic: str
    partition: int
    acked_count: int
    """Records acknowledged since the work began."""
    failed_count: int
    """Records that were certainly not written."""
    unknown_count: int
    """Records of which nobody can say whether they were written."""
    lost_count: int
    """Acknowledged records at whose offset another record was acknowledged or read afterwards."""
    waiting_count: int
    """Records that are due and have no answer yet."""
    p50_ms: int
    """Of the requests answered since the last count, from the first attempt to the answer; -1 when none was."""
    p99_ms: int
    """Of the same requests; -1 when there was none."""
    position: Offset
    """Next offset that the consumer reads."""


class LoadEnded(Positional, kw_only=True):
    """A producer and a consumer have stopped; all that they had asked for has its answer."""

    name: ClassVar[str] = "load.ended"
    topic: str
    partition: int


LoadEvent: TypeAlias = LoadStarted | LoadCounted | LoadEnded
