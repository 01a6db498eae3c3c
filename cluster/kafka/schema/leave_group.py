"""LeaveGroup: members leave. API key 13."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int16, int32, string


@dataclass(slots=True)
class MemberIdentity:
    """A member that leaves."""

    member_id: str = string()
    group_instance_id: str | None = string(null="0+", default=None)
    reason: str | None = string("5+", null="0+", default=None)


@dataclass(slots=True)
class LeaveGroupRequest:
    """Remove me; version 3 and later name many members."""

    group_id: str = string()
    member_id: str = string("0-2")
    members: list[MemberIdentity] = array(MemberIdentity, "3+")


@dataclass(slots=True)
class MemberResponse:
    """What became of it."""

    member_id: str = string()
    group_instance_id: str | None = string(null="0+")
    error_code: int = int16()


@dataclass(slots=True)
class LeaveGroupResponse:
    """Whether they were removed."""

    throttle_time_ms: int = int32("1+")
    error_code: int = int16()
    members: list[MemberResponse] = array(MemberResponse, "3+")
