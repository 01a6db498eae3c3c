"""Whether replicas agree, asked again and again while their logs grow."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from cluster.model.identifiers import NodeId, Offset, TopicPartition
from cluster.picture.cluster_state import ClusterState
from cluster.picture.logs import LogState, difference


@dataclass(slots=True)
class _Compared:
    """Two logs, as far as they were compared."""

    versions: tuple[int, int]
    """Of both logs then; with others what was compared is not what is there."""
    end_offset: Offset = 0
    """They were compared up to here, exclusive."""
    found: Offset | None = None


class Agreement:
    """`ClusterState.divergence` for one run, without comparing anew what was compared already.

    It may be asked of any moment of the run: while a log is not cut, an earlier moment has a beginning of it.
    """

    def __init__(self) -> None:
        self._pairs: dict[tuple[TopicPartition, NodeId, NodeId], _Compared] = {}

    def divergence(self, state: ClusterState, topic_partition: TopicPartition) -> Offset | None:
        """Lowest offset at which two live replicas hold different records; None when no two differ."""
        logs = sorted(state.replica_logs(topic_partition).items())
        offsets = [
            self._first(topic_partition, node, log, other_node, other)
            for (node, log), (other_node, other) in combinations(logs, 2)
        ]
        return min((offset for offset in offsets if offset is not None), default=None)

    def between(
        self, state: ClusterState, topic_partition: TopicPartition, node: NodeId, other: NodeId
    ) -> Offset | None:
        """The same of two replicas, be they up or down."""
        one, two = sorted((node, other))
        ours, theirs = state.logs.get((one, topic_partition)), state.logs.get((two, topic_partition))
        return None if ours is None or theirs is None else self._first(topic_partition, one, ours, two, theirs)

    def _first(
        self, topic_partition: TopicPartition, node: NodeId, log: LogState, other_node: NodeId, other: LogState
    ) -> Offset | None:
        key, versions = (topic_partition, node, other_node), (log.version, other.version)
        compared = self._pairs.get(key)
        if compared is None or compared.versions != versions:
            compared = self._pairs[key] = _Compared(versions)
        end = min(log.log_end_offset, other.log_end_offset)
        if compared.found is None and end > compared.end_offset:
            compared.found = difference(log, other, compared.end_offset)
            compared.end_offset = end
        return compared.found if compared.found is not None and compared.found < end else None
