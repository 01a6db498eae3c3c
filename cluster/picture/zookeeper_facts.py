"""What the picture keeps of a coordinator and of what brokers know by it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from cluster.model.identifiers import NO_NODE, Epoch, NodeId
from cluster.picture.part import Part


class SessionState(NamedTuple):
    """A session that the coordinator keeps."""

    client: NodeId
    timeout_ms: int
    opened_ns: int


@dataclass(slots=True)
class ZooKeeperFacts(Part):
    """The coordinator as it tells of itself. Empty in KRaft mode."""

    is_used: bool = False
    """Whether the run is in zookeeper mode."""
    controller: NodeId = NO_NODE
    """Who has created /controller; -1 while it is not there."""
    controller_epoch: Epoch = 0
    """As /controller_epoch says."""
    zxid: int = 0
    """Of the newest transaction that changed a znode."""
    znode_count: int = 0
    sessions: dict[int, SessionState] = field(default_factory=dict)
    """Open ones, by id."""
    watches: dict[str, tuple[NodeId, ...]] = field(default_factory=dict)
    """Path to the clients that will be told once of its next change."""
    heard_epochs: dict[NodeId, Epoch] = field(default_factory=dict)
    """Highest controller epoch that each broker has obeyed in its present life."""
    acting: dict[NodeId, Epoch] = field(default_factory=dict)
    """Brokers that take themselves for the controller, and the epoch in which they do: may be more than one."""

    def node_ended(self, node: NodeId) -> None:
        """What a process knew is gone with it; its session is not."""
        self.heard_epochs.pop(node, None)
        self.acting.pop(node, None)
