"""A broker's life cycle alone, told what a test decides, and what it asks for."""

from __future__ import annotations

from typing import Any

from cluster.broker.lifecycle import (
    NEXT,
    BrokerLifecycle,
)
from cluster.model.effects import Effect, Emit, Send, SetTimer, StopNode
from cluster.model.inputs import Input, NodeStarted, Received, TimerFired
from cluster.model.messages import (
    BrokerHeartbeatResponse,
    BrokerRegistrationResponse,
    Message,
)
from cluster.model.settings import Settings


class Broker:
    """A lifecycle and what it last asked for."""

    def __init__(self, previous: int = -1, settings: Settings | None = None) -> None:
        self.machine = BrokerLifecycle(1, (101, 102, 103), settings or Settings(), "one", previous)
        self.sent: Send | None = None
        self.states: list[str] = []
        self.timers: dict[str, int] = {}
        self.stopped: StopNode | None = None

    def give(self, happened: Input) -> list[Effect]:
        self.sent = None
        effects = self.machine.handle(happened, 0)
        for effect in effects:
            match effect:
                case Send():
                    self.sent = effect
                case Emit(event=event):
                    self.states.append(event.state)  # type: ignore[union-attr]
                case SetTimer(name=name, delay_ms=delay_ms):
                    self.timers[name] = delay_ms
                case StopNode():
                    self.stopped = effect
                case _:
                    pass
        return effects

    def answer(self, request: Send, message: Message) -> list[Effect]:
        return self.give(Received(sender=request.target, correlation=request.correlation, message=message))

    def next(self) -> Any:
        """The next request, when its time comes."""
        self.give(TimerFired(name=NEXT))
        assert self.sent is not None
        return self.sent

    def start(self) -> Send:
        self.give(NodeStarted())
        assert self.sent is not None
        return self.sent

    def running(self) -> None:
        self.answer(self.start(), BrokerRegistrationResponse(broker_epoch=12, leader_id=101))
        assert self.sent is not None
        self.answer(self.sent, BrokerHeartbeatResponse(is_caught_up=True, is_fenced=True, leader_id=101))
        self.answer(self.next(), BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False, leader_id=101))
