"""What clients ask of the active controller, through their broker. Source: Kafka NodeToControllerChannelManager."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.messages import Message
from cluster.model.settings import Settings
from cluster.node.answers import refuse


@dataclass(slots=True)
class _Call:
    """One request that waits for its answer."""

    message: Message
    deadline_s: float
    """Loop time at which it is given up."""
    target: NodeId = NO_NODE
    """Whom it was sent to; -1 while it waits to be sent."""
    timer: asyncio.TimerHandle | None = None
    """Sends it again, or gives it up."""


class ControllerCalls:
    """Requests on their way to the active controller; asked again of its successor until their time is over."""

    def __init__(
        self,
        settings: Settings,
        leader: Callable[[], NodeId],
        send: Callable[[NodeId, int, Message], None],
        give_up: Callable[[int, Message], None],
    ) -> None:
        """
        Args:
            leader: the active controller as far as known.
            send: takes a target, a correlation and a message.
            give_up: takes a correlation and the refusal that stands for the answer.
        """
        self._loop = asyncio.get_running_loop()
        self._settings = settings
        self._leader = leader
        self._send = send
        self._give_up = give_up
        self._calls: dict[int, _Call] = {}

    def begin(self, correlation: int, message: Message) -> None:
        """Ask the active controller."""
        call = _Call(message, self._loop.time() + self._settings.request_timeout_ms / 1000)
        self._calls[correlation] = call
        self._try(correlation, call)

    def forget(self, correlation: int) -> None:
        """Nobody waits for it any more."""
        call = self._calls.pop(correlation, None)
        if call is not None and call.timer is not None:
            call.timer.cancel()

    def is_final(self, correlation: int, response: Any) -> bool:
        """Whether this is the answer to hand on; a node that is not the controller is no answer while there is time."""
        call = self._calls.get(correlation)
        if call is None:
            return True
        if response.error == ErrorCode.NOT_CONTROLLER and self._loop.time() < call.deadline_s:
            self._again(correlation, call)
            return False
        self.forget(correlation)
        return True

    def on_lost(self, peer: NodeId) -> None:
        """What was on its way to this node may be lost: ask again."""
        for correlation, call in list(self._calls.items()):
            if call.target == peer:
                self._again(correlation, call)

    def close(self) -> None:
        """Forget all."""
        for correlation in list(self._calls):
            self.forget(correlation)

    def _try(self, correlation: int, call: _Call) -> None:
        call.timer = None
        if self._loop.time() >= call.deadline_s:
            self._end(correlation, call)
            return
        target = self._leader()
        if target == NO_NODE:
            self._again(correlation, call)
            return
        call.target = target
        left_s = max(0.0, call.deadline_s - self._loop.time())
        call.timer = self._loop.call_later(left_s, self._try, correlation, call)
        self._send(target, correlation, call.message)

    def _again(self, correlation: int, call: _Call) -> None:
        if call.timer is not None:
            call.timer.cancel()
        call.target = NO_NODE
        pause_s = self._settings.retry_backoff_ms / 1000
        call.timer = self._loop.call_later(pause_s, self._try, correlation, call)

    def _end(self, correlation: int, call: _Call) -> None:
        self.forget(correlation)
        refused = refuse(call.message, NO_NODE)
        assert refused is not None, f"a controller is asked {type(call.message).__name__} and can refuse it"
        self._give_up(correlation, refused)
