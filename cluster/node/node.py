"""The whole node behind one door: routes an input to its machine, then settles what follows from it in the others.

Source: Kafka SharedServer, ControllerServer, BrokerServer.
"""

from __future__ import annotations

from typing import assert_never

from cluster.controller.described_configs import describe_configs
from cluster.controller.image import MetadataImage, UnfitRecordError
from cluster.model.effects import Effect, HaltNode, Send, StopNode
from cluster.model.election_state import ElectionState
from cluster.model.identifiers import METADATA, NO_NODE, Epoch, NodeId, Offset, TopicPartition
from cluster.model.inputs import (
    BrokersChanged,
    ClientRequest,
    Disconnected,
    FetchAbandoned,
    Flushed,
    Input,
    NodeStarted,
    PartitionChanged,
    QuorumStatus,
    Received,
    StopRequested,
    TimerFired,
    WallClockRead,
)
from cluster.model.log_view import NoSnapshots, SnapshotView
from cluster.model.messages import DescribeConfigsRequest, MetadataRequest, MetadataResponse
from cluster.model.voters import NO_DIRECTORY, Voter
from cluster.node.answers import describe_metadata, refuse
from cluster.node.broker_part import BrokerPart
from cluster.node.committed import Committed
from cluster.node.config import LogStore, NodeConfig
from cluster.node.controller_part import ControllerPart
from cluster.node.hosted_partitions import Replicas
from cluster.node.routing import Part, part_for
from cluster.node.snapshot_part import SnapshotPart
from cluster.raft.quorum import DynamicQuorum, Quorum, Standing
from cluster.raft.roles import Role

COORDINATORS = (Part.GROUPS, Part.TRANSACTIONS)
QUORUM, REPLICAS, NODE = Part.QUORUM, Part.REPLICAS, Part.NODE
"""Asked for with each input; to look a member of an enum up costs four times as much."""


def dynamic_quorum(config: NodeConfig, directory_id: str) -> DynamicQuorum | None:
    """What a node of a dynamic quorum begins with; None where voters are fixed.

    A disk knows the first voters when it is one of theirs; any other was formatted without them.
    """
    if not config.settings.dynamic_quorum:
        return None
    own = Voter(config.node_id, directory_id if config.settings.voter_directories else NO_DIRECTORY)
    first = config.first_voters
    joins = config.settings.auto_join and config.is_controller
    return DynamicQuorum(directory_id=own.directory_id, first_voters=first if own in first else (), joins=joins)


class Node:
    """A controller, a broker, or both in one process. A broker alone observes the quorum.

    A Send to the node's own id is delivered by the world as an input of its own, after the effects of this one.
    """

    __slots__ = ("_broker", "_committed", "_controller", "_described", "_settled", "_quorum", "_replicas", "_snapshots",
                 "_status", "_stop", "config", "is_behind", "leaderless")  # fmt: skip

    def __init__(
        self,
        config: NodeConfig,
        logs: LogStore,
        persisted: ElectionState | None,
        previous_broker_epoch: int,
        replicas: Replicas | None = None,
        snapshots: SnapshotView | None = None,
        directory_id: str = "",
    ) -> None:
        """`directory_id`: of its disk, as meta.properties says; empty where it holds none."""
        log, _ = logs.open(METADATA)
        self.config = config
        self.leaderless: frozenset[TopicPartition] = frozenset((METADATA,))
        """Partitions of this node without a leader, as far as it knows; METADATA is the quorum."""
        self.is_behind = False
        """Whether the log holds committed metadata that is not applied, once the effects are done; see catch_up."""
        kept: SnapshotView = snapshots or NoSnapshots()
        self._quorum = Quorum(
            config.node_id,
            config.controllers,
            config.settings,
            log,
            persisted,
            config.first_correlation,
            kept,
            dynamic=dynamic_quorum(config, directory_id),
        )
        self._committed = Committed(log, kept)
        self._snapshots = SnapshotPart(self._committed, log, kept, config.settings, self._quorum.voter_history)
        self._controller = (
            ControllerPart(config.node_id, config.settings, self._quorum) if config.is_controller else None
        )
        self._broker = (
            BrokerPart(config, logs, self._committed.image, previous_broker_epoch, replicas)
            if config.is_broker
            else None
        )
        self._replicas = replicas if config.is_broker else None
        self._status: tuple[NodeId, Epoch] = (NO_NODE, 0)
        self._stop: StopNode | None = None
        self._settled: Standing | None = None
        self._described: tuple[tuple[Offset, NodeId, tuple[str, ...]], MetadataResponse] | None = None

    @property
    def quorum(self) -> Quorum:
        """For looking only."""
        return self._quorum

    @property
    def image(self) -> MetadataImage:
        """What is committed, as applied here; for looking only."""
        return self._committed.image

    @property
    def controller_id(self) -> NodeId:
        """The leader of the quorum as far as known."""
        return self._quorum.leader_id

    def log_sizes(self) -> dict[TopicPartition, tuple[int, int]]:
        """Bytes in each log of its replicas, and records in it that it does not know to be committed."""
        return {} if self._broker is None else self._broker.log_sizes()

    @property
    def is_active_controller(self) -> bool:
        """Whether this node decides."""
        return self._controller is not None and self._controller.is_active

    def handle(self, happened: Input, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""
        part, replicas = part_for(happened), self._replicas
        if part is QUORUM:
            effects = self._quorum.handle(happened, now_ms)
            return effects if self._quorum.standing == self._settled else effects + self._settle_elsewhere(now_ms)
        if self._settled is not None:  # for what leaves the quorum where it was nothing follows elsewhere
            if part is REPLICAS and replicas is not None:
                return replicas.handle(happened, now_ms)
            if part is NODE:
                return self._tell(part, happened, now_ms)
        if replicas is not None:
            replicas.begin_step()
        effects = self._route(part, happened, now_ms) + self._settle(now_ms)
        return effects if replicas is None else effects + replicas.end_step()

    def catch_up(self, now_ms: int) -> list[Effect]:
        """Apply what was committed by the input whose effects are done now, before any other input is handled.

        A follower learns in one answer of records and that they are committed: only then does its log hold them.
        """
        return self._settle_elsewhere(now_ms)

    def _settle_elsewhere(self, now_ms: int) -> list[Effect]:
        """The quorum has moved, or the other parts are not yet where it is."""
        if self._replicas is None:
            return self._settle(now_ms)
        self._replicas.begin_step()
        return self._settle(now_ms) + self._replicas.end_step()

    def _route(self, part: Part | None, happened: Input, now_ms: int) -> list[Effect]:
        if part is not None:
            return self._tell(part, happened, now_ms)
        match happened:
            case Disconnected():
                parts = (Part.QUORUM, Part.LIFECYCLE, Part.REPLICAS, Part.PRODUCER_IDS, Part.TRANSACTIONS)
                return [effect for part in parts for effect in self._tell(part, happened, now_ms)]
            case NodeStarted():
                return self._start(happened, now_ms)
            case StopRequested():
                return self._on_stop_requested(happened, now_ms)
            case Received() | TimerFired() | Flushed() | FetchAbandoned() | WallClockRead():
                raise AssertionError(f"{happened} is for one part")
            case PartitionChanged() | BrokersChanged() | ClientRequest() | QuorumStatus():
                return []
            case _:
                assert_never(happened)

    def _start(self, happened: NodeStarted, now_ms: int) -> list[Effect]:
        """What a snapshot says is known before anything is asked of others."""
        try:
            loaded = self._snapshots.load(now_ms)
        except UnfitRecordError as unfit:
            return [HaltNode(f"the metadata log fits no image: {unfit}")]
        return [*loaded, *self._tell(QUORUM, happened, now_ms), *self._tell(Part.LIFECYCLE, happened, now_ms)]

    def _tell(self, part: Part, happened: Input, now_ms: int) -> list[Effect]:
        broker = self._broker
        if part is QUORUM:
            return self._quorum.handle(happened, now_ms)
        if part is Part.CONTROLLER and self._controller is not None:
            return self._controller.handle(happened, now_ms)
        if part is REPLICAS and broker is not None and broker.replicas is not None:
            return broker.replicas.handle(happened, now_ms)
        if part in COORDINATORS and broker is not None and broker.coordinators is not None:
            if part is Part.TRANSACTIONS:
                assert isinstance(happened, Received | TimerFired | Disconnected), f"{happened} is not for transactions"
                return broker.coordinators.transactions.handle(happened, now_ms)
            assert isinstance(happened, Received | TimerFired), f"{happened} is not for groups"
            return broker.coordinators.handle_groups(happened, self._leader_id(), now_ms)
        if part is Part.LIFECYCLE and broker is not None:
            effects = broker.lifecycle.handle(happened, now_ms)
            broker.note_broker_epoch()
            return self._stop_after_broker(effects, now_ms)
        if part is Part.PRODUCER_IDS and broker is not None:
            return broker.producer_ids.handle(happened, now_ms)
        return self._answer(happened) if isinstance(happened, Received) else []

    def _answer(self, received: Received) -> list[Effect]:
        message, leader_id = received.message, self._leader_id()
        if isinstance(message, MetadataRequest):
            return [Send(received.sender, self._describe(leader_id, message), received.correlation)]
        if isinstance(message, DescribeConfigsRequest):
            configs = describe_configs(self.image, self.config.settings, message)
            return [Send(received.sender, configs, received.correlation)]
        refusal = refuse(message, leader_id)
        return [] if refusal is None else [Send(received.sender, refusal, received.correlation)]

    def _describe(self, leader_id: NodeId, request: MetadataRequest) -> MetadataResponse:
        """While nothing is committed and the leader stays, the answer to the same question stays the same."""
        asked = self.image.offset, leader_id, request.topics
        if self._described is None or self._described[0] != asked:
            self._described = asked, describe_metadata(self.image, leader_id, request)
        return self._described[1]

    def _leader_id(self) -> NodeId:
        """The active controller as far as known; one that resigned is none."""
        return NO_NODE if self._quorum.role is Role.RESIGNED else self._quorum.leader_id

    def _settle(self, now_ms: int) -> list[Effect]:
        """What follows in the other parts from where the quorum is now."""
        quorum, controller, broker = self._quorum, self._controller, self._broker
        effects: list[Effect] = []
        leader_id = self._leader_id()
        if controller is not None:
            effects += controller.lose(leader_id)
        status = (leader_id, quorum.epoch)
        if status != self._status:
            self._status = status
            self._note_leaderless()
            effects += self._tell_status(now_ms)
        try:
            is_loaded = self._committed.is_behind_log
            if is_loaded:
                effects += self._snapshots.load(now_ms)
            advanced = self._committed.advance(quorum.high_watermark) or is_loaded
        except UnfitRecordError as unfit:
            return [*effects, HaltNode(f"the metadata log fits no image: {unfit}")]
        is_loading = False
        if broker is not None:
            if advanced:
                effects += broker.publish(self.image, now_ms)
                self._note_leaderless()
            if broker.coordinators is not None:
                effects += broker.coordinators.settle(now_ms)
                is_loading = broker.coordinators.is_loading
        if controller is not None:
            effects += controller.release()
            effects += controller.activate(self.image, now_ms)
        if advanced:
            effects += self._snapshots.write_when_due(now_ms)
        if self._stop is not None and quorum.is_stopped:
            effects.append(self._stop)
            self._stop = None
        self.is_behind = self._committed.next_offset < quorum.high_watermark
        self._settled = None if is_loading or self.is_behind else quorum.standing
        return effects

    def _note_leaderless(self) -> None:
        leaderless = set() if self._broker is None else self._broker.leaderless()
        if self._status[0] == NO_NODE:
            leaderless.add(METADATA)
        if leaderless != self.leaderless:
            self.leaderless = frozenset(leaderless)

    def _tell_status(self, now_ms: int) -> list[Effect]:
        leader_id, epoch = self._status
        status = QuorumStatus(leader_id=leader_id, epoch=epoch)
        parts = (Part.CONTROLLER, Part.LIFECYCLE, Part.REPLICAS, Part.PRODUCER_IDS)
        return [effect for part in parts for effect in self._tell(part, status, now_ms)]

    def _on_stop_requested(self, happened: StopRequested, now_ms: int) -> list[Effect]:
        if self._broker is not None:
            return self._tell(Part.LIFECYCLE, happened, now_ms)
        return self._stop_quorum(StopNode(), now_ms)

    def _stop_after_broker(self, effects: list[Effect], now_ms: int) -> list[Effect]:
        """The broker leaves first; the quorum part resigns after it, then the node may end."""
        kept: list[Effect] = []
        for effect in effects:
            kept += self._stop_quorum(effect, now_ms) if type(effect) is StopNode else [effect]
        return kept

    def _stop_quorum(self, stop: StopNode, now_ms: int) -> list[Effect]:
        self._stop = stop
        return self._quorum.handle(StopRequested(), now_ms)
