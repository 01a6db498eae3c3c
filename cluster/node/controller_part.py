"""The controller half of a node: activation, proposals to the quorum, answers that wait. Source: QuorumController."""

from __future__ import annotations

from collections import deque

from msgspec.structs import replace

from cluster.controller.controller import Controller
from cluster.controller.image import MetadataImage
from cluster.model.effects import Effect, Emit, Propose, Send
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_EPOCH, Epoch, NodeId, Offset
from cluster.model.inputs import Input
from cluster.model.messages import (
    AllocateProducerIdsResponse,
    AlterConfigsResponse,
    AlterPartitionResponse,
    BrokerHeartbeatResponse,
    BrokerRegistrationResponse,
    CreatePartitionsResponse,
    CreateTopicResponse,
    DeleteTopicResponse,
    ElectLeadersResponse,
    ReassignPartitionResponse,
    ReportLogEndResponse,
)
from cluster.model.settings import Settings
from cluster.raft.quorum import Quorum
from cluster.raft.roles import Role


class PendingAnswers:
    """In the order of their batches."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: deque[tuple[Offset, tuple[Send | Emit, ...]]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, end_offset: Offset, answers: tuple[Send | Emit, ...]) -> None:
        """Keep answers until everything below end_offset (exclusive) is committed."""
        self._waiting.append((end_offset, answers))

    def add_read(self, answers: tuple[Send | Emit, ...]) -> None:
        """Keep answers that changed nothing but may have read what is not committed: they wait for the last batch."""
        self._waiting.append((self._waiting[-1][0], answers))

    def release(self, high_watermark: Offset) -> list[Effect]:
        """What may be said now."""
        ready: list[Effect] = []
        while self._waiting and self._waiting[0][0] <= high_watermark:
            ready += self._waiting.popleft()[1]
        return ready

    def fail(self, leader_id: NodeId) -> list[Effect]:
        """Leadership is lost: whether the batches will commit is unknown here, so callers ask the next controller."""
        refused: list[Effect] = []
        for _, answers in self._waiting:
            refused += [_refusal(item, leader_id) for item in answers if isinstance(item, Send)]
        self._waiting.clear()
        return refused


def _refusal(answer: Send, leader_id: NodeId) -> Send:
    message = answer.message
    assert isinstance(
        message,
        BrokerRegistrationResponse
        | BrokerHeartbeatResponse
        | AlterPartitionResponse
        | CreateTopicResponse
        | ElectLeadersResponse
        | AllocateProducerIdsResponse
        | CreatePartitionsResponse
        | AlterConfigsResponse
        | DeleteTopicResponse
        | ReassignPartitionResponse
        | ReportLogEndResponse,
    ), "only controller answers wait for a commit"
    return Send(
        answer.target, replace(message, error=ErrorCode.NOT_CONTROLLER, leader_id=leader_id), answer.correlation
    )


class ControllerPart:
    """One node's controller and its tie to the quorum."""

    __slots__ = ("_active_epoch", "_controller", "_pending", "_quorum")

    def __init__(self, node_id: NodeId, settings: Settings, quorum: Quorum) -> None:
        self._controller = Controller(node_id, settings)
        self._quorum = quorum
        self._pending = PendingAnswers()
        self._active_epoch: Epoch = NO_EPOCH

    @property
    def is_active(self) -> bool:
        """Whether this node decides."""
        return self._controller.is_active

    def handle(self, happened: Input, now_ms: int) -> list[Effect]:
        """One input; what it proposes is appended, answers wait for the commit."""
        return self._chain(self._controller.handle(happened, now_ms, self._quorum.next_offset), now_ms)

    def lose(self, leader_id: NodeId) -> list[Effect]:
        """Stop deciding when the quorum no longer follows this node in the epoch it was activated in."""
        if not self._controller.is_active:
            return []
        quorum = self._quorum
        if quorum.role is Role.LEADER and quorum.epoch == self._active_epoch:
            return []
        return [*self._controller.deactivate(quorum.epoch), *self._pending.fail(leader_id)]

    def activate(self, image: MetadataImage, now_ms: int) -> list[Effect]:
        """Begin to decide once all earlier epochs are committed: the high watermark is past the epoch's start."""
        quorum = self._quorum
        if quorum.role is not Role.LEADER or self._controller.is_active:
            return []
        # It does not know yet what it has to decide on. A record of an older epoch in its log may be committed or not,
        # but once its own first record is committed, all before that is. If it began sooner, its image would lack what
        # the controller before has acknowledged: it would give out producer ids a second time, and elect leaders from
        # ISRs that were another's. Source: KafkaRaftClient.maybeFireLeaderChange.
        if quorum.high_watermark <= quorum.epoch_start_offset or image.offset + 1 < quorum.high_watermark:
            return []
        self._active_epoch = quorum.epoch
        return self._chain(self._controller.activate(image, quorum.epoch, now_ms, quorum.next_offset), now_ms)

    def release(self) -> list[Effect]:
        """Answers whose batch is committed."""
        return self._pending.release(self._quorum.high_watermark) if self._pending else []

    def _chain(self, effects: list[Effect], now_ms: int) -> list[Effect]:
        proposed = Propose in map(type, effects)
        chained: list[Effect] = []
        for effect in effects:
            if type(effect) is Propose:
                base_offset, appended = self._quorum.append(effect.records, now_ms)
                chained += appended
                self._pending.add(base_offset + len(effect.records), effect.then)
            # Nothing was written for this answer, but the image that it was made from holds decisions that are not
            # committed. Said now, it would be untrue when they are lost with this leader: "the topic exists", and the
            # next controller has none.
            elif type(effect) is Send and self._pending and not proposed:
                self._pending.add_read((effect,))
            else:
                chained.append(effect)
        return chained
