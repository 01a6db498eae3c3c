"""What a coordinator decides about members of the newer protocol, as pure functions.

Source: KIP-848; Kafka GroupMetadataManager, ConsumerGroup.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from cluster.groups.consumer.state import (
    JOIN,
    LEAVE_FOR_A_WHILE,
    ConsumerGroup,
    ConsumerMember,
    MemberState,
    Parts,
)
from cluster.groups.consumer.topic_pattern import PatternError, compiled
from cluster.groups.group_state import GroupState
from cluster.groups.state import Group
from cluster.model.errors import ErrorCode
from cluster.model.messages import ConsumerGroupHeartbeatRequest
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule, yes_or_no


@rule(source="KIP-848", kafka="GroupMetadataManager.throwIfConsumerGroupHeartbeatRequestIsInvalid")
def valid_request(request: ConsumerGroupHeartbeatRequest, assignors: Collection[str]) -> Ruling[ErrorCode]:
    """What a heartbeat must say, and what it may not."""
    epoch, error = request.member_epoch, ErrorCode.INVALID_REQUEST
    if not request.member_id.strip() and (request.makes_member_id or epoch not in (JOIN, LEAVE_FOR_A_WHILE)):
        reason = "it has no member id"
    elif not _is_told(request.instance_id) or not _is_told(request.rack_id):
        reason = "its instance id or its rack is empty"
    elif epoch < LEAVE_FOR_A_WHILE:
        reason = "there is no such member epoch"
    elif epoch == JOIN and request.rebalance_timeout_ms == -1:
        reason = "who joins has to say its rebalance timeout"
    elif epoch == JOIN and request.owned != ():
        reason = "who joins may own nothing"
    elif epoch == JOIN and request.topics is None and request.pattern is None:
        reason = "who joins has to say its topics"
    elif epoch == LEAVE_FOR_A_WHILE and request.instance_id is None:
        reason = "only a static member may leave for a while"
    elif why := why_no_pattern(request.pattern):
        error, reason = ErrorCode.INVALID_REGULAR_EXPRESSION, f"its pattern of topics: {why}"
    elif request.assignor and request.assignor not in assignors:
        error, reason = ErrorCode.UNSUPPORTED_ASSIGNOR, f"the assignors here are {', '.join(assignors)}"
    else:
        return error_or_none(ErrorCode.NONE, "it says what it must")
    claims = _what_it_says(request)
    if error == ErrorCode.UNSUPPORTED_ASSIGNOR:
        claims["assignors"] = ", ".join(assignors)
    return error_or_none(error, reason, claims)


def _what_it_says(request: ConsumerGroupHeartbeatRequest) -> Numbers:
    """Of a heartbeat that is refused; a number is left out where it says nothing."""
    claims: dict[str, int | str | None] = {
        "member epoch": request.member_epoch,
        "member id": request.member_id,
        "instance id": request.instance_id,
        "rack": request.rack_id,
        "rebalance_timeout_ms": request.rebalance_timeout_ms,
        "owned": None if request.owned is None else len(request.owned),
        "topics": None if request.topics is None else len(request.topics),
        "pattern": request.pattern,
        "assignor": request.assignor,
    }
    return {name: number for name, number in claims.items() if number is not None}


def why_no_pattern(pattern: str | None) -> str:
    """Why a pattern of topics cannot be read; empty when it can, or there is none."""
    try:
        compiled(pattern or "")
    except PatternError as error:
        return str(error)
    return ""


def _is_told(text: str | None) -> bool:
    return text is None or bool(text.strip())


@rule(source="KIP-848", kafka="GroupMetadataManager.getOrMaybeCreateConsumerGroup")
def of_this_kind(group: Group | None, *, joins: bool) -> Ruling[ErrorCode]:
    """A group of the classic protocol that has members takes none of the newer one: it is not migrated online here.

    One without members becomes a group of the newer protocol when somebody joins. Kafka migrates a group with members
    when group.consumer.migration.policy allows it.
    """
    error = ErrorCode.GROUP_ID_NOT_FOUND
    if group is None or (group.consumer is None and group.state is GroupState.EMPTY):
        is_there, reason = joins, "it begins a group" if joins else "there is no such group"
    elif group.consumer is None:
        is_there, reason = False, "its members speak the classic protocol, and groups are not migrated online here"
    else:
        is_there, reason = True, "the group speaks the newer protocol"
    if is_there:
        return error_or_none(ErrorCode.NONE, reason)
    is_classic = group is not None and bool(group.members)
    is_newer = group is not None and group.consumer is not None
    numbers: Numbers = {"joins": int(joins), "has classic members": int(is_classic), "is newer": int(is_newer)}
    return error_or_none(error, reason, numbers)


@rule(source="KIP-848", kafka="GroupMetadataManager.throwIfConsumerGroupIsFull")
def has_room(group: ConsumerGroup, member_id: str, most: int) -> Ruling[ErrorCode]:
    """A full group takes nobody new."""
    fits = member_id in group.members or len(group.members) < most
    numbers: Numbers = {"members": len(group.members), "most": most}
    reason = "there is room" if fits else "the group is full"
    return error_or_none(ErrorCode.NONE if fits else ErrorCode.GROUP_MAX_SIZE_REACHED, reason, numbers)


@rule(source="KIP-848, KIP-345", kafka="GroupMetadataManager.getOrMaybeSubscribeStaticConsumerGroupMember")
def known_member(group: ConsumerGroup, request: ConsumerGroupHeartbeatRequest) -> Ruling[ErrorCode]:
    """Who may speak: a dynamic member by its member id, a static one as the holder of its instance id.

    A static member that joins takes a place over only when its holder has left it for a while.
    """
    joins = request.member_epoch == JOIN
    holder = None if request.instance_id is None else group.static_member(request.instance_id)
    error, reason = ErrorCode.NONE, "it is in the group, or comes new"
    if request.instance_id is None:
        if not joins and request.member_id not in group.members:
            error, reason = ErrorCode.UNKNOWN_MEMBER_ID, "the group does not know it"
    elif holder is None:
        if not joins:
            error, reason = ErrorCode.UNKNOWN_MEMBER_ID, "nobody has its instance id"
    elif joins and holder.epoch != LEAVE_FOR_A_WHILE:
        if holder.member_id != request.member_id:
            error, reason = ErrorCode.UNRELEASED_INSTANCE_ID, "another member has its instance id and has not left it"
    elif not joins and holder.member_id != request.member_id:
        error, reason = ErrorCode.FENCED_INSTANCE_ID, "another member has its instance id now"
    numbers: Numbers = {"members": len(group.members)}
    if holder is not None and error != ErrorCode.NONE:
        numbers |= {"member id": request.member_id, "holder": holder.member_id}
    return error_or_none(error, reason, numbers)


@rule(source="KIP-848", kafka="GroupMetadataManager.throwIfConsumerGroupMemberEpochIsInvalid")
def member_epoch(member: ConsumerMember, epoch: int, owned: Parts | None) -> Ruling[ErrorCode]:
    """A member speaks of the epoch it was told last.

    It may speak of the one before when it owns nothing that it may not have: the answer that told of the newer one may
    have been lost. Epoch 0 joins anew.
    """
    numbers: Numbers = {"its epoch": epoch, "known epoch": member.epoch}
    may_own = owned is not None and owned <= member.assigned
    # The lost answer may have told it to give something up. One that has nothing but what it may have can go on as if
    # it had heard; one that has more would go on reading what another gets as soon as it is counted as given up.
    is_lost = epoch == member.previous_epoch and may_own
    if epoch in (JOIN, member.epoch):
        fits, reason = True, "it is in the epoch it was told"
    elif epoch < member.epoch and is_lost:
        fits, reason = True, "the answer that told it the newer epoch may have been lost"
    else:
        fits, reason = False, "it has to give everything up and to join anew"
        numbers |= {"epoch before": member.previous_epoch, "owns too much": int(not may_own)}
    return error_or_none(ErrorCode.NONE if fits else ErrorCode.FENCED_MEMBER_EPOCH, reason, numbers)


@rule(source="KIP-848", kafka="ConsumerGroup.validateOffsetCommit")
def may_use_offsets(
    members: Mapping[str, ConsumerMember], member_id: str, epoch: int, *, knows_member_epochs: bool = True
) -> Ruling[ErrorCode]:
    """Only a member in its epoch commits and reads offsets as a member; an empty group takes offsets from outside.

    Source: Kafka ConsumerGroup.validateOffsetCommit.
    """
    numbers: Numbers = {"its epoch": epoch}
    member = members.get(member_id)
    if epoch < 0 and not members:
        error, reason = ErrorCode.NONE, "the group is empty"
    elif member is None:
        error, reason = ErrorCode.UNKNOWN_MEMBER_ID, "the group does not know it"
    elif not knows_member_epochs:
        error, reason = ErrorCode.UNSUPPORTED_VERSION, "version 9 or newer is needed in a group of the newer protocol"
    else:
        numbers["known epoch"] = member.epoch
        fits = member.epoch == epoch
        error = ErrorCode.NONE if fits else ErrorCode.STALE_MEMBER_EPOCH
        reason = "it is in its epoch" if fits else "it speaks of another epoch"
    return error_or_none(error, reason, numbers)


@rule(source="KIP-848", kafka="ConsumerGroup.supportsClassicProtocols")
def takes_classic_member(group: Group) -> Ruling[ErrorCode]:
    """A group of the newer protocol that has members takes none of the classic one: it is not migrated online here.

    Kafka takes one whose assignors all classic members know, and keeps both kinds in one group.
    """
    fits = group.consumer is None or group.state is GroupState.EMPTY
    reason = "the group has no members of the newer protocol"
    if not fits:
        reason = "its members speak the newer protocol, and groups are not migrated online here"
    numbers: Numbers = {"newer members": 0 if group.consumer is None else len(group.consumer.members)}
    return error_or_none(ErrorCode.NONE if fits else ErrorCode.INCONSISTENT_GROUP_PROTOCOL, reason, numbers)


@rule(source="KIP-848", kafka="GroupMetadataManager.scheduleConsumerGroupSessionTimeout")
def session_expired(silent_ms: int, session_timeout_ms: int) -> Ruling[bool]:
    """A member is out that was not heard for its session timeout."""
    numbers: Numbers = {"silent_ms": silent_ms, "session_timeout_ms": session_timeout_ms}
    if silent_ms < session_timeout_ms:
        return yes_or_no(False, "it was heard within its session", numbers)
    return yes_or_no(True, "no sign of life for the session timeout", numbers)


@rule(source="KIP-848", kafka="GroupMetadataManager.scheduleConsumerGroupRebalanceTimeout")
def rebalance_expired(member: ConsumerMember, epoch: int) -> Ruling[bool]:
    """A member is out that does not give up in its rebalance timeout what it has to.

    Args:
        epoch: its epoch when it was told so; -1 when it has nothing to give up.
    """
    numbers: Numbers = {"rebalance_timeout_ms": member.rebalance_timeout_ms, "member epoch": member.epoch}
    if member.state is not MemberState.UNREVOKED_PARTITIONS or member.epoch != epoch:
        return yes_or_no(False, "it has gone on meanwhile", numbers)
    return yes_or_no(True, "it has not given up what it had to in its rebalance timeout", numbers)


@rule(source="KIP-848", kafka="ConsumerGroup.computePreferredServerAssignor")
def preferred_assignor(members: Mapping[str, ConsumerMember], assignors: Collection[str]) -> Ruling[str]:
    """The assignor that no other is named more often than divides the partitions; the first name breaks a tie."""
    votes = Counter(item.assignor for item in members.values() if item.assignor in assignors)
    chosen = min(votes, key=lambda name: (-votes[name], name)) if votes else next(iter(assignors))
    reason = "no other is named by more members" if votes else "nobody names one"
    numbers: Numbers = {"assignor": chosen, **dict(sorted(votes.items()))}
    return Ruling(chosen, True, reason, numbers)
