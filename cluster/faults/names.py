"""How a command names a node."""

from __future__ import annotations

from msgspec import Struct

from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition


class NodeName(Struct, frozen=True):
    """A node by number, or by the part it plays at the moment the command runs."""

    node_id: NodeId = NO_NODE
    """The number; -1 when it is named by its part."""
    part: str = ""
    """Empty for a number; controller, leader or follower (the lowest follower in the ISR)."""
    topic_partition: TopicPartition | None = None
    """Of leader and follower."""

    def __str__(self) -> str:
        if not self.part:
            return str(self.node_id)
        return self.part if self.topic_partition is None else f"{self.part}({self.topic_partition})"
