"""What the active controller holds; only its own handlers change it."""

from __future__ import annotations

from msgspec import Struct, field

from cluster.controller.image import MetadataImage
from cluster.controller.rules.majority import LogEndReport
from cluster.model.identifiers import NO_NODE, UNKNOWN_OFFSET, Epoch, NodeId, Offset, TopicPartition
from cluster.model.settings import Settings


class BrokerSession(Struct):
    """Soft state of one broker: only on the active controller, never in the log."""

    last_heard_ms: int
    """When its newest heartbeat came, or when this controller became active."""
    metadata_offset: Offset = UNKNOWN_OFFSET
    """Last applied record as it reported (inclusive)."""
    shutdown_offset: Offset = UNKNOWN_OFFSET
    """Last offset of the batch that began its controlled shutdown (inclusive); -1 before."""


class ControllerState(Struct):
    """The controller's whole state."""

    settings: Settings
    image: MetadataImage = field(default_factory=MetadataImage)
    """Includes its own uncommitted decisions."""
    sessions: dict[NodeId, BrokerSession] = field(default_factory=dict)
    """Of brokers that were heard or are unfenced."""
    log_ends: dict[tuple[TopicPartition, Epoch], dict[NodeId, LogEndReport]] = field(default_factory=dict)
    """By majority: what replicas reported, by partition and the leader epoch that has no leader."""
    is_active: bool = False
    epoch: Epoch = 0
    leader_id: NodeId = NO_NODE
    """Hint for those who ask the wrong controller."""
    last_write_ms: int = 0
    """When it last proposed records."""

    def silence_ms(self, broker_id: NodeId, now_ms: int) -> int:
        """Since the broker was last heard; longer than a session when it never was."""
        session = self.sessions.get(broker_id)
        return self.settings.broker_session_timeout_ms + 1 if session is None else now_ms - session.last_heard_ms
