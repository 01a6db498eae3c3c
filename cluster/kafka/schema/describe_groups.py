"""DescribeGroups: state and members of groups. API key 15."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, blob, boolean, int16, int32, string


@dataclass(slots=True)
class DescribeGroupsRequest:
    """Describe these groups."""

    groups: list[str] = array("string")
    include_authorized_operations: bool = boolean("3+")


@dataclass(slots=True)
class DescribedGroupMember:
    """One member."""

    member_id: str = string()
    group_instance_id: str | None = string("4+", null="0+", default=None)
    client_id: str = string()
    client_host: str = string()
    member_metadata: bytes = blob()
    member_assignment: bytes = blob()


@dataclass(slots=True)
class DescribedGroup:
    """One group."""

    error_code: int = int16()
    error_message: str | None = string("6+", null="6+", default=None)
    group_id: str = string()
    group_state: str = string()
    protocol_type: str = string()
    protocol_data: str = string()
    members: list[DescribedGroupMember] = array(DescribedGroupMember)
    authorized_operations: int = int32("3+", default=-2147483648)


@dataclass(slots=True)
class DescribeGroupsResponse:
    """What the coordinator knows of them."""

    throttle_time_ms: int = int32("1+")
    groups: list[DescribedGroup] = array(DescribedGroup)
