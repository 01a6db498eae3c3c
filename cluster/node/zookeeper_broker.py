"""A broker of ZooKeeper's era behind one door: session, controller, pushes, and the same partitions as in KRaft mode.

Source: Kafka KafkaServer.
"""

from __future__ import annotations

from cluster.broker.producer_id_manager import ProducerIdManager
from cluster.controller.described_configs import describe_configs
from cluster.controller.image import MetadataImage
from cluster.model.effects import Effect, Send, SetTimer
from cluster.model.identifiers import NO_NODE, Epoch, NodeId, TopicPartition
from cluster.model.inputs import Disconnected, Input, NodeStarted, QuorumStatus, Received, StopRequested, TimerFired
from cluster.model.messages import (
    AllocateProducerIdsRequest,
    AlterPartitionRequest,
    CloseSessionResponse,
    ControlledShutdownResponse,
    DescribeConfigsRequest,
    Message,
    MetadataRequest,
    WatchedEvent,
)
from cluster.model.partition_state import PartitionState
from cluster.node.answers import describe_metadata, refuse
from cluster.node.config import LogStore, NodeConfig
from cluster.node.hosted_partitions import HostedPartitions, Replicas
from cluster.node.routing import Part, part_for, part_for_timer
from cluster.zookeeper import isr_writer, registration
from cluster.zookeeper.broker_side import BrokerSide
from cluster.zookeeper.channels import PUSH_ANSWERS, PUSH_TIMER, PUSHES
from cluster.zookeeper.client_session import ClientSession, Results
from cluster.zookeeper.controller import KafkaController
from cluster.zookeeper.controller_requests import REQUESTS
from cluster.zookeeper.flows import Flows
from cluster.zookeeper.isr_writer import IsrWriter
from cluster.zookeeper.office import Office
from cluster.zookeeper.registration import Registration

REGISTRATION_TIMERS = (registration.REGISTER_TIMER, registration.SHUTDOWN_TIMER, registration.CLOSE_TIMER)


class ZooKeeperBroker:
    """One broker, which may be the controller."""

    __slots__ = ("_controller", "_flows", "_hosted", "_isr_writer", "_now_ms", "_out", "_producer_ids", "_pushed",
                 "_registration", "_session", "config", "leaderless")  # fmt: skip

    def __init__(self, config: NodeConfig, logs: LogStore, replicas: Replicas) -> None:
        node_id, settings, first = config.node_id, config.settings, config.first_correlation
        self.config = config
        self.leaderless: frozenset[TopicPartition] = frozenset()
        """Partitions of this node without a leader, as far as it was told."""
        self._now_ms = 0
        self._out: list[Effect] = []
        image = MetadataImage()
        self._hosted = HostedPartitions(config, logs, image, replicas)
        self._producer_ids = ProducerIdManager(node_id, (node_id,), settings, first)
        self._session = ClientSession(config.controllers[0], settings, self, self._out, first)
        self._flows = Flows(self._session)
        office = Office(node_id, settings, self._out, first)
        self._controller = KafkaController(office, self._session, self._flows)
        self._pushed = BrokerSide(image, self._hosted, self._out)
        self._isr_writer = IsrWriter(node_id, settings, self._flows, self, self._out)
        self._registration = Registration(
            node_id, config.incarnation_id, settings, self._session, self._flows, self._out, first
        )

    @property
    def image(self) -> MetadataImage:
        """What it tells clients; for looking only."""
        return self._pushed.image

    @property
    def controller_id(self) -> NodeId:
        """Whose name it has read in /controller, or else who has told it something."""
        read = self._controller.office.controller_id
        return self._pushed.controller_id if read == NO_NODE else read

    @property
    def controller_epoch(self) -> Epoch:
        """Highest that it has heard of."""
        return self._pushed.controller_epoch

    @property
    def is_active_controller(self) -> bool:
        """Whether it takes itself for the controller."""
        return self._controller.office.is_active

    def log_sizes(self) -> dict[TopicPartition, tuple[int, int]]:
        """Bytes in each log of its replicas, and records in it that it does not know to be committed."""
        return self._hosted.log_sizes()

    def handle(self, happened: Input, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""
        part, replicas = part_for(happened), self._hosted.replicas
        if part is Part.REPLICAS and not self._is_mine(happened):
            return replicas.handle(happened, now_ms)
        self._now_ms = self._controller.office.now_ms = now_ms
        replicas.begin_step()
        self._route(happened)
        if self._hosted.coordinators.is_loading:
            self._out += self._hosted.coordinators.settle(now_ms)
        self._out += replicas.end_step()
        self._settle()
        effects = list(self._out)
        self._out.clear()
        return effects

    @staticmethod
    def _is_mine(happened: Input) -> bool:
        return isinstance(happened, Received) and isinstance(happened.message, AlterPartitionRequest)

    def known(self, where: TopicPartition) -> PartitionState | None:
        """What it was told of one of its partitions."""
        return self._hosted.state(where)

    def wrote(self, where: TopicPartition, state: PartitionState) -> None:
        """Its own write of an ISR is done."""
        self._out += self._hosted.tell(where, state, self._now_ms)

    def on_session_open(self, *, is_new: bool) -> None:
        """Register and race in a new session; look at everything again in one that was silent."""
        self._registration.on_session_open()
        if is_new:
            self._controller.race()
        else:
            self._controller.on_session_back()
        self._tell_status(self.config.node_id)

    def on_session_expired(self) -> None:
        """Its znode is gone, and /controller if it had that; its partitions hear nothing of it."""
        self._flows.clear_all()
        self._controller.on_session_expired()
        self._registration.on_session_expired()
        self._tell_status(NO_NODE)

    def on_answer(self, ticket: int, error: int, results: Results, *, is_repeated: bool) -> None:
        """What became of a request."""
        self._flows.on_answer(ticket, error, results, is_repeated=is_repeated)

    def on_watched(self, event: WatchedEvent) -> None:
        """A watch saw something."""
        self._controller.on_watched(event)

    def _route(self, happened: Input) -> None:
        match happened:
            case Received():
                self._on_message(happened)
            case TimerFired(name=name):
                self._on_timer(happened, name)
            case NodeStarted():
                self._registration.start()
                self._out.append(SetTimer(isr_writer.TIMER, self.config.settings.isr_change_interval_ms))
            case StopRequested():
                self._registration.stop(self.controller_id)
            case Disconnected(peer=peer):
                self._session.on_disconnected(peer)
                self._controller.office.channels.on_disconnected(peer)
                self._out += self._hosted.replicas.handle(happened, self._now_ms)
                self._out += self._producer_ids.handle(happened, self._now_ms)
                self._out += self._hosted.coordinators.transactions.handle(happened, self._now_ms)
            case _:
                pass

    def _on_message(self, received: Received) -> None:
        message, correlation = received.message, received.correlation
        if self._session.handles(message):
            self._session.on_message(correlation, message)
            if isinstance(message, CloseSessionResponse):
                self._registration.closed()
        elif isinstance(message, PUSHES):
            self._pushed.handle(received, self._now_ms)
        elif isinstance(message, PUSH_ANSWERS):
            self._controller.office.channels.on_answer(received.sender, correlation)
        elif isinstance(message, ControlledShutdownResponse):
            self._registration.on_answer(correlation, message)
        elif isinstance(message, AlterPartitionRequest | AllocateProducerIdsRequest):
            self._isr_writer.handle(received, self._now_ms)
        elif type(message) in REQUESTS:
            self._controller.on_request(received)
        else:
            self._on_other(received, message)

    def _on_other(self, received: Received, message: Message) -> None:
        part = part_for(received)
        if part is Part.GROUPS:
            self._out += self._hosted.coordinators.handle_groups(received, self.controller_id, self._now_ms)
        elif part is Part.TRANSACTIONS:
            self._out += self._hosted.coordinators.transactions.handle(received, self._now_ms)
        elif part is Part.PRODUCER_IDS:
            self._out += self._producer_ids.handle(received, self._now_ms)
        else:
            answer: Message | None
            if isinstance(message, MetadataRequest):
                answer = describe_metadata(self.image, self.controller_id, message)
            elif isinstance(message, DescribeConfigsRequest):
                answer = describe_configs(self.image, self.config.settings, message)
            else:
                answer = refuse(message, self.controller_id)
            if answer is not None:
                self._out.append(Send(received.sender, answer, received.correlation))

    def _on_timer(self, fired: TimerFired, name: str) -> None:
        if name.startswith("session."):
            self._session.on_timer(name)
        elif name.startswith(PUSH_TIMER):
            self._controller.office.channels.on_timer(name)
        elif name == isr_writer.TIMER:
            self._isr_writer.on_timer(self._now_ms)
        elif name in REGISTRATION_TIMERS:
            self._registration.on_timer(name)
        elif part_for_timer(name) is Part.GROUPS:
            self._out += self._hosted.coordinators.handle_groups(fired, self.controller_id, self._now_ms)
        elif part_for_timer(name) is Part.TRANSACTIONS:
            self._out += self._hosted.coordinators.transactions.handle(fired, self._now_ms)
        elif part_for_timer(name) is Part.PRODUCER_IDS:
            self._out += self._producer_ids.handle(fired, self._now_ms)

    def _tell_status(self, whom: NodeId) -> None:
        """Whom leaders ask for another ISR: their own broker, as long as that has a session."""
        status = QuorumStatus(leader_id=whom)
        self._out += self._hosted.replicas.handle(status, self._now_ms)
        self._out += self._producer_ids.handle(status, self._now_ms)

    def _settle(self) -> None:
        """The others put the broker epoch in their requests."""
        broker_epoch = self._registration.broker_epoch
        self._pushed.broker_epoch = self._hosted.replicas.broker_epoch = broker_epoch
        self._producer_ids.broker_epoch = broker_epoch
        leaderless = self._hosted.leaderless()
        if leaderless != self.leaderless:
            self.leaderless = frozenset(leaderless)
