"""A broker's own life: register, be heard, leave. Source: Kafka BrokerLifecycleManager, KIP-631."""

from __future__ import annotations

from cluster.broker.rules import TRANSITIONS, LifecycleState, next_lifecycle_state
from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer, StopNode
from cluster.model.errors import ErrorCode
from cluster.model.events import BrokerStateChanged
from cluster.model.identifiers import NO_NODE, UNKNOWN_OFFSET, NodeId, Offset
from cluster.model.inputs import Disconnected, Input, NodeStarted, QuorumStatus, Received, StopRequested, TimerFired
from cluster.model.messages import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    Message,
)
from cluster.model.ruling import Decision
from cluster.model.settings import Settings

NEXT = "broker.next_request"
"""When to send again."""
TIMEOUT = "broker.request_timeout"
"""When to give up on an answer."""
REGISTRATION_DEADLINE = "broker.registration_deadline"
SHUTDOWN_DEADLINE = "broker.shutdown_deadline"
TIMERS = (NEXT, TIMEOUT, REGISTRATION_DEADLINE, SHUTDOWN_DEADLINE)
SHUTDOWN_DEADLINE_SESSIONS = 33
"""Kafka gives up on a controlled shutdown after 5 minutes, about 33 default sessions."""
CORRELATION_STEP, CORRELATION_REMAINDER = 4, 1


class BrokerLifecycle:
    """Talks to the active controller for one broker; one request is in flight at most."""

    __slots__ = (
        "_controller_index",
        "_controllers",
        "_correlation",
        "_counter",
        "_failure_count",
        "_incarnation_id",
        "_leader_id",
        "_metadata_offset",
        "_previous_broker_epoch",
        "_saw_registration",
        "_settings",
        "_target",
        "broker_epoch",
        "broker_id",
        "is_fenced",
        "state",
    )

    def __init__(
        self,
        broker_id: NodeId,
        controllers: tuple[NodeId, ...],
        settings: Settings,
        incarnation_id: str,
        previous_broker_epoch: int,
        first_correlation: int = 0,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = -1
        """From registration; -1 before."""
        self.state = LifecycleState.NOT_RUNNING
        """Where it is in its life."""
        self.is_fenced = True
        """As the controller last said."""
        self._controllers = controllers
        self._settings = settings
        self._incarnation_id = incarnation_id
        self._previous_broker_epoch = previous_broker_epoch
        self._leader_id = NO_NODE
        self._controller_index = 0
        self._target = NO_NODE
        self._counter = first_correlation // CORRELATION_STEP
        self._correlation = -1
        self._failure_count = 0
        self._metadata_offset: Offset = UNKNOWN_OFFSET
        self._saw_registration = False

    def applied(self, metadata_offset: Offset, registered_broker_epoch_seen: bool) -> None:
        """Note the last applied metadata record (inclusive), and whether the own registration was among them."""
        self._metadata_offset = metadata_offset
        self._saw_registration = registered_broker_epoch_seen

    def handle(self, happened: Input, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""
        if self.state is LifecycleState.SHUTTING_DOWN:
            return []
        match happened:
            case NodeStarted():
                return self._on_started()
            case Received(correlation=correlation, message=BrokerRegistrationResponse() as response):
                return self._on_registered(response) if correlation == self._correlation else []
            case Received(correlation=correlation, message=BrokerHeartbeatResponse() as response):
                return self._on_heartbeat(response) if correlation == self._correlation else []
            case Disconnected(peer=peer) if peer == self._target and self._correlation != -1:
                return self._on_refused(ErrorCode.REQUEST_TIMED_OUT, NO_NODE)
            case TimerFired(name=name):
                return self._on_timer(name)
            case QuorumStatus(leader_id=leader_id):
                return self._on_quorum_status(leader_id)
            case StopRequested():
                return self._on_stop_requested()
            case _:
                return []

    def _on_started(self) -> list[Effect]:
        deadline_ms = self._settings.broker_session_timeout_ms * 20 // 3
        return [
            *self._enter(LifecycleState.STARTING),
            SetTimer(REGISTRATION_DEADLINE, deadline_ms),
            *self._send_next(),
        ]

    def _on_registered(self, response: BrokerRegistrationResponse) -> list[Effect]:
        if response.error != ErrorCode.NONE:
            return self._on_refused(response.error, response.leader_id)
        self._answered(response.leader_id)
        self.broker_epoch = response.broker_epoch
        return [CancelTimer(REGISTRATION_DEADLINE), CancelTimer(TIMEOUT), *self._send_next()]

    def _on_heartbeat(self, response: BrokerHeartbeatResponse) -> list[Effect]:
        if response.error != ErrorCode.NONE:
            return self._on_refused(response.error, response.leader_id)
        self._answered(response.leader_id)
        self.is_fenced = response.is_fenced
        ruling = next_lifecycle_state(self.state, response)
        if ruling.value is LifecycleState.SHUTTING_DOWN:
            return self._shut_down(ruling.decision)
        effects: list[Effect] = [CancelTimer(TIMEOUT)]
        while ruling.granted:
            effects += self._enter(ruling.value, ruling.decision)
            ruling = next_lifecycle_state(self.state, response)
        return [*effects, SetTimer(NEXT, self._interval_ms())]

    def _on_timer(self, name: str) -> list[Effect]:
        match name:
            case "broker.next_request":
                return self._send_next()
            case "broker.request_timeout":
                return self._on_refused(ErrorCode.REQUEST_TIMED_OUT, NO_NODE)
            case "broker.registration_deadline" if self.broker_epoch < 0:
                return self._shut_down()
            case "broker.shutdown_deadline":
                return self._shut_down()
            case _:
                return []

    def _on_quorum_status(self, leader_id: NodeId) -> list[Effect]:
        """A new active controller is asked at once: it has to hear from everyone."""
        self._leader_id = leader_id if leader_id in self._controllers else NO_NODE
        if self._leader_id in (NO_NODE, self._target) or self.state is LifecycleState.NOT_RUNNING:
            return []
        self._failure_count = 0
        return self._send_next()

    def _on_stop_requested(self) -> list[Effect]:
        if self.state is LifecycleState.PENDING_CONTROLLED_SHUTDOWN:
            return []
        if self.state is not LifecycleState.RUNNING:
            return self._shut_down()
        deadline_ms = self._settings.broker_session_timeout_ms * SHUTDOWN_DEADLINE_SESSIONS
        return [
            *self._enter(LifecycleState.PENDING_CONTROLLED_SHUTDOWN),
            SetTimer(SHUTDOWN_DEADLINE, deadline_ms),
            *self._send_next(),
        ]

    def _on_refused(self, error: int, hint: NodeId) -> list[Effect]:
        """Ask again later; a wrong or silent controller is not asked again before the others."""
        asked, self._correlation = self._target, -1
        delay_ms = self._backoff_ms()
        self._failure_count += 1
        if error in (ErrorCode.NOT_CONTROLLER, ErrorCode.REQUEST_TIMED_OUT):
            hinted = hint in self._controllers and hint != asked
            self._leader_id = hint if hinted else NO_NODE
            delay_ms = self._fast_ms() if hinted and self._failure_count <= len(self._controllers) else delay_ms
            self._controller_index += 1
        return [CancelTimer(TIMEOUT), SetTimer(NEXT, delay_ms)]

    def _answered(self, leader_id: NodeId) -> None:
        self._correlation, self._failure_count = -1, 0
        if leader_id in self._controllers:
            self._leader_id = leader_id

    def _send_next(self) -> list[Effect]:
        """Send what the state asks for; an answer to an older request will be dropped."""
        self._target = self._leader_id
        if self._target == NO_NODE:
            self._target = self._controllers[self._controller_index % len(self._controllers)]
        self._counter += 1
        self._correlation = self._counter * CORRELATION_STEP + CORRELATION_REMAINDER
        return [
            CancelTimer(NEXT),
            SetTimer(TIMEOUT, self._settings.broker_heartbeat_interval_ms),
            Send(self._target, self._request(), self._correlation),
        ]

    def _request(self) -> Message:
        if self.broker_epoch < 0:
            return BrokerRegistrationRequest(
                broker_id=self.broker_id,
                incarnation_id=self._incarnation_id,
                previous_broker_epoch=self._previous_broker_epoch,
            )
        return BrokerHeartbeatRequest(
            broker_id=self.broker_id,
            broker_epoch=self.broker_epoch,
            metadata_offset=self._metadata_offset,
            want_fence=self.state is LifecycleState.STARTING and not self._saw_registration,
            want_shut_down=self.state is LifecycleState.PENDING_CONTROLLED_SHUTDOWN,
        )

    def _enter(self, state: LifecycleState, decision: Decision | None = None) -> list[Effect]:
        assert state in TRANSITIONS[self.state], f"{self.state} may not become {state}"
        self.state = state
        return [Emit(BrokerStateChanged(state=str(state), broker_epoch=self.broker_epoch), decision)]

    def _shut_down(self, decision: Decision | None = None) -> list[Effect]:
        """Leave now; the marker keeps the broker epoch, so that the next start can prove that it was in order."""
        return [
            *self._enter(LifecycleState.SHUTTING_DOWN, decision),
            *(CancelTimer(name) for name in TIMERS),
            StopNode(self.broker_epoch),
        ]

    def _fast_ms(self) -> int:
        return max(5, self._settings.broker_heartbeat_interval_ms // 200)

    def _interval_ms(self) -> int:
        """10 ms until running, 50 ms while leaving, else the heartbeat interval (Kafka's defaults)."""
        if self.state in (LifecycleState.STARTING, LifecycleState.RECOVERY):
            return self._fast_ms()
        if self.state is LifecycleState.PENDING_CONTROLLED_SHUTDOWN:
            return max(5, self._settings.broker_heartbeat_interval_ms // 40)
        return self._settings.broker_heartbeat_interval_ms

    def _backoff_ms(self) -> int:
        """Doubles from a 20th of the heartbeat interval up to half of it."""
        interval_ms = self._settings.broker_heartbeat_interval_ms
        return max(5, min(interval_ms // 2, (interval_ms // 20) << min(self._failure_count, 10)))
