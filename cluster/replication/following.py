"""A follower: its fetch loop, appends, and cuts. Source: Kafka AbstractFetcherThread."""

from __future__ import annotations

from typing import assert_never

from cluster.model.effects import (
    CancelTimer,
    CheckpointHighWatermark,
    Effect,
    Emit,
    Flush,
    HaltNode,
    Send,
    SetTimer,
    Truncate,
)
from cluster.model.errors import ErrorCode
from cluster.model.events import (
    BecameFollower,
    CorruptBatchRefused,
    HighWatermarkAdvanced,
    ReplicaTruncated,
)
from cluster.model.identifiers import NO_EPOCH, NO_NODE, UNKNOWN_OFFSET, NodeId, Offset
from cluster.model.messages import FetchRequest, FetchResponse, OffsetForLeaderEpochResponse
from cluster.model.record_batch import CorruptBatchError
from cluster.model.ruling import Decision, Ruling
from cluster.replication import copying, deletion, epoch_ends, majority, waiting_fetches
from cluster.replication.rules.high_watermark import follower_high_watermark
from cluster.replication.rules.truncation import (
    Cut,
    OutOfRange,
    resolve_out_of_range,
    truncation_point,
    truncation_point_high_watermark,
)
from cluster.replication.state import FETCH_TIMER, FOLLOWER, FOLLOWS, ReplicaRole, ReplicaState

NO_FETCH = -1
FOLLOWED_FEW = 12
"""A broker that follows no more partitions asks for each of them every replica.fetch.wait.max.ms."""
QUIET_ROUNDS_MAX = 3
"""An idle partition is asked for eight times less often at most."""


def become_follower(state: ReplicaState) -> list[Effect]:
    """Begin to follow; in mode hw the log is cut to the own high watermark first (Kafka 0.10 and older)."""
    has_leader = state.leader != NO_NODE
    state.role = FOLLOWS if has_leader else ReplicaRole.IDLE
    state.quiet_rounds = 0
    state.known_epoch_start = UNKNOWN_OFFSET
    if has_leader:
        state.shared.following.add(state.topic_partition)
    topic, partition = state.topic_partition
    event = BecameFollower(
        topic=topic,
        partition=partition,
        leader_epoch=state.leader_epoch,
        leader=state.leader,
        log_end_offset=state.end_offset,
        high_watermark=state.high_watermark,
    )
    effects: list[Effect] = [Emit(event)]
    if not has_leader:
        return [*effects, *majority.begin_reporting(state)] if state.by_majority else effects
    if state.settings.truncation_mode == "hw":
        effects += truncate(state, truncation_point_high_watermark(state.end_offset, state.high_watermark))
    state.must_ask = state.settings.truncation_mode in epoch_ends.ASKING_MODES and state.end_offset > 0
    return [*effects, *go_on(state)]


def go_on(state: ReplicaState) -> list[Effect]:
    """Ask for an epoch's end while that is to be known, else fetch; a fetch claims that what is before it is safe."""
    if not state.must_ask:
        return [Flush(state.topic_partition)] if state.owes_flush else fetch(state)
    return [epoch_ends.ask(state, _last_epoch(state)), state.fetch_guard]


def on_epoch_end(
    state: ReplicaState, correlation: int, response: OffsetForLeaderEpochResponse, _now_ms: int
) -> list[Effect]:
    """Cut to where the leader says, then ask again or fetch. Modes kip101 and kip279."""
    if correlation != state.fetch_correlation:
        return []
    state.fetch_correlation = NO_FETCH
    if response.error == ErrorCode.FENCED_LEADER_EPOCH:
        return [CancelTimer(state.timer(FETCH_TIMER))]
    if response.error:
        return back_off(state)
    ruling = epoch_ends.cut(state, response)
    effects = truncate(state, ruling)
    state.must_ask = not ruling.value.is_last and state.end_offset > 0
    return [*effects, *go_on(state)]


def fetch(state: ReplicaState) -> list[Effect]:
    """Ask the leader for what follows the own log end. One fetch is on its way at a time.

    By majority the first fetch of a leader epoch asks where that begins, and does not wait.
    """
    adopted = majority.adopt(state, state.known_epoch_start) if state.by_majority else []
    topic, partition = state.topic_partition
    settings, shared = state.settings, state.shared
    state.fetch_correlation = shared.correlation(state.topic_partition)
    state.fetch_epoch = state.leader_epoch
    wait_ms = fetch_wait_ms(
        settings.replica_fetch_wait_max_ms, settings.request_timeout_ms, state.quiet_rounds, len(shared.following)
    )
    request = FetchRequest(
        replica_id=shared.broker_id,
        broker_epoch=shared.broker_epoch,
        topic=topic,
        partition=partition,
        current_leader_epoch=epoch_ends.fencing_epoch(state),
        fetch_offset=state.end_offset,
        last_fetched_epoch=_last_epoch(state) if settings.truncation_mode == "fetch" else NO_EPOCH,
        high_watermark=state.high_watermark,
        max_wait_ms=0 if state.by_majority and state.known_epoch_start == UNKNOWN_OFFSET else wait_ms,
        log_start_offset=state.log.log_start_offset,
        max_bytes=settings.fetch_max_bytes,
        adopted_epoch=state.adopted_epoch,
    )
    return [*adopted, Send(state.leader, request, state.fetch_correlation), state.fetch_guard]


def fetch_wait_ms(wait_max_ms: int, request_timeout_ms: int, quiet_rounds: int, followed_count: int) -> int:
    """How long a follower lets its leader hold an empty fetch.

    A fetch asks for one partition. A broker that follows many, most of them idle, would send hundreds of empty ones
    every second, so one that is answered with nothing waits longer the next time. What is written wakes it at once, and
    a follower that holds all of its leader's log stays in the ISR however seldom it asks. Kafka has one fetch for all
    partitions of a leader instead, and leaves what has not changed out of it.

    Source: KIP-227 (fetch sessions) for the reason; the way is our own.

    Args:
        wait_max_ms: replica.fetch.wait.max.ms.
        quiet_rounds: fetches of this partition in a row that were answered with nothing new.
        followed_count: partitions that this broker follows.
    """
    if followed_count <= FOLLOWED_FEW:
        return wait_max_ms
    longest_ms = max(wait_max_ms, request_timeout_ms // 4)
    return min(longest_ms, wait_max_ms << min(quiet_rounds, QUIET_ROUNDS_MAX))


def _last_epoch(state: ReplicaState) -> int:
    """Of the last record, counting what this step asked to append or cut; -1 for an empty log."""
    if state.tail_epoch != NO_EPOCH:
        return state.tail_epoch
    return state.log.leader_epochs.epoch_at(state.end_offset - 1)


def on_fetch_timer(state: ReplicaState) -> list[Effect]:
    """The back-off is over, or no answer came in time: ask again."""
    return go_on(state) if state.role is FOLLOWS else []


def on_disconnected(state: ReplicaState, peer: NodeId) -> list[Effect]:
    """The connection to the leader broke with a fetch on its way: back off, then connect anew."""
    if peer != state.leader or state.fetch_correlation == NO_FETCH:
        return []
    return back_off(state)


def back_off(state: ReplicaState) -> list[Effect]:
    """Ask again after replica.fetch.backoff.ms."""
    state.fetch_correlation = NO_FETCH
    return [SetTimer(state.timer(FETCH_TIMER), state.settings.replica_fetch_backoff_ms)]


def on_response(state: ReplicaState, correlation: int, response: FetchResponse, _now_ms: int) -> list[Effect]:
    """Append, cut, or wait; a late answer is dropped."""
    if correlation != state.fetch_correlation:
        return []
    state.fetch_correlation = NO_FETCH
    if response.error:
        return _on_error(state, response)
    if response.diverging is not None:
        ruling = truncation_point(state.log.leader_epochs, state.end_offset, response.diverging)
        return [*truncate(state, ruling), *fetch(state)]
    state.known_epoch_start = response.epoch_start_offset
    start_offset = max(state.log.log_start_offset, response.log_start_offset)
    is_gone = start_offset == state.end_offset
    gone = deletion.advance(state, start_offset) if is_gone else []
    appended, refused = copying.append_fetched(state, response, start_offset)
    effects = [*gone, *appended, *learn_high_watermark(state, response.high_watermark)]
    if state.parked:
        effects += waiting_fetches.wake(state)
    if not is_gone:
        effects += deletion.advance(state, min(start_offset, state.end_offset))
    if refused is not None:
        return [*effects, *_refuse(state, refused)]
    state.quiet_rounds = 0 if effects else state.quiet_rounds + 1
    if effects and response.records and state.settings.flush_partitions:
        return [*effects, Flush(state.topic_partition), CancelTimer(state.timer(FETCH_TIMER))]
    return [*effects, *fetch(state)]


def _on_error(state: ReplicaState, response: FetchResponse) -> list[Effect]:
    """Whoever is in an older leader epoch waits for the metadata that ends it."""
    match response.error:
        case ErrorCode.FENCED_LEADER_EPOCH:
            return [CancelTimer(state.timer(FETCH_TIMER))]
        case ErrorCode.OFFSET_OUT_OF_RANGE:
            return _on_out_of_range(state, response)
        case _:
            return back_off(state)


def on_flushed(state: ReplicaState) -> list[Effect]:
    """What was fetched is on disk: the next fetch says so."""
    if state.role is FOLLOWS and state.fetch_correlation == NO_FETCH:
        return fetch(state)
    return []


def _refuse(state: ReplicaState, base_offset: Offset) -> list[Effect]:
    """Say so and ask again later: the leader may send them whole then. Source: Kafka AbstractFetcherThread.

    Of a batch that overlaps the log Kafka's follower asks no more until it has another leader (KIP-461).
    """
    topic, partition = state.topic_partition
    event = CorruptBatchRefused(
        topic=topic, partition=partition, leader_id=state.leader, offset=state.end_offset, base_offset=base_offset
    )
    return [Emit(event), *back_off(state)]


def learn_high_watermark(state: ReplicaState, leader_high_watermark: Offset) -> list[Effect]:
    """Follow the leader's high watermark as far as the own log reaches."""
    ruling = follower_high_watermark(state.high_watermark, leader_high_watermark, state.end_offset)
    if not ruling.granted:
        return []
    state.high_watermark = high_watermark = ruling.value
    topic, partition = state.topic_partition
    event = HighWatermarkAdvanced(
        topic=topic,
        partition=partition,
        high_watermark=high_watermark,
        leader_epoch=state.leader_epoch,
        role=FOLLOWER,
        log_end_offsets=(),
        leader_high_watermark=leader_high_watermark,
    )
    return [Emit(event, ruling.decision), CheckpointHighWatermark(state.topic_partition, high_watermark)]


def _on_out_of_range(state: ReplicaState, response: FetchResponse) -> list[Effect]:
    """The leader's log is shorter than ours, or begins later."""
    settings, leader_end = state.settings, response.log_end_offset
    ruling = resolve_out_of_range(
        state.end_offset,
        response.log_start_offset,
        leader_end,
        may_lose_records=settings.truncation_mode != "hw" or settings.unclean_leader_election,
    )
    match ruling.value:
        case OutOfRange.BEGIN_ANEW:
            return [*deletion.begin_anew(state, response.log_start_offset), *back_off(state)]
        case OutOfRange.CUT:
            return [*_cut(state, leader_end, ruling.decision), *fetch(state)]
        case OutOfRange.HALT:
            why = f"{state.topic_partition}: the leader ends at {leader_end}, before our {state.end_offset}"
            return [HaltNode(why)]
        case OutOfRange.ASK_AGAIN:
            return back_off(state)
        case _:
            assert_never(ruling.value)


def truncate(state: ReplicaState, ruling: Ruling[Cut]) -> list[Effect]:
    """Cut where the rule says, unless the log ends there or before."""
    return [] if ruling.value.end_offset >= state.end_offset else _cut(state, ruling.value.end_offset, ruling.decision)


def _cut(state: ReplicaState, end_offset: Offset, decision: Decision) -> list[Effect]:
    """Cut to end_offset (exclusive); the high watermark falls with the log's end."""
    end_offset = _whole_batches(state, end_offset)
    topic, partition = state.topic_partition
    old_end, old_high_watermark = state.end_offset, state.high_watermark
    effects: list[Effect] = [Truncate(state.topic_partition, end_offset)]
    state.end_offset, state.tail_epoch = end_offset, NO_EPOCH
    state.times.truncate(end_offset)
    state.producers.truncate(end_offset)
    if state.high_watermark > end_offset:
        state.high_watermark = end_offset
        effects.append(CheckpointHighWatermark(state.topic_partition, end_offset))
    event = ReplicaTruncated(
        topic=topic,
        partition=partition,
        end_offset=end_offset,
        old_end_offset=old_end,
        high_watermark=old_high_watermark,
        high_watermark_after=state.high_watermark,
        mode=state.settings.truncation_mode,
        why=decision.reason,
    )
    return [Emit(event, decision), *effects]


def _whole_batches(state: ReplicaState, end_offset: Offset) -> Offset:
    """Where a log ends when it is cut to an offset: a leader that deleted records may name one inside a batch.

    Of the batch that holds the log start nothing is left then, so the log is empty.
    """
    start_offset = state.log.log_start_offset
    if end_offset < start_offset:
        return end_offset
    try:
        whole_end = state.log.end_of_cut(end_offset)
    except CorruptBatchError:
        return end_offset
    return max(whole_end, start_offset)


def stop_following(state: ReplicaState) -> list[Effect]:
    """No more fetches."""
    state.shared.following.discard(state.topic_partition)
    state.fetch_correlation = NO_FETCH
    return [CancelTimer(state.timer(FETCH_TIMER))]
