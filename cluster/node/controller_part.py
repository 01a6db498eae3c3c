"""The controller half of a node: activation, proposals to the quorum, answers that wait. Source: QuorumController."""

from __future__ import annotations

from cluster.controller.controller import Controller
from cluster.controller.image import MetadataImage
from cluster.model.effects import Effect, Propose, Send
from cluster.model.identifiers import NO_EPOCH, Epoch, NodeId
from cluster.model.inputs import Input
from cluster.model.settings import Settings
from cluster.node.pending import PendingAnswers
from cluster.raft.quorum import Quorum
from cluster.raft.roles import Role


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
            elif type(effect) is Send and self._pending and not proposed:
                self._pending.add_read((effect,))
            else:
                chained.append(effect)
        return chained
