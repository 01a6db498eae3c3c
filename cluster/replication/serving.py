"""A leader's answers to all that fetch, a follower's to consumers. Source: Kafka Partition.fetchRecords."""

from __future__ import annotations

from cluster.model.effects import Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import FetchRefused, FollowerProgress, ReplicaDiverged
from cluster.model.identifiers import NO_EPOCH, NO_NODE, NodeId
from cluster.model.leader_epochs import UNKNOWN_END
from cluster.model.messages import FetchRequest
from cluster.replication import deletion, isr, read_replica, waiting_fetches, watermark
from cluster.replication.rules.leader_epoch import check_leader_epoch
from cluster.replication.rules.truncation import diverging_epoch
from cluster.replication.state import ReplicaState


def on_fetch(state: ReplicaState, sender: NodeId, correlation: int, request: FetchRequest, now_ms: int) -> list[Effect]:
    """Answer, or park an empty fetch until there is something or its wait is over."""
    is_consumer = request.replica_id == NO_NODE
    ruling = check_leader_epoch(
        request.current_leader_epoch,
        state.leader_epoch,
        is_leader=read_replica.serves(state, request),
        is_replica=request.replica_id in state.followers,
        is_consumer=is_consumer,
    )
    topic, partition = state.topic_partition
    if not ruling.granted:
        error = ruling.value
        refused = FetchRefused(
            topic=topic,
            partition=partition,
            replica_id=request.replica_id,
            error=error,
            their_epoch=request.current_leader_epoch,
            our_epoch=state.leader_epoch,
        )
        return [Emit(refused, ruling.decision), Send(sender, waiting_fetches.response(state, error), correlation)]
    if request.client_rack and (sent := read_replica.send_away(state, sender, correlation, request, now_ms)):
        return sent
    if request.fetch_offset < state.log.log_start_offset:
        return _out_of_range(state, sender, correlation)
    if request.last_fetched_epoch != NO_EPOCH:
        diverged = _on_divergence(state, sender, correlation, request)
        if diverged:
            return diverged
    if request.fetch_offset > state.end_offset:
        return _out_of_range(state, sender, correlation)
    # As in Kafka, which reads first and counts the fetch then (Partition.fetchRecords): a follower learns with its next
    # fetch what this one commits. That round is why its own high watermark is no place to cut at, see
    # `truncation_point_high_watermark`.
    before = state.high_watermark
    effects = [] if is_consumer else _note_progress(state, request, now_ms)
    if waiting_fetches.has_records(state, request) or request.max_wait_ms <= 0:
        answered = state.high_watermark if is_consumer else before
        return [*effects, *waiting_fetches.answer_fetch(state, sender, correlation, request, answered)]
    if not is_consumer:
        waiting_fetches.forget(state, sender)
    state.parked[sender, correlation] = request
    return [*effects, SetTimer(waiting_fetches.timer(state, sender, correlation), request.max_wait_ms)]


def _on_divergence(state: ReplicaState, sender: NodeId, correlation: int, request: FetchRequest) -> list[Effect]:
    ruling = diverging_epoch(
        state.log.leader_epochs, state.end_offset, request.last_fetched_epoch, request.fetch_offset
    )
    end = ruling.value
    if end is None:
        return []
    if end == UNKNOWN_END:
        return _out_of_range(state, sender, correlation)
    answer = Send(sender, waiting_fetches.response(state, ErrorCode.NONE, end), correlation)
    if request.replica_id == NO_NODE:
        return [answer]
    topic, partition = state.topic_partition
    event = ReplicaDiverged(
        topic=topic,
        partition=partition,
        replica_id=request.replica_id,
        fetch_offset=request.fetch_offset,
        last_fetched_epoch=request.last_fetched_epoch,
        diverging_epoch=end.epoch,
        diverging_end_offset=end.end_offset,
    )
    return [Emit(event, ruling.decision), answer]


def _out_of_range(state: ReplicaState, sender: NodeId, correlation: int) -> list[Effect]:
    response = waiting_fetches.response(state, ErrorCode.OFFSET_OUT_OF_RANGE)
    response.log_end_offset = state.end_offset
    return [Send(sender, response, correlation)]


def _note_progress(state: ReplicaState, request: FetchRequest, now_ms: int) -> list[Effect]:
    """What a follower's fetch says of it: it holds everything below fetch_offset. Source: Replica.updateFetchState."""
    replica_id, fetch_offset = request.replica_id, request.fetch_offset
    follower = state.followers[replica_id]
    if fetch_offset >= state.end_offset:
        follower.last_caught_up_ms = max(follower.last_caught_up_ms, now_ms)
    # Under steady load no fetch ever reaches the log's end: while it is on its way more is written. So a fetch that has
    # reached where the log ended at the fetch before says that the follower was level then. Without this a healthy
    # follower of a busy partition is put out of the ISR after replica.lag.time.max.ms. Source:
    # Replica.updateFetchStateOrThrow.
    elif fetch_offset >= follower.leader_end_at_last_fetch >= 0:
        follower.last_caught_up_ms = max(follower.last_caught_up_ms, follower.last_fetch_ms)
    has_adopted = state.by_majority and request.adopted_epoch == state.leader_epoch
    moved = follower.log_end_offset != fetch_offset or follower.has_adopted != has_adopted
    follower.has_adopted = has_adopted
    is_new_life = follower.broker_epoch != request.broker_epoch  # what it holds now is news, even the same offset
    follower.log_end_offset = fetch_offset
    follower.broker_epoch = request.broker_epoch
    follower.leader_end_at_last_fetch, follower.last_fetch_ms = state.end_offset, now_ms
    effects: list[Effect] = []
    if request.log_start_offset != follower.log_start_offset:
        follower.log_start_offset = request.log_start_offset
        effects += deletion.answer_done(state)
    if moved or is_new_life:
        topic, partition = state.topic_partition
        progress = FollowerProgress(
            topic=topic,
            partition=partition,
            replica_id=replica_id,
            log_end_offset=fetch_offset,
            leader_log_end_offset=state.end_offset,
        )
        effects.append(Emit(progress))
    if follower.behind_since_ms is not None and fetch_offset >= state.end_offset:
        effects += isr.note_lagging(state, replica_id, None)
    effects += isr.maybe_expand(state, replica_id)
    return [*effects, *watermark.advance(state, now_ms)] if moved else effects
