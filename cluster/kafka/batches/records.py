"""The records in a client's batch: what a broker checks before it appends them, whatever they are compressed with.

A batch is opened once for it. What a compressed one is judged by are its records, not the word of its header.
Source: Kafka LogValidator.
"""

from __future__ import annotations

from typing import NamedTuple

from cluster.kafka.batches.header import ProducedBatch, Refusal
from cluster.kafka.batches.record_walk import have_keys, time_deltas, what_is_wrong
from cluster.model.compression import Compression
from cluster.model.errors import BatchTooLargeError, CorruptBatchError, ErrorCode, NoCodecError
from cluster.model.record_batch import APPEND_TIME_BIT, opened

NO_TIMESTAMP = -1
_TIME_END = 1 << 63


class Written(NamedTuple):
    """When records were written, in ms since 1970: of those that have a time; -1 each when none has."""

    oldest_ms: int
    newest_ms: int
    are_keyed: bool = False
    """Each has a key. False when nobody has looked."""


def check_records(
    batch: bytes, header: ProducedBatch, *, reads_times: bool = False, reads_keys: bool = False
) -> Written | Refusal:
    """Look at the records of a batch whose header is sane; when they were written, if they may be appended.

    Uncompressed they take about half a microsecond each.

    Args:
        reads_times: uncompressed records are asked for their times, too; else the header's word is taken.
        reads_keys: they are asked for their keys.
    """
    try:
        data, position = opened(batch)
    except BatchTooLargeError as error:
        return Refusal(ErrorCode.MESSAGE_TOO_LARGE, str(error))
    except NoCodecError as error:
        return Refusal(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, str(error))
    except CorruptBatchError as error:
        return Refusal(ErrorCode.INVALID_RECORD, str(error))
    wrong = what_is_wrong(data, position, header.count)
    if wrong:
        return Refusal(ErrorCode.INVALID_RECORD, wrong)
    are_keyed = reads_keys and have_keys(data, position, header.count)
    if header.attributes & APPEND_TIME_BIT:
        return Written(header.max_timestamp_ms, header.max_timestamp_ms, are_keyed)
    if header.compression is Compression.NONE and not reads_times:
        return Written(header.base_timestamp_ms, header.max_timestamp_ms, are_keyed)
    times = {header.base_timestamp_ms + delta for delta in time_deltas(data, position, header.count)} - {NO_TIMESTAMP}
    written = Written(min(times, default=NO_TIMESTAMP), max(times, default=NO_TIMESTAMP), are_keyed)
    if written.oldest_ms < -_TIME_END or written.newest_ms >= _TIME_END:
        return Refusal(ErrorCode.INVALID_TIMESTAMP, "a record with a time of more than 64 bits")
    return written
