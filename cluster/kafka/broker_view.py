"""What a broker knows of its cluster without asking anybody: addresses, names, and who leads what.

Sources: Kafka KRaftMetadataCache; KIP-951 (who leads is told beside a refusal, so that a client need not ask for it).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

from msgspec import Struct, field

from cluster.fetch_sessions.session_cache import FetchSessionCache, no_sessions
from cluster.kafka.batches.times import TopicTimes
from cluster.kafka.codec.fields import int32, string
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import UNKNOWN_OFFSET, Epoch, NodeId, Offset, TopicPartition
from cluster.model.partition_state import PartitionState
from cluster.model.settings import Settings

_LEGAL = re.compile(r"[a-zA-Z0-9._-]{1,249}")


class Endpoint(NamedTuple):
    """Where a node listens for clients."""

    host: str
    """An address of this machine."""
    port: int
    rack: str | None = None
    """None for a broker that stands in none."""


def is_legal_topic(name: str) -> bool:
    """Whether a topic may have this name. Source: Kafka Topic.validate."""
    return _LEGAL.fullmatch(name) is not None and name not in (".", "..")


def _no_clock() -> int:
    return -1


class TopicDefaults(Struct, frozen=True, kw_only=True):
    """What a client gets that leaves a choice to the cluster."""

    partitions: int = 1
    replication_factor: int = 1
    min_insync_replicas: int = 1


class LogSizes(Struct, frozen=True):
    """The logs of a broker and the disk below them."""

    logs: Mapping[TopicPartition, tuple[int, int]] = field(default_factory=dict)
    """Size in bytes of each log, and how many of its records are not known to be committed."""
    total_bytes: int = -1
    """Of the file system; -1 when nobody knows."""
    usable_bytes: int = -1
    """Of what is free, for who is not root."""


class BrokerView(Struct, frozen=True, kw_only=True):
    """What the answering broker knows without asking anybody. Valid for the moment in which an exchange begins."""

    node_id: NodeId
    cluster_id: str
    """The same on all nodes."""
    controller_id: NodeId
    """A broker to which admin requests may be sent. Kafka names any living broker: controllers do not serve clients."""
    brokers: Mapping[NodeId, Endpoint]
    """Unfenced brokers."""
    fenced: Mapping[NodeId, Endpoint] = field(default_factory=dict)
    """The other registered ones."""
    partitions: Mapping[TopicPartition, PartitionState]
    """Every partition of every topic."""
    topic_names: Mapping[bytes, str] = field(default_factory=dict)
    """By the id that clients know a topic by."""
    times: Mapping[str, TopicTimes] = field(default_factory=dict)
    """Of topics that set what times their records may have; the others have the usual ones."""
    compacted: Set[str] = frozenset()
    """Topics whose records have to have keys."""
    defaults: TopicDefaults = TopicDefaults()
    """For topics that clients create."""
    settings: Settings = Settings()
    """Of the run; its max_message_bytes is the largest that any topic takes."""
    roles: tuple[str, ...] = ("broker",)
    """Of the answering node: controller, broker or both."""
    log_dir: str = ""
    """Where it keeps its logs."""
    log_sizes: Callable[[], LogSizes] = LogSizes
    """How large they are now."""
    metadata_offset: Offset = UNKNOWN_OFFSET
    """Of the last metadata record in this view."""
    fetch_sessions: FetchSessionCache = field(default_factory=no_sessions)
    """Of this start of the broker: the one thing here that an exchange changes."""
    wall_ms: Callable[[], int] = _no_clock
    """Milliseconds since 1970, for answers that tell of times; -1 when nobody knows."""


@dataclass(slots=True)
class LeaderIdAndEpoch:
    """The leader that the answerer knows, as responses to Produce and Fetch tell it."""

    leader_id: int = int32(default=-1)
    leader_epoch: int = int32(default=-1)


@dataclass(slots=True)
class NodeEndpoint:
    """Where a leader that is told so listens."""

    node_id: int = int32()
    host: str = string()
    port: int = int32()
    rack: str | None = string(null="0+", default=None)


class Led(NamedTuple):
    """What a broker says of a partition, and who leads it."""

    error: int
    """An ErrorCode."""
    leader_id: NodeId
    """As the answerer knows it; -1 when there is none."""
    leader_epoch: Epoch


def error_of(answer: Any, partitions: Mapping[TopicPartition, PartitionState]) -> int:
    """What the replica says, or that this broker is none of it where the topic is known to the cluster.

    Source: Kafka ReplicaManager.getPartitionOrError.
    """
    is_unknown = answer.error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if is_unknown and TopicPartition(answer.topic, answer.partition) in partitions:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    return int(answer.error)


def who_leads(answer: Any, partitions: Mapping[TopicPartition, PartitionState]) -> Led:
    """As the replica says, or the image where this broker has none. Source: Kafka KafkaApis.getCurrentLeader."""
    error = error_of(answer, partitions)
    if error == answer.error:
        return Led(error, answer.leader_id, answer.leader_epoch)
    state = partitions[TopicPartition(answer.topic, answer.partition)]
    return Led(error, state.leader, state.leader_epoch)


def endpoints_of(nodes: Iterable[NodeId], brokers: Mapping[NodeId, Endpoint]) -> list[NodeEndpoint]:
    """Where these brokers listen, each once; one that is not in service has no place."""
    return [NodeEndpoint(node, *brokers[node]) for node in sorted(set(nodes)) if node in brokers]
