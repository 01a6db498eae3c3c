"""What a coordinator decides about groups of both protocols, as pure functions. Source: KIP-211."""

from __future__ import annotations

from cluster.groups.group_state import GroupState
from cluster.groups.state import CommittedOffset, Group
from cluster.model.errors import ErrorCode
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule, yes_or_no

MEMBER_TEXT_BYTES_MAX = 32_000
"""Of each text of a member; leaves room for the id that a coordinator makes of an instance id."""


@rule(source="our own: a record's strings have lengths of two bytes")
def fits_record(*texts: str) -> Ruling[ErrorCode]:
    """What a member says of itself has to fit a record of the offsets topic, whose strings have lengths of two bytes.

    Newer versions of the requests take longer ones.
    """
    longest = max((len(text.encode("utf-8", "replace")) for text in texts), default=0)
    fits = longest <= MEMBER_TEXT_BYTES_MAX
    numbers: Numbers = {"bytes": longest, "most": MEMBER_TEXT_BYTES_MAX}
    reason = "its texts fit a record" if fits else "a text is too long for a record"
    return error_or_none(ErrorCode.NONE if fits else ErrorCode.INVALID_REQUEST, reason, numbers)


@rule(source="KIP-211", kafka="OffsetExpirationConditionImpl.isOffsetExpired")
def offset_expired(
    group: Group, committed: CommittedOffset, now_ms: int, retention_ms: int, *, is_subscribed: bool
) -> Ruling[bool]:
    """Retention begins when the group became empty, or with the commit of a consumer outside of groups.

    While a group has members, only topics that nobody subscribes to lose their offsets. Source: KIP-211.
    """
    if group.has_members and is_subscribed:
        return yes_or_no(False, "a member subscribes to the topic", {"is subscribed": 1})
    is_empty_group = group.state is GroupState.EMPTY and bool(group.protocol_type)
    from_ms = max(group.since_ms, committed.at_ms) if is_empty_group else committed.at_ms
    is_late = now_ms - from_ms >= retention_ms
    numbers: Numbers = {"age_ms": now_ms - from_ms, "retention_ms": retention_ms}
    return yes_or_no(is_late, "retention is over" if is_late else "retained", numbers)


@rule(source="KIP-848", kafka="OffsetMetadataManager.validateOffsetCommit")
def group_of_commit(group: Group | None, generation: int, *, knows_member_epochs: bool) -> Ruling[ErrorCode]:
    """Who commits as a member needs its group to be there; who commits from outside makes it.

    Args:
        generation: that of the member, or its epoch; -1 from outside.
        knows_member_epochs: its request is of version 9 or newer.
    """
    if group is not None:
        return error_or_none(ErrorCode.NONE, "the group is there")
    if generation < 0:
        return error_or_none(ErrorCode.NONE, "it makes a group")
    error = ErrorCode.GROUP_ID_NOT_FOUND if knows_member_epochs else ErrorCode.ILLEGAL_GENERATION
    return error_or_none(error, "no such group")


@rule(kafka="CoordinatorOperationExceptionHelper.handleOperationException")
def is_written(error: ErrorCode) -> Ruling[bool]:
    """Offsets count once the offsets topic has them on all of its in-sync replicas."""
    if error == ErrorCode.NONE:
        return yes_or_no(True, "the offsets topic has it")
    return yes_or_no(False, "the offsets topic did not take it in time or has too few replicas")
