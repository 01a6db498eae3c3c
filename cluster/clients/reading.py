"""What a member does with its part: begin, read, commit, give up. Source: ConsumerCoordinator, Fetcher."""

from __future__ import annotations

from collections.abc import Iterable

from cluster.clients.assignors import STICKY
from cluster.clients.consuming import SHOWN_MAX, TEXT_MAX, readable
from cluster.clients.member_state import COMMIT_TIMER, CommitMode, MemberState, Phase, Reading
from cluster.clients.rules.retries import NO_ANSWER
from cluster.model.consumer_protocol import encode_sticky_data
from cluster.model.effects import Effect, Emit, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import (
    ConsumerAssigned,
    ConsumerCommitted,
    ConsumerPolled,
    ConsumerPositioned,
    ConsumerRevoked,
)
from cluster.model.identifiers import NO_NODE, UNKNOWN_OFFSET, Offset, TopicPartition
from cluster.model.messages import (
    FetchRequest,
    FetchResponse,
    Message,
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
)
from cluster.model.record_batch import is_intact, numbered_records

SOON_BETTER = (
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.STALE_MEMBER_EPOCH,
)
"""A commit that failed so may be tried again: a newer member epoch is on its way to who made it."""
READABLE = ErrorCode.NONE, ErrorCode.OFFSET_OUT_OF_RANGE
"""What an answer says that tells where to go on."""


def take(state: MemberState, assigned: Iterable[TopicPartition]) -> list[Effect]:
    """A part of a new generation. A cooperative member gives up what is not in it, and joins again for others' sake."""
    wanted = sorted(assigned)
    gone = tuple(where for where in state.owned if where not in wanted)
    effects = give_up(state, gone, is_lost=False)
    added = [where for where in wanted if where not in state.owned]
    for where in added:
        state.owned[where] = Reading()
    state.must_rejoin = state.must_rejoin or (state.is_cooperative and bool(gone))
    state.owned_generation = state.generation
    if state.protocol == STICKY:  # only the assignor that dealt is told: ConsumerCoordinator.invokeOnAssignment
        state.sticky_data = encode_sticky_data(wanted, state.generation)
    event = ConsumerAssigned(
        client_id=state.client_id,
        group=state.group,
        member_id=state.member_id,
        generation=state.generation,
        added=tuple((topic, partition) for topic, partition in added),
        owned=tuple((topic, partition) for topic, partition in sorted(state.owned)),
    )
    return [*effects, Emit(event)]


def give_up(state: MemberState, partitions: tuple[TopicPartition, ...], *, is_lost: bool) -> list[Effect]:
    """Own these no more; what was processed is committed first, unless others have them already."""
    effects: list[Effect] = []
    if not partitions:
        return effects
    if not is_lost and state.mode is not CommitMode.NO:
        effects += commit(state, is_last=True)
    for where in partitions:
        effects += state.forget("fetch", where=where)
        del state.owned[where]
    event = ConsumerRevoked(
        client_id=state.client_id,
        group=state.group,
        member_id=state.member_id,
        generation=state.generation,
        revoked=tuple((topic, partition) for topic, partition in partitions),
        is_lost=is_lost,
    )
    return [*effects, Emit(event)]


def ask_offsets(state: MemberState) -> list[Effect]:
    """Where the group had come to, for partitions that are new."""
    new = sorted(where for where, item in state.owned.items() if item.position < 0)
    request = OffsetFetchRequest(group=state.group, partitions=tuple((topic, index) for topic, index in new))
    if state.is_consumer:
        request.member_id, request.member_epoch = state.member_id, state.generation

    def then(message: Message | None, _now_ms: int) -> list[Effect]:
        response = message if isinstance(message, OffsetFetchResponse) else OffsetFetchResponse(error=NO_ANSWER)
        if response.error != ErrorCode.NONE:
            if response.error not in (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.STALE_MEMBER_EPOCH):
                state.coordinator = NO_NODE
            return state.back_off()
        effects: list[Effect] = []
        for topic, partition, offset, _, _ in response.offsets:
            where = TopicPartition(topic, partition)
            if where in state.owned and state.owned[where].position < 0:
                state.owned[where].committed = offset
                effects += _begin_at(state, where, max(0, offset), "reset" if offset < 0 else "committed")
        return effects

    return state.ask("offsets", state.coordinator, request, then)


def _begin_at(state: MemberState, where: TopicPartition, offset: Offset, why: str) -> list[Effect]:
    state.owned[where].position = offset
    event = ConsumerPositioned(
        client_id=state.client_id,
        group=state.group,
        member_id=state.member_id,
        topic=where.topic,
        partition=where.partition,
        offset=offset,
        why=why,
    )
    return [Emit(event)]


def fetch(state: MemberState, where: TopicPartition) -> list[Effect]:
    """Ask the leader for what comes next; it may hold the answer until there is something."""
    leader, leader_epoch = state.leaders[where]
    request = FetchRequest(
        replica_id=NO_NODE,
        topic=where.topic,
        partition=where.partition,
        current_leader_epoch=leader_epoch,
        fetch_offset=state.owned[where].position,
        max_wait_ms=state.settings.replica_fetch_wait_max_ms,
    )

    def then(message: Message | None, _now_ms: int) -> list[Effect]:
        return _on_fetched(state, where, message if isinstance(message, FetchResponse) else None)

    return state.ask("fetch", leader, request, then, where=where)


def _on_fetched(state: MemberState, where: TopicPartition, response: FetchResponse | None) -> list[Effect]:
    if response is None or response.error not in READABLE or not is_intact(response.records):
        state.leaders[where] = (NO_NODE, state.leaders[where][1])
        return state.back_off()
    if response.error == ErrorCode.OFFSET_OUT_OF_RANGE:
        return _begin_at(state, where, response.log_start_offset, "out_of_range")
    item = state.owned[where]
    texts: list[str] = []
    base_offset = item.position
    for header, data in readable(response):
        for offset, record in numbered_records(data) if data else ():
            if offset >= base_offset:
                texts.append((record.value or b"").decode("utf-8", "replace")[:TEXT_MAX])
        item.position = header.end_offset
    if item.position == base_offset:
        return []
    event = ConsumerPolled(
        client_id=state.client_id,
        group=state.group,
        member_id=state.member_id,
        generation=state.generation,
        topic=where.topic,
        partition=where.partition,
        base_offset=base_offset,
        count=len(texts),
        values=tuple(texts[:SHOWN_MAX]),
        end_offset=UNKNOWN_OFFSET if item.position == base_offset + len(texts) else item.position,
    )
    return [Emit(event), *(commit(state) if state.mode is CommitMode.EACH else [])]


def commit(state: MemberState, *, is_last: bool = False) -> list[Effect]:
    """Commit the positions that are ahead of what is committed: one commit at a time, but for the last of a part."""
    if state.waits("commit") and not is_last:
        state.must_commit = True
        return []
    ahead = {
        where: item.position for where, item in sorted(state.owned.items()) if item.position > max(0, item.committed)
    }
    if not ahead or state.coordinator == NO_NODE or state.generation < 0:
        state.must_commit = bool(ahead)
        return []
    offsets = tuple((where.topic, where.partition, offset, -1, "") for where, offset in ahead.items())
    request = OffsetCommitRequest(
        group=state.group,
        generation=state.generation,
        member_id=state.member_id,
        instance_id=state.instance_id,
        offsets=offsets,
        knows_member_epochs=state.is_consumer,
    )
    member_id, generation = state.member_id, state.generation
    state.must_commit = False

    def then(message: Message | None, now_ms: int) -> list[Effect]:
        response = message if isinstance(message, OffsetCommitResponse) else OffsetCommitResponse(error=NO_ANSWER)
        errors = [error for _, _, error in response.partitions if error]
        error = response.error or (errors[0] if errors else 0)
        for where, offset in ahead.items():
            if error == ErrorCode.NONE and where in state.owned:
                state.owned[where].committed = max(state.owned[where].committed, offset)
        event = ConsumerCommitted(
            client_id=state.client_id,
            group=state.group,
            member_id=member_id,
            generation=generation,
            error=error,
            offsets=tuple((where.topic, where.partition, offset) for where, offset in ahead.items()),
        )
        effects: list[Effect] = [Emit(event)]
        return [*effects, *(after_commit(state, error, now_ms) if error else [])]

    return state.ask("commit", state.coordinator, request, then)


def after_commit(state: MemberState, error: int, _now_ms: int) -> list[Effect]:
    """A commit that failed tells something of the group, too. One that belongs to a poll is tried again."""
    if state.phase is not Phase.MEMBER:
        return []
    if error == ErrorCode.REBALANCE_IN_PROGRESS:
        state.must_rejoin = True
        return []
    if error in (NO_ANSWER, ErrorCode.NOT_COORDINATOR):
        state.coordinator = NO_NODE
    elif error not in SOON_BETTER:
        return []
    state.must_commit = state.mode is CommitMode.EACH
    return state.back_off()


def schedule_commit(state: MemberState) -> list[Effect]:
    """The next automatic one is due after auto.commit.interval.ms."""
    if state.mode is not CommitMode.AUTO:
        return []
    return [SetTimer(COMMIT_TIMER, state.settings.consumer_auto_commit_interval_ms)]
