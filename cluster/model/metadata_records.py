"""Records of the metadata log. Source: Kafka's metadata record schemas; values are msgpack here."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from cluster.model.identifiers import Epoch, NodeId, Offset
from cluster.model.partition_state import PartitionState
from cluster.model.voters import Voter


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


class KRaftVersionRecord(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Control record: 1 says that voters stand in the log. Source: KIP-853."""

    version: int


class VotersRecord(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Control record: all voters from here on, whether it is committed or not. Source: KIP-853.

    Kafka's names their listeners too; those of a run never change.
    """

    voters: tuple[Voter, ...]
    """In order of their numbers."""


class NoOpRecord(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Keeps the high watermark moving on an idle quorum (metadata.max.idle.interval.ms)."""


class SnapshotHeaderRecord(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Control record: first in each snapshot. Source: KIP-630; there only the name of the file has the id."""

    version: int
    end_offset: Offset
    """Of the snapshot's id (exclusive), so that a file under another name is noticed."""
    epoch: Epoch
    """Of the snapshot's id."""
    last_contained_log_timestamp_ms: int
    """Of the last record that the snapshot stands for."""


class SnapshotFooterRecord(Struct, array_like=True, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """Control record: last in each snapshot; without it the file was not written to its end. Source: KIP-630."""

    version: int


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
    | SnapshotHeaderRecord
    | SnapshotFooterRecord
    | KRaftVersionRecord
    | VotersRecord
)
