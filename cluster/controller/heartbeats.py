"""Heartbeats of brokers: who is unfenced, who is fenced when its session ends. Source: KIP-631."""

from __future__ import annotations

from cluster.controller.batch import Batch
from cluster.controller.image import BrokerState
from cluster.controller.partition_changes import elect_for_leaderless, remove_from_isrs
from cluster.controller.rules.brokers import BrokerControlState, next_broker_state, session_expired
from cluster.controller.state import BrokerSession, ControllerState
from cluster.model.errors import ErrorCode
from cluster.model.events import BrokerFenced, BrokerUnfenced, ControlledShutdownBegun
from cluster.model.events.controller import UNTOLD
from cluster.model.identifiers import UNKNOWN_OFFSET, NodeId, Offset
from cluster.model.messages import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from cluster.model.metadata_records import BrokerRegistrationChangeRecord
from cluster.model.ruling import Decision


def start_sessions(state: ControllerState, now_ms: int) -> None:
    """A new active controller knows nobody's last heartbeat: every unfenced broker gets a whole session."""
    # When a broker was last heard is in no log, and whom this node has never heard counts as silent for too long.
    # Without this the first checks of each new controller would fence healthy brokers, one after the other, whose next
    # heartbeat is on its way, and move their leaderships.
    state.sessions = {broker_id: BrokerSession(now_ms) for broker_id in state.image.unfenced_brokers()}


def on_heartbeat(
    state: ControllerState, batch: Batch, request: BrokerHeartbeatRequest, now_ms: int
) -> BrokerHeartbeatResponse:
    """Note that a broker is alive and move it to its next state."""
    broker = state.image.brokers.get(request.broker_id)
    if broker is None or broker.broker_epoch != request.broker_epoch:
        return BrokerHeartbeatResponse(error=ErrorCode.STALE_BROKER_EPOCH, leader_id=state.leader_id)
    session = state.sessions.setdefault(request.broker_id, BrokerSession(now_ms))
    session.last_heard_ms = now_ms
    session.metadata_offset = max(session.metadata_offset, request.metadata_offset)
    current = _current_state(broker, session)
    ruling = next_broker_state(
        current,
        request,
        broker.registration_offset,
        state.image.partitions_led_by(request.broker_id),
        session.shutdown_offset,
        _lowest_active_offset(state),
    )
    chosen = ruling.value
    if ruling.granted:
        _move(state, batch, request, chosen, ruling.decision)
    return BrokerHeartbeatResponse(
        is_caught_up=request.metadata_offset >= broker.registration_offset,
        is_fenced=state.image.brokers[request.broker_id].fenced,
        should_shut_down=chosen is BrokerControlState.SHUTDOWN_NOW,
        leader_id=state.leader_id,
    )


def on_session_check(state: ControllerState, batch: Batch, now_ms: int) -> None:
    """Fence the one broker that is silent the longest, when its session is over."""
    stalest, silence_ms = -1, -1
    for broker_id in state.image.unfenced_brokers():
        silent = state.silence_ms(broker_id, now_ms)
        if silent > silence_ms:
            stalest, silence_ms = broker_id, silent
    ruling = session_expired(stalest, silence_ms, state.settings.broker_session_timeout_ms)
    # One at a time, though more may be silent. The next check, an eighth of a session later, sees what this one has
    # changed, and heartbeats that waited while this controller stood still get their chance before it: else one long
    # pause of its own would fence everybody at once. Source: ReplicationControlManager.maybeFenceOneStaleBroker.
    if ruling.granted:
        _fence(state, batch, stalest, "session expired", ruling.decision, UNTOLD)


def _current_state(broker: BrokerState, session: BrokerSession) -> BrokerControlState:
    if broker.fenced:
        return BrokerControlState.FENCED
    if session.shutdown_offset != UNKNOWN_OFFSET:
        return BrokerControlState.CONTROLLED_SHUTDOWN
    return BrokerControlState.UNFENCED


def _lowest_active_offset(state: ControllerState) -> Offset | None:
    """Least reported metadata offset of the brokers in service, but for those that shut down; None without any."""
    return min((state.sessions[other].metadata_offset for other in state.image.eligible_brokers()), default=None)


def _move(
    state: ControllerState,
    batch: Batch,
    request: BrokerHeartbeatRequest,
    chosen: BrokerControlState,
    decision: Decision,
) -> None:
    broker_id, asked_epoch = request.broker_id, request.broker_epoch
    match chosen:
        case BrokerControlState.UNFENCED:
            _unfence(state, batch, broker_id, decision, asked_epoch)
        case BrokerControlState.CONTROLLED_SHUTDOWN:
            _begin_shutdown(state, batch, broker_id, decision, asked_epoch)
        case BrokerControlState.FENCED | BrokerControlState.SHUTDOWN_NOW:
            _fence(state, batch, broker_id, "asked", decision, asked_epoch)


def _fence(
    state: ControllerState, batch: Batch, broker_id: NodeId, why: str, decision: Decision, asked_epoch: int
) -> None:
    """Take it out of every ISR, then out of service; nothing to write when it is fenced already."""
    broker = state.image.brokers[broker_id]
    if broker.fenced:
        return
    fenced = BrokerFenced(broker_id=broker_id, broker_epoch=broker.broker_epoch, why=why, asked_epoch=asked_epoch)
    batch.emit(fenced, decision)
    remove_from_isrs(batch, state.settings, broker_id, f"broker {broker_id} fenced")
    batch.write(BrokerRegistrationChangeRecord(broker_id=broker_id, broker_epoch=broker.broker_epoch, fenced=1))
    state.sessions[broker_id].shutdown_offset = UNKNOWN_OFFSET


def _unfence(state: ControllerState, batch: Batch, broker_id: NodeId, decision: Decision, asked_epoch: int) -> None:
    """Put it in service; it may lead what has no leader."""
    broker_epoch = state.image.brokers[broker_id].broker_epoch
    batch.emit(BrokerUnfenced(broker_id=broker_id, broker_epoch=broker_epoch, asked_epoch=asked_epoch), decision)
    batch.write(BrokerRegistrationChangeRecord(broker_id=broker_id, broker_epoch=broker_epoch, fenced=-1))
    elect_for_leaderless(batch, state.settings, f"broker {broker_id} unfenced")


def _begin_shutdown(
    state: ControllerState, batch: Batch, broker_id: NodeId, decision: Decision, asked_epoch: int
) -> None:
    """Mark it and move its leaderships; the others must read of this batch before it may go."""
    broker = state.image.brokers[broker_id]
    batch.emit(ControlledShutdownBegun(broker_id=broker_id, asked_epoch=asked_epoch), decision)
    batch.write(
        BrokerRegistrationChangeRecord(broker_id=broker_id, broker_epoch=broker.broker_epoch, controlled_shutdown=1)
    )
    remove_from_isrs(batch, state.settings, broker_id, f"broker {broker_id} shuts down")
    # It may go once each broker in service has reported that it has applied this offset. If it went before, the new
    # leaders might not have read yet that they lead: for that time the partitions would have nobody. Source:
    # BrokerHeartbeatManager.calculateNextBrokerState.
    state.sessions[broker_id].shutdown_offset = batch.end_offset - 1
