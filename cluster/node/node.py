"""One node: a quorum part, and a controller, a broker's life cycle, or both on top of it."""

from __future__ import annotations

from cluster.metadata.broker_lifecycle import BrokerLifecycle
from cluster.metadata.controller import Controller
from cluster.metadata.image import MetadataImage
from cluster.model.codec import decode_metadata_record
from cluster.model.effects import Effect, Emit, Propose, Send
from cluster.model.election_state import ElectionState
from cluster.model.identifiers import NO_NODE, NodeId, Offset
from cluster.model.inputs import Input, NodeStarted, QuorumStatus, Received, StopRequested, TimerFired
from cluster.model.log_view import LogView
from cluster.model.messages import (
    AlterPartitionRequest,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    CreateTopicRequest,
    ElectLeadersRequest,
)
from cluster.model.record_batch import batches, decode_records
from cluster.model.settings import Settings
from cluster.raft.quorum import Quorum
from cluster.raft.roles import Role

CONTROLLER_REQUESTS = (
    AlterPartitionRequest,
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    CreateTopicRequest,
    ElectLeadersRequest,
)
BROKER_ANSWERS = (BrokerHeartbeatResponse, BrokerRegistrationResponse)


class Node:
    """One controller, one broker, or both in one process. A broker without the controller role observes the quorum."""

    __slots__ = ("_applied", "_controller", "_image", "_lifecycle", "_log", "_pending", "_status", "quorum")

    def __init__(
        self,
        node_id: NodeId,
        roles: tuple[str, ...],
        controllers: tuple[NodeId, ...],
        settings: Settings,
        log: LogView,
        persisted: ElectionState | None,
        incarnation_id: str,
        previous_broker_epoch: int = -1,
    ) -> None:
        self.quorum = Quorum(node_id, controllers, settings, log, persisted)
        self._log = log
        self._controller = Controller(node_id, settings) if "controller" in roles else None
        self._lifecycle: BrokerLifecycle | None = None
        if "broker" in roles:
            self._lifecycle = BrokerLifecycle(node_id, controllers, settings, incarnation_id, previous_broker_epoch)
        self._image = MetadataImage()
        self._applied: Offset = 0
        self._pending: list[tuple[Offset, tuple[Send | Emit, ...]]] = []
        self._status = (NO_NODE, -1)

    def handle(self, happened: Input, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""
        effects: list[Effect] = []
        self._take(self._route(happened, now_ms), effects, now_ms)
        self._settle(effects, now_ms)
        return effects

    def _route(self, happened: Input, now_ms: int) -> list[Effect]:
        match happened:
            case Received(message=message) if isinstance(message, CONTROLLER_REQUESTS):
                return self._to_controller(happened, now_ms)
            case Received(message=message) if isinstance(message, BROKER_ANSWERS):
                return self._to_lifecycle(happened, now_ms)
            case TimerFired(name=name) if name.startswith("controller."):
                return self._to_controller(happened, now_ms)
            case TimerFired(name=name) if name.startswith("broker."):
                return self._to_lifecycle(happened, now_ms)
            case NodeStarted():
                return [*self.quorum.handle(happened, now_ms), *self._to_lifecycle(happened, now_ms)]
            case StopRequested() if self._lifecycle is not None:
                return self._to_lifecycle(happened, now_ms)
            case _:
                return self.quorum.handle(happened, now_ms)

    def _to_controller(self, happened: Input, now_ms: int) -> list[Effect]:
        if self._controller is None:
            return []
        return self._controller.handle(happened, now_ms, self.quorum.next_offset)

    def _to_lifecycle(self, happened: Input, now_ms: int) -> list[Effect]:
        return [] if self._lifecycle is None else self._lifecycle.handle(happened, now_ms)

    def _take(self, asked: list[Effect], effects: list[Effect], now_ms: int) -> None:
        """Turn proposals into appends of the quorum; everything else passes."""
        for effect in asked:
            if isinstance(effect, Propose):
                base_offset, appended = self.quorum.append(effect.records, now_ms)
                self._pending.append((base_offset + len(effect.records), effect.then))
                effects += appended
            else:
                effects.append(effect)

    def _settle(self, effects: list[Effect], now_ms: int) -> None:
        """Pass on what the quorum's step changed: its leader, and what is committed."""
        self._pass_on_status(effects, now_ms)
        self._apply_committed(effects)
        controller, quorum = self._controller, self.quorum
        leads = quorum.role is Role.LEADER
        ready = leads and self._applied >= quorum.high_watermark > quorum.epoch_start_offset
        if controller is not None and ready and not controller.is_active:
            activation = controller.activate(self._image, quorum.epoch, now_ms, quorum.next_offset)
            self._take(activation, effects, now_ms)

    def _pass_on_status(self, effects: list[Effect], now_ms: int) -> None:
        status = (self.quorum.leader_id, self.quorum.epoch)
        if status == self._status:
            return
        self._status = status
        controller = self._controller
        if controller is not None and controller.is_active and self.quorum.role is not Role.LEADER:
            self._pending.clear()
            effects += controller.deactivate(self.quorum.epoch)
        told = QuorumStatus(leader_id=status[0], epoch=status[1])
        self._take([*self._to_controller(told, now_ms), *self._to_lifecycle(told, now_ms)], effects, now_ms)

    def _apply_committed(self, effects: list[Effect]) -> None:
        """Bring the image up to the high watermark; answers that waited for it go out."""
        committed = min(self.quorum.high_watermark, self._log.log_end_offset)
        if committed <= self._applied:
            return
        while self._applied < committed:
            for header, batch in batches(self._log.read(self._applied, 1 << 20, committed)):
                if not header.control:
                    for index, record in enumerate(decode_records(batch)):
                        self._image.apply(decode_metadata_record(record), header.base_offset + index)
                self._applied = header.end_offset
        while self._pending and self._pending[0][0] <= committed:
            effects += self._pending.pop(0)[1]
        lifecycle = self._lifecycle
        if lifecycle is not None:
            registered = self._image.eligible_brokers().values()
            known = [broker.broker_epoch for broker in self._image.brokers.values()]
            lifecycle.applied(
                self._applied - 1, lifecycle.broker_epoch in known or lifecycle.broker_epoch in registered
            )
