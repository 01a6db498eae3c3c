"""The rules of an election: who gets a vote or a pre-vote, who has won, and who may try first."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from cluster.model.identifiers import NO_NODE, LogEnd, NodeId
from cluster.model.messages import VoteRequest
from cluster.model.ruling import Numbers, Ruling, rule, yes_or_no
from cluster.raft.roles import Role


class VoterFacts(Struct, kw_only=True):
    """What a voter looks at before it answers a vote request of its own epoch."""

    role: Role
    voted_for: NodeId
    """-1 when it has not voted in this epoch."""
    leader_id: NodeId
    """-1 when it knows no leader in this epoch."""
    has_fetched: bool
    """Whether it has fetched from the leader of this epoch."""
    log_end: LogEnd
    voted_directory_id: str = ""
    """Of the disk of the one it voted for; empty where it has given its vote to a number alone."""


class Tally(StrEnum):
    """How a round of votes stands."""

    OPEN = "open"
    WON = "won"
    LOST = "lost"


def majority(voter_count: int) -> int:
    """How many of voter_count make a majority."""
    return voter_count // 2 + 1


@rule(source="Raft paper 5.4.1, KIP-595", kafka="EpochState.canGrantVote")
def grant_vote(facts: VoterFacts, request: VoteRequest) -> Ruling[bool]:
    """A voter gives one vote in each epoch, to a candidate whose log is not behind its own.

    The request's epoch is the voter's own by now.
    """
    if facts.role in (Role.LEADER, Role.CANDIDATE, Role.RESIGNED):
        refusal = f"is {facts.role} in this epoch"
    elif facts.leader_id != NO_NODE:
        refusal = f"leader {facts.leader_id} is known in this epoch"
    elif facts.voted_for not in (NO_NODE, request.candidate_id):
        refusal = f"already voted for {facts.voted_for}"
    elif facts.voted_for != NO_NODE and facts.voted_directory_id not in ("", request.directory_id):
        refusal = f"already voted for {facts.voted_for} with another disk"
    else:
        refusal = _log_refusal(facts, request)
    if refusal:
        return yes_or_no(False, refusal, _compared_logs(facts, request))
    again = facts.voted_for == request.candidate_id
    reason = "it has this node's vote already" if again else "first vote in this epoch, its log is not behind"
    return yes_or_no(True, reason, _compared_logs(facts, request))


@rule(source="Raft thesis 9.6, KIP-996", kafka="EpochState.canGrantVote")
def grant_pre_vote(facts: VoterFacts, request: VoteRequest) -> Ruling[bool]:
    """A voter that hears its leader refuses a pre-vote, so a node that was cut off cannot disturb the others.

    To grant one changes nothing: it says how the voter would vote.
    """
    if facts.role is Role.LEADER:
        refusal = "leads this epoch"
    # To know a leader is not to hear it. One that dies as soon as it has announced itself is known to all, and has
    # answered nobody. If it was enough to know it, each would refuse the others for its sake. A pre-vote bumps no
    # epoch, so nothing would ever make them forget it: no leader, for good. Source: KIP-996.
    elif facts.role in (Role.FOLLOWER, Role.OBSERVER) and facts.has_fetched:
        refusal = f"has fetched from leader {facts.leader_id} in this epoch"
    else:
        refusal = _log_refusal(facts, request)
    reason = refusal or "would vote: its log is not behind"
    numbers = {**_compared_logs(facts, request), "has fetched from a leader": int(facts.has_fetched)}
    return yes_or_no(not refusal, reason, numbers)


def _log_refusal(facts: VoterFacts, request: VoteRequest) -> str:
    """Logs are compared by the epoch of their last record first, then by their length. Source: Raft paper 5.4.1."""
    # Not by length first. Offsets and the epochs that wrote them:
    #
    #     101   e1 e1 e1 e1 e1     led e1, was cut off, and wrote three records that nobody else has
    #     102   e1 e1 e2           102 leads e2 and has committed the third record with 103
    #     103   e1 e1 e2
    #
    # With the longest log 101 would win by the vote of 103, and both others would cut what is committed.
    return "its log is behind" if LogEnd(request.last_epoch, request.last_offset) < facts.log_end else ""


def _compared_logs(facts: VoterFacts, request: VoteRequest) -> Numbers:
    return {
        "their log end": f"{request.last_offset}@e{request.last_epoch}",
        "own log end": f"{facts.log_end.offset}@e{facts.log_end.epoch}",
        "epoch": request.epoch,
    }


@rule(source="Raft paper 5.2, KIP-595", kafka="EpochElection.isVoteGranted")
def count_votes(granted_count: int, rejected_count: int, voter_count: int) -> Ruling[Tally]:
    """A majority of all voters decides a round of votes, and it is lost once a majority has refused."""
    needed = majority(voter_count)
    numbers: Numbers = {"granted": granted_count, "rejected": rejected_count, "needed": needed}
    if granted_count >= needed:
        return Ruling(Tally.WON, True, "a majority has granted it", numbers)
    if rejected_count >= needed:
        return Ruling(Tally.LOST, False, "a majority has refused it", numbers)
    return Ruling(Tally.OPEN, False, "neither side has a majority yet", numbers)


def successor_backoff_ms(position: int, candidate_count: int, backoff_max_ms: int) -> int:
    """How long a preferred successor waits before it campaigns. Source: KIP-595 EndQuorumEpoch."""
    if position == 0:
        return 0
    return min(backoff_max_ms, (backoff_max_ms >> (candidate_count - 1)) << (position - 1))
