"""When a replica compacts its log. How is in cluster/storage/compaction.py. Source: Kafka LogCleaner."""

from __future__ import annotations

from cluster.model.effects import CleanLog, Effect, Emit
from cluster.model.events import CleaningBegan
from cluster.model.record_batch import CorruptBatchError
from cluster.replication.rules.compaction import may_clean
from cluster.replication.state import ReplicaRole, ReplicaState

TIMER = "replica.cleaning"
"""One for all replicas of a broker."""


def clean(state: ReplicaState, wall_ms: int) -> list[Effect]:
    """Compact what may be. What is known of the times of its records is read anew when somebody asks."""
    settings = state.compaction
    if state.role is ReplicaRole.IDLE or settings is None:
        return []
    try:
        state.producers.catch_up(state.log)
    except CorruptBatchError:
        return []  # nobody knows which transactions are open
    transactions = state.producers.transactions
    stable_offset = transactions.last_stable_offset(state.high_watermark, state.log.log_start_offset)
    cleaned_offset = max(0, state.log.cleaned_offset)
    ruling = may_clean(state.log.segments(), cleaned_offset, stable_offset, wall_ms, settings)
    if not ruling.granted:
        return []
    state.times.truncate(0)
    topic, partition = state.topic_partition
    dirty_offset, end_offset = ruling.value
    event = CleaningBegan(
        topic=topic,
        partition=partition,
        dirty_offset=dirty_offset,
        end_offset=end_offset,
        high_watermark=state.high_watermark,
        active_offset=state.log.segments()[-1].base_offset,
        role=str(state.role),
    )
    return [
        Emit(event, ruling.decision),
        CleanLog(state.topic_partition, end_offset, settings.delete_retention_ms, wall_ms),
    ]
