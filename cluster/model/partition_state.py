"""What the controller has decided about one partition."""

from __future__ import annotations

from msgspec import Struct

from cluster.model.identifiers import NO_NODE, Epoch, NodeId


class PartitionState(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """One partition in the metadata image. Source: Kafka PartitionRegistration."""

    topic_id: int
    """Unique per created topic."""
    replicas: tuple[NodeId, ...]
    """In assignment order; the first is the preferred leader."""
    isr: tuple[NodeId, ...]
    elr: tuple[NodeId, ...] = ()
    """Eligible leader replicas (KIP-966)."""
    last_known_leader: NodeId = NO_NODE
    """Kept from the moment of becoming leaderless (KIP-966)."""
    leader: NodeId
    """-1 when leaderless."""
    leader_epoch: Epoch
    """Grows with each leader change."""
    partition_epoch: int
    """Grows with every controller change to the partition."""
    recovering: bool = False
    """True after an unclean election until the leader reports recovered."""
    min_insync_replicas: int
    """Already capped to the replication factor."""
    adding_replicas: tuple[NodeId, ...] = ()
    """Of replicas: those that a reassignment brings in (KIP-455)."""
    removing_replicas: tuple[NodeId, ...] = ()
    """Of replicas: those that leave when it is completed."""

    @property
    def is_reassigning(self) -> bool:
        """Whether its replicas are on their way to other brokers."""
        return bool(self.adding_replicas or self.removing_replicas)

    @property
    def target_replicas(self) -> tuple[NodeId, ...]:
        """Those that it has when nothing moves any more."""
        return tuple(replica for replica in self.replicas if replica not in self.removing_replicas)
