"""What a coordinator decides, as pure functions. Source: Kafka GroupCoordinator, GroupMetadata, Utils.abs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from cluster.groups.group_state import GroupState
from cluster.groups.state import CommittedOffset, Group
from cluster.model.decision import Decision
from cluster.model.errors import ErrorCode

SOURCE = "GroupCoordinator"
SIMPLE_CONSUMER = -1
"""Generation of a consumer that belongs to no group and only stores offsets."""
MEMBER_TEXT_BYTES_MAX = 32_000
"""Of each text of a member; leaves room for the id that a coordinator makes of an instance id."""
_INT_MIN = -(1 << 31)


def java_hash(text: str) -> int:
    """String.hashCode: over UTF-16 code units, 31 times the hash so far plus the unit, in 32 bits with a sign."""
    units = text.encode("utf-16-be", "surrogatepass")
    value = 0
    for index in range(0, len(units), 2):
        value = (31 * value + (units[index] << 8 | units[index + 1])) & 0xFFFF_FFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def partition_for(group: str, partition_count: int) -> int:
    """The partition of __consumer_offsets that holds a group. The smallest integer has no absolute value: it is 0."""
    value = java_hash(group)
    return (0 if value == _INT_MIN else abs(value)) % partition_count


def fits_record(*texts: str) -> tuple[ErrorCode, Decision]:
    """What a member says of itself has to fit a record of the offsets topic, whose strings have lengths of two bytes.

    Newer versions of the requests take longer ones.
    """
    longest = max((len(text.encode("utf-8", "replace")) for text in texts), default=0)
    fits = longest <= MEMBER_TEXT_BYTES_MAX
    numbers: dict[str, int | str | list[int]] = {"bytes": longest, "most": MEMBER_TEXT_BYTES_MAX}
    reason = "its texts fit a record" if fits else "a text is too long for a record"
    return (
        ErrorCode.NONE if fits else ErrorCode.INVALID_REQUEST,
        Decision("fits_record", fits, reason, SOURCE, numbers),
    )


def session_timeout(session_timeout_ms: int, least_ms: int, most_ms: int) -> tuple[ErrorCode, Decision]:
    """A member's session must fit the coordinator's limits, both inclusive."""
    fits = least_ms <= session_timeout_ms <= most_ms
    numbers: dict[str, int | str | list[int]] = {"asked": session_timeout_ms, "least": least_ms, "most": most_ms}
    reason = "the session timeout fits" if fits else "the session timeout is out of range"
    return (
        ErrorCode.NONE if fits else ErrorCode.INVALID_SESSION_TIMEOUT,
        Decision("session_timeout", fits, reason, SOURCE, numbers),
    )


def supports_protocols(group: Group, protocol_type: str, protocols: Sequence[str]) -> tuple[ErrorCode, Decision]:
    """A new member must know an assignor that all others know too, and be of their type."""
    if not protocol_type or not protocols:
        reason = "it names no type or no assignor"
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL, Decision("supports_protocols", False, reason, SOURCE)
    if not group.members:
        return ErrorCode.NONE, Decision("supports_protocols", True, "the group has no members", SOURCE)
    shared = common_protocols(group)
    numbers: dict[str, int | str | list[int]] = {
        "its type": protocol_type,
        "group type": group.protocol_type,
        "its assignors": ",".join(protocols),
        "common assignors": ",".join(sorted(shared)),
    }
    fits = protocol_type == group.protocol_type and bool(shared & set(protocols))
    reason = "all know one of its assignors" if fits else "no assignor is known to all"
    return (
        ErrorCode.NONE if fits else ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
        Decision("supports_protocols", fits, reason, SOURCE, numbers),
    )


def common_protocols(group: Group) -> set[str]:
    """Assignors that every member knows."""
    known = [{name for name, _ in member.protocols} for member in group.members.values()]
    return set.intersection(*known) if known else set()


def vote_protocol(group: Group) -> tuple[str, Decision]:
    """Each member votes for the first of its assignors that all know; most votes win, the first name breaks a tie."""
    candidates = common_protocols(group)
    votes = Counter(
        next(name for name, _ in member.protocols if name in candidates) for member in group.members.values()
    )
    winner = min(votes, key=lambda name: (-votes[name], name))
    numbers: dict[str, int | str | list[int]] = dict(sorted(votes.items()))
    return winner, Decision("vote_protocol", True, f"{winner} has most votes", "GroupMetadata.selectProtocol", numbers)


def known_member(group: Group, member_id: str, instance_id: str) -> tuple[ErrorCode, Decision]:
    """A static member is who came last under its instance id, a dynamic one is known by its member id."""
    if instance_id:
        holder = group.static_ids.get(instance_id)
        if holder is not None and holder != member_id:
            reason = "another member has its instance id"
            return ErrorCode.FENCED_INSTANCE_ID, Decision("known_member", False, reason, "KIP-345")
        is_known = holder is not None
    else:
        is_known = member_id in group.members
    reason = "it is in the group" if is_known else "the group does not know it"
    numbers: dict[str, int | str | list[int]] = {"members": len(group.members)}
    return (
        ErrorCode.NONE if is_known else ErrorCode.UNKNOWN_MEMBER_ID,
        Decision("known_member", is_known, reason, SOURCE, numbers),
    )


def same_generation(group: Group, generation: int) -> tuple[ErrorCode, Decision]:
    """Who speaks of another generation has missed a rebalance."""
    fits = generation == group.generation
    numbers: dict[str, int | str | list[int]] = {"its generation": generation, "group generation": group.generation}
    reason = "it is in the group's generation" if fits else "it is in another generation"
    return (
        ErrorCode.NONE if fits else ErrorCode.ILLEGAL_GENERATION,
        Decision("same_generation", fits, reason, SOURCE, numbers),
    )


def heartbeat(group: Group) -> tuple[ErrorCode, Decision]:
    """A member that is known and in this generation hears whether it has to join again."""
    numbers: dict[str, int | str | list[int]] = {"state": str(group.state), "generation": group.generation}
    if group.state is GroupState.PREPARING:
        error, reason = ErrorCode.REBALANCE_IN_PROGRESS, "the group waits for its members to join again"
    elif group.state is GroupState.EMPTY:
        error, reason = ErrorCode.UNKNOWN_MEMBER_ID, "the group is empty"
    else:
        error, reason = ErrorCode.NONE, "the member is in the generation"
    return error, Decision("heartbeat", error == ErrorCode.NONE, reason, SOURCE, numbers)


def may_commit(group: Group, generation: int, member_id: str, instance_id: str) -> tuple[ErrorCode, Decision]:
    """An empty group takes offsets from outside; else a member in the current generation may commit.

    While members join again, the generation before is still current. Between join and sync it is a new one, of
    which nobody has a part yet.
    """
    numbers: dict[str, int | str | list[int]] = {
        "its generation": generation,
        "group generation": group.generation,
        "state": str(group.state),
    }
    if generation < 0 and group.state is GroupState.EMPTY:
        return ErrorCode.NONE, Decision("may_commit", True, "the group is empty", SOURCE, numbers)
    error, decision = known_member(group, member_id, instance_id)
    if error == ErrorCode.NONE:
        error, decision = same_generation(group, generation)
    reason = decision.reason
    if error == ErrorCode.NONE and group.state is GroupState.COMPLETING:
        error, reason = ErrorCode.REBALANCE_IN_PROGRESS, "the generation has no assignment yet"
    return error, Decision("may_commit", error == ErrorCode.NONE, reason, SOURCE, numbers)


def offset_expired(
    group: Group, committed: CommittedOffset, now_ms: int, retention_ms: int, *, is_subscribed: bool
) -> Decision:
    """Retention begins when the group became empty, or with the commit of a consumer outside of groups.

    While a group has members, only topics that nobody subscribes to lose their offsets. Source: KIP-211.
    """
    if group.has_members and is_subscribed:
        return Decision("offset_expired", False, "a member subscribes to the topic", "KIP-211")
    is_empty_group = group.state is GroupState.EMPTY and bool(group.protocol_type)
    from_ms = max(group.since_ms, committed.at_ms) if is_empty_group else committed.at_ms
    is_late = now_ms - from_ms >= retention_ms
    numbers: dict[str, int | str | list[int]] = {"age_ms": now_ms - from_ms, "retention_ms": retention_ms}
    return Decision("offset_expired", is_late, "retention is over" if is_late else "retained", "KIP-211", numbers)


def missing(group: Group) -> list[str]:
    """Members that have not joined the next generation."""
    return [member.member_id for member in group.members.values() if member.joining is None]


def first_of(names: Iterable[str]) -> str:
    """The first, or empty."""
    return next(iter(names), "")
