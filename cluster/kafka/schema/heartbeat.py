"""Heartbeat: a member of a group is alive. API key 12."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import int16, int32, string


@dataclass(slots=True)
class HeartbeatRequest:
    """I am still here."""

    group_id: str = string()
    generation_id: int = int32()
    member_id: str = string()
    group_instance_id: str | None = string("3+", null="0+", default=None)


@dataclass(slots=True)
class HeartbeatResponse:
    """Whether the member is still in, or must join again."""

    throttle_time_ms: int = int32("1+")
    error_code: int = int16()
