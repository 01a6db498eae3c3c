"""Registration: a broker process joins under a broker epoch. Source: KIP-631."""

from __future__ import annotations

from cluster.controller.batch import Batch
from cluster.controller.partition_changes import remove_from_isrs
from cluster.controller.rules.brokers import is_clean_restart, may_register
from cluster.controller.state import BrokerSession, ControllerState
from cluster.model.errors import ErrorCode
from cluster.model.events import BrokerFenced, BrokerRegistered, RegistrationRefused
from cluster.model.messages import BrokerRegistrationRequest, BrokerRegistrationResponse
from cluster.model.metadata_records import RegisterBrokerRecord
from cluster.model.ruling import Decision


def on_registration(
    state: ControllerState, batch: Batch, request: BrokerRegistrationRequest, now_ms: int
) -> BrokerRegistrationResponse:
    """Take or refuse one registration."""
    broker = state.image.brokers.get(request.broker_id)
    silence_ms = state.silence_ms(request.broker_id, now_ms)
    ruling = may_register(broker, request, silence_ms, state.settings.broker_session_timeout_ms)
    decision = ruling.decision
    if not ruling.granted:
        error = ErrorCode.DUPLICATE_BROKER_REGISTRATION
        batch.emit(RegistrationRefused(broker_id=request.broker_id, error=error), decision)
        return BrokerRegistrationResponse(error=error, leader_id=state.leader_id)
    if broker is not None and broker.incarnation_id == request.incarnation_id:
        broker_epoch, fenced = broker.broker_epoch, broker.fenced
    else:
        # The offset of its own registration record: it grows with each life of any broker, no two have the same, and a
        # broker that has applied so much of the log has read that it is registered. Source: KIP-631.
        broker_epoch, fenced = batch.next_offset, True
        _clean_up_old_incarnation(state, batch, request, decision)
        state.sessions[request.broker_id] = BrokerSession(now_ms)
    batch.emit(
        BrokerRegistered(broker_id=request.broker_id, incarnation_id=request.incarnation_id, broker_epoch=broker_epoch),
        decision,
    )
    batch.write(
        RegisterBrokerRecord(
            broker_id=request.broker_id,
            incarnation_id=request.incarnation_id,
            broker_epoch=broker_epoch,
            fenced=fenced,
        )
    )
    return BrokerRegistrationResponse(broker_epoch=broker_epoch, leader_id=state.leader_id)


def _clean_up_old_incarnation(
    state: ControllerState, batch: Batch, request: BrokerRegistrationRequest, decision: Decision
) -> None:
    """The old process may hold ISR places; an unclean stop costs it the ELR as well. Source: KIP-966."""
    broker = state.image.brokers.get(request.broker_id)
    if broker is None:
        return
    if not broker.fenced:
        batch.emit(
            BrokerFenced(broker_id=request.broker_id, broker_epoch=broker.broker_epoch, why="restarted"), decision
        )
    # Its places in ISRs are those of the process before, which held what this one may not. They go in the batch that
    # registers it, so that there is no moment at which it could be elected for what its former life had.
    clean = is_clean_restart(broker, request)
    why = f"broker {request.broker_id} restarted {'cleanly' if clean else 'after an unclean stop'}"
    remove_from_isrs(batch, state.settings, request.broker_id, why, lost_records=not clean)
