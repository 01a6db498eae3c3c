"""ConsumerGroupDescribe: groups of the newer protocol and their members. Source: KIP-848, API key 69."""

from __future__ import annotations

from cluster.model.positional import Positional


class ConsumerGroupDescribeRequest(Positional, kw_only=True):
    """What does the coordinator know of these groups?"""

    groups: tuple[str, ...]
    """Untrusted text."""


class ConsumerGroupDescribeResponse(Positional, kw_only=True):
    """One entry for each group asked for, in that order."""

    groups: tuple[tuple[int, str, str, int, int, str], ...] = ()
    """(ErrorCode, group, state, group epoch, target epoch, assignor) each."""
    members: tuple[tuple[str, str, str, str, int, str, str, tuple[str, ...], str], ...] = ()
    """(group, member id, instance id, rack id, member epoch, client id, host, subscribed topics, pattern) each."""
    current: tuple[tuple[str, str, int, str, int], ...] = ()
    """(group, member id, topic id, topic, partition) that members own or may own."""
    target: tuple[tuple[str, str, int, str, int], ...] = ()
    """The same for what they are to own in the end."""
