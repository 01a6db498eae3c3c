"""What the specifications make of the numbers of a group coordinator's decision. Source: KIP-62, KIP-345, KIP-848."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cluster.invariants.ghost.ghost import Ghost
from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.errors import ErrorCode

JOINS, LEAVES_FOR_A_WHILE = 0, -2
"""Member epochs that say so. Source: KIP-848."""
OUTSIDE = -1
"""Generation of a commit by somebody who is in no group."""


def _most_named(votes: Mapping[str, int]) -> str:
    """Most votes win, and the first name breaks a tie."""
    return min(votes, key=lambda name: (-votes[name], name))


def _began(_ghost: Ghost, entry: Entry, event: ev.GroupGenerationBegan, numbers: Mapping[str, Any]) -> str:
    assert entry.decision is not None
    if event.protocol != _most_named(numbers) or sum(numbers.values()) != len(event.members):
        return "a generation begins with another assignor than most members have voted for"
    return "" if entry.decision.granted else "a generation begins by a vote that is told to have failed"


def _committed(_ghost: Ghost, _entry: Entry, event: ev.OffsetsCommitted, numbers: Mapping[str, Any]) -> str:
    theirs, ours, state = numbers["its generation"], numbers["group generation"], numbers["state"]
    is_outside = theirs <= OUTSIDE and state == "Empty"
    if is_outside or (theirs == ours == event.generation and state not in ("CompletingRebalance", "Dead")):
        return ""
    return f"offsets of generation {theirs} are taken in generation {ours} of a group that is {state}"


def _committed_in_epoch(_ghost: Ghost, _entry: Entry, event: ev.OffsetsCommitted, numbers: Mapping[str, Any]) -> str:
    known = numbers.get("known epoch", numbers["its epoch"])
    if numbers["its epoch"] == known == event.generation:
        return ""
    return f"offsets of member epoch {numbers['its epoch']} are taken of a member in epoch {known}"


def _not_committed(_ghost: Ghost, _entry: Entry, event: ev.OffsetCommitRefused, numbers: Mapping[str, Any]) -> str:
    """Between join and sync there is nothing to commit yet; who speaks of another generation or epoch is behind."""
    match event.error:
        case ErrorCode.REBALANCE_IN_PROGRESS:
            fits = numbers["state"] == "CompletingRebalance"
        case ErrorCode.ILLEGAL_GENERATION:
            fits = numbers["its generation"] != numbers["group generation"]
        case ErrorCode.STALE_MEMBER_EPOCH:
            fits = numbers["its epoch"] != numbers["known epoch"]
        case _:
            fits = True
    return "" if fits else f"offsets are refused with {event.error}, and nothing that was compared says so"


def _expired(_ghost: Ghost, _entry: Entry, event: ev.OffsetsForgotten, numbers: Mapping[str, Any]) -> str:
    """Source: KIP-211."""
    if "is subscribed" in numbers:
        return f"offsets of group {event.group} go, and a member subscribes to the topic"
    if numbers["age_ms"] >= numbers["retention_ms"]:
        return ""
    return f"offsets go after {numbers['age_ms']} ms; they are kept for {numbers['retention_ms']} ms"


def _refused(_ghost: Ghost, _entry: Entry, event: ev.GroupRequestRefused, numbers: Mapping[str, Any]) -> str:
    due = {"PreparingRebalance": ErrorCode.REBALANCE_IN_PROGRESS, "Empty": ErrorCode.UNKNOWN_MEMBER_ID}
    if due.get(numbers["state"]) == event.error:
        return ""
    return f"a heartbeat is refused with {event.error} in a group that is {numbers['state']}"


def _silent(_ghost: Ghost, _entry: Entry, _event: ev.GroupMemberLeft, numbers: Mapping[str, Any]) -> str:
    if numbers.get("waits") and not numbers["is new"]:
        return "a member is out that waits for an answer"
    if numbers["silent_ms"] >= numbers["session_timeout_ms"]:
        return ""
    return f"a member is out after {numbers['silent_ms']} ms; its session lasts {numbers['session_timeout_ms']} ms"


def _targeted(_ghost: Ghost, _entry: Entry, event: ev.ConsumerGroupTargeted, numbers: Mapping[str, Any]) -> str:
    votes = {name: count for name, count in numbers.items() if name != "assignor"}
    if event.assignor == numbers["assignor"] and (not votes or event.assignor == _most_named(votes)):
        return ""
    return "a target is made by another assignor than most members name"


def _reconciled(_ghost: Ghost, entry: Entry, event: ev.ConsumerMemberReconciled, numbers: Mapping[str, Any]) -> str:
    """It keeps its epoch while it has something to give up, and is stable once nothing stands in its way.

    What it may still have is taken only after it was asked to give it up.
    """
    assert entry.decision is not None
    waits = bool(event.revoking or numbers["not released yet"])
    counts = len(event.assigned), len(event.revoking)
    if counts != (numbers["may have"], numbers["has to give up"]) or entry.decision.granted is waits:
        return "the state of a member is not what its assignment makes it"
    if numbers.get("says it has of these") and not event.revoking:
        return f"a member loses {numbers['loses']} partitions without being asked to give them up"
    if not event.revoking and event.member_epoch != event.target_epoch:
        return f"a member with nothing to give up stays in epoch {event.member_epoch} of {event.target_epoch}"
    return ""


def _invalid(_ghost: Ghost, _entry: Entry, event: ev.GroupRequestRefused, numbers: Mapping[str, Any]) -> str:
    """What a heartbeat must say. Source: KIP-848 "Request Validation"."""
    epoch, blank = numbers["member epoch"], [name for name, said in numbers.items() if not str(said).strip()]
    is_silent = {"instance id", "rack", "member id"} & {*blank} or "member id" not in numbers
    joins_badly = numbers["rebalance_timeout_ms"] == -1 or numbers.get("owned") != 0
    joins_badly = joins_badly or not {"topics", "pattern"} & numbers.keys()
    leaves_badly = epoch < LEAVES_FOR_A_WHILE or (epoch == LEAVES_FOR_A_WHILE and "instance id" not in numbers)
    causes = {
        ErrorCode.INVALID_REQUEST: is_silent or leaves_badly or (epoch == JOINS and joins_badly),
        ErrorCode.INVALID_REGULAR_EXPRESSION: numbers.get("pattern"),
        ErrorCode.UNSUPPORTED_ASSIGNOR: numbers.get("assignor")
        and numbers["assignor"] not in numbers.get("assignors", "").split(", "),
    }
    return (
        ""
        if causes.get(ErrorCode(event.error))
        else f"a heartbeat is refused with {event.error} that says what it must"
    )


def _fenced(_ghost: Ghost, _entry: Entry, event: ev.GroupRequestRefused, numbers: Mapping[str, Any]) -> str:
    known = numbers["known epoch"]
    before = known if numbers.get("owns too much") else numbers.get("epoch before", known)
    told = JOINS, known, min(before, known)
    if event.error != ErrorCode.FENCED_MEMBER_EPOCH or numbers["its epoch"] not in told:
        return ""
    return f"a member is fenced in epoch {numbers['its epoch']}, which it was told last"


def _of_another(_ghost: Ghost, _entry: Entry, event: ev.GroupRequestRefused, numbers: Mapping[str, Any]) -> str:
    is_same = numbers["its generation"] == numbers["group generation"]
    if event.error != ErrorCode.ILLEGAL_GENERATION or not is_same:
        return ""
    return f"a member is refused for its generation {numbers['its generation']}, which is the group's"


def _no_such_group(_ghost: Ghost, _entry: Entry, _event: ev.GroupRequestRefused, numbers: Mapping[str, Any]) -> str:
    if not numbers.get("is newer") and (not numbers["joins"] or numbers["has classic members"]):
        return ""
    return "a member is refused as one of another protocol, and no member of the classic one stands in its way"


def _other_protocol(_ghost: Ghost, _entry: Entry, _event: ev.GroupRequestRefused, numbers: Mapping[str, Any]) -> str:
    return "" if numbers["newer members"] else "who joins by the classic protocol is refused by a group without members"


def _no_session(_ghost: Ghost, _entry: Entry, _event: ev.GroupRequestRefused, numbers: Mapping[str, Any]) -> str:
    if not numbers["least"] <= numbers["asked"] <= numbers["most"]:
        return ""
    return (
        f"a session of {numbers['asked']} ms is refused, where {numbers['least']} to {numbers['most']} ms are allowed"
    )


def _full(_ghost: Ghost, _entry: Entry, _event: ev.GroupRequestRefused, numbers: Mapping[str, Any]) -> str:
    if numbers["members"] >= numbers["most"]:
        return ""
    return f"a group is full with {numbers['members']} of {numbers['most']} members"


def _not_known(_ghost: Ghost, _entry: Entry, event: ev.GroupRequestRefused, numbers: Mapping[str, Any]) -> str:
    is_of_another = event.error in (ErrorCode.FENCED_INSTANCE_ID, ErrorCode.UNRELEASED_INSTANCE_ID)
    if not is_of_another or numbers["holder"] not in ("", numbers["member id"]):
        return ""
    return f"{event.member_id} is refused for an instance id that nobody else has"


JUDGES: dict[tuple[type, str], Callable[..., str]] = {
    (ev.GroupGenerationBegan, "vote_protocol"): _began,
    (ev.OffsetsCommitted, "may_commit"): _committed,
    (ev.OffsetsCommitted, "may_use_offsets"): _committed_in_epoch,
    (ev.OffsetCommitRefused, "may_commit"): _not_committed,
    (ev.OffsetCommitRefused, "may_use_offsets"): _not_committed,
    (ev.OffsetsForgotten, "offset_expired"): _expired,
    (ev.GroupRequestRefused, "takes_classic_member"): _other_protocol,
    (ev.GroupRequestRefused, "has_room"): _full,
    (ev.GroupRequestRefused, "session_timeout"): _no_session,
    (ev.GroupRequestRefused, "heartbeat"): _refused,
    (ev.GroupRequestRefused, "valid_request"): _invalid,
    (ev.GroupRequestRefused, "of_this_kind"): _no_such_group,
    (ev.GroupRequestRefused, "known_member"): _not_known,
    (ev.GroupRequestRefused, "member_epoch"): _fenced,
    (ev.GroupRequestRefused, "same_generation"): _of_another,
    (ev.GroupMemberLeft, "session_expired"): _silent,
    (ev.ConsumerGroupTargeted, "preferred_assignor"): _targeted,
    (ev.ConsumerMemberReconciled, "reconcile"): _reconciled,
}
"""By class of event and name of the rule."""
NO = {key for key in JUDGES if key[0] in (ev.GroupRequestRefused, ev.OffsetCommitRefused)}
"""What is told when a rule has said no; all others tell of a yes."""
EITHER = {(ev.ConsumerMemberReconciled, "reconcile")}
"""What may be told either way."""
