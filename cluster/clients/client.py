"""A client's one door: takes a command, finds whom to ask, tries again, says how it ended. Source: KafkaProducer."""

from __future__ import annotations

from cluster.clients import consuming, jobs
from cluster.clients.outcomes import fail, succeed
from cluster.clients.rules.retries import NO_ANSWER, is_retriable, may_have_happened
from cluster.clients.state import REQUEST_TIMER, RETRY_TIMER, ClientState, Operation
from cluster.clients.transactional import COORDINATOR, Transactional, error_of
from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import OperationRetried
from cluster.model.identifiers import FIRST_CONTROLLER_ID, NO_NODE, NodeId
from cluster.model.inputs import ClientRequest, Disconnected, Input, Received, TimerFired
from cluster.model.messages import (
    AddPartitionsToTxnResponse,
    AddRaftVoterResponse,
    AlterConfigsResponse,
    CreateTopicResponse,
    DeleteRecordsResponse,
    ElectLeadersResponse,
    EndTxnResponse,
    FetchResponse,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
    InitProducerIdResponse,
    Message,
    MetadataRequest,
    MetadataResponse,
    ProduceResponse,
    ReassignPartitionResponse,
    RemoveRaftVoterResponse,
    ZooKeeperResponse,
)
from cluster.model.record_batch import is_intact
from cluster.model.settings import Settings

Response = (
    ProduceResponse
    | FetchResponse
    | CreateTopicResponse
    | AlterConfigsResponse
    | DeleteRecordsResponse
    | ElectLeadersResponse
    | ReassignPartitionResponse
    | InitProducerIdResponse
    | AddPartitionsToTxnResponse
    | EndTxnResponse
    | AddRaftVoterResponse
    | RemoveRaftVoterResponse
    | ZooKeeperResponse
)
NO_HINT = (InitProducerIdResponse, AddPartitionsToTxnResponse, EndTxnResponse, ZooKeeperResponse)
"""Answers that do not say whom else to ask."""
END_OF_TIME_MS = 1 << 62
TO_CONTROLLER = ("create_topic", "alter_topic", "elect", "reassign", "add_voter", "remove_voter")
DELIVERY_FACTOR = 4
"""Kafka gives up after delivery.timeout.ms, 120 s, four request timeouts."""


class Client:
    """Carries out one command at a time."""

    __slots__ = ("_state",)

    def __init__(
        self,
        client_id: str,
        node_id: NodeId,
        brokers: tuple[NodeId, ...],
        controllers: tuple[NodeId, ...],
        settings: Settings,
        *,
        first_correlation: int = 0,
        transaction: Transactional | None = None,
    ) -> None:
        self._state = ClientState(
            client_id=client_id,
            node_id=node_id,
            brokers=brokers,
            controllers=controllers,
            settings=settings,
            first_correlation=first_correlation,
            transaction=transaction,
            operation_count=0 if transaction is None else transaction.operation_count,
        )

    @property
    def idle(self) -> bool:
        """Whether every outcome is known."""
        return not self._state.function

    def waits_for(self, node: NodeId) -> bool:
        """Whether a request that can be lost is on its way to that node."""
        return node in [operation.target for operation in self._state.on_way.values()]

    def handle(self, happened: Input, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""
        state = self._state
        match happened:
            case Received():
                return self._on_message(happened.correlation, happened.message, now_ms)
            case ClientRequest():
                jobs.begin(state, happened)
                return self._go_on(now_ms)
            case TimerFired(name=name) if name == RETRY_TIMER:
                return self._on_retry_time(now_ms)
            case TimerFired(name=name) if name == REQUEST_TIMER:
                return self._on_request_time(now_ms)
            case Disconnected(peer=peer):
                lost = [number for number, operation in state.on_way.items() if operation.target == peer]
                return [effect for number in lost for effect in self._on_silence(number, now_ms)]
            case _:
                return []

    def _on_message(self, correlation: int, message: Message, now_ms: int) -> list[Effect]:
        if isinstance(message, MetadataResponse):
            return self._on_metadata(message, now_ms)
        if isinstance(message, FindCoordinatorResponse):
            return self._on_coordinator(message, now_ms)
        if correlation not in self._state.on_way:
            return []
        assert isinstance(message, Response)
        return self._on_response(correlation, message, now_ms)

    def _go_on(self, now_ms: int) -> list[Effect]:
        """Make new requests as far as allowed, find the leader, send what waits; be done when nothing is left."""
        state = self._state
        deadline_ms = now_ms + DELIVERY_FACTOR * state.settings.request_timeout_ms
        effects: list[Effect] = []
        while True:
            effects += jobs.fill(state, deadline_ms)
            if not state.on_way and not state.to_send:
                state.function = ""
                effects.append(CancelTimer(REQUEST_TIMER))
                return [*effects, CancelTimer(RETRY_TIMER)] if state.is_backing_off else effects
            if not state.to_send or state.is_backing_off:
                return effects
            if state.lacks_leader:
                effects += self._find_leaders()
            sending = jobs.ready(state)
            if not sending:
                return effects
            sent = {operation.operation_id for operation in sending}
            state.to_send = [operation for operation in state.to_send if operation.operation_id not in sent]
            for operation in sending:
                effects += self._send(operation, now_ms)

    def _find_leaders(self) -> list[Effect]:
        """A controller is guessed and names the active one; a partition's leader is in any broker's metadata."""
        state = self._state
        if state.function == "znode":
            state.leaders[0] = FIRST_CONTROLLER_ID  # the one coordinator
            return []
        if state.function in TO_CONTROLLER:
            controller = state.controllers[state.next_target % len(state.controllers)]
            state.leaders[state.topic_partition.partition] = controller
            state.next_target += 1
            return []
        if state.asked_metadata != -1:
            return []
        target = state.brokers[state.next_target % len(state.brokers)]
        state.next_target += 1
        state.asked_metadata = state.correlation()
        request: Message = MetadataRequest(topics=(state.topic_partition.topic,))
        if state.transaction is not None and state.to_send[0].partition == COORDINATOR:
            request = FindCoordinatorRequest(group=state.transaction.transactional_id, of_transaction=True)
        return [Send(target, request, state.asked_metadata), *self._back_off()]

    def _on_metadata(self, metadata: MetadataResponse, now_ms: int) -> list[Effect]:
        """An answer to an earlier question serves as well: what it says is believed by its leader epoch."""
        state = self._state
        if not state.lacks_leader or state.function in (*TO_CONTROLLER, "znode"):
            return []
        is_news = jobs.note_leaders(state, metadata)
        if not is_news:
            state.asked_metadata = -1
            missing = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            ended = self._give_up(now_ms if state.retries else END_OF_TIME_MS, missing)
            return [*ended, *(self._go_on(now_ms) if ended else self._back_off())]
        state.is_backing_off, lacks_more = False, state.lacks_leader
        if not lacks_more:
            state.asked_metadata = -1
        effects = [CancelTimer(RETRY_TIMER), *jobs.note_partitions(state, metadata), *self._go_on(now_ms)]
        return [*effects, *self._back_off()] if lacks_more else effects

    def _on_coordinator(self, answer: FindCoordinatorResponse, now_ms: int) -> list[Effect]:
        """Where the coordinator is; when nobody knows, somebody is asked again after the back-off."""
        state = self._state
        if answer.error or not state.lacks_leader:
            return []
        state.leaders[COORDINATOR] = answer.coordinator
        state.is_backing_off, state.asked_metadata = False, -1
        return [CancelTimer(RETRY_TIMER), *self._go_on(now_ms)]

    def _send(self, operation: Operation, now_ms: int) -> list[Effect]:
        state = self._state
        operation.attempt += 1
        leader = state.leaders[operation.partition]
        operation.target = leader if state.read_replica == NO_NODE else state.read_replica
        correlation = state.correlation()
        effects: list[Effect] = []
        if operation.attempt > 1:
            retried = OperationRetried(
                client_id=state.client_id,
                operation_id=operation.operation_id,
                error=operation.last_error,
                attempt=operation.attempt,
                target=operation.target,
            )
            effects.append(Emit(retried))
        effects.append(Send(operation.target, jobs.as_sent(state, operation), correlation))
        if state.function == "produce" and state.acks == 0:
            return [*effects, *succeed(state, operation, -1, operation.count, operation.digests)]
        patience_ms = min(state.settings.request_timeout_ms, max(1, operation.deadline_ms - now_ms))
        operation.expires_ms = now_ms + patience_ms
        if not state.on_way or operation.expires_ms < state.wakes_ms:
            effects.append(self._wake(patience_ms, now_ms))
        state.on_way[correlation] = operation
        return effects

    def _wake(self, patience_ms: int, now_ms: int) -> Effect:
        """One timer for all requests. It stays while the client goes on: if it fires for nothing, it finds nothing."""
        self._state.wakes_ms = now_ms + patience_ms
        return SetTimer(REQUEST_TIMER, patience_ms)

    def _on_request_time(self, now_ms: int) -> list[Effect]:
        """Give up what has waited long enough, and look again when the next one will have."""
        on_way = self._state.on_way
        late = [number for number, operation in on_way.items() if operation.expires_ms <= now_ms]
        effects = [effect for number in late for effect in self._on_silence(number, now_ms)]
        if on_way:
            first_ms = min([operation.expires_ms for operation in on_way.values()])
            effects.append(self._wake(max(1, first_ms - now_ms), now_ms))
        return effects

    def _on_response(self, correlation: int, response: Response, now_ms: int) -> list[Effect]:
        state = self._state
        operation = state.on_way.pop(correlation)
        if type(response) is FetchResponse and not is_intact(response.records):
            return self._on_error(operation, ErrorCode.CORRUPT_MESSAGE, NO_NODE, now_ms)
        if type(response) is FetchResponse and response.preferred_read_replica != NO_NODE:
            return [*consuming.redirect(state, operation, response.preferred_read_replica), *self._go_on(now_ms)]
        if consuming.leaves_read_replica(state, operation, response):
            return self._back_off()
        if consuming.resets(state, response):
            operation.last_error = response.error
            return [*fail(state, operation), *self._go_on(now_ms)]
        error = error_of(response)
        if error:
            leader_id = NO_NODE if isinstance(response, NO_HINT) else response.leader_id
            hint = leader_id if leader_id != operation.target else NO_NODE
            return self._on_error(operation, error, hint, now_ms)
        return [*jobs.finish(state, operation, response), *self._go_on(now_ms)]

    def _on_silence(self, correlation: int, now_ms: int) -> list[Effect]:
        """No answer will come on this way: the connection broke, or the wait was too long."""
        state = self._state
        operation = state.on_way.pop(correlation, None)
        return [] if operation is None else self._on_error(operation, NO_ANSWER, NO_NODE, now_ms)

    def _on_error(self, operation: Operation, error: int, hint: NodeId, now_ms: int) -> list[Effect]:
        state = self._state
        flushes_first = state.settings.flush_partitions
        function = operation.function or state.function
        in_doubt = may_have_happened(error, function, state.acks, flushes_first=flushes_first)
        operation.is_doubtful = operation.is_doubtful or in_doubt.granted
        operation.last_error = error
        state.leaders.pop(operation.partition, None)
        state.read_replica = NO_NODE
        if hint != NO_NODE:
            state.leaders[operation.partition] = hint
        waits = state.idempotent and state.waits_for_older(operation)
        may_retry = state.retries or error == ErrorCode.NOT_CONTROLLER  # to look for the controller is no retry
        may_retry = bool(may_retry) and is_retriable(error, function, waits_for_older=waits).granted
        if not may_retry or now_ms >= operation.deadline_ms:
            return [*fail(state, operation), *self._stop_after_error(), *self._go_on(now_ms)]
        state.to_send.append(operation)
        if hint != NO_NODE and operation.attempt == 1:
            return self._go_on(now_ms)
        return self._back_off()

    def _stop_after_error(self) -> list[Effect]:
        """Without retries the command ends at its first error; what is on its way is still waited for."""
        self._state.left = 0
        self._state.gathered.clear()
        return []

    def _on_retry_time(self, now_ms: int) -> list[Effect]:
        """The back-off is over; who is still without a leader when its time is up will not be sent again."""
        state = self._state
        state.is_backing_off, state.asked_metadata = False, -1
        return [*self._give_up(now_ms, ErrorCode.BROKER_NOT_AVAILABLE), *self._go_on(now_ms)]

    def _give_up(self, now_ms: int, error: ErrorCode) -> list[Effect]:
        """Operations that wait past their deadline fail, for their own last error or else for this one.

        Oldest first, though they wait in the order of their errors. Source: RecordAccumulator.expiredBatches.
        """
        state = self._state
        late = [item for item in state.to_send if now_ms >= item.deadline_ms]
        late.sort(key=lambda item: item.operation_id)
        if not late:
            return []
        state.to_send = [item for item in state.to_send if now_ms < item.deadline_ms]
        effects: list[Effect] = []
        for operation in late:
            operation.last_error = operation.last_error or int(error)
            effects += fail(state, operation)
        return [*effects, *self._stop_after_error()]

    def _back_off(self) -> list[Effect]:
        """Wait retry.backoff.ms, then go on; an unanswered metadata request is forgotten then."""
        state = self._state
        state.is_backing_off = True
        return [SetTimer(RETRY_TIMER, state.settings.retry_backoff_ms)]
