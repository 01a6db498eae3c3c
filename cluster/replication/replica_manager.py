"""All replicas of one broker behind one door: routes inputs, decides nothing itself. Source: Kafka ReplicaManager."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from cluster.model.effects import Effect, Emit, ReadWallClock, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import ProduceRefused
from cluster.model.identifiers import NO_EPOCH, NO_NODE, NodeId, Offset, TopicPartition
from cluster.model.inputs import (
    BrokersChanged,
    Disconnected,
    FetchAbandoned,
    Flushed,
    Input,
    PartitionChanged,
    QuorumStatus,
    Received,
    TimerFired,
    WallClockRead,
)
from cluster.model.log_view import LogView
from cluster.model.messages import (
    AddPartitionsToTxnResponse,
    AlterPartitionResponse,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DescribeProducersRequest,
    DescribeProducersResponse,
    FetchRequest,
    FetchResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    Message,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    ProduceRequest,
    ProduceResponse,
    ReportLogEndResponse,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from cluster.model.partition_state import PartitionState
from cluster.model.settings import Settings
from cluster.model.topic_settings import (
    MAX_MESSAGE_BYTES,
    commits_by_majority,
    compaction_of,
    retention_of,
    rolling_of,
)
from cluster.replication import (
    cleaning,
    deletion,
    epoch_ends,
    following,
    isr,
    leading,
    list_offsets,
    majority,
    markers,
    retention,
    serving,
    verification,
    waiting_fetches,
    waiting_produces,
    watermark,
)
from cluster.replication.describing import on_describe_producers
from cluster.replication.state import CORRELATION_STEP, FETCH_TIMER, FOLLOWS, LEADS, ReplicaState, Shared

PREFIX = "replica."


class ReplicaManager:
    """Leads and follows the partitions of one broker."""

    __slots__ = ("_asked_for_clock", "_begun", "_in_step", "_looks_for", "_replicas", "_shared", "_timers")

    def __init__(self, broker_id: NodeId, settings: Settings, first_correlation: int = 0) -> None:
        first_counter = first_correlation // CORRELATION_STEP
        self._shared = Shared(broker_id=broker_id, settings=settings, counter=first_counter)
        self._replicas: dict[TopicPartition, ReplicaState] = {}
        self._timers: dict[str, TopicPartition] = {}
        self._in_step = False
        self._looks_for: set[str] = set()
        self._asked_for_clock: deque[str] = deque()
        self._begun: set[TopicPartition] = set()

    @property
    def broker_epoch(self) -> int:
        """Of this broker's registration; put in its requests."""
        return self._shared.broker_epoch

    @broker_epoch.setter
    def broker_epoch(self, broker_epoch: int) -> None:
        self._shared.broker_epoch = broker_epoch

    def find_coordinator(self, coordinator_of: Callable[[str], NodeId]) -> None:
        """How to find who coordinates a transactional id; -1 for nobody in service."""
        self._shared.coordinator_of = coordinator_of

    def find_partitions(self, exists: Callable[[TopicPartition], bool]) -> None:
        """How to know a partition that has no replica here from one that is nowhere."""
        self._shared.exists = exists

    def is_open(self, topic_partition: TopicPartition) -> bool:
        """Whether its log was given."""
        return topic_partition in self._replicas

    def open(self, topic_partition: TopicPartition, log: LogView, high_watermark: Offset) -> None:
        """Take a log and its checkpointed high watermark (exclusive), clamped to the log."""
        clamped = max(log.log_start_offset, min(high_watermark, log.log_end_offset))
        self._replicas[topic_partition] = ReplicaState(
            topic_partition=topic_partition, shared=self._shared, log=log, high_watermark=clamped
        )
        self._timers[str(topic_partition)] = topic_partition

    def replica(self, topic_partition: TopicPartition) -> ReplicaState:
        """One whose log was given; for looking only."""
        return self._replicas[topic_partition]

    def configure(self, topic_partition: TopicPartition, own: Mapping[str, str]) -> list[Effect]:
        """Follow the settings of its topic; what it does not set is the run's."""
        state = self._replicas[topic_partition]
        state.by_majority = commits_by_majority(own, state.settings)
        state.max_message_bytes = int(own.get(MAX_MESSAGE_BYTES, state.settings.max_message_bytes))
        state.segment_bytes, _ = rolling_of(own, 0)
        state.retention = retention_of(own)
        state.compaction = compaction_of(topic_partition.topic, own)
        begun = [each for each, (wants, _, _) in _LOOKS.items() if wants(state) and each not in self._looks_for]
        self._looks_for.update(begun)
        return [SetTimer(each, _LOOKS[each][1](state.settings)) for each in begun]

    def _on_time_to_look(self, timer: str) -> list[Effect]:
        """Until no topic wants it any more."""
        wants, interval_ms, _ = _LOOKS[timer]
        if not any(wants(state) for state in self._replicas.values()):
            self._looks_for.discard(timer)
            return []
        self._asked_for_clock.append(timer)
        return [ReadWallClock(), SetTimer(timer, interval_ms(self._shared.settings))]

    def _look(self, wall_ms: int) -> list[Effect]:
        wants, _, look = _LOOKS[self._asked_for_clock.popleft()]
        states = [state for _, state in sorted(self._replicas.items()) if wants(state)]
        return [effect for state in states for effect in look(self._begin(state), wall_ms)]

    def close(self, topic_partition: TopicPartition) -> list[Effect]:
        """Leave a partition that is deleted: who waits for it has to ask again, and learns that it is gone."""
        state = self._replicas.pop(topic_partition, None)
        if state is None:
            return []
        del self._timers[str(topic_partition)]
        return self._leave_role(state)

    def begin_step(self) -> None:
        """Inputs from here to end_step belong to one step: no effect of an earlier one is done before a later one."""
        self._in_step = True
        self._begun.clear()

    def end_step(self) -> list[Effect]:
        """The effects of the step are done before the next input; these are the last of them."""
        self._in_step = False
        return []

    def handle(self, happened: Input, now_ms: int) -> list[Effect]:
        """Apply one input, a step of its own unless one was begun; return the effects, in the order to do them."""
        if type(happened) is not Received:
            return self._on_other(happened, now_ms)
        sender, correlation, message = happened.sender, happened.correlation, happened.message
        kind: Any = type(message)
        if kind in REQUESTS:
            serve, _ = REQUESTS[kind]
            request: Any = message
            where: Any = (request.topic, request.partition)  # equal to the TopicPartition; cheaper to make
            state = self._replicas.get(where)
            if state is None:
                return _refuse_absent(sender, correlation, message, is_known=self._shared.exists(where))
            return serve(self._begin(state), sender, correlation, message, now_ms)
        asked = self._shared.asked.pop(correlation, None)
        if asked is None or asked not in self._replicas or kind not in _RESPONSES:
            return []
        return _RESPONSES[kind](self._begin(self._replicas[asked]), correlation, message, now_ms)

    def _on_other(self, happened: Input, now_ms: int) -> list[Effect]:
        match happened:
            case TimerFired(name=name):
                return self._on_timer(name, now_ms)
            case Flushed(topic_partition=topic_partition):
                return self._on_flushed(topic_partition, now_ms)
            case PartitionChanged(topic_partition=topic_partition, state=state, broker_epochs=broker_epochs):
                self._shared.broker_epochs = broker_epochs
                return self._on_changed(self._begin(self._replicas[topic_partition]), state, now_ms)
            case BrokersChanged(broker_epochs=broker_epochs):
                self._shared.broker_epochs = broker_epochs
                return []
            case WallClockRead(wall_ms=wall_ms):
                return self._look(wall_ms)
            case FetchAbandoned(topic_partition=topic_partition, sender=sender, correlation=correlation):
                replica = self._replicas.get(topic_partition)
                return [] if replica is None else waiting_fetches.abandon(replica, sender, correlation)
            case QuorumStatus(leader_id=leader_id):
                return self._on_status(leader_id)
            case Disconnected(peer=peer):
                states = [self._begin(state) for _, state in sorted(self._replicas.items())]
                lost = [effect for state in states for effect in following.on_disconnected(state, peer)]
                return lost + [effect for state in states for effect in verification.on_disconnected(state, peer)]
            case _:
                return []

    def _begin(self, state: ReplicaState) -> ReplicaState:
        """A new step of one replica: its log is where the effects of the step before put it."""
        if self._in_step:
            if state.topic_partition in self._begun:
                return state
            self._begun.add(state.topic_partition)
        state.end_offset, state.tail, state.tail_epoch = state.log.log_end_offset, b"", NO_EPOCH
        return state

    def _on_timer(self, name: str, now_ms: int) -> list[Effect]:
        if name in _LOOKS:
            return self._on_time_to_look(name)
        where, _, what = name.removeprefix(PREFIX).rpartition(".")
        topic_partition = self._timers.get(where)
        if topic_partition is None:
            return []
        state = self._begin(self._replicas[topic_partition])
        if what == FETCH_TIMER:
            return following.on_fetch_timer(state)
        if what == majority.REPORT_TIMER:
            return majority.report(state)
        if what.startswith(waiting_fetches.PARKED):
            return waiting_fetches.on_timeout(state, what)
        if state.role is not LEADS:
            return []
        match what:
            case isr.CHECK_TIMER:
                return isr.shrink_when_lagging(state, now_ms)
            case isr.ALTER_TIMER:
                return isr.send(state)
            case deletion.TIMER:
                return deletion.on_timeout(state, now_ms)
            case verification.VERIFY_TIMER:
                return verification.on_timeout(state)
            case verification.RETRY_TIMER:
                return verification.ask(state)
            case waiting_produces.PRODUCE_TIMER:
                return leading.on_produce_timeout(state, now_ms)
            case _:
                return []

    def _on_flushed(self, topic_partition: TopicPartition, now_ms: int) -> list[Effect]:
        state = self._replicas.get(topic_partition)
        if state is None:
            return []
        self._begin(state)
        adopted = majority.adopt(state, state.epoch_start_offset) if state.by_majority and state.role is LEADS else []
        return [*adopted, *watermark.advance(state, now_ms), *following.on_flushed(state)]

    def _on_status(self, leader_id: NodeId) -> list[Effect]:
        """A new active controller is asked again for what is pending."""
        if leader_id == self._shared.controller_id:
            return []
        self._shared.controller_id = leader_id
        effects: list[Effect] = []
        for _, state in sorted(self._replicas.items()):
            if state.role is LEADS and leader_id != NO_NODE:
                effects += isr.send(self._begin(state))
            else:
                effects += majority.report(self._begin(state))
        return effects

    def _on_changed(self, state: ReplicaState, committed: PartitionState, now_ms: int) -> list[Effect]:
        """Committed metadata: a new leader epoch changes the role, anything else only the ISR."""
        before = state.committed
        if before is not None and committed.partition_epoch < before.partition_epoch:
            return []
        state.commit(committed)
        is_new_epoch = before is None or committed.leader_epoch > before.leader_epoch
        if not is_new_epoch:
            return self._on_same_epoch(state, committed, now_ms)
        effects = self._leave_role(state)
        state.isr, state.isr_partition_epoch, state.pending = committed.isr, committed.partition_epoch, None
        if committed.leader == self._shared.broker_id:
            return [*effects, *leading.become_leader(state, now_ms)]
        return [*effects, *following.become_follower(state)]

    def _on_same_epoch(self, state: ReplicaState, committed: PartitionState, now_ms: int) -> list[Effect]:
        if state.role is LEADS:
            leading.follow_assignment(state)
        if committed.partition_epoch <= state.isr_partition_epoch:
            return []
        if state.role is not LEADS:
            state.isr, state.isr_partition_epoch = committed.isr, committed.partition_epoch
            return []
        effects = isr.take_committed(state, committed.isr, committed.partition_epoch)
        return [*effects, *watermark.advance(state, now_ms)]

    @staticmethod
    def _leave_role(state: ReplicaState) -> list[Effect]:
        if state.role is LEADS:
            return leading.stop_leading(state)
        left = following.stop_following(state) if state.role is FOLLOWS else majority.stop_reporting(state)
        return [*waiting_fetches.refuse(state), *left]


def refusal_of(request: Any, error: ErrorCode) -> Message:
    """The answer to a request about one partition that this node does not serve."""
    refused: Message = REQUESTS[type(request)][1](error=error, topic=request.topic, partition=request.partition)
    return refused


def _refuse_absent(sender: NodeId, correlation: int, request: Message, *, is_known: bool) -> list[Effect]:
    """Who asks a broker without a replica learns anew where the replicas are; a marker is not asked for again.

    Source: Kafka ReplicaManager.getPartitionOrError, KafkaApis.handleWriteTxnMarkersRequest.

    Args:
        is_known: the partition is somewhere in the cluster.
    """
    elsewhere = is_known and not isinstance(request, WriteTxnMarkersRequest)
    error = ErrorCode.NOT_LEADER_OR_FOLLOWER if elsewhere else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    answer = Send(sender, refusal_of(request, error), correlation)
    if not isinstance(request, ProduceRequest):
        return [answer]
    topic, partition = request.topic, request.partition
    refused = ProduceRefused(
        topic=topic, partition=partition, client_id=request.client_id, error=error, acks=request.acks
    )
    return [Emit(refused), answer] if waiting_produces.listens(sender, request.acks) else [Emit(refused)]


def _on_isr_answer(
    state: ReplicaState, correlation: int, response: AlterPartitionResponse, now_ms: int
) -> list[Effect]:
    effects = isr.on_response(state, correlation, response)
    return [*effects, *watermark.advance(state, now_ms)]


_LOOKS: dict[
    str,
    tuple[Callable[[ReplicaState], bool], Callable[[Settings], int], Callable[[ReplicaState, int], list[Effect]]],
] = {
    retention.TIMER: (
        lambda state: state.retention.is_bounded,
        lambda settings: settings.log_retention_check_interval_ms,
        retention.expire,
    ),
    cleaning.TIMER: (
        lambda state: state.compaction is not None,
        lambda settings: settings.log_cleaner_backoff_ms,
        cleaning.clean,
    ),
}
"""What a broker looks for now and then: who wants it, how often in ms, and what is done by the wall clock."""

Serve = Callable[[ReplicaState, NodeId, int, Any, int], list[Effect]]
Take = Callable[[ReplicaState, int, Any, int], list[Effect]]

REQUESTS: dict[type, tuple[Serve, type]] = {
    ProduceRequest: (leading.on_produce, ProduceResponse),
    FetchRequest: (serving.on_fetch, FetchResponse),
    OffsetForLeaderEpochRequest: (epoch_ends.on_request, OffsetForLeaderEpochResponse),
    ListOffsetsRequest: (list_offsets.on_request, ListOffsetsResponse),
    DescribeProducersRequest: (on_describe_producers, DescribeProducersResponse),
    WriteTxnMarkersRequest: (markers.on_write_marker, WriteTxnMarkersResponse),
    DeleteRecordsRequest: (deletion.on_delete_records, DeleteRecordsResponse),
}
"""What serves each request to a partition, and its response."""
_RESPONSES: dict[type, Take] = {
    FetchResponse: following.on_response,
    OffsetForLeaderEpochResponse: following.on_epoch_end,
    AlterPartitionResponse: _on_isr_answer,
    ReportLogEndResponse: majority.on_answer,
    AddPartitionsToTxnResponse: verification.on_verified,
}
"""What takes the answer to each request of a partition's own."""
