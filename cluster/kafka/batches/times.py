"""When records were written: which times of a producer a topic takes, and the time that its broker sets instead.

Source: Kafka LogValidator.validateTimestamp, DefaultRecordBatch.setMaxTimestamp (4.1).
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from cluster.kafka.batches.header import ProducedBatch, Refusal
from cluster.kafka.batches.records import NO_TIMESTAMP, Written
from cluster.model.errors import ErrorCode
from cluster.model.record_batch import APPEND_TIME_BIT, batch_times, crc_of, has_append_time
from cluster.model.topic_settings import TIMES_AFTER_MAX, TIMES_BEFORE_MAX, TIMES_TYPE, TOPIC_SETTINGS

_CRC_AT, _ATTRIBUTES_AT, _NEWEST_AT = 17, 21, 35


class TopicTimes(Struct, frozen=True):
    """What one topic does about the times of records."""

    by_broker: bool
    """LogAppendTime: each batch gets the time at which its leader appends it. Else CreateTime: the producer's."""
    before_max_ms: int
    """How far behind the broker's clock a producer's time may be, inclusive."""
    after_max_ms: int
    """How far ahead of it, inclusive."""

    @property
    def bounds_the_past(self) -> bool:
        """Whether a record may be too old. Nobody need look for the oldest else."""
        return self.before_max_ms != USUAL_TIMES.before_max_ms

    @classmethod
    def of(cls, own: Mapping[str, str]) -> TopicTimes:
        """From the settings that the topic has of its own; the others have Kafka's defaults."""
        kind, before, after = (
            own.get(name, TOPIC_SETTINGS[name].default).strip()
            for name in (TIMES_TYPE, TIMES_BEFORE_MAX, TIMES_AFTER_MAX)
        )
        return cls(kind == "LogAppendTime", int(before), int(after))


USUAL_TIMES: Final = TopicTimes.of({})


def check_times(found: ProducedBatch, written: Written, now_ms: int, times: TopicTimes = USUAL_TIMES) -> Refusal | None:
    """Whether the topic takes records of these times.

    Args:
        now_ms: since 1970; -1 when nobody knows.
    """
    if found.attributes & APPEND_TIME_BIT and (times.by_broker or written.newest_ms == NO_TIMESTAMP):
        return Refusal(ErrorCode.INVALID_TIMESTAMP, "append times are for the broker to set")
    if times.by_broker or now_ms < 0 or written.newest_ms == NO_TIMESTAMP:
        return None
    if written.newest_ms > now_ms + times.after_max_ms:
        away_ms, most_ms = written.newest_ms - now_ms, times.after_max_ms
    elif written.oldest_ms < now_ms - times.before_max_ms:
        away_ms, most_ms = written.oldest_ms - now_ms, times.before_max_ms
    else:
        return None
    return Refusal(ErrorCode.INVALID_TIMESTAMP, f"a record of {away_ms} ms from now, at most {most_ms} are taken")


def with_times_of(batch: bytes, newest_ms: int, times: TopicTimes, now_ms: int) -> bytes:
    """The batch as its topic keeps it: with the broker's time, or with the producer's, whatever it said of itself.

    The broker's time is one for all records, in the place of their largest; theirs stay as they came. A broker that
    does not know the time leaves the batch as it is.

    Args:
        newest_ms: the largest time of its records.
    """
    by_broker = times.by_broker and now_ms >= 0
    largest_ms = now_ms if by_broker else newest_ms
    if times.by_broker != by_broker or (batch_times(batch)[1], has_append_time(batch)) == (largest_ms, by_broker):
        return batch
    changed = bytearray(batch)
    (attributes,) = struct.unpack_from(">H", batch, _ATTRIBUTES_AT)
    attributes = attributes | APPEND_TIME_BIT if by_broker else attributes & ~APPEND_TIME_BIT
    struct.pack_into(">H", changed, _ATTRIBUTES_AT, attributes)
    struct.pack_into(">q", changed, _NEWEST_AT, largest_ms)
    struct.pack_into(">I", changed, _CRC_AT, crc_of(changed))
    return bytes(changed)
