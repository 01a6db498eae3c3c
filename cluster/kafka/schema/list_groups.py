"""ListGroups: the groups that a broker coordinates. API key 16."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int16, int32, string


@dataclass(slots=True)
class ListGroupsRequest:
    """Which groups are there?"""

    states_filter: list[str] = array("string", "4+")
    types_filter: list[str] = array("string", "5+")


@dataclass(slots=True)
class ListedGroup:
    """One group."""

    group_id: str = string()
    protocol_type: str = string()
    group_state: str = string("4+")
    group_type: str = string("5+")


@dataclass(slots=True)
class ListGroupsResponse:
    """Their names, protocols and states."""

    throttle_time_ms: int = int32("1+")
    error_code: int = int16()
    groups: list[ListedGroup] = array(ListedGroup)
