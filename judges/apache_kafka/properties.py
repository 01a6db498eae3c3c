"""The settings of a run as Apache Kafka has them: the server.properties of one node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cluster.model.identifiers import NodeId
from cluster.model.settings import Settings

CLUSTER_ID = "a3JhZnQtd29ya2JlbmNoIQ"
"""A uuid in Kafka's form."""
WATCHED_EVERY_MS = 100
"""How often a broker writes the checkpoints that we read."""
SOCKET_TIMEOUT_MS = 30_000
"""replica.socket.timeout.ms, when nothing is said."""
SAME: Mapping[str, str] = {
    "quorum_election_timeout_ms": "controller.quorum.election.timeout.ms",
    "quorum_fetch_timeout_ms": "controller.quorum.fetch.timeout.ms",
    "quorum_election_backoff_max_ms": "controller.quorum.election.backoff.max.ms",
    "quorum_request_timeout_ms": "controller.quorum.request.timeout.ms",
    "quorum_retry_backoff_ms": "controller.quorum.retry.backoff.ms",
    "metadata_max_idle_interval_ms": "metadata.max.idle.interval.ms",
    "broker_heartbeat_interval_ms": "broker.heartbeat.interval.ms",
    "broker_session_timeout_ms": "broker.session.timeout.ms",
    "replica_lag_time_max_ms": "replica.lag.time.max.ms",
    "replica_fetch_wait_max_ms": "replica.fetch.wait.max.ms",
    "replica_fetch_backoff_ms": "replica.fetch.backoff.ms",
    "unclean_leader_election": "unclean.leader.election.enable",
    "auto_leader_rebalance": "auto.leader.rebalance.enable",
    "auto_create_topics": "auto.create.topics.enable",
    "offsets_topic_partitions": "offsets.topic.num.partitions",
    "group_initial_rebalance_delay_ms": "group.initial.rebalance.delay.ms",
}
"""Our settings that Kafka has under a name of its own, with the same unit."""
WITHOUT_EFFECT = frozenset(
    ("elr", "request_timeout_ms", "retry_backoff_ms", "host_fsync", "high_watermark_checkpoint_interval_ms", "trace")
)
"""Settings that are no line of a server.properties but are taken care of: a feature, our client, what we watch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePlan:
    """One node of Apache Kafka."""

    node_id: NodeId
    is_controller: bool
    port: int
    """On 127.0.0.1."""
    log_dir: str


def host_of(node_id: NodeId) -> str:
    """The name that others look it up by: each process has a hosts file of its own, so each link has its own way."""
    return f"node-{node_id}"


def server_properties(node: NodePlan, controllers: Mapping[NodeId, int], settings: Settings) -> str:
    """The whole file. `controllers`: port of each voter."""
    lines = {
        "process.roles": "controller" if node.is_controller else "broker",
        "node.id": str(node.node_id),
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        "controller.quorum.voters": ",".join(f"{voter}@{host_of(voter)}:{port}" for voter, port in controllers.items()),
        "listeners": f"{'CONTROLLER' if node.is_controller else 'PLAINTEXT'}://127.0.0.1:{node.port}",
        "log.dirs": node.log_dir,
        "replica.high.watermark.checkpoint.interval.ms": str(WATCHED_EVERY_MS),
        "log.flush.start.offset.checkpoint.interval.ms": str(WATCHED_EVERY_MS),
        "offsets.topic.replication.factor": "1",
        "num.network.threads": "2",
        "num.io.threads": "2",
        "log.cleaner.enable": "false",
        "log.retention.ms": "-1",
    }
    if not node.is_controller:
        lines["inter.broker.listener.name"] = "PLAINTEXT"
        lines["advertised.listeners"] = f"PLAINTEXT://{host_of(node.node_id)}:{node.port}"
    if settings.replica_fetch_wait_max_ms > settings.replica_lag_time_max_ms:  # which Kafka refuses
        lines["replica.lag.time.max.ms"] = str(settings.replica_fetch_wait_max_ms)
    if settings.replica_fetch_wait_max_ms > SOCKET_TIMEOUT_MS:  # nor this
        lines["replica.socket.timeout.ms"] = str(settings.replica_fetch_wait_max_ms)
    for ours, theirs in SAME.items():
        value = getattr(settings, ours)
        lines.setdefault(theirs, str(value).lower() if isinstance(value, bool) else str(value))
    return "".join(f"{name}={value}\n" for name, value in lines.items())


def meta_properties(node_id: NodeId, directory_id: str) -> str:
    """What `kafka-storage format` leaves in each folder."""
    return f"version=1\ncluster.id={CLUSTER_ID}\nnode.id={node_id}\ndirectory.id={directory_id}\n"


def quorum_state_of(text: str) -> Mapping[str, object]:
    """What stands in a quorum-state file; nothing when it is being written."""
    from json import JSONDecodeError, loads

    try:
        found = loads(text)
    except JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def checkpoint_of(text: str) -> dict[tuple[str, int], int]:
    """Offset by topic and partition of a checkpoint file; nothing when it is being written."""
    lines = text.splitlines()
    if len(lines) < 2 or lines[0] != "0" or not lines[1].isdigit() or len(lines) < 2 + int(lines[1]):
        return {}
    words = [line.split() for line in lines[2 : 2 + int(lines[1])]]
    return {(topic, int(partition)): int(offset) for topic, partition, offset in words}
