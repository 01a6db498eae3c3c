"""A broker's life in ZooKeeper's era: its znode, as long as its session; a controlled shutdown before it goes.

Source: Kafka KafkaServer.startup, KafkaZkClient.registerBroker, KafkaServer.controlledShutdown.
"""

from __future__ import annotations

from cluster.broker.rules import TRANSITIONS, LifecycleState
from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer, StopNode
from cluster.model.errors import ErrorCode
from cluster.model.events import BrokerStateChanged
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.messages import ControlledShutdownRequest, ControlledShutdownResponse, ZooKeeperCode
from cluster.model.settings import Settings
from cluster.zookeeper.client_session import ClientSession
from cluster.zookeeper.flows import Flow, Flows, create, get
from cluster.zookeeper.paths import PERSISTENT, broker_path, encode_broker

REGISTER_TIMER = "register"
SHUTDOWN_TIMER = "shutdown"
CLOSE_TIMER = "close"
CORRELATION_STEP, CORRELATION_REMAINDER = 4, 3


class Registration:
    """One broker's znode."""

    __slots__ = ("_attempts", "_broker_id", "_controller_id", "_correlation", "_counter", "_flows", "_incarnation_id",
                 "_session", "_settings", "broker_epoch", "_out", "state")  # fmt: skip

    def __init__(
        self,
        broker_id: NodeId,
        incarnation_id: str,
        settings: Settings,
        session: ClientSession,
        flows: Flows,
        out: list[Effect],
        first_correlation: int = 0,
    ) -> None:
        """`out`: where what is to be done is put."""
        self._out = out
        self._broker_id, self._incarnation_id, self._settings = broker_id, incarnation_id, settings
        self._session, self._flows = session, flows
        self._counter = first_correlation // CORRELATION_STEP
        self._correlation = -1
        self._attempts = 0
        self._controller_id: NodeId = NO_NODE
        self.state = LifecycleState.NOT_RUNNING
        """Where the broker is in its life."""
        self.broker_epoch = -1
        """Transaction that created its znode; -1 while there is none."""

    def start(self) -> None:
        """The process is up."""
        self._enter(LifecycleState.STARTING)
        self._session.start()

    def on_session_open(self) -> None:
        """Create the znode, unless it stands in this session already."""
        if self.broker_epoch < 0:
            self._flows.add("register", self._register)

    def on_session_expired(self) -> None:
        """The znode went with it. The process goes on, and so does what it leads."""
        self.broker_epoch = -1

    def on_timer(self, name: str) -> None:
        """Try again, or go at last."""
        if name == REGISTER_TIMER and self._session.is_open:
            self.on_session_open()
        elif name == SHUTDOWN_TIMER:
            self._correlation = -1
            self._ask_to_leave()
        elif name == CLOSE_TIMER:
            self._leave()

    def stop(self, controller_id: NodeId) -> None:
        """Have the leaderships moved, then go."""
        if self.state is LifecycleState.PENDING_CONTROLLED_SHUTDOWN:
            return
        self._controller_id = controller_id
        if self.state is not LifecycleState.RUNNING:
            self._leave()
            return
        self._enter(LifecycleState.PENDING_CONTROLLED_SHUTDOWN)
        self._ask_to_leave()

    def on_answer(self, correlation: int, response: ControlledShutdownResponse) -> None:
        """The controller has moved what it could."""
        if correlation != self._correlation:
            return
        self._correlation = -1
        if response.error == ErrorCode.NONE and not response.remaining:
            self._leave()
            return
        if response.leader_id != NO_NODE:
            self._controller_id = response.leader_id
        self._retry()

    def _register(self) -> Flow:
        """Two lives of one broker have two sessions: the second waits until the first one's is over."""
        if not all(answer.is_ok for answer in (yield [get(path) for path in PERSISTENT])):
            for top in _all_of(PERSISTENT):  # one after another: below a znode that is not there yet nothing is made
                yield [create(top)]
        if self.broker_epoch >= 0:
            return
        path, data = broker_path(self._broker_id), encode_broker(self._incarnation_id)
        answer = (yield [create(path, data, ephemeral=True)])[0]
        czxid = answer.last.czxid
        if answer.error == ZooKeeperCode.NODE_EXISTS:
            own_znode = (yield [get(path)])[0]
            czxid = own_znode.last.czxid
            if not own_znode.is_ok or own_znode.last.owner != self._session.session_id:
                self._out.append(SetTimer(REGISTER_TIMER, self._settings.retry_backoff_ms))
                return
        elif not answer.is_ok:
            self._out.append(SetTimer(REGISTER_TIMER, self._settings.retry_backoff_ms))
            return
        self.broker_epoch = czxid
        if self.state is LifecycleState.STARTING:
            self._enter(LifecycleState.RECOVERY)
            self._enter(LifecycleState.RUNNING)

    def _ask_to_leave(self) -> None:
        self._attempts += 1
        if self._attempts > self._settings.controlled_shutdown_max_retries or self._controller_id == NO_NODE:
            self._leave()
            return
        self._counter += 1
        self._correlation = self._counter * CORRELATION_STEP + CORRELATION_REMAINDER
        request = ControlledShutdownRequest(broker_id=self._broker_id, broker_epoch=self.broker_epoch)
        self._out += [
            Send(self._controller_id, request, self._correlation),
            SetTimer(SHUTDOWN_TIMER, self._settings.controlled_shutdown_retry_backoff_ms),
        ]

    def _retry(self) -> None:
        self._out.append(SetTimer(SHUTDOWN_TIMER, self._settings.controlled_shutdown_retry_backoff_ms))

    def _leave(self) -> None:
        """Close the session, so that the znode goes at once. Who cannot reach ZooKeeper goes all the same."""
        if self.state is not LifecycleState.SHUTTING_DOWN:
            self._enter(LifecycleState.SHUTTING_DOWN)
            self._session.close()
            self._out += [CancelTimer(SHUTDOWN_TIMER), SetTimer(CLOSE_TIMER, self._settings.retry_backoff_ms)]
            return
        self._out.append(StopNode(self.broker_epoch))

    def closed(self) -> None:
        """The coordinator has ended the session."""
        if self.state is LifecycleState.SHUTTING_DOWN:
            self._out += [CancelTimer(CLOSE_TIMER), StopNode(self.broker_epoch)]

    def _enter(self, state: LifecycleState) -> None:
        assert state in TRANSITIONS[self.state], f"{self.state} may not become {state}"
        self.state = state
        self._out.append(Emit(BrokerStateChanged(state=str(state), broker_epoch=self.broker_epoch)))


def _all_of(paths: tuple[str, ...]) -> list[str]:
    """These and all above them, the uppermost first."""
    ancestors: list[str] = []
    for path in paths:
        parts = path.strip("/").split("/")
        ancestors += ["/" + "/".join(parts[: index + 1]) for index in range(len(parts))]
    return list(dict.fromkeys(ancestors))
