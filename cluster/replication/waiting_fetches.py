"""Fetches that wait at a replica, and what a fetch is answered with. Source: Kafka DelayedFetch."""

from __future__ import annotations

from cluster.model.effects import CancelTimer, Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import CommittedRecordsGiven, FollowerRead
from cluster.model.identifiers import NO_NODE, UNKNOWN_OFFSET, EpochEnd, NodeId, Offset
from cluster.model.messages import FetchRequest, FetchResponse, ListOffsetsRequest
from cluster.model.record_batch import CorruptBatchError, batches
from cluster.replication.state import LEADS, ReplicaState

PARKED = "parked:"


def wake(state: ReplicaState) -> list[Effect]:
    """There may be more to read: answer each parked fetch that was waiting for it."""
    effects: list[Effect] = []
    for key, request in list(state.parked.items()):
        if has_records(state, request):
            effects += _release(state, key)
    return effects


def on_timeout(state: ReplicaState, what: str) -> list[Effect]:
    """The longest wait is over: answer with nothing but the newest high watermark."""
    sender, _, correlation = what.removeprefix(PARKED).partition(":")
    late = [key for key in sorted(state.parked) if key[0] == int(sender) and correlation in ("", str(key[1]))]
    return [effect for key in late for effect in _release(state, key)]


def answer_now(state: ReplicaState, sender: NodeId, correlation: int) -> list[Effect]:
    """Do not let one wait longer; nothing where it does not wait."""
    key = sender, correlation
    return _release(state, key) if key in state.parked else []


def refuse(state: ReplicaState) -> list[Effect]:
    """The role is over: whoever waits for records has to ask the next leader."""
    effects: list[Effect] = []
    for (sender, correlation), _ in sorted(state.parked.items()):
        effects.append(CancelTimer(timer(state, sender, correlation)))
        effects.append(Send(sender, response(state, ErrorCode.NOT_LEADER_OR_FOLLOWER), correlation))
    state.parked = {}
    return effects


def _release(state: ReplicaState, key: tuple[NodeId, int]) -> list[Effect]:
    """Answer one. A follower's timer stays: its next fetch sets it anew, and if it fires before, it finds nothing."""
    request = state.parked.pop(key)
    answer = answer_fetch(state, *key, request, state.high_watermark)
    return answer if key[0] in state.followers else [CancelTimer(timer(state, *key)), *answer]


def answer_fetch(
    state: ReplicaState, sender: NodeId, correlation: int, request: FetchRequest, high_watermark: Offset
) -> list[Effect]:
    """Answer with what there is, and tell of it when a follower serves a consumer, or somebody one of transactions."""
    answer = records_for(state, request, high_watermark)
    send = Send(sender, answer, correlation)
    is_committed_read = answer.last_stable_offset != UNKNOWN_OFFSET
    if not answer.records or (state.role is LEADS and not is_committed_read):
        return [send]
    topic, partition = state.topic_partition
    end_offset = _end_of(answer.records, request.fetch_offset)
    effects: list[Effect] = []
    if state.role is not LEADS:
        followed = FollowerRead(
            topic=topic,
            partition=partition,
            leader_epoch=state.leader_epoch,
            fetch_offset=request.fetch_offset,
            end_offset=end_offset,
            high_watermark=state.high_watermark,
            rack=request.client_rack or "",
        )
        effects.append(Emit(followed))
    if is_committed_read:
        given = CommittedRecordsGiven(
            topic=topic,
            partition=partition,
            fetch_offset=request.fetch_offset,
            end_offset=end_offset,
            last_stable_offset=answer.last_stable_offset,
            high_watermark=state.high_watermark,
            aborted=answer.aborted,
        )
        effects.append(Emit(given))
    return [*effects, send]


def _end_of(records: bytes, fetch_offset: Offset) -> Offset:
    """Exclusive; of bytes that the disk spoilt, as far as they are batches."""
    end_offset = fetch_offset
    try:
        for header, _ in batches(records):
            end_offset = header.end_offset
    except CorruptBatchError:
        return end_offset
    return end_offset


def records_for(state: ReplicaState, request: FetchRequest, high_watermark: Offset) -> FetchResponse:
    """What follows fetch_offset: to the log's end for a follower, to the high watermark for a consumer."""
    answer = response(state, ErrorCode.NONE)
    answer.high_watermark = high_watermark
    limit = readable_end(state, request)
    if request.read_committed and request.replica_id == NO_NODE:
        answer.last_stable_offset = limit
    written_end = state.log.log_end_offset
    if request.fetch_offset < min(limit, written_end):
        answer.records = state.log.read(request.fetch_offset, request.max_bytes, min(limit, written_end))
    elif request.fetch_offset == written_end and limit >= state.end_offset:
        answer.records = state.tail
    if answer.last_stable_offset != UNKNOWN_OFFSET and answer.records:
        answer.aborted = state.producers.transactions.aborted(
            request.fetch_offset, _end_of(answer.records, request.fetch_offset)
        )
    return answer


def readable_end(state: ReplicaState, request: FetchRequest | ListOffsetsRequest) -> Offset:
    """Where reading ends (exclusive): a follower's with the log, a consumer's with what is committed.

    Who reads committed records only stops before the first transaction that is not decided.
    """
    if request.replica_id != NO_NODE:
        return state.end_offset
    if not request.read_committed:
        return state.high_watermark
    producers, start_offset = state.producers, state.log.log_start_offset
    try:
        producers.catch_up(state.log)
    except CorruptBatchError:  # behind what cannot be read anything may be undecided
        return max(start_offset, min(producers.next_offset, state.high_watermark))
    return producers.transactions.last_stable_offset(state.high_watermark, start_offset)


def abandon(state: ReplicaState, sender: NodeId, correlation: int) -> list[Effect]:
    """Drop one that nobody waits for; one that was answered already is gone."""
    if state.parked.pop((sender, correlation), None) is None:
        return []
    return [CancelTimer(timer(state, sender, correlation))]


def forget(state: ReplicaState, sender: NodeId) -> None:
    """A follower has one fetch on its way; nobody waits for the answer to an older one."""
    if state.parked:
        old = [key for key, request in state.parked.items() if key[0] == sender and request.replica_id != NO_NODE]
        for key in old:
            del state.parked[key]


def timer(state: ReplicaState, sender: NodeId, correlation: int) -> str:
    """Name of the timer that ends the wait of one fetch."""
    follower = state.followers.get(sender)
    if follower is not None:
        return follower.timer
    return state.timer(f"{PARKED}{sender}:{correlation}")


def response(state: ReplicaState, error: ErrorCode, diverging: EpochEnd | None = None) -> FetchResponse:
    """An answer without records."""
    topic, partition = state.topic_partition
    high_watermark: Offset = -1 if error else state.high_watermark
    return FetchResponse(
        error=error,
        topic=topic,
        partition=partition,
        leader_id=state.leader,
        leader_epoch=state.leader_epoch,
        high_watermark=high_watermark,
        log_start_offset=state.log.log_start_offset,
        diverging=diverging,
        epoch_start_offset=state.epoch_start_offset if state.by_majority and not error else UNKNOWN_OFFSET,
    )


def has_records(state: ReplicaState, request: FetchRequest) -> bool:
    """Whether there is something for it to read, in the log or as the batch that this step has asked to append."""
    limit, wanted = readable_end(state, request), request.fetch_offset
    return wanted < limit and (limit == state.end_offset or wanted < state.log.log_end_offset)
