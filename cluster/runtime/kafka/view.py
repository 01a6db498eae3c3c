"""What a broker tells clients of the cluster without asking anybody. Source: Kafka KRaftMetadataCache."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from dataclasses import replace

from cluster.fetch_sessions.session_cache import FetchSessionCache
from cluster.kafka.batches.times import TopicTimes
from cluster.kafka.broker_view import BrokerView, Endpoint, LogSizes, TopicDefaults
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.racks import rack_of
from cluster.model.topic_settings import MAX_MESSAGE_BYTES, is_compacted
from cluster.model.uuids import topic_uuid, uuid_of
from cluster.node.make_node import AnyNode

LOOPBACK = "127.0.0.1"
REPLICAS_MAX = 3


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


class Views:
    """Makes views of one node's image; one view serves until the image changes."""

    __slots__ = ("_cluster_id", "_log_dir", "_node", "_offset", "_ports", "_sessions", "_view")

    def __init__(
        self, node: AnyNode, run: str, ports: Mapping[NodeId, int], log_dir: str, fetch_sessions: FetchSessionCache
    ) -> None:
        """
        Args:
            run: its id.
            ports: where each broker listens for clients.
            log_dir: where this one keeps its logs.
        """
        self._log_dir = log_dir
        self._node = node
        self._cluster_id = uuid_of(run)
        self._ports = dict(ports)
        self._offset = -2
        self._view: BrokerView | None = None
        self._sessions = fetch_sessions

    def now(self) -> BrokerView:
        """What is committed, as applied here."""
        image = self._node.image
        if self._view is not None and self._offset == image.offset:
            return self._view
        config = self._node.config
        alive = [node for node in image.unfenced_brokers() if node in self._ports]
        self._offset = image.offset
        limits = [
            int(topic.own[MAX_MESSAGE_BYTES]) for topic in image.topics.values() if MAX_MESSAGE_BYTES in topic.own
        ]
        limit = max([config.settings.max_message_bytes, *limits])
        self._view = BrokerView(
            node_id=config.node_id,
            cluster_id=self._cluster_id,
            controller_id=config.node_id if config.node_id in alive else next(iter(alive), NO_NODE),
            brokers={node: self._endpoint(node) for node in alive},
            fenced={
                node: self._endpoint(node)
                for node, broker in sorted(image.brokers.items())
                if broker.fenced and node in self._ports
            },
            partitions=image.partitions,
            topic_names={topic_uuid(topic.topic_id): name for name, topic in image.topics.items()},
            times={name: TopicTimes.of(topic.own) for name, topic in image.topics.items() if topic.own},
            compacted={name for name, topic in image.topics.items() if is_compacted(topic.own)},
            defaults=TopicDefaults(replication_factor=min(REPLICAS_MAX, max(1, len(self._ports)))),
            settings=replace(config.settings, max_message_bytes=limit) if limits else config.settings,
            roles=config.roles,
            log_dir=self._log_dir,
            log_sizes=self._log_sizes,
            metadata_offset=image.offset,
            fetch_sessions=self._sessions,
            wall_ms=_wall_ms,
        )
        return self._view

    def _endpoint(self, node: NodeId) -> Endpoint:
        return Endpoint(LOOPBACK, self._ports[node], rack_of(node, self._node.config.settings.broker_racks) or None)

    def _log_sizes(self) -> LogSizes:
        try:
            total_bytes, _, usable_bytes = shutil.disk_usage(self._log_dir)
        except OSError:
            return LogSizes(self._node.log_sizes())
        return LogSizes(self._node.log_sizes(), total_bytes, usable_bytes)
