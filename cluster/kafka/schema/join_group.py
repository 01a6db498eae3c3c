"""JoinGroup: a consumer enters a group, or a new generation of it. API key 11."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, blob, boolean, int16, int32, string


@dataclass(slots=True)
class JoinGroupRequestProtocol:
    """An assignor that the member knows, and its subscription for it."""

    name: str = string()
    metadata: bytes = blob()


@dataclass(slots=True)
class JoinGroupRequest:
    """Let me in."""

    group_id: str = string()
    session_timeout_ms: int = int32()
    rebalance_timeout_ms: int = int32("1+", default=-1)
    member_id: str = string()
    group_instance_id: str | None = string("5+", null="0+", default=None)
    protocol_type: str = string()
    protocols: list[JoinGroupRequestProtocol] = array(JoinGroupRequestProtocol)
    reason: str | None = string("8+", null="0+", default=None)


@dataclass(slots=True)
class JoinGroupResponseMember:
    """One member's subscription."""

    member_id: str = string()
    group_instance_id: str | None = string("5+", null="0+", default=None)
    metadata: bytes = blob()


@dataclass(slots=True)
class JoinGroupResponse:
    """The generation; its leader also learns all subscriptions."""

    throttle_time_ms: int = int32("2+")
    error_code: int = int16()
    generation_id: int = int32(default=-1)
    protocol_type: str | None = string("7+", null="0+", default=None)
    protocol_name: str | None = string(null="7+")
    leader: str = string()
    skip_assignment: bool = boolean("9+")
    member_id: str = string()
    members: list[JoinGroupResponseMember] = array(JoinGroupResponseMember)
