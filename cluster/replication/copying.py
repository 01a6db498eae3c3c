"""A follower writes the batches that its leader sent, and leaves out what must not be written.

Source: Kafka AbstractFetcherThread.processPartitionData, UnifiedLog.appendAsFollower.
"""

from __future__ import annotations

from cluster.model.effects import Append, Effect, Emit
from cluster.model.events import ReplicaAppended
from cluster.model.identifiers import Offset
from cluster.model.messages import FetchResponse
from cluster.model.record_batch import BatchHeader, CorruptBatchError, batches, crc_of, sequence_of
from cluster.replication.producer_state import told_transactional
from cluster.replication.state import FOLLOWER, ReplicaState

WRONG_BYTES = -1
"""Stands for the offset of a batch that cannot be read."""
BATCHES_PER_EVENT = 1000
"""A follower far behind gets many batches at once; one event tells of so many at most."""


def append_fetched(
    state: ReplicaState, response: FetchResponse, start_offset: Offset
) -> tuple[list[Effect], Offset | None]:
    """Write the batches that continue the log, up to one that must not be written.

    Those of an epoch newer than the fetch's are left out (KAFKA-18723). Where all that the log held is gone, it ends
    at start_offset, and the first batch may begin before that.

    Returns also where the batch that must not be written begins: WRONG_BYTES for one that cannot be believed, None
    when there was none.
    """
    records, sizes_bytes, size_bytes = response.records, list[int](), 0
    copied: list[tuple[Offset, int, int, str]] = []
    sequenced: list[tuple[BatchHeader, memoryview | bytes]] = []
    end_offset = state.end_offset
    refused: Offset | None = None
    try:
        for header, batch in batches(records):
            if header.leader_epoch > state.fetch_epoch:
                break
            crc = crc_of(batch)
            if not is_intact(header.crc, crc):
                refused = WRONG_BYTES
                break
            if header.base_offset < start_offset == end_offset < header.end_offset:
                end_offset = header.base_offset
            # The leader's batch begins inside what is here, so the logs differ: a cut by high watermark did not see it.
            # To write it would give an offset two records; to skip the part that is here would keep one that the leader
            # never had.
            if header.base_offset < end_offset:
                refused = header.base_offset
                break
            sizes_bytes.append(header.size_bytes)
            size_bytes += header.size_bytes
            copied.append((header.base_offset, header.count, header.leader_epoch, f"{crc:08x}"))
            end_offset = header.end_offset
            if header.producer_id >= 0:
                sequenced.append((header, batch))
    except CorruptBatchError:
        refused = WRONG_BYTES
    if not copied:
        return [], refused
    state.producers.copied(copied[0][0], end_offset, sequenced)
    effects: list[Effect] = []
    for first in range(0, len(copied), BATCHES_PER_EVENT):
        after = first + BATCHES_PER_EVENT
        event = _appended(state, copied[first:after], sum(sizes_bytes[first:after]), sequenced, response.high_watermark)
        effects.append(Emit(event))
    state.end_offset, state.tail_epoch, state.tail = end_offset, copied[-1][2], records[:size_bytes]
    effects.append(Append(state.topic_partition, state.tail))
    return effects, refused


def is_intact(stored_crc: int, crc: int) -> bool:
    """Whether a batch's bytes are those that its producer sent. Source: Kafka DefaultRecordBatch.ensureValid."""
    return stored_crc == crc


def _appended(
    state: ReplicaState,
    told: list[tuple[Offset, int, int, str]],
    size_bytes: int,
    sequenced: list[tuple[BatchHeader, memoryview | bytes]],
    leader_high_watermark: Offset,
) -> ReplicaAppended:
    topic, partition = state.topic_partition
    base_offset = told[0][0]
    last_offset, last_count, last_epoch, _ = told[-1]
    end_offset = last_offset + last_count
    told_of = [each for each in sequenced if base_offset <= each[0].base_offset <= last_offset]
    numbered = [(header.base_offset, header.producer_id, *sequence_of(batch)) for header, batch in told_of]
    return ReplicaAppended(
        topic=topic,
        partition=partition,
        base_offset=base_offset,
        count=end_offset - base_offset,
        end_offset=end_offset,
        leader_epoch=last_epoch,
        batches=tuple(told),
        role=FOLLOWER,
        size_bytes=size_bytes,
        sequences=tuple([each for each in numbered if each[3] >= 0]),
        leader_high_watermark=leader_high_watermark,
        transactional=told_transactional(told_of),
    )
