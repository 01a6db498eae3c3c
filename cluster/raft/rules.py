"""The rules of the quorum: votes, what is committed, where logs are cut, and when a leader resigns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum

from msgspec import Struct

from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_EPOCH, NO_NODE, Epoch, EpochEnd, LogEnd, NodeId, Offset
from cluster.model.leader_epochs import UNKNOWN_END, LeaderEpochs
from cluster.model.messages import VoteRequest
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule, yes_or_no
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
    elif facts.role in (Role.FOLLOWER, Role.OBSERVER) and facts.has_fetched:
        refusal = f"has fetched from leader {facts.leader_id} in this epoch"
    else:
        refusal = _log_refusal(facts, request)
    reason = refusal or "would vote: its log is not behind"
    return yes_or_no(not refusal, reason, _compared_logs(facts, request))


def _log_refusal(facts: VoterFacts, request: VoteRequest) -> str:
    """Logs are compared by the epoch of their last record first, then by their length. Source: Raft paper 5.4.1."""
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


@rule(source="Raft thesis 6.2, KAFKA-15489", kafka="LeaderState.timeUntilCheckQuorumExpires")
def check_quorum(
    fetched: Collection[NodeId], voter_count: int, patience_ms: int, *, is_voter: bool = True
) -> Ruling[bool]:
    """A leader that no majority of the voters fetches from for 1.5 fetch timeouts resigns: another may lead already.

    Args:
        fetched: other voters that have fetched since the wait began; with the leader itself they have to be a majority.
        patience_ms: how long the leader waits for them.
        is_voter: false for a leader that has removed itself: it does not count then.
    """
    needed = majority(voter_count) - is_voter
    is_heard = len(fetched) >= needed
    reason = "a majority of voters has fetched" if is_heard else "no majority of voters fetched in time"
    numbers: Numbers = {
        "voters that fetched": sorted(fetched),
        "needed besides itself": needed,
        "voters": voter_count,
        "waited_ms": patience_ms,
    }
    return yes_or_no(is_heard, reason, numbers)


def majority_offset(log_end_offsets: Iterable[Offset]) -> Offset:
    """The largest offset that a majority of the voters has reached; -1 counts as unknown."""
    ordered = sorted(log_end_offsets, reverse=True)
    return ordered[len(ordered) // 2]


@rule(source="KIP-595, Raft paper 5.4.2", kafka="LeaderState.maybeUpdateHighWatermark")
def advance_high_watermark(
    log_end_offsets: Mapping[NodeId, Offset], epoch_start_offset: Offset, high_watermark: Offset
) -> Ruling[Offset]:
    """A record is committed once a majority of the voters has it, and one of the leader's own epoch with it.

    The value is the new high watermark (exclusive), or the old one where it stands still.
    """
    candidate = majority_offset(log_end_offsets.values())
    numbers: Numbers = {
        "majority offset": candidate,
        "epoch start": epoch_start_offset,
        "high watermark": high_watermark,
        "log ends": ", ".join(f"n{voter}:{offset}" for voter, offset in sorted(log_end_offsets.items())),
    }
    if candidate <= epoch_start_offset:
        reason = "no record of the leader's own epoch is on a majority yet"
        return Ruling(high_watermark, False, reason, numbers)
    if candidate <= high_watermark:
        return Ruling(high_watermark, False, "the majority offset has not moved", numbers)
    return Ruling(candidate, True, "a majority of voters holds it", numbers)


@rule(source="KIP-595", kafka="KafkaRaftClient.updateFollowerHighWatermark")
def follower_high_watermark(
    high_watermark: Offset, leader_high_watermark: Offset, log_end_offset: Offset
) -> Ruling[Offset]:
    """A follower's high watermark is the leader's as its last answer told it, but never past its own log end.

    So it lags one round behind: the leader learns from a fetch that records are committed, and tells with the next
    answer. It rises only.

    Args:
        log_end_offset: of the follower (exclusive), with what the answer brought.
    """
    candidate = min(leader_high_watermark, log_end_offset)
    if candidate <= high_watermark:
        return Ruling(high_watermark, False, "it knows of no more")
    numbers: Numbers = {
        "high watermark": high_watermark,
        "leader's high watermark": leader_high_watermark,
        "own log end": log_end_offset,
    }
    is_short = log_end_offset < leader_high_watermark
    reason = "all that it holds is committed" if is_short else "as far as the leader's answer tells"
    return Ruling(candidate, True, reason, numbers)


@rule(source="KIP-595", kafka="KafkaRaftClient.validateLeaderOnlyRequest")
def check_leader_epoch(their_epoch: Epoch, own_epoch: Epoch, *, is_leader: bool) -> Ruling[ErrorCode]:
    """A leader answers fetches of its own epoch only; whoever is in an older one is fenced."""
    if their_epoch == own_epoch and is_leader:
        return error_or_none(ErrorCode.NONE, "it fetches from the leader of this epoch")
    numbers: Numbers = {"their epoch": their_epoch, "own epoch": own_epoch}
    if their_epoch < own_epoch:
        return error_or_none(ErrorCode.FENCED_LEADER_EPOCH, "the asker is in an older epoch", numbers)
    if their_epoch > own_epoch:
        return error_or_none(ErrorCode.UNKNOWN_LEADER_EPOCH, "the asker is in a newer epoch", numbers)
    return error_or_none(ErrorCode.NOT_LEADER_OR_FOLLOWER, "this node does not lead", numbers)


@rule(source="KIP-595", kafka="ReplicatedLog.validateOffsetAndEpoch")
def diverging_epoch(
    leader_epochs: LeaderEpochs, log_end_offset: Offset, last_fetched_epoch: Epoch, fetch_offset: Offset
) -> Ruling[EpochEnd | None]:
    """A leader looks for the epoch of a fetcher's last record in its own log, and tells where the two logs part.

    The value is the largest own epoch not above the fetcher's and its end offset (exclusive); None where the logs agree
    up to fetch_offset.
    """
    if fetch_offset == 0 and last_fetched_epoch <= 0:
        return Ruling(None, False, "the fetcher's log is empty")
    if last_fetched_epoch == leader_epochs.latest() != NO_EPOCH and fetch_offset <= log_end_offset:
        return Ruling(None, False, "the logs agree")  # nearly always
    end = leader_epochs.end_offset_for(last_fetched_epoch, log_end_offset)
    numbers: Numbers = {
        "fetch offset": fetch_offset,
        "last fetched epoch": last_fetched_epoch,
        "leader has epoch": end.epoch,
        "which ends at": end.end_offset,
        "leader's log end": log_end_offset,
    }
    if end == UNKNOWN_END:
        newest = EpochEnd(max(0, leader_epochs.latest()), log_end_offset)
        return Ruling(newest, True, "the leader never had that epoch", numbers)
    if end.epoch != last_fetched_epoch or end.end_offset < fetch_offset:
        return Ruling(end, True, "the fetcher has records the leader never had", numbers)
    return Ruling(None, False, "the logs agree", numbers)


@rule(source="KIP-595, Raft paper 5.3", kafka="ReplicatedLog.truncateToEndOffset")
def truncation_point(leader_epochs: LeaderEpochs, log_end_offset: Offset, diverging: EpochEnd) -> Ruling[Offset]:
    """A follower cuts its log where the last epoch that it shares with the leader ends first.

    The value is its log end after the cut (exclusive). When it does not know the epoch that the leader named, it cuts
    to the end of its own older one, and the next fetch shows whether that was enough.

    Args:
        diverging: the leader's answer: an epoch and where it ends there (exclusive).
    """
    own = leader_epochs.end_offset_for(diverging.epoch, log_end_offset)
    numbers: Numbers = {
        "leader's epoch": diverging.epoch,
        "which ends at": diverging.end_offset,
        "own epoch": own.epoch,
        "own epoch ends at": own.end_offset,
        "own log end": log_end_offset,
    }
    if own == UNKNOWN_END or diverging.epoch == 0:
        return Ruling(min(diverging.end_offset, log_end_offset), True, "cut to the end the leader named", numbers)
    if own.epoch == diverging.epoch:
        point = min(own.end_offset, diverging.end_offset)
        return Ruling(point, True, "cut to where the shared epoch ends first", numbers)
    return Ruling(own.end_offset, True, "cut to the end of the own older epoch", numbers)


def successor_backoff_ms(position: int, candidate_count: int, backoff_max_ms: int) -> int:
    """How long a preferred successor waits before it campaigns. Source: KIP-595 EndQuorumEpoch."""
    if position == 0:
        return 0
    return min(backoff_max_ms, (backoff_max_ms >> (candidate_count - 1)) << (position - 1))
