"""Markers: each partition's leader is told how a transaction ended, until it has written that down.

Source: Kafka TransactionMarkerChannelManager, TransactionMarkerRequestCompletionHandler.
"""

from __future__ import annotations

from typing import Protocol

from msgspec.structs import replace

from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import MarkersSent
from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from cluster.model.messages import WriteTxnMarkersRequest, WriteTxnMarkersResponse
from cluster.transactions.changing import change
from cluster.transactions.state import (
    NO_PRODUCER_ID,
    PREPARED,
    Kept,
    Marking,
    Shard,
    Shared,
    Transaction,
    TransactionState,
)

NOBODY = (NO_NODE, -1)
_OVER = (ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.TRANSACTION_COORDINATOR_FENCED)
"""Another coordinator, or a newer producer, has gone on from here: this one says no more."""


class Cluster(Protocol):
    """The cluster, as this broker's metadata knows it."""

    def leader_of(self, where: TopicPartition) -> NodeId | None:
        """-1 for a partition without a leader; None for one that does not exist."""

    def offsets_partition(self, group: str) -> TopicPartition | None:
        """Where a group's offsets are; None while there is no offsets topic."""


def begin(shared: Shared, shard: Shard, kept: Kept, cluster: Cluster, now_ms: int) -> list[Effect]:
    """A transaction is decided: tell all its partitions."""
    assert kept.now is not None and kept.now.state in PREPARED
    kept.marking = Marking(dict.fromkeys(sorted(kept.now.partitions), NOBODY))
    shared.timers[kept.marker_timer] = kept.now.transactional_id
    return ask(shared, shard, kept, cluster, now_ms)


def ask(shared: Shared, shard: Shard, kept: Kept, cluster: Cluster, now_ms: int) -> list[Effect]:
    """Ask each leader that has not answered and is not being asked; none is left when all have their marker."""
    marking, now = kept.marking, kept.now
    if marking is None or now is None or kept.is_changing:
        return []
    effects: list[Effect] = []
    asked: list[tuple[str, int, NodeId]] = []
    for where, (target, _) in list(marking.waiting.items()):
        leader = cluster.leader_of(where)
        if leader is None:  # deleted, and its records with it
            del marking.waiting[where]
        elif target == NO_NODE and leader != NO_NODE:
            correlation = shared.number()
            marking.waiting[where] = leader, correlation
            shared.markers[correlation] = now.transactional_id, where
            effects.append(Send(leader, _marker(now, where, shard.leader_epoch), correlation))
            asked.append((*where, leader))
    if asked:
        event = MarkersSent(
            transactional_id=now.transactional_id,
            producer_id=now.producer_id,
            producer_epoch=now.producer_epoch,
            committed=now.state is TransactionState.PREPARE_COMMIT,
            partitions=tuple(asked),
        )
        effects.insert(0, Emit(event))
    if not marking.waiting:
        return [*effects, *_complete(shared, shard, kept, now_ms)]
    is_missing = any(target == NO_NODE for target, _ in marking.waiting.values())
    pause_ms = shared.settings.retry_backoff_ms if is_missing else shared.settings.request_timeout_ms
    return [*effects, SetTimer(kept.marker_timer, pause_ms)]


def _marker(now: Transaction, where: TopicPartition, coordinator_epoch: int) -> WriteTxnMarkersRequest:
    return WriteTxnMarkersRequest(
        topic=where.topic,
        partition=where.partition,
        producer_id=now.producer_id,
        producer_epoch=now.producer_epoch,
        coordinator_epoch=coordinator_epoch,
        committed=now.state is TransactionState.PREPARE_COMMIT,
        bumps_epoch=now.bumps_epoch,
    )


def on_answer(
    shared: Shared, shard: Shard, kept: Kept, correlation: int, response: WriteTxnMarkersResponse, now_ms: int
) -> list[Effect]:
    """A leader has written the marker, or has not."""
    marking, where = kept.marking, TopicPartition(response.topic, response.partition)
    if marking is None or marking.waiting.get(where, NOBODY)[1] != correlation:
        return []
    if response.error == ErrorCode.NONE:
        del marking.waiting[where]
        return [] if marking.waiting else _complete(shared, shard, kept, now_ms)
    # To ask again would bring the same answer for ever: another coordinator has this transactional id, and its epoch or
    # the producer's has grown in that partition. How the transaction ended is for the newer one to say and to write
    # down.
    if response.error in _OVER:
        kept.marking = None
        shared.timers.pop(kept.marker_timer, None)
        return [CancelTimer(kept.marker_timer)]
    marking.waiting[where] = NOBODY
    return [SetTimer(kept.marker_timer, shared.settings.retry_backoff_ms)]


def on_timer(shared: Shared, shard: Shard, kept: Kept, cluster: Cluster, now_ms: int) -> list[Effect]:
    """Ask again: whoever was asked has not answered, or is not the leader any more."""
    marking = kept.marking
    if marking is None:
        return []
    is_silent = all(target != NO_NODE for target, _ in marking.waiting.values())
    for where, (target, correlation) in list(marking.waiting.items()):
        if is_silent or cluster.leader_of(where) != target:
            shared.markers.pop(correlation, None)
            marking.waiting[where] = NOBODY
    return ask(shared, shard, kept, cluster, now_ms)


def on_disconnected(shared: Shared, kept: Kept, peer: NodeId) -> list[Effect]:
    """What was on its way to this broker may be lost."""
    marking = kept.marking
    lost = [] if marking is None else [where for where, (node, _) in marking.waiting.items() if node == peer]
    if marking is None or not lost:
        return []
    for where in lost:
        shared.markers.pop(marking.waiting[where][1], None)
        marking.waiting[where] = NOBODY
    return [SetTimer(kept.marker_timer, shared.settings.retry_backoff_ms)]


def _complete(shared: Shared, shard: Shard, kept: Kept, now_ms: int) -> list[Effect]:
    """Each partition has its marker: write that down, so that the next transaction may begin."""
    now = kept.now
    assert now is not None
    is_commit = now.state is TransactionState.PREPARE_COMMIT
    ended = replace(
        now,
        state=TransactionState.COMPLETE_COMMIT if is_commit else TransactionState.COMPLETE_ABORT,
        partitions=frozenset(),
        started_ms=-1,
        updated_ms=now_ms,
    )
    if now.next_producer_id != NO_PRODUCER_ID:
        ended = replace(
            ended,
            producer_id=now.next_producer_id,
            previous_producer_id=now.producer_id,
            next_producer_id=NO_PRODUCER_ID,
            producer_epoch=0,
        )

    def then(_now_ms: int) -> list[Effect]:
        if kept.now is ended:
            kept.marking = None
            shared.timers.pop(kept.marker_timer, None)
            return [CancelTimer(kept.marker_timer)]
        return [SetTimer(kept.marker_timer, shared.settings.retry_backoff_ms)]

    return change(shared, shard, kept, ended, "each partition has its marker", then=then)
