"""What a controller has to tell each broker: one queue a broker, one request on its way, again until it is answered.

Brokers are told one by one and apply it one by one, so for a while they know different things.
Source: Kafka ControllerChannelManager, RequestSendThread.
"""

from __future__ import annotations

from collections import deque
from typing import TypeAlias

from msgspec import Struct, field

from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.events import PushSent
from cluster.model.identifiers import NodeId
from cluster.model.messages import (
    LeaderAndIsrRequest,
    LeaderAndIsrResponse,
    StopReplicaRequest,
    StopReplicaResponse,
    UpdateMetadataRequest,
    UpdateMetadataResponse,
)
from cluster.model.settings import Settings

PUSH_TIMER = "push."
CORRELATION_STEP, CORRELATION_REMAINDER = 4, 0
Push: TypeAlias = LeaderAndIsrRequest | UpdateMetadataRequest | StopReplicaRequest
PUSHES = (LeaderAndIsrRequest, UpdateMetadataRequest, StopReplicaRequest)
PUSH_ANSWERS = (LeaderAndIsrResponse, UpdateMetadataResponse, StopReplicaResponse)


class Channel(Struct):
    """The way to one broker."""

    queue: deque[Push] = field(default_factory=deque)
    """What it was not told yet; the first is on its way."""
    correlation: int = -1
    """Of the request on its way; -1 while none is."""
    has_failed: bool = False
    """The first was sent before, and nobody answered."""


def name_of(push: Push) -> str:
    """As Kafka calls it."""
    return type(push).__name__.removesuffix("Request")


class Channels:
    """All brokers that a controller believes to be alive."""

    __slots__ = ("_brokers", "_counter", "_out", "_settings")

    def __init__(self, settings: Settings, out: list[Effect], first_correlation: int = 0) -> None:
        """`out`: where what is to be done is put."""
        self._settings, self._out = settings, out
        self._counter = first_correlation // CORRELATION_STEP
        self._brokers: dict[NodeId, Channel] = {}

    def add(self, broker_id: NodeId) -> None:
        """A broker is alive."""
        self._brokers.setdefault(broker_id, Channel())

    def remove(self, broker_id: NodeId) -> None:
        """It is not; what it was not told it is never told."""
        if self._brokers.pop(broker_id, None) is not None:
            self._out.append(CancelTimer(f"{PUSH_TIMER}{broker_id}"))

    def close(self) -> None:
        """The controller is one no more. What is on its way arrives all the same."""
        for broker_id in sorted(self._brokers):
            self.remove(broker_id)

    def push(self, broker_id: NodeId, request: Push) -> None:
        """Tell a broker after all that it is to be told already."""
        channel = self._brokers.get(broker_id)
        if channel is None:
            return
        channel.queue.append(request)
        if len(channel.queue) == 1:
            self._send(broker_id, channel)

    def on_answer(self, broker_id: NodeId, correlation: int) -> None:
        """A broker has obeyed or refused; a refusal is not sent again."""
        channel = self._brokers.get(broker_id)
        if channel is None or correlation != channel.correlation:
            return
        channel.queue.popleft()
        channel.correlation, channel.has_failed = -1, False
        self._out.append(CancelTimer(f"{PUSH_TIMER}{broker_id}"))
        if channel.queue:
            self._send(broker_id, channel)

    def on_disconnected(self, broker_id: NodeId) -> None:
        """What was on its way may not have arrived."""
        channel = self._brokers.get(broker_id)
        if channel is not None and channel.correlation != -1:
            self._fail(broker_id, channel)

    def on_timer(self, name: str) -> None:
        """No answer in time, or time to try again."""
        broker_id = int(name.removeprefix(PUSH_TIMER))
        channel = self._brokers.get(broker_id)
        if channel is None or not channel.queue:
            return
        if channel.correlation != -1:
            self._fail(broker_id, channel)
        else:
            self._send(broker_id, channel)

    def _fail(self, broker_id: NodeId, channel: Channel) -> None:
        channel.correlation, channel.has_failed = -1, True
        self._out.append(SetTimer(f"{PUSH_TIMER}{broker_id}", self._settings.retry_backoff_ms))

    def _send(self, broker_id: NodeId, channel: Channel) -> None:
        self._counter += 1
        channel.correlation = self._counter * CORRELATION_STEP + CORRELATION_REMAINDER
        request = channel.queue[0]
        event = PushSent(
            kind=name_of(request),
            broker_id=broker_id,
            controller_epoch=request.controller_epoch,
            partitions=len(request.partitions),
            again=channel.has_failed,
        )
        self._out += [
            Emit(event),
            Send(broker_id, request, channel.correlation),
            SetTimer(f"{PUSH_TIMER}{broker_id}", self._settings.request_timeout_ms),
        ]
