"""Partitions of a transaction: added by its producer or their leaders, and asked about by those. Source: KIP-890."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from cluster.coordination.led_partition import Asker
from cluster.model.effects import Effect, Send
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import (
    AddOffsetsToTxnRequest,
    AddOffsetsToTxnResponse,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    Message,
)
from cluster.model.ruling import Decision
from cluster.transactions import rules
from cluster.transactions.changing import change, refuse
from cluster.transactions.marking import Cluster
from cluster.transactions.state import Kept, Shard, Shared, TransactionState

Respond = Callable[[ErrorCode], Message]


def on_add(
    shared: Shared, shard: Shard, asker: Asker, request: AddPartitionsToTxnRequest, cluster: Cluster, now_ms: int
) -> list[Effect]:
    """Answer once the partitions are known to be part of it.

    A partition that this broker's metadata does not know yet is not taken: when the transaction ends it would count as
    deleted, and get no marker. Source: Kafka KafkaApis.handleAddPartitionsToTxnRequest.
    """
    added = frozenset(TopicPartition(*each) for each in request.partitions)
    key = request.transactional_id, request.producer_id, request.producer_epoch
    unknown = {where for where in added if cluster.leader_of(where) is None}
    if unknown:
        kept, error = shard.kept.get(request.transactional_id), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return refuse(asker, "AddPartitionsToTxn", key, kept, _not_known(request, unknown), error)

    def respond(error: ErrorCode) -> Message:
        return AddPartitionsToTxnResponse(partitions=tuple((*each, int(error)) for each in request.partitions))

    if request.verify_only:
        return _verify(shard, asker, request, added, respond)
    return _add(shared, shard, asker, "AddPartitionsToTxn", key, added, respond, now_ms)


def _not_known(request: AddPartitionsToTxnRequest, unknown: set[TopicPartition]) -> AddPartitionsToTxnResponse:
    """All are added or none."""
    errors = {where: int(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) for where in unknown}
    left_out = int(ErrorCode.OPERATION_NOT_ATTEMPTED)
    results = tuple((*each, errors.get(TopicPartition(*each), left_out)) for each in request.partitions)
    return AddPartitionsToTxnResponse(partitions=results)


def on_add_offsets(
    shared: Shared,
    shard: Shard,
    asker: Asker,
    request: AddOffsetsToTxnRequest,
    where: TopicPartition,
    now_ms: int,
) -> list[Effect]:
    """The group's partition of __consumer_offsets becomes part of it."""

    def respond(error: ErrorCode) -> Message:
        return AddOffsetsToTxnResponse(error=error)

    key = request.transactional_id, request.producer_id, request.producer_epoch
    return _add(shared, shard, asker, "AddOffsetsToTxn", key, frozenset((where,)), respond, now_ms)


def _verify(
    shard: Shard,
    asker: Asker,
    request: AddPartitionsToTxnRequest,
    added: frozenset[TopicPartition],
    respond: Respond,
) -> list[Effect]:
    kept = shard.kept.get(request.transactional_id)
    is_part = kept is not None and kept.now is not None and added <= kept.now.partitions
    ruling = rules.is_in_transaction(kept, request.producer_id, request.producer_epoch, is_part=is_part)
    if ruling.granted:
        return [Send(asker.sender, respond(ErrorCode.NONE), asker.correlation)]
    key = request.transactional_id, request.producer_id, request.producer_epoch
    return refuse(asker, "AddPartitionsToTxn", key, kept, respond(ruling.value), ruling.value, ruling.decision)


def _add(
    shared: Shared,
    shard: Shard,
    asker: Asker,
    name: str,
    key: tuple[str, int, int],
    added: frozenset[TopicPartition],
    respond: Respond,
    now_ms: int,
) -> list[Effect]:
    transactional_id, producer_id, producer_epoch = key
    kept = shard.kept.get(transactional_id)
    ruling = rules.may_add(kept, producer_id, producer_epoch)
    if not ruling.granted:
        return refuse(asker, name, key, kept, respond(ruling.value), ruling.value, ruling.decision)
    assert kept is not None and kept.now is not None
    if added <= kept.now.partitions:
        return [Send(asker.sender, respond(ErrorCode.NONE), asker.correlation)]
    return _write(shared, shard, kept, asker, name, key, added, respond, now_ms, ruling.decision)


def _write(
    shared: Shared,
    shard: Shard,
    kept: Kept,
    asker: Asker,
    name: str,
    key: tuple[str, int, int],
    added: frozenset[TopicPartition],
    respond: Respond,
    now_ms: int,
    decision: Decision,
) -> list[Effect]:
    assert kept.now is not None
    is_open = kept.now.state is TransactionState.ONGOING
    grown = replace(
        kept.now,
        state=TransactionState.ONGOING,
        partitions=kept.now.partitions | added,
        started_ms=kept.now.started_ms if is_open else now_ms,
        updated_ms=now_ms,
    )

    def answer(error: ErrorCode, _now_ms: int) -> list[Effect]:
        if error != ErrorCode.NONE:
            return refuse(asker, name, key, kept, respond(error), error)
        return [Send(asker.sender, respond(ErrorCode.NONE), asker.correlation)]

    why = "it has more partitions" if is_open else "its first partition is written"
    return change(shared, shard, kept, grown, why, decision=decision, answer=answer)
