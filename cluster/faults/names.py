"""How a command names a node."""

from __future__ import annotations

from msgspec import Struct

from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition


class NodeName(Struct, frozen=True):
    """A node by number, or by the part it plays at the moment the command runs."""

    node_id: NodeId = NO_NODE
    """The number; -1 when it is named by its part."""
    part: str = ""
    """Empty for a number; controller, leader, follower (the lowest follower in the ISR) or coordinator."""
    topic_partition: TopicPartition | None = None
    """Of leader and follower."""
    group: str = ""
    """Consumer group of a coordinator."""

    def __str__(self) -> str:
        if not self.part:
            return str(self.node_id)
        whose = self.group or self.topic_partition
        return f"{self.part}({whose})" if whose else self.part
