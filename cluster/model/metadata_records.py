"""Records of the metadata log. Source: Kafka's metadata record schemas; values are msgpack here."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from cluster.model.identifiers import NodeId
from cluster.model.partition_state import PartitionState


class RegisterBrokerRecord(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A broker incarnation registered, fenced at first."""

    broker_id: NodeId
    incarnation_id: str
    """Random per process start."""
    broker_epoch: int
    """Offset of this record's batch."""
    fenced: bool = True
    """Always true when written by a registration."""


class BrokerRegistrationChangeRecord(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A broker was fenced, unfenced, or began a controlled shutdown."""

    broker_id: NodeId
    broker_epoch: int
    """Of the registration that is meant."""
    fenced: int = 0
    """1 fence, -1 unfence, 0 no change."""
    controlled_shutdown: int = 0
    """1 begins, 0 no change."""


class TopicRecord(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A topic was created."""

    topic: str
    topic_id: int
    """Unique."""
    min_insync_replicas: int
    """As configured; the effective value is capped to the replication factor."""


class PartitionRecord(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Full state of one partition; also written for each change, so that one record tells the whole state."""

    topic: str
    partition: int
    state: PartitionState
    """After the change."""
    why: str
    """Clause shown on screen: created, broker 1 fenced, ISR shrink by leader 1, ..."""


class RemoveTopicRecord(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A topic was deleted, its partitions and settings with it."""

    topic: str
    topic_id: int
    """The one that is meant."""


class ConfigRecord(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A setting of a topic was changed."""

    topic: str
    config: str
    """Kafka's name of the setting."""
    value: str | None
    """None takes the default again."""


class ProducerIdsRecord(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A broker got a block of producer ids. Source: KIP-730."""

    broker_id: NodeId
    broker_epoch: int
    """Of the registration it asked under."""
    next_producer_id: int
    """First id of the next block: everything below is given away."""


class LeaderChangeRecord(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Control record: first in each quorum epoch. Source: KIP-595."""

    leader_id: NodeId
    """The new quorum leader."""
    voters: tuple[NodeId, ...]
    granting_voters: tuple[NodeId, ...]
    """Who voted for it."""


class NoOpRecord(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Keeps the high watermark moving on an idle quorum (metadata.max.idle.interval.ms)."""


MetadataRecord: TypeAlias = (
    RegisterBrokerRecord
    | BrokerRegistrationChangeRecord
    | TopicRecord
    | PartitionRecord
    | LeaderChangeRecord
    | NoOpRecord
    | ProducerIdsRecord
    | ConfigRecord
    | RemoveTopicRecord
)
