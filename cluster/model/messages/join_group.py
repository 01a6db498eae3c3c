"""JoinGroup: a consumer enters a group, or its next generation. Source: KIP-62, KIP-345, KIP-394, API key 11."""

from __future__ import annotations

from cluster.model.positional import Positional


class JoinGroupRequest(Positional, kw_only=True):
    """Let me in."""

    group: str
    """Untrusted text, as all text below."""
    member_id: str = ""
    """Empty for a member that has none yet."""
    instance_id: str = ""
    """group.instance.id of a static member; empty for a dynamic one."""
    client_id: str
    """Who the client says it is."""
    client_host: str = ""
    """Where it connects from."""
    session_timeout_ms: int
    """Silence after which the member is out."""
    rebalance_timeout_ms: int
    """How long a rebalance waits for the member."""
    protocol_type: str
    """consumer for consumers."""
    protocols: tuple[tuple[str, bytes], ...]
    """(assignor, subscription) in the member's order of preference."""
    needs_member_id: bool = True
    """A new dynamic member is first given an id and has to come again with it (version 4 and later)."""
    can_skip_assignment: bool = True
    """A returning static leader may be told to keep the assignment (version 9 and later)."""


class JoinGroupResponse(Positional, kw_only=True):
    """The generation; its leader also learns all subscriptions."""

    error: int = 0
    """An ErrorCode."""
    generation: int = -1
    """Counts the rebalances of the group."""
    protocol_type: str = ""
    """As the members said."""
    protocol: str = ""
    """The assignor that was chosen."""
    leader: str = ""
    """Member id of the group's leader, who computes the assignment."""
    skip_assignment: bool = False
    """The leader keeps the assignment there is."""
    member_id: str = ""
    """The member's own id."""
    members: tuple[tuple[str, str, bytes], ...] = ()
    """(member id, instance id, subscription) of all; for the leader only."""
