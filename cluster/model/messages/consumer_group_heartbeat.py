"""ConsumerGroupHeartbeat: the whole of the newer group protocol. Source: KIP-848, API key 68."""

from __future__ import annotations

from cluster.model.positional import Positional


class ConsumerGroupHeartbeatRequest(Positional, kw_only=True):
    """I am here, I want this, I own that. What is None has not changed since the member last said it."""

    group: str
    """Untrusted text, as all text below."""
    member_id: str = ""
    """Made by the member; empty when an old one asks the coordinator for an id."""
    member_epoch: int
    """As last told; 0 joins, -1 leaves, -2 leaves for a while and keeps its place (static members only)."""
    instance_id: str | None = None
    """group.instance.id of a static member."""
    rack_id: str | None = None
    """client.rack."""
    rebalance_timeout_ms: int = -1
    """How long the member may take to give partitions up; -1 unchanged."""
    topics: tuple[str, ...] | None = None
    """Topics it subscribes to."""
    pattern: str | None = None
    """Pattern of topics it subscribes to."""
    assignor: str | None = None
    """The assignor of the coordinator that it would like; empty for whichever."""
    owned: tuple[tuple[int, int], ...] | None = None
    """(topic id, partition) of all it owns now."""
    client_id: str = ""
    """Who the client says it is."""
    client_host: str = ""
    """Where it connects from."""
    makes_member_id: bool = True
    """Version 1 or newer: a member brings its own id."""


class ConsumerGroupHeartbeatResponse(Positional, kw_only=True):
    """What the member is to own."""

    error: int = 0
    """An ErrorCode."""
    message: str = ""
    """Why it is refused, for people."""
    member_id: str = ""
    """Of the member."""
    member_epoch: int = 0
    """The member's, from now on."""
    heartbeat_interval_ms: int = 0
    """When to come again."""
    assignment: tuple[tuple[int, int], ...] | None = None
    """(topic id, partition) of all it is to own; None leaves it as it was."""
