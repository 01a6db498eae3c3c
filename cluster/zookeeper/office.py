"""What one broker holds as controller, and who waits for its answers."""

from __future__ import annotations

from msgspec import Struct

from cluster.controller.controller import not_controller
from cluster.controller.image import MetadataImage
from cluster.model.effects import Effect, Emit, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import ControllerDeactivated
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.messages import (
    ControlledShutdownRequest,
    ControlledShutdownResponse,
    DeleteTopicRequest,
    DeleteTopicResponse,
    Message,
)
from cluster.model.settings import Settings
from cluster.zookeeper.channels import Channels
from cluster.zookeeper.context import ControllerContext
from cluster.zookeeper.state_machine import StateMachine


class Caller(Struct, frozen=True):
    """Somebody who waits for an answer."""

    sender: NodeId
    correlation: int
    request: Message


class Office:
    """The controller's memory, its pen and its voice; empty while the broker is no controller."""

    __slots__ = ("_callers", "broker_id", "channels", "context", "controller_id", "machine", "now_ms", "out",
                 "settings")  # fmt: skip

    def __init__(self, broker_id: NodeId, settings: Settings, out: list[Effect], first_correlation: int = 0) -> None:
        self.broker_id, self.settings = broker_id, settings
        self.out = out
        """Where what is to be done is put."""
        self.context = ControllerContext(settings, MetadataImage())
        self.channels = Channels(settings, self.out, first_correlation)
        self.machine = StateMachine(broker_id, self.context, self.channels, self.out)
        self.controller_id: NodeId = NO_NODE
        """Who has /controller as far as this broker has read."""
        self.now_ms = 0
        self._callers: list[Caller] = []

    @property
    def is_active(self) -> bool:
        """Whether this broker takes itself for the controller."""
        return self.context.is_active

    def expect(self, caller: Caller) -> None:
        """Somebody waits from now on."""
        self._callers.append(caller)

    def answer(self, caller: Caller, message: Message) -> None:
        """To one who waits; nothing when it was refused meanwhile."""
        if caller in self._callers:
            self._callers.remove(caller)
            self.out.append(Send(caller.sender, message, caller.correlation))

    def answer_deleted(self, topic: str) -> None:
        """All who wait for the end of a topic."""
        done = DeleteTopicResponse(leader_id=self.broker_id)
        for caller in [caller for caller in self._callers if caller.request == DeleteTopicRequest(topic=topic)]:
            self.answer(caller, done)

    def refuse(self, caller: Caller) -> None:
        """Send it to the controller, where one is known."""
        request, leader_id = caller.request, NO_NODE if self.is_active else self.controller_id
        if isinstance(request, ControlledShutdownRequest):
            refusal: Message | None = ControlledShutdownResponse(error=ErrorCode.NOT_CONTROLLER, leader_id=leader_id)
        else:
            refusal = not_controller(request, leader_id)
        if refusal is not None:
            self.out.append(Send(caller.sender, refusal, caller.correlation))

    def resign(self, why: str) -> None:
        """Forget all; who waits for an answer is sent elsewhere. Source: KafkaController.onControllerResignation."""
        context = self.context
        if not context.is_active:
            return
        context.is_active = False
        context.image = MetadataImage()
        self.channels.close()
        self.controller_id = NO_NODE
        self.out.append(Emit(ControllerDeactivated(epoch=context.epoch, why=why)))
        callers, self._callers = self._callers, []
        for caller in callers:
            self.refuse(caller)
