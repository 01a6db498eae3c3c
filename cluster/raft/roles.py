"""The roles of a quorum node and which may follow which. Source: Kafka QuorumState."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """What a node is in the quorum right now."""

    UNATTACHED = "unattached"
    PROSPECTIVE = "prospective"
    CANDIDATE = "candidate"
    LEADER = "leader"
    FOLLOWER = "follower"
    RESIGNED = "resigned"
    OBSERVER = "observer"


LEADS = Role.LEADER
FETCHES = (Role.FOLLOWER, Role.OBSERVER)
"""Asked for with each message; to look a member of an enum up costs four times as much."""
TRANSITIONS: dict[Role, frozenset[Role]] = {
    Role.UNATTACHED: frozenset({Role.PROSPECTIVE, Role.CANDIDATE, Role.FOLLOWER}),
    Role.PROSPECTIVE: frozenset({Role.UNATTACHED, Role.CANDIDATE, Role.FOLLOWER}),
    Role.CANDIDATE: frozenset({Role.UNATTACHED, Role.PROSPECTIVE, Role.LEADER, Role.FOLLOWER}),
    Role.LEADER: frozenset({Role.UNATTACHED, Role.FOLLOWER, Role.RESIGNED, Role.OBSERVER}),
    Role.FOLLOWER: frozenset({Role.UNATTACHED, Role.PROSPECTIVE, Role.CANDIDATE, Role.OBSERVER}),
    Role.RESIGNED: frozenset({Role.UNATTACHED, Role.FOLLOWER, Role.OBSERVER}),
    Role.OBSERVER: frozenset({Role.FOLLOWER}),
}
"""From each role, the roles that may come next. A leader never becomes a candidate; only a candidate becomes leader.

Only where voters change does an observer come to vote, or a voter come to observe.
"""
