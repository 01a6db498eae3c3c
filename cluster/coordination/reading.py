"""A coordinator reads its partition's log from its start to its end, one piece at a time. Source: CoordinatorLoader."""

from __future__ import annotations

from collections.abc import Callable

from cluster.coordination.led_partition import LedPartition
from cluster.model.effects import Effect, SetTimer
from cluster.model.record_batch import BatchHeader, batches

READ_BYTES = 1 << 18
PAUSE_MS = 1
"""Between two pieces, so that other requests have their turn."""


def read_on(led: LedPartition, take: Callable[[BatchHeader, bytes | memoryview], None]) -> list[Effect]:
    """Take the batches of one piece of the log, and go on a little later; no effects when nothing is left."""
    log = led.replica.log
    end_offset = log.log_end_offset
    data = log.read(led.next_offset, READ_BYTES, end_offset)
    if not data:
        return []
    for header, batch in batches(data):
        take(header, batch)
        led.next_offset = header.end_offset
    return [SetTimer(led.load_timer, PAUSE_MS)]
