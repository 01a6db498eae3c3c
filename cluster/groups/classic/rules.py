"""What a coordinator decides about members of the classic protocol, as pure functions. Source: GroupCoordinator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from cluster.groups.group_state import GroupState
from cluster.groups.state import Group
from cluster.model.errors import ErrorCode
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule

SOURCE = "GroupCoordinator"


@rule(source="KIP-62", kafka="GroupCoordinator.handleJoinGroup")
def session_timeout(session_timeout_ms: int, least_ms: int, most_ms: int) -> Ruling[ErrorCode]:
    """A member's session must fit the coordinator's limits, both inclusive."""
    fits = least_ms <= session_timeout_ms <= most_ms
    numbers: Numbers = {"asked": session_timeout_ms, "least": least_ms, "most": most_ms}
    reason = "the session timeout fits" if fits else "the session timeout is out of range"
    return error_or_none(ErrorCode.NONE if fits else ErrorCode.INVALID_SESSION_TIMEOUT, reason, numbers)


@rule(kafka="GroupMetadata.supportsProtocols")
def supports_protocols(group: Group, protocol_type: str, protocols: Sequence[str]) -> Ruling[ErrorCode]:
    """A new member must know an assignor that all others know too, and be of their type."""
    if not protocol_type or not protocols:
        reason = "it names no type or no assignor"
        return error_or_none(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, reason)
    if not group.members:
        return error_or_none(ErrorCode.NONE, "the group has no members")
    shared = common_protocols(group)
    numbers: Numbers = {
        "its type": protocol_type,
        "group type": group.protocol_type,
        "its assignors": ",".join(protocols),
        "common assignors": ",".join(sorted(shared)),
    }
    fits = protocol_type == group.protocol_type and bool(shared & set(protocols))
    reason = "all know one of its assignors" if fits else "no assignor is known to all"
    return error_or_none(ErrorCode.NONE if fits else ErrorCode.INCONSISTENT_GROUP_PROTOCOL, reason, numbers)


def common_protocols(group: Group) -> set[str]:
    """Assignors that every member knows."""
    known = [{name for name, _ in member.protocols} for member in group.members.values()]
    return set.intersection(*known) if known else set()


@rule(kafka="ClassicGroup.selectProtocol")
def vote_protocol(group: Group) -> Ruling[str]:
    """Each member votes for the first of its assignors that all know; most votes win, the first name breaks a tie."""
    candidates = common_protocols(group)
    votes = Counter(
        next(name for name, _ in member.protocols if name in candidates) for member in group.members.values()
    )
    winner = min(votes, key=lambda name: (-votes[name], name))
    numbers: Numbers = dict(sorted(votes.items()))
    return Ruling(winner, True, f"none has more votes than {winner}", numbers)


@rule(source="KIP-345", kafka="ClassicGroup.validateMember")
def known_member(group: Group | None, member_id: str, instance_id: str) -> Ruling[ErrorCode]:
    """A static member is who came last under its instance id, a dynamic one is known by its member id."""
    if group is None:
        return error_or_none(ErrorCode.UNKNOWN_MEMBER_ID, "no such group")
    if instance_id:
        holder = group.static_ids.get(instance_id)
        if holder is not None and holder != member_id:
            reason = "another member has its instance id"
            return error_or_none(ErrorCode.FENCED_INSTANCE_ID, reason)
        is_known = holder is not None
    else:
        is_known = member_id in group.members
    reason = "it is in the group" if is_known else "the group does not know it"
    numbers: Numbers = {"members": len(group.members)}
    return error_or_none(ErrorCode.NONE if is_known else ErrorCode.UNKNOWN_MEMBER_ID, reason, numbers)


@rule(kafka="GroupCoordinator.handleHeartbeat")
def same_generation(group: Group, generation: int) -> Ruling[ErrorCode]:
    """Who speaks of another generation has missed a rebalance."""
    fits = generation == group.generation
    numbers: Numbers = {"its generation": generation, "group generation": group.generation}
    reason = "it is in the group's generation" if fits else "it is in another generation"
    return error_or_none(ErrorCode.NONE if fits else ErrorCode.ILLEGAL_GENERATION, reason, numbers)


@rule(kafka="GroupCoordinator.handleHeartbeat")
def heartbeat(group: Group) -> Ruling[ErrorCode]:
    """A member that is known and in this generation hears whether it has to join again."""
    numbers: Numbers = {"state": str(group.state), "generation": group.generation}
    if group.state is GroupState.PREPARING:
        error, reason = ErrorCode.REBALANCE_IN_PROGRESS, "the group waits for its members to join again"
    elif group.state is GroupState.EMPTY:
        error, reason = ErrorCode.UNKNOWN_MEMBER_ID, "the group is empty"
    else:
        error, reason = ErrorCode.NONE, "the member is in the generation"
    return error_or_none(error, reason, numbers)


@rule(kafka="ClassicGroup.validateOffsetCommit")
def may_commit(group: Group, generation: int, member_id: str, instance_id: str) -> Ruling[ErrorCode]:
    """An empty group takes offsets from outside; else a member in the current generation may commit.

    While members join again, the generation before is still current. Between join and sync it is a new one, of
    which nobody has a part yet.
    """
    numbers: Numbers = {
        "its generation": generation,
        "group generation": group.generation,
        "state": str(group.state),
    }
    if generation < 0 and group.state is GroupState.EMPTY:
        return error_or_none(ErrorCode.NONE, "the group is empty", numbers)
    ruling = known_member(group, member_id, instance_id)
    if ruling.granted:
        ruling = same_generation(group, generation)
    error, reason = ruling.value, ruling.reason
    if error == ErrorCode.NONE and group.state is GroupState.COMPLETING:
        error, reason = ErrorCode.REBALANCE_IN_PROGRESS, "the generation has no assignment yet"
    return error_or_none(error, reason, numbers)


def missing(group: Group) -> list[str]:
    """Members that have not joined the next generation."""
    return [member.member_id for member in group.members.values() if member.joining is None]


def first_of(names: Iterable[str]) -> str:
    """The first, or empty."""
    return next(iter(names), "")
