"""Committed offsets, each the next to read: commit, fetch, delete, expire. Source: KIP-211, KIP-496."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cluster.coordination.led_partition import Asker
from cluster.coordination.writing import nobody, write
from cluster.groups import rules
from cluster.groups.classic import rules as classic_rules
from cluster.groups.consumer.rules import members as consumer_rules
from cluster.groups.group_state import GroupState
from cluster.groups.kind import group_tombstones
from cluster.groups.pending_offsets import supersede, unstable
from cluster.groups.records import offset_record
from cluster.groups.state import CommittedOffset, Group, Queued, Shard, Shared, found_group
from cluster.groups.state_changes import change_state
from cluster.groups.timers import hear
from cluster.model.consumer_protocol import PROTOCOL_TYPE, ProtocolError, decode_subscription
from cluster.model.effects import Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import OffsetCommitRefused, OffsetsCommitted, OffsetsForgotten
from cluster.model.identifiers import UNKNOWN_OFFSET, Offset, TopicPartition
from cluster.model.messages import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
    TxnOffsetCommitRequest,
)
from cluster.model.ruling import Decision, Ruling

Exists = Callable[[TopicPartition], bool]
"""Whether the cluster has a partition."""


def on_commit(
    shared: Shared, shard: Shard, asker: Asker, request: OffsetCommitRequest, exists: Exists, now_ms: int
) -> list[Effect]:
    """Write the offsets; the answer comes when they are committed."""
    group = shard.groups.get(request.group)
    if group is not None and group.is_writing:
        group.queue.append(
            Queued(  # the member epoch that it names may be an old one then
                lambda then_ms: on_commit(shared, shard, asker, request, exists, then_ms),
                lambda error: [Send(asker.sender, _all(request, error), asker.correlation)],
            )
        )
        return []
    ruling = rules.group_of_commit(group, request.generation, knows_member_epochs=request.knows_member_epochs)
    if group is None and ruling.granted:
        group = found_group(shared, shard, request.group, now_ms)
    if group is not None:
        ruling = may_commit(group, request)
    error, decision = ruling.with_evidence
    if group is None or error != ErrorCode.NONE:
        return _refuse(group, asker, request, error, decision)
    member = group.members.get(request.member_id)
    effects = [] if member is None else hear(shared, group, member, now_ms)
    kept, fates = kept_of(shared, request.offsets, exists, now_ms)
    response = OffsetCommitResponse(partitions=fates)
    if not kept:
        forget_blank(shard, group)
        return [*effects, Send(asker.sender, response, asker.correlation)]
    return [*effects, *_write(shared, shard, group, request, kept, response, asker, decision)]


def may_commit(group: Group, request: OffsetCommitRequest) -> Ruling[ErrorCode]:
    """Whether who commits is a member now, or need not be one."""
    if group.consumer is None:
        return classic_rules.may_commit(group, request.generation, request.member_id, request.instance_id)
    return consumer_rules.may_use_offsets(
        group.consumer.members,
        request.member_id,
        request.generation,
        knows_member_epochs=request.knows_member_epochs,
    )


def _write(
    shared: Shared,
    shard: Shard,
    group: Group,
    request: OffsetCommitRequest,
    kept: dict[TopicPartition, CommittedOffset],
    response: OffsetCommitResponse,
    asker: Asker,
    decision: Decision,
) -> list[Effect]:
    group.pending_commits += 1

    def apply(offset: Offset) -> list[Effect]:
        group.offsets.update(kept)
        for where in kept:
            supersede(group, where, offset)
        event = OffsetsCommitted(
            group=group.name,
            member_id=request.member_id,
            generation=request.generation,
            offset=offset,
            offsets=tuple((where.topic, where.partition, item.offset) for where, item in kept.items()),
        )
        return [Emit(event, decision)]

    def answer(error: ErrorCode, _now_ms: int) -> list[Effect]:
        group.pending_commits -= 1
        written = rules.is_written(error)
        if written.granted:
            return [Send(asker.sender, response, asker.correlation)]
        return _refuse(group, asker, request, error, written.decision)

    def done(_now_ms: int) -> list[Effect]:
        forget_blank(shard, group)
        return []

    records = [offset_record(group.name, where, item) for where, item in kept.items()]
    return write(shared, shard, records, apply, answer, done)


def forget_blank(shard: Shard, group: Group) -> None:
    """A commit that was refused leaves no group behind that it made. Kafka takes back what was not written."""
    if group.is_blank and shard.groups.get(group.name) is group:
        del shard.groups[group.name]


def kept_of(
    shared: Shared, offsets: Sequence[tuple[str, int, Offset, int, str]], exists: Exists, now_ms: int
) -> tuple[dict[TopicPartition, CommittedOffset], tuple[tuple[str, int, ErrorCode], ...]]:
    """The offsets of a request that may be kept, and what becomes of each: (topic, partition, error)."""
    errors = [judge(shared, item, exists) for item in offsets]
    kept = {
        TopicPartition(topic, partition): CommittedOffset(
            offset=offset, leader_epoch=leader_epoch, metadata=metadata, at_ms=now_ms
        )
        for (topic, partition, offset, leader_epoch, metadata), bad in zip(offsets, errors, strict=True)
        if bad == ErrorCode.NONE
    }
    return kept, tuple((item[0], item[1], bad) for item, bad in zip(offsets, errors, strict=True))


def judge(shared: Shared, item: tuple[str, int, Offset, int, str], exists: Exists) -> ErrorCode:
    """Whether the offset of one partition may be kept."""
    topic, partition, _, _, metadata = item
    if not exists(TopicPartition(topic, partition)):
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if len(metadata.encode("utf-8", "replace")) > shared.settings.offset_metadata_max_bytes:
        return ErrorCode.OFFSET_METADATA_TOO_LARGE
    return ErrorCode.NONE


def _all(request: OffsetCommitRequest, error: ErrorCode) -> OffsetCommitResponse:
    return OffsetCommitResponse(error=error, partitions=tuple((item[0], item[1], error) for item in request.offsets))


def _refuse(
    group: Group | None, asker: Asker, request: OffsetCommitRequest, error: ErrorCode, decision: Decision
) -> list[Effect]:
    event = Emit(refused(group, request, error), decision)
    return [event, Send(asker.sender, _all(request, error), asker.correlation)]


def refused(
    group: Group | None, request: OffsetCommitRequest | TxnOffsetCommitRequest, error: ErrorCode
) -> OffsetCommitRefused:
    """That none of a request's offsets are kept, as an event."""
    return OffsetCommitRefused(
        group=request.group,
        member_id=request.member_id,
        generation=request.generation,
        error=error,
        group_generation=-1 if group is None else group.generation,
        state="" if group is None else str(group.state),
        offsets=tuple((topic, partition, offset) for topic, partition, offset, _, _ in request.offsets),
    )


def on_fetch(shard: Shard, asker: Asker, request: OffsetFetchRequest) -> list[Effect]:
    """What is committed: only what its replicas have."""
    group = shard.groups.get(request.group)
    if group is not None and group.consumer is not None and request.member_id is not None:
        members = group.consumer.members
        error, _ = consumer_rules.may_use_offsets(members, request.member_id, request.member_epoch).with_evidence
        if error != ErrorCode.NONE:
            return [Send(asker.sender, OffsetFetchResponse(error=error), asker.correlation)]
    held = {} if group is None else group.offsets
    wanted = sorted(held) if request.partitions is None else [TopicPartition(*item) for item in request.partitions]
    none = CommittedOffset(offset=UNKNOWN_OFFSET)
    asked_offsets = [(where, held.get(where, none)) for where in wanted]
    offsets = tuple(
        (where.topic, where.partition, item.offset, item.leader_epoch, item.metadata) for where, item in asked_offsets
    )
    undecided = set() if group is None or not request.require_stable else unstable(group)
    response = OffsetFetchResponse(offsets=offsets, unstable=tuple(where for where in wanted if where in undecided))
    return [Send(asker.sender, response, asker.correlation)]


def on_delete(
    shared: Shared, shard: Shard, asker: Asker, request: OffsetDeleteRequest, exists: Callable[[TopicPartition], bool]
) -> list[Effect]:
    """Forget offsets that no member needs: of a group of consumers, those of topics nobody subscribes to."""
    group = shard.groups.get(request.group)
    error = ErrorCode.NONE
    if group is None:
        error = ErrorCode.GROUP_ID_NOT_FOUND
    elif group.members and group.protocol_type != PROTOCOL_TYPE:  # members of the newer protocol are consumers
        error = ErrorCode.NON_EMPTY_GROUP
    if group is None or error != ErrorCode.NONE:
        return [Send(asker.sender, OffsetDeleteResponse(error=error), asker.correlation)]
    wanted = subscribed_topics(group)
    errors = dict.fromkeys(request.partitions, ErrorCode.NONE)
    for where in errors:
        if not exists(TopicPartition(*where)):
            errors[where] = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        elif where[0] in wanted:
            errors[where] = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
    gone = [TopicPartition(*where) for where, bad in errors.items() if bad == ErrorCode.NONE and where in group.offsets]
    response = OffsetDeleteResponse(partitions=tuple((*where, errors[where]) for where in request.partitions))
    if not gone:
        return [Send(asker.sender, response, asker.correlation)]

    def answer(failed: ErrorCode, _now_ms: int) -> list[Effect]:
        answer = response if failed == ErrorCode.NONE else OffsetDeleteResponse(error=failed)
        return [Send(asker.sender, answer, asker.correlation)]

    records = [offset_record(group.name, where, None) for where in gone]
    return write(shared, shard, records, forget(group, gone, "deleted"), answer)


def forget(
    group: Group, gone: list[TopicPartition], why: str, decision: Decision | None = None
) -> Callable[[Offset], list[Effect]]:
    """What is done once it is committed that these offsets are no more."""

    def apply(_offset: Offset) -> list[Effect]:
        for where in gone:
            group.offsets.pop(where, None)
        event = OffsetsForgotten(
            group=group.name, why=why, partitions=tuple((where.topic, where.partition) for where in gone)
        )
        return [Emit(event, decision)] if gone else []

    return apply


def expire(shared: Shared, shard: Shard, now_ms: int) -> list[Effect]:
    """Take out offsets whose retention is over, and groups that have neither members nor offsets."""
    effects: list[Effect] = []
    for group in list(shard.groups.values()):
        wanted = subscribed_topics(group)
        late: dict[TopicPartition, Decision] = {}
        for where, item in group.offsets.items():
            ruling = rules.offset_expired(
                group, item, now_ms, shared.settings.offsets_retention_ms, is_subscribed=where.topic in wanted
            )
            if ruling.granted:
                late[where] = ruling.decision
        is_left = group.state is not GroupState.EMPTY or group.is_writing or len(late) < len(group.offsets)
        is_left = is_left or bool(group.pending_offsets)
        if not late and (is_left or group.pending_members or group.pending_commits):
            continue
        records = [offset_record(group.name, where, None) for where in late]
        if not (is_left or group.pending_members or group.pending_commits):
            effects += bury(shard, group, "it has neither members nor offsets", now_ms)
            records += group_tombstones(group)
        why = next(iter(late.values()), None)
        effects += write(shared, shard, records, forget(group, list(late), "expired", why), nobody)
    return effects


def forget_topics(shared: Shared, shard: Shard, topics: set[str]) -> list[Effect]:
    """Topics are deleted: offsets in them mean nothing, least of all in a later topic of that name."""
    effects: list[Effect] = []
    for group in shard.groups.values():
        gone = [where for where in group.offsets if where.topic in topics]
        if gone:
            records = [offset_record(group.name, where, None) for where in gone]
            effects += write(shared, shard, records, forget(group, gone, "topic deleted"), nobody)
    return effects


def bury(shard: Shard, group: Group, why: str, now_ms: int) -> list[Effect]:
    """The group is no more."""
    del shard.groups[group.name]
    return change_state(group, GroupState.DEAD, why, now_ms)


def subscribed_topics(group: Group) -> set[str]:
    """Topics that some member wants; one whose subscription cannot be read wants none."""
    topics: set[str] = set()
    for newcomer in group.consumer.members.values() if group.consumer is not None else ():
        topics |= {*newcomer.topics, *(where.topic for where in group.offsets if newcomer.wants(where.topic))}
    if group.protocol_type != PROTOCOL_TYPE:
        return topics
    for member in group.members.values():
        for _, data in member.protocols:
            try:
                topics |= set(decode_subscription(data).topics)
            except ProtocolError:
                continue
    return topics
