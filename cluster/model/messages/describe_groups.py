"""DescribeGroups: states and members of groups. Source: API key 15."""

from __future__ import annotations

from cluster.model.positional import Positional


class DescribeGroupsRequest(Positional, kw_only=True):
    """What does the coordinator know of these groups?"""

    groups: tuple[str, ...]
    """Untrusted text."""


class DescribeGroupsResponse(Positional, kw_only=True):
    """One entry for each group asked for, in that order."""

    groups: tuple[tuple[int, str, str, str, str], ...] = ()
    """(ErrorCode, group, state, protocol type, chosen assignor) each; a group that is not known is Dead."""
    members: tuple[tuple[str, str, str, str, str, bytes, bytes], ...] = ()
    """(group, member id, instance id, client id, host, subscription, assignment) each."""
