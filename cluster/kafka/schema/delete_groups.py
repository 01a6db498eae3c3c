"""DeleteGroups: forget empty groups. API key 42."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int16, int32, string


@dataclass(slots=True)
class DeleteGroupsRequest:
    """Forget these groups."""

    groups_names: list[str] = array("string")


@dataclass(slots=True)
class DeletableGroupResult:
    """What became of one group."""

    group_id: str = string()
    error_code: int = int16()


@dataclass(slots=True)
class DeleteGroupsResponse:
    """Which were forgotten."""

    throttle_time_ms: int = int32()
    results: list[DeletableGroupResult] = array(DeletableGroupResult)
