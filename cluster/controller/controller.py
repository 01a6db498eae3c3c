"""The controller of one node: active while its node leads the quorum. Routes inputs; decides nothing itself."""

from __future__ import annotations

from cluster.controller.alter_partition import on_alter_partition
from cluster.controller.asked_elections import on_balance_check, on_elect_leaders
from cluster.controller.batch import Batch
from cluster.controller.heartbeats import on_heartbeat, on_session_check, start_sessions
from cluster.controller.image import MetadataImage
from cluster.controller.majority import on_log_end
from cluster.controller.more_partitions import on_create_partitions
from cluster.controller.producer_ids import on_allocate_producer_ids
from cluster.controller.reassignment import on_reassign_partition
from cluster.controller.registrations import on_registration
from cluster.controller.rules.brokers import STALE_CHECKS_PER_SESSION
from cluster.controller.state import ControllerState
from cluster.controller.topic_configs import on_alter_configs
from cluster.controller.topic_deletion import on_delete_topic
from cluster.controller.topics import on_create_topic
from cluster.model import messages as core
from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import ControllerActivated, ControllerDeactivated
from cluster.model.identifiers import NO_NODE, Epoch, NodeId, Offset
from cluster.model.inputs import Input, QuorumStatus, Received, TimerFired
from cluster.model.messages import Message
from cluster.model.metadata_records import NoOpRecord
from cluster.model.settings import Settings

SESSION_CHECK = "controller.session_check"
IDLE = "controller.idle"
BALANCE = "controller.balance"
TIMERS = (SESSION_CHECK, IDLE, BALANCE)


class Controller:
    """Decides registrations, fencing, topics, leaders and ISRs. Source: Kafka QuorumController, KIP-631."""

    __slots__ = ("_state", "node_id")

    def __init__(self, node_id: NodeId, settings: Settings) -> None:
        self.node_id = node_id
        self._state = ControllerState(settings)

    @property
    def is_active(self) -> bool:
        """Whether it decides."""
        return self._state.is_active

    @property
    def image(self) -> MetadataImage:
        """The active controller's image, uncommitted decisions included; empty while inactive."""
        return self._state.image

    def activate(self, image: MetadataImage, epoch: Epoch, now_ms: int, next_offset: Offset) -> list[Effect]:
        """Begin to decide on top of the committed image; the controller keeps a copy of its own.

        Args:
            next_offset: where its first batch goes (inclusive).
        """
        assert image.offset < next_offset, "the image holds only what is before the next batch"
        state = self._state
        state.image, state.is_active, state.epoch = image.copy(), True, epoch
        state.leader_id, state.last_write_ms = self.node_id, now_ms
        start_sessions(state, now_ms)
        effects: list[Effect] = [Emit(ControllerActivated(epoch=epoch))]
        for name in TIMERS:
            effects.extend(self._set_timer(name))
        return effects

    def deactivate(self, epoch: Epoch) -> list[Effect]:
        """Stop deciding and drop what was not committed; the node fails waiting callers."""
        state = self._state
        if not state.is_active:
            return []
        state.is_active, state.epoch = False, epoch
        state.image, state.sessions, state.log_ends = MetadataImage(), {}, {}
        if state.leader_id == self.node_id:
            state.leader_id = NO_NODE
        return [Emit(ControllerDeactivated(epoch=epoch)), *(CancelTimer(name) for name in TIMERS)]

    def handle(self, happened: Input, now_ms: int, next_offset: Offset) -> list[Effect]:
        """Apply one input; at most one Propose, whose first record goes to next_offset."""
        match happened:
            case QuorumStatus(leader_id=leader_id):
                self._state.leader_id = leader_id
                return []
            case Received(sender=sender, correlation=correlation, message=message):
                return self._on_request(sender, correlation, message, now_ms, next_offset)
            case TimerFired(name=name) if self.is_active:
                return self._on_timer(name, now_ms, next_offset)
            case _:
                return []

    def _on_request(
        self, sender: NodeId, correlation: int, request: Message, now_ms: int, next_offset: Offset
    ) -> list[Effect]:
        state = self._state
        if not state.is_active:
            refusal = not_controller(request, state.leader_id)
            return [] if refusal is None else [Send(sender, refusal, correlation)]
        batch = Batch(state.image, next_offset)
        response: Message
        match request:
            case core.BrokerRegistrationRequest():
                response = on_registration(state, batch, request, now_ms)
            case core.BrokerHeartbeatRequest():
                response = on_heartbeat(state, batch, request, now_ms)
            case core.AlterPartitionRequest():
                response = on_alter_partition(state, batch, request)
            case core.ReportLogEndRequest():
                response = on_log_end(state, batch, request)
            case core.CreateTopicRequest():
                response = on_create_topic(state, batch, request)
            case core.ElectLeadersRequest():
                response = on_elect_leaders(state, batch, request)
            case core.AllocateProducerIdsRequest():
                response = on_allocate_producer_ids(state, batch, request)
            case core.CreatePartitionsRequest():
                response = on_create_partitions(state, batch, request)
            case core.DeleteTopicRequest():
                response = on_delete_topic(state, batch, request)
            case core.ReassignPartitionRequest():
                response = on_reassign_partition(state, batch, request)
            case core.AlterConfigsRequest():
                response = on_alter_configs(state, batch, request)
            case _:
                return []
        return self._done(batch, now_ms, (Send(sender, response, correlation),))

    def _on_timer(self, name: str, now_ms: int, next_offset: Offset) -> list[Effect]:
        batch = Batch(self._state.image, next_offset)
        match name:
            case "controller.session_check":
                on_session_check(self._state, batch, now_ms)
            case "controller.balance":
                on_balance_check(self._state, batch)
            case "controller.idle":
                self._on_idle(batch, now_ms)
        return [*self._done(batch, now_ms, ()), *self._set_timer(name)]

    def _on_idle(self, batch: Batch, now_ms: int) -> None:
        if now_ms - self._state.last_write_ms >= self._state.settings.metadata_max_idle_interval_ms:
            batch.write(NoOpRecord())

    def _done(self, batch: Batch, now_ms: int, answers: tuple[Send, ...]) -> list[Effect]:
        if batch.records:
            self._state.last_write_ms = now_ms
        return batch.effects(answers)

    def _set_timer(self, name: str) -> list[Effect]:
        settings = self._state.settings
        if name == SESSION_CHECK:
            return [SetTimer(name, max(1, settings.broker_session_timeout_ms // STALE_CHECKS_PER_SESSION))]
        if name == IDLE:
            return [SetTimer(name, settings.metadata_max_idle_interval_ms)]
        return [SetTimer(name, settings.leader_imbalance_check_interval_ms)] if settings.auto_leader_rebalance else []


def not_controller(request: Message, leader_id: NodeId) -> Message | None:
    """The answer of a node that is not the active controller, with a hint; None for what no controller answers."""
    error = ErrorCode.NOT_CONTROLLER
    match request:
        case core.BrokerRegistrationRequest():
            return core.BrokerRegistrationResponse(error=error, leader_id=leader_id)
        case core.BrokerHeartbeatRequest():
            return core.BrokerHeartbeatResponse(error=error, leader_id=leader_id)
        case core.AlterPartitionRequest(topic=topic, partition=partition):
            return core.AlterPartitionResponse(error=error, topic=topic, partition=partition, leader_id=leader_id)
        case core.ReportLogEndRequest(topic=topic, partition=partition):
            return core.ReportLogEndResponse(error=error, topic=topic, partition=partition, leader_id=leader_id)
        case core.CreateTopicRequest():
            return core.CreateTopicResponse(error=error, leader_id=leader_id)
        case core.ElectLeadersRequest():
            return core.ElectLeadersResponse(error=error, leader_id=leader_id)
        case core.AllocateProducerIdsRequest():
            return core.AllocateProducerIdsResponse(error=error, leader_id=leader_id)
        case core.CreatePartitionsRequest():
            return core.CreatePartitionsResponse(error=error, leader_id=leader_id)
        case core.ReassignPartitionRequest():
            return core.ReassignPartitionResponse(error=error, leader_id=leader_id)
        case core.AlterConfigsRequest():
            return core.AlterConfigsResponse(error=error, leader_id=leader_id)
        case core.DeleteTopicRequest():
            return core.DeleteTopicResponse(error=error, leader_id=leader_id)
        case _:
            return None
