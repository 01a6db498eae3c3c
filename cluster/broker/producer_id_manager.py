"""A broker's stock of producer ids, and the producers that wait for one. Source: RPCProducerIdManager, KIP-730."""

from __future__ import annotations

from collections import deque

from cluster.broker.rules import may_have_producer_id
from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import ProducerIdGiven
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.inputs import Disconnected, Input, QuorumStatus, Received, TimerFired
from cluster.model.messages import (
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from cluster.model.settings import Settings

TIMEOUT = "producer_ids.timeout"
"""When to give up on the controller's answer, and on those who wait for it."""
RETRY = "producer_ids.retry"
"""When to ask a controller again."""
WAITING_MAX = 1000
"""Producers that may wait at a time; more are told to try again."""
CORRELATION_STEP, CORRELATION_REMAINDER, FIRST_CORRELATION = 4, 1, 1 << 32
"""The broker's life cycle counts from 0 with the same remainder."""


class ProducerIdManager:
    """Gives each producer an id of its block; the next block is asked for when a tenth of this one is left."""

    __slots__ = (
        "_broker_id",
        "_controllers",
        "_correlation",
        "_counter",
        "_count",
        "_leader_id",
        "_next",
        "_settings",
        "_spare",
        "_stop",
        "_target",
        "_waiting",
        "broker_epoch",
    )

    def __init__(
        self, broker_id: NodeId, controllers: tuple[NodeId, ...], settings: Settings, first_correlation: int = 0
    ) -> None:
        self._broker_id = broker_id
        self._controllers = controllers
        self._settings = settings
        self.broker_epoch = -1
        """Of this broker's registration; -1 before."""
        self._next, self._stop, self._count = 0, 0, 0
        self._spare: tuple[int, int] | None = None
        self._waiting: deque[tuple[NodeId, int, str]] = deque()
        self._leader_id: NodeId = NO_NODE
        self._target: NodeId = NO_NODE
        self._counter, self._correlation = first_correlation // CORRELATION_STEP, -1

    def handle(self, happened: Input, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""
        del now_ms
        match happened:
            case Received(sender=sender, correlation=correlation, message=InitProducerIdRequest() as request):
                return self._on_producer(sender, correlation, request)
            case Received(correlation=correlation, message=AllocateProducerIdsResponse() as response):
                return self._on_block(response) if correlation == self._correlation else []
            case TimerFired(name="producer_ids.retry"):
                return self._ask() if self._correlation == -1 and self._waiting else []
            case TimerFired(name="producer_ids.timeout"):
                return [*self._refuse_waiting(), *self._back_off()]
            case Disconnected(peer=peer) if peer == self._target and self._correlation != -1:
                return self._back_off()
            case QuorumStatus(leader_id=leader_id):
                return self._on_leader(leader_id)
            case _:
                return []

    def _on_producer(self, sender: NodeId, correlation: int, request: InitProducerIdRequest) -> list[Effect]:
        error = may_have_producer_id(request).value
        if error == ErrorCode.NONE and len(self._waiting) >= WAITING_MAX:
            error = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        if error != ErrorCode.NONE:
            return [Send(sender, InitProducerIdResponse(error=error), correlation)]
        self._waiting.append((sender, correlation, request.client_id))
        effects = self._give()
        if self._is_short() and self._correlation == -1:
            effects += self._ask()
        return effects

    def _give(self) -> list[Effect]:
        """Ids to those who wait, as far as the stock goes."""
        effects: list[Effect] = []
        while self._waiting:
            if self._next == self._stop:
                if self._spare is None:
                    break
                self._next, self._count, self._spare = *self._spare, None
                self._stop = self._next + self._count
            sender, correlation, client_id = self._waiting.popleft()
            given = ProducerIdGiven(client_id=client_id, producer_id=self._next, producer_epoch=0)
            response = InitProducerIdResponse(producer_id=self._next, producer_epoch=0)
            effects += [Emit(given), Send(sender, response, correlation)]
            self._next += 1
        return effects

    def _is_short(self) -> bool:
        """Whether another block should be asked for. Source: RPCProducerIdManager, prefetch at 90 %."""
        return self._spare is None and (self._stop - self._next) * 10 <= self._count

    def _ask(self) -> list[Effect]:
        """One question is on its way at a time; without a controller or a registration nobody can be asked."""
        if self.broker_epoch < 0 or self._leader_id == NO_NODE:
            return self._refuse_waiting()
        self._counter += 1
        self._correlation = FIRST_CORRELATION + self._counter * CORRELATION_STEP + CORRELATION_REMAINDER
        self._target = self._leader_id
        request = AllocateProducerIdsRequest(broker_id=self._broker_id, broker_epoch=self.broker_epoch)
        guard = SetTimer(TIMEOUT, self._settings.quorum_request_timeout_ms)
        return [Send(self._target, request, self._correlation), guard]

    def _on_block(self, response: AllocateProducerIdsResponse) -> list[Effect]:
        if response.leader_id in self._controllers:
            self._leader_id = response.leader_id
        if response.error != ErrorCode.NONE:
            return self._back_off()
        self._correlation = -1
        self._spare = response.producer_id_start, response.producer_id_count
        return [CancelTimer(TIMEOUT), *self._give()]

    def _back_off(self) -> list[Effect]:
        self._correlation = -1
        return [CancelTimer(TIMEOUT), SetTimer(RETRY, self._settings.retry_backoff_ms)]

    def _on_leader(self, leader_id: NodeId) -> list[Effect]:
        """A new active controller is asked again for what the old one has not answered."""
        leader_before, self._leader_id = self._leader_id, leader_id if leader_id in self._controllers else NO_NODE
        if self._correlation == -1 or self._leader_id in (NO_NODE, leader_before):
            return []
        return self._ask()

    def _refuse_waiting(self) -> list[Effect]:
        """They have waited long enough: a client asks again after this error."""
        response = InitProducerIdResponse(error=ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
        refused: list[Effect] = [Send(sender, response, correlation) for sender, correlation, _ in self._waiting]
        self._waiting.clear()
        return refused
