"""What a coordinator decides about members of the classic protocol, as pure functions. Source: GroupCoordinator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from cluster.groups.group_state import GroupState
from cluster.groups.state import Group, Member
from cluster.model.errors import ErrorCode
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule


@rule(source="KIP-62", kafka="GroupCoordinatorService.joinGroup")
def session_timeout(session_timeout_ms: int, least_ms: int, most_ms: int) -> Ruling[ErrorCode]:
    """A member's session must fit the coordinator's limits, both inclusive."""
    fits = least_ms <= session_timeout_ms <= most_ms
    numbers: Numbers = {"asked": session_timeout_ms, "least": least_ms, "most": most_ms}
    reason = "the session timeout fits" if fits else "the session timeout is out of range"
    return error_or_none(ErrorCode.NONE if fits else ErrorCode.INVALID_SESSION_TIMEOUT, reason, numbers)


@rule(kafka="ClassicGroup.supportsProtocols")
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
    supported = [{name for name, _ in member.protocols} for member in group.members.values()]
    return set.intersection(*supported) if supported else set()


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
            return error_or_none(ErrorCode.FENCED_INSTANCE_ID, reason, {"member id": member_id, "holder": holder})
        is_known = holder is not None
    else:
        is_known = member_id in group.members
    reason = "it is in the group" if is_known else "the group does not know it"
    numbers: Numbers = {"members": len(group.members)}
    return error_or_none(ErrorCode.NONE if is_known else ErrorCode.UNKNOWN_MEMBER_ID, reason, numbers)


@rule(kafka="GroupMetadataManager.validateClassicGroupHeartbeat")
def same_generation(group: Group, generation: int) -> Ruling[ErrorCode]:
    """Who speaks of another generation has missed a rebalance."""
    fits = generation == group.generation
    numbers: Numbers = {"its generation": generation, "group generation": group.generation}
    reason = "it is in the group's generation" if fits else "it is in another generation"
    return error_or_none(ErrorCode.NONE if fits else ErrorCode.ILLEGAL_GENERATION, reason, numbers)


@rule(kafka="GroupMetadataManager.classicGroupHeartbeatToClassicGroup")
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


@rule(kafka="GroupMetadataManager.validateSyncGroup")
def sync(group: Group, protocol_type: str, protocol: str) -> Ruling[ErrorCode]:
    """A member gets its part of what the assignor made that was chosen, unless the group waits for members again.

    Args:
        protocol_type: as the member names it; empty when it names none.
        protocol: as the member names it; empty when it names none.
    """
    named = (protocol_type or group.protocol_type, protocol or group.protocol)
    if named != (group.protocol_type, group.protocol):
        numbers: Numbers = {"its assignor": named[1], "chosen": group.protocol}
        return error_or_none(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "it names another assignor", numbers)
    if group.state is GroupState.PREPARING:
        return error_or_none(ErrorCode.REBALANCE_IN_PROGRESS, "the group waits for its members to join again")
    return error_or_none(ErrorCode.NONE, "it names the assignor that was chosen, or none")


@rule(source="KIP-345, KIP-394", kafka="GroupMetadataManager.classicGroupLeaveToClassicGroup")
def may_leave(group: Group | None, member_id: str, instance_id: str) -> Ruling[ErrorCode]:
    """A member may leave that is known; its instance id alone is enough, and so is an id that was only given out."""
    if group is not None and not member_id and instance_id in group.static_ids:
        return error_or_none(ErrorCode.NONE, "it is named by its instance id")
    if group is not None and member_id in group.pending_members and not instance_id:
        return error_or_none(ErrorCode.NONE, "its id was given out")
    ruling = known_member(group, member_id, instance_id)
    return error_or_none(ruling.value, ruling.reason, ruling.numbers)


@rule(source="KIP-62", kafka="ClassicGroupMember.hasSatisfiedHeartbeat")
def session_expired(member: Member, now_ms: int) -> Ruling[str]:
    """A member is out whose session is over, unless it waits for an answer of ours; a new one is out even then.

    The value is why it is out; empty when it stays.
    """
    waits = member.joining is not None or member.syncing is not None
    numbers: Numbers = {
        "silent_ms": now_ms - member.heard_ms,
        "session_timeout_ms": member.session_timeout_ms,
        "waits": int(waits),
        "is new": int(member.is_new),
    }
    # A JoinGroup is answered when the last member has come, which may take longer than a session, and who waits for it
    # does not say more meanwhile. Were those put out who came first, they would come again as new members, and the
    # others be put out while they wait for them. But a new member that has given up would be waited for by every
    # rebalance: it is out.
    if not member.is_new and waits:
        return Ruling("", False, "it waits for an answer of ours", numbers)
    why = "join_expired" if member.is_new and member.joining else "session_expired"
    return Ruling(why, True, "no sign of life for the session timeout", numbers)


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
        # Who commits may have been put out without knowing it:
        #
        #     1   reads partition 0 up to 20 and stands still until its session is over
        #     2   gets partition 0 in the next generation, reads on, and commits 50
        #     1   goes on and commits 20, in its old generation
        #
        # Were that taken, whoever reads partition 0 next would begin at 20, and do 30 records a second time.
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
