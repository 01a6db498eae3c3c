"""A client, and answers to it written by hand."""

from __future__ import annotations

from typing import Any, TypeVar

from cluster.clients.client import Client
from cluster.clients.load import Load
from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.inputs import ClientRequest, Input, Received, TimerFired
from cluster.model.messages import (
    MetadataRequest,
    MetadataResponse,
    ProduceResponse,
)
from cluster.model.partition_state import PartitionState
from cluster.model.settings import Settings

T = TypeVar("T")


class Talk:
    """One client, what it sent and said, and the timers it has set."""

    def __init__(self, settings: Settings | None = None, client: Client | Load | None = None) -> None:
        self.client = client or Client("p", 1001, (1, 2, 3), (101, 102), settings or Settings())
        self.now_ms = 0
        self.sent: list[Send] = []
        self.events: list[Any] = []
        self.timers: dict[str, int] = {}

    def give(self, happened: Input) -> None:
        for effect in self.client.handle(happened, self.now_ms):
            self._perform(effect)

    def _perform(self, effect: Effect) -> None:
        match effect:
            case Send():
                self.sent.append(effect)
            case Emit(event=event):
                self.events.append(event)
            case SetTimer(name=name, delay_ms=delay_ms):
                self.timers[name] = self.now_ms + delay_ms
            case CancelTimer(name=name):
                self.timers.pop(name, None)
            case _:
                raise AssertionError(effect)

    def fire(self) -> str:
        """The next timer."""
        name = min(self.timers, key=lambda item: self.timers[item])
        self.now_ms = max(self.now_ms, self.timers.pop(name))
        self.give(TimerFired(name=name))
        return name

    def answer(self, message: Any, which: int = -1) -> None:
        """To the newest request, or to another."""
        send = self.sent[which]
        self.give(Received(sender=send.target, correlation=send.correlation, message=message))

    def leader(self, leader: int) -> None:
        """Answer the metadata request."""
        assert isinstance(self.sent[-1].message, MetadataRequest)
        row = row_of(leader, 0)
        self.answer(MetadataResponse(brokers=(1, 2, 3), partitions=(row,) if leader >= 0 else ()))

    def requests(self, kind: type) -> list[Send]:
        return [send for send in self.sent if isinstance(send.message, kind)]

    def asked(self, kind: type[T]) -> list[T]:
        """The requests of this class, without where they went."""
        return [send.message for send in self.sent if isinstance(send.message, kind)]

    def named(self, kind: type[T]) -> list[T]:
        return [event for event in self.events if isinstance(event, kind)]


def row_of(leader: int, leader_epoch: int) -> tuple[str, int, PartitionState]:
    isr = (1, 2, 3) if leader_epoch == 0 else (2, 3)
    state = PartitionState(
        topic_id=1, replicas=(1, 2, 3), isr=isr, leader=leader, leader_epoch=leader_epoch, partition_epoch=0,
        min_insync_replicas=1,
    )  # fmt: skip
    return "orders", 0, state


def produce(count: int = 1, **changes: int | str) -> ClientRequest:
    arguments: dict[str, int | str] = {"topic": "orders", "partition": 0, "count": count, "acks": -1, "value": "v"}
    return ClientRequest(operation="produce", arguments=arguments | changes)


def done(base_offset: int = 0, error: ErrorCode = ErrorCode.NONE, leader_id: int = -1) -> ProduceResponse:
    return ProduceResponse(error=error, topic="orders", partition=0, base_offset=base_offset, leader_id=leader_id)
