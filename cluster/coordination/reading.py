"""A coordinator reads its partition's log from its start to its end, one piece at a time. Source: CoordinatorLoader."""

from __future__ import annotations

from collections.abc import Callable

from cluster.coordination.led_partition import LedPartition
from cluster.model.effects import Effect, SetTimer
from cluster.model.record_batch import BatchHeader, CorruptBatchError, batches, check_crc

READ_BYTES = 1 << 18
PAUSE_MS = 1
"""Between two pieces, so that other requests have their turn."""
RETRY_MS = 100
"""After bytes that came wrong from the disk."""


def read_on(led: LedPartition, take: Callable[[BatchHeader, bytes | memoryview], None]) -> list[Effect]:
    """Take the batches of one piece of the log, and go on a little later; no effects when nothing is left.

    What is damaged is read again and again, and nobody is served until it is whole: Kafka gives the partition up then,
    until it has another leader.
    """
    log = led.replica.log
    end_offset = log.log_end_offset
    data = log.read(led.next_offset, READ_BYTES, end_offset)
    if not data:
        return []
    try:
        for header, batch in batches(data):
            if not check_crc(batch):
                raise CorruptBatchError(f"the batch at offset {header.base_offset} fails its CRC")
            take(header, batch)
            led.next_offset = header.end_offset
    except CorruptBatchError:
        return [SetTimer(led.load_timer, RETRY_MS)]
    return [SetTimer(led.load_timer, PAUSE_MS)]
