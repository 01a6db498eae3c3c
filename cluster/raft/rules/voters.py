"""The rules by which a leader changes the voters. Source: KIP-853, the Raft thesis 4.1, the correction of 2015."""

from __future__ import annotations

from msgspec import Struct

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import UNKNOWN_OFFSET, Offset
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule, yes_or_no
from cluster.model.voters import Voter, VoterSet

CAUGHT_UP_MS = 3_600_000
"""A new voter has fetched within so long. Source: LeaderState.isReplicaCaughtUp."""


class ChangeFacts(Struct, kw_only=True):
    """What a leader looks at before it changes the voters."""

    is_pending: bool
    """Whether an earlier change has not been answered yet."""
    high_watermark: Offset
    """-1 until a record of the leader's own epoch is committed."""
    committed_before: Offset
    """What it knew to be committed when it was elected (exclusive); -1 for nothing."""
    voters_offset: Offset
    """Of the record that is in force; -1 where it is none of this log."""
    is_dynamic: bool
    """Whether voters stand in the log."""
    waits: bool
    """False leaves out the correction of 2015."""


@rule(source="Raft thesis 4.1, raft-dev 2015, KIP-853", kafka="AddVoterHandler, RemoveVoterHandler, UpdateVoterHandler")
def may_change_voters(facts: ChangeFacts) -> Ruling[ErrorCode]:
    """Voters change one at a time, by a leader that has committed a record of its own epoch.

    Else the change of a leader that was deposed may come back, with a majority that shares no voter with this one's.
    """
    # Without the wait for a record of the own epoch, from the voters {1,2,3,4}:
    #
    #     1 leads e1, writes {1,2,3,4,5}; only 5 fetches it, and 1 is cut off
    #     2 leads e2 by the votes of 3 and 4, and writes {2,3,4}; 3 fetches it: two of three, committed
    #     1 leads e3 by the votes of 4 and 5, three of its five: {1,4,5} commit what {2,3} never see
    #
    # Each changes one voter only, but their sets differ by two, so their majorities need not meet. Had 2 first
    # committed a record of e2, three of {1,2,3,4} would hold it, and 1 would have got no third vote. Source: Ongaro,
    # raft-dev 2015.
    committed = facts.high_watermark if facts.waits else max(facts.high_watermark, facts.committed_before)
    numbers: Numbers = {"voters stand at": facts.voters_offset, "high watermark": facts.high_watermark}
    if not facts.is_dynamic:
        return error_or_none(ErrorCode.UNSUPPORTED_VERSION, "kraft.version is 0: voters are fixed", numbers)
    if facts.is_pending:
        return error_or_none(ErrorCode.REQUEST_TIMED_OUT, "an earlier change is not committed yet", numbers)
    if committed == UNKNOWN_OFFSET:
        reason = "the leader has not committed a record of its own epoch yet"
        return error_or_none(ErrorCode.REQUEST_TIMED_OUT, reason, numbers)
    if facts.voters_offset >= committed:
        return error_or_none(ErrorCode.REQUEST_TIMED_OUT, "the voters in force are not committed yet", numbers)
    if facts.high_watermark == UNKNOWN_OFFSET:
        return error_or_none(ErrorCode.NONE, "the correction of 2015 is switched off", numbers)
    return error_or_none(ErrorCode.NONE, "the voters in force are committed, and so is this epoch", numbers)


@rule(source="KIP-853", kafka="AddVoterHandler.handleAddVoterRequest")
def may_add_voter(voters: VoterSet, new: Voter, *, is_caught_up: bool) -> Ruling[ErrorCode]:
    """A new voter has another number than all voters, whatever its disk, and has copied the leader's log before."""
    numbers: Numbers = {
        "new voter": str(new),
        "voters": ", ".join(map(str, voters)),
        "is caught up": int(is_caught_up),
    }
    if new.node_id in [voter.node_id for voter in voters]:
        return error_or_none(ErrorCode.DUPLICATE_VOTER, f"{new.node_id} is a voter already", numbers)
    if not is_caught_up:
        return error_or_none(ErrorCode.REQUEST_TIMED_OUT, "it has not caught up with the leader", numbers)
    return error_or_none(ErrorCode.NONE, "it is caught up and no voter has its number", numbers)


@rule(source="KIP-853", kafka="RemoveVoterHandler.handleRemoveVoterRequest, VoterSet.removeVoter")
def may_remove_voter(voters: VoterSet, old: Voter) -> Ruling[ErrorCode]:
    """Only a voter can be removed, number and disk, and never the last one."""
    numbers: Numbers = {"to remove": str(old), "voters": ", ".join(map(str, voters))}
    if old not in voters:
        return error_or_none(ErrorCode.VOTER_NOT_FOUND, "no voter has that number and disk", numbers)
    if len(voters) == 1:
        return error_or_none(ErrorCode.VOTER_NOT_FOUND, "it is the last voter", numbers)
    return error_or_none(ErrorCode.NONE, "it is a voter", numbers)


@rule(source="KIP-853", kafka="LeaderState.isReplicaCaughtUp")
def has_caught_up(last_fetch_age_ms: int, last_caught_up_age_ms: int) -> Ruling[bool]:
    """Who has fetched within an hour, and has had the whole log once in this epoch, can follow as a voter.

    Args:
        last_fetch_age_ms: since its last fetch; -1 for none.
        last_caught_up_age_ms: since it had all; -1 for never.
    """
    numbers: Numbers = {"fetched ms ago": last_fetch_age_ms, "caught up ms ago": last_caught_up_age_ms}
    is_caught_up = last_caught_up_age_ms >= 0 and 0 <= last_fetch_age_ms < CAUGHT_UP_MS
    reason = "it has had the whole log" if is_caught_up else "it has not had the whole log in this epoch"
    return yes_or_no(is_caught_up, reason, numbers)


@rule(source="KIP-853", kafka="RemoveVoterHandler.highWatermarkUpdated")
def must_leave_office(high_watermark: Offset, change_offset: Offset, *, is_voter: bool) -> Ruling[bool]:
    """A leader that has removed itself leads on until that is committed, without counting itself, and resigns then."""
    leaves = high_watermark > change_offset and not is_voter
    reason = "its removal is committed" if leaves else "it is a voter, or the change is not committed"
    return yes_or_no(leaves, reason, {"high watermark": high_watermark, "change at": change_offset})


@rule(source="KIP-1186", kafka="KafkaRaftClient.pollFollowerAsObserver")
def next_join_step(voters: VoterSet, own: Voter) -> Ruling[Voter | None]:
    """A controller that joins by itself first has the voter removed that has its number and another disk.

    The value is that voter, or itself when it can be added; None when it votes already.
    """
    numbers: Numbers = {"itself": str(own), "voters": ", ".join(map(str, voters))}
    namesake = next((voter for voter in voters if voter.node_id == own.node_id), None)
    if namesake == own:
        return Ruling(None, False, "it is a voter", numbers)
    if namesake is not None:
        return Ruling(namesake, True, "a voter has its number and another disk", numbers)
    return Ruling(own, True, "no voter has its number", numbers)
