"""SyncGroup: the leader of a group hands out the assignment. API key 14."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, blob, int16, int32, string


@dataclass(slots=True)
class SyncGroupRequestAssignment:
    """One member's part."""

    member_id: str = string()
    assignment: bytes = blob()


@dataclass(slots=True)
class SyncGroupRequest:
    """Give me my part; the leader sends those of all."""

    group_id: str = string()
    generation_id: int = int32()
    member_id: str = string()
    group_instance_id: str | None = string("3+", null="0+", default=None)
    protocol_type: str | None = string("5+", null="0+", default=None)
    protocol_name: str | None = string("5+", null="0+", default=None)
    assignments: list[SyncGroupRequestAssignment] = array(SyncGroupRequestAssignment)


@dataclass(slots=True)
class SyncGroupResponse:
    """The member's part."""

    throttle_time_ms: int = int32("1+")
    error_code: int = int16()
    protocol_type: str | None = string("5+", null="0+", default=None)
    protocol_name: str | None = string("5+", null="0+", default=None)
    assignment: bytes = blob()
