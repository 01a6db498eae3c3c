"""Offsets that a transaction commits: pending until its marker says whether they count.

Source: KIP-98, KIP-447; Kafka OffsetMetadataManager, its open transactions.
"""

from __future__ import annotations

from cluster.coordination.led_partition import Asker
from cluster.coordination.writing import InTransaction, write
from cluster.groups import rules
from cluster.groups.classic import rules as classic_rules
from cluster.groups.consumer.rules import members as consumer_rules
from cluster.groups.group_state import GroupState
from cluster.groups.offsets import Exists, forget_blank, kept_of, refused
from cluster.groups.pending_offsets import NOT_WRITTEN, settle, tidy
from cluster.groups.records import offset_record
from cluster.groups.state import CommittedOffset, Group, PendingOffset, Queued, Shard, Shared, found_group
from cluster.model.effects import Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import OffsetsCommitted
from cluster.model.identifiers import Offset, TopicPartition
from cluster.model.messages import (
    OffsetsDecided,
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
)


def on_commit(
    shared: Shared, shard: Shard, asker: Asker, request: TxnOffsetCommitRequest, exists: Exists, now_ms: int
) -> list[Effect]:
    """Write the offsets into the transaction; the answer comes when they are committed to the log."""
    group = shard.groups.get(request.group)
    if group is not None and group.is_writing:
        group.queue.append(
            Queued(
                lambda then_ms: on_commit(shared, shard, asker, request, exists, then_ms),
                lambda error: [Send(asker.sender, refusal(request, error), asker.correlation)],
            )
        )
        return []
    error = may_commit(group, request)
    if error != ErrorCode.NONE:
        return _refuse(group, asker, request, error)
    if group is None:
        group = found_group(shared, shard, request.group, now_ms)
    kept, fates = kept_of(shared, request.offsets, exists, now_ms)
    response = TxnOffsetCommitResponse(partitions=fates)
    if not kept:
        forget_blank(shard, group)
        return [Send(asker.sender, response, asker.correlation)]
    return _write(shared, shard, group, asker, request, kept, response)


def may_commit(group: Group | None, request: TxnOffsetCommitRequest) -> ErrorCode:
    """A producer that says whose offsets they are has to be right; one that does not is taken at its word.

    In a group of the newer protocol it has to say that, unless nobody is in it.
    Source: OffsetMetadataManager.validateTransactionalOffsetCommit, ClassicGroup.validateOffsetCommit.
    """
    if group is None:
        return rules.group_of_commit(None, request.generation, knows_member_epochs=False).value
    if group.consumer is not None:
        ruling = consumer_rules.may_use_offsets(group.consumer.members, request.member_id, request.generation)
        return ErrorCode.ILLEGAL_GENERATION if ruling.value == ErrorCode.STALE_MEMBER_EPOCH else ruling.value
    is_nobody = request.generation < 0 and not request.member_id and not request.instance_id
    if is_nobody or (request.generation < 0 and group.state is GroupState.EMPTY):
        return ErrorCode.NONE
    member = classic_rules.known_member(group, request.member_id, request.instance_id)
    return (classic_rules.same_generation(group, request.generation) if member.granted else member).value


def _write(
    shared: Shared,
    shard: Shard,
    group: Group,
    asker: Asker,
    request: TxnOffsetCommitRequest,
    kept: dict[TopicPartition, CommittedOffset],
    response: TxnOffsetCommitResponse,
) -> list[Effect]:
    pending = group.pending_offsets.setdefault(request.producer_id, {})
    mine = {where: PendingOffset(NOT_WRITTEN, committed) for where, committed in kept.items()}
    pending.update(mine)
    group.pending_commits += 1

    def apply(offset: Offset) -> list[Effect]:
        for item in mine.values():
            item.at_offset = offset
        return []

    def answer(error: ErrorCode, _now_ms: int) -> list[Effect]:
        group.pending_commits -= 1
        if error == ErrorCode.NONE:
            return [Send(asker.sender, response, asker.correlation)]
        return _refuse(group, asker, request, error)

    def done(_now_ms: int) -> list[Effect]:
        """What was refused is not pending."""
        for where, item in mine.items():
            if item.at_offset == NOT_WRITTEN and pending.get(where) is item:
                del pending[where]
        tidy(group)
        forget_blank(shard, group)
        return []

    records = [offset_record(group.name, where, item) for where, item in kept.items()]
    transaction = InTransaction(
        request.transactional_id, request.producer_id, request.producer_epoch, request.adds_partition
    )
    return write(shared, shard, records, apply, answer, done, transaction)


def on_decided(shard: Shard, decided: OffsetsDecided) -> list[Effect]:
    """A marker is committed: what is pending of this producer counts now, or is void."""
    effects: list[Effect] = []
    for group in shard.groups.values():
        pending = group.pending_offsets.pop(decided.producer_id, None)
        if not pending:
            continue
        counted = settle(group, pending) if decided.committed else {}
        if counted:
            event = OffsetsCommitted(
                group=group.name,
                member_id="",
                generation=-1,
                offset=decided.offset,
                producer_id=decided.producer_id,
                offsets=tuple((where.topic, where.partition, item.offset) for where, item in counted.items()),
            )
            effects.append(Emit(event))
    return effects


def _refuse(group: Group | None, asker: Asker, request: TxnOffsetCommitRequest, error: ErrorCode) -> list[Effect]:
    return [Emit(refused(group, request, error)), Send(asker.sender, refusal(request, error), asker.correlation)]


def refusal(request: TxnOffsetCommitRequest, error: ErrorCode) -> TxnOffsetCommitResponse:
    """The same error for each."""
    partitions = tuple((item[0], item[1], int(error)) for item in request.offsets)
    return TxnOffsetCommitResponse(error=error, partitions=partitions)
