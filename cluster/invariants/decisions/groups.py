"""What the specifications make of the numbers of a group coordinator's decision. Source: KIP-62, KIP-345, KIP-848."""

from __future__ import annotations

from collections.abc import Mapping

from cluster.invariants.decisions.audit import Compared, Decisions, either, no, yes
from cluster.invariants.group import invariant
from cluster.model import events as ev
from cluster.model.errors import ErrorCode

JOINS, LEAVES_FOR_A_WHILE = 0, -2
"""Member epochs that say so. Source: KIP-848."""
OUTSIDE = -1
"""Generation of a commit by somebody who is in no group."""


def _most_named(votes: Mapping[str, int]) -> str:
    """Most votes win, and the first name breaks a tie."""
    return min(votes, key=lambda name: (-votes[name], name))


class GroupDecisions(Decisions):
    """Asked of each event that carries such a decision."""

    GR20 = invariant("what a coordinator decides follows from what was compared", "KIP-62, KIP-848")

    @yes("vote_protocol")
    def _began(self, event: ev.GroupGenerationBegan, numbers: Compared) -> str:
        if event.protocol != _most_named(numbers) or sum(numbers.values()) != len(event.members):
            return "a generation begins with another assignor than most members have voted for"
        return "" if numbers.granted else "a generation begins by a vote that is told to have failed"

    @yes("may_commit")
    def _committed(self, event: ev.OffsetsCommitted, numbers: Compared) -> str:
        theirs, ours, state = numbers["its generation"], numbers["group generation"], numbers["state"]
        is_outside = theirs <= OUTSIDE and state == "Empty"
        if is_outside or (theirs == ours == event.generation and state not in ("CompletingRebalance", "Dead")):
            return ""
        return f"offsets of generation {theirs} are taken in generation {ours} of a group that is {state}"

    @yes("may_use_offsets")
    def _committed_in_epoch(self, event: ev.OffsetsCommitted, numbers: Compared) -> str:
        member_epoch = numbers.get("known epoch", numbers["its epoch"])
        if numbers["its epoch"] == member_epoch == event.generation:
            return ""
        return f"offsets of member epoch {numbers['its epoch']} are taken of a member in epoch {member_epoch}"

    @no("may_commit", "may_use_offsets")
    def _not_committed(self, event: ev.OffsetCommitRefused, numbers: Compared) -> str:
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

    @yes("offset_expired")
    def _expired(self, event: ev.OffsetsForgotten, numbers: Compared) -> str:
        """Source: KIP-211."""
        if "is subscribed" in numbers:
            return f"offsets of group {event.group} go, and a member subscribes to the topic"
        if numbers["age_ms"] >= numbers["retention_ms"]:
            return ""
        return f"offsets go after {numbers['age_ms']} ms; they are kept for {numbers['retention_ms']} ms"

    @no("heartbeat")
    def _refused(self, event: ev.GroupRequestRefused, numbers: Compared) -> str:
        due = {"PreparingRebalance": ErrorCode.REBALANCE_IN_PROGRESS, "Empty": ErrorCode.UNKNOWN_MEMBER_ID}
        if due.get(numbers["state"]) == event.error:
            return ""
        return f"a heartbeat is refused with {event.error} in a group that is {numbers['state']}"

    @yes("session_expired")
    def _silent(self, _event: ev.GroupMemberLeft, numbers: Compared) -> str:
        if numbers.get("waits") and not numbers["is new"]:
            return "a member is out that waits for an answer"
        if numbers["silent_ms"] >= numbers["session_timeout_ms"]:
            return ""
        return f"a member is out after {numbers['silent_ms']} ms; its session lasts {numbers['session_timeout_ms']} ms"

    @yes("preferred_assignor")
    def _targeted(self, event: ev.ConsumerGroupTargeted, numbers: Compared) -> str:
        votes = {name: count for name, count in numbers.items() if name != "assignor"}
        if event.assignor == numbers["assignor"] and (not votes or event.assignor == _most_named(votes)):
            return ""
        return "a target is made by another assignor than most members name"

    @either("reconcile")
    def _reconciled(self, event: ev.ConsumerMemberReconciled, numbers: Compared) -> str:
        """It keeps its epoch while it has something to give up, and is stable once nothing stands in its way.

        What it may still have is taken only after it was asked to give it up.
        """
        waits = bool(event.revoking or numbers["not released yet"])
        counts = len(event.assigned), len(event.revoking)
        if counts != (numbers["may have"], numbers["has to give up"]) or numbers.granted is waits:
            return "the state of a member is not what its assignment makes it"
        if numbers.get("says it has of these") and not event.revoking:
            return f"a member loses {numbers['loses']} partitions without being asked to give them up"
        if not event.revoking and event.member_epoch != event.target_epoch:
            return f"a member with nothing to give up stays in epoch {event.member_epoch} of {event.target_epoch}"
        return ""

    @no("valid_request")
    def _invalid(self, event: ev.GroupRequestRefused, numbers: Compared) -> str:
        """What a heartbeat must say. Source: KIP-848 "Request Validation"."""
        epoch, blank = numbers["member epoch"], [name for name, value in numbers.items() if not str(value).strip()]
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

    @no("member_epoch")
    def _fenced(self, event: ev.GroupRequestRefused, numbers: Compared) -> str:
        known_epoch = numbers["known epoch"]
        before = known_epoch if numbers.get("owns too much") else numbers.get("epoch before", known_epoch)
        epochs = JOINS, known_epoch, min(before, known_epoch)
        if event.error != ErrorCode.FENCED_MEMBER_EPOCH or numbers["its epoch"] not in epochs:
            return ""
        return f"a member is fenced in epoch {numbers['its epoch']}, which it was told last"

    @no("same_generation")
    def _of_another(self, event: ev.GroupRequestRefused, numbers: Compared) -> str:
        is_same = numbers["its generation"] == numbers["group generation"]
        if event.error != ErrorCode.ILLEGAL_GENERATION or not is_same:
            return ""
        return f"a member is refused for its generation {numbers['its generation']}, which is the group's"

    @no("of_this_kind")
    def _no_such_group(self, _event: ev.GroupRequestRefused, numbers: Compared) -> str:
        if not numbers.get("is newer") and (not numbers["joins"] or numbers["has classic members"]):
            return ""
        return "a member is refused as one of another protocol, and no member of the classic one stands in its way"

    @no("takes_classic_member")
    def _other_protocol(self, _event: ev.GroupRequestRefused, numbers: Compared) -> str:
        return (
            ""
            if numbers["newer members"]
            else "who joins by the classic protocol is refused by a group without members"
        )

    @no("session_timeout")
    def _no_session(self, _event: ev.GroupRequestRefused, numbers: Compared) -> str:
        if not numbers["least"] <= numbers["asked"] <= numbers["most"]:
            return ""
        bounds = f"{numbers['least']} to {numbers['most']} ms"
        return f"a session of {numbers['asked']} ms is refused, where {bounds} are allowed"

    @no("has_room")
    def _full(self, _event: ev.GroupRequestRefused, numbers: Compared) -> str:
        if numbers["members"] >= numbers["most"]:
            return ""
        return f"a group is full with {numbers['members']} of {numbers['most']} members"

    @no("known_member")
    def _not_known(self, event: ev.GroupRequestRefused, numbers: Compared) -> str:
        is_of_another = event.error in (ErrorCode.FENCED_INSTANCE_ID, ErrorCode.UNRELEASED_INSTANCE_ID)
        if not is_of_another or numbers["holder"] not in ("", numbers["member id"]):
            return ""
        return f"{event.member_id} is refused for an instance id that nobody else has"
