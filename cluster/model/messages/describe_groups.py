"""DescribeGroups: states and members of groups. Source: API key 15."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class DescribeGroupsRequest:
    """What does the coordinator know of these groups?"""

    groups: tuple[str, ...]
    """Untrusted text."""


@dataclass(slots=True, kw_only=True)
class DescribeGroupsResponse:
    """One entry for each group asked for, in that order."""

    groups: tuple[tuple[int, str, str, str, str], ...] = ()
    """(ErrorCode, group, state, protocol type, chosen assignor) each; a group that is not known is Dead."""
    members: tuple[tuple[str, str, str, str, str, bytes, bytes], ...] = ()
    """(group, member id, instance id, client id, host, subscription, assignment) each."""
