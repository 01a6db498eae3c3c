"""The decisions of the quorum as pure functions. Each names its numbers and its source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from cluster.model.decision import Decision
from cluster.model.identifiers import NO_EPOCH, NO_NODE, Epoch, EpochEnd, LogEnd, NodeId, Offset
from cluster.model.leader_epochs import UNKNOWN_END, LeaderEpochs
from cluster.model.messages import VoteRequest
from cluster.raft.roles import Role

VOTE_SOURCE = "Raft paper 5.4.1; KIP-595 Vote; KIP-996"


class VoterFacts(Struct, kw_only=True):
    """What a voter looks at before it answers a vote request of its own epoch."""

    role: Role
    """Its role."""
    voted_for: NodeId
    """-1 when it has not voted in this epoch."""
    leader_id: NodeId
    """-1 when it knows no leader in this epoch."""
    has_fetched: bool
    """Whether it has fetched from the leader of this epoch."""
    log_end: LogEnd
    """End of its own log."""


def majority(voter_count: int) -> int:
    """How many of voter_count make a majority."""
    return voter_count // 2 + 1


def grant_vote(facts: VoterFacts, request: VoteRequest) -> Decision:
    """Decide one vote; the request's epoch is the voter's own by now. Source: KIP-996; EpochState.canGrantVote."""
    theirs = LogEnd(request.last_epoch, request.last_offset)
    numbers: dict[str, int | str | list[int]] = {
        "their log end": f"{theirs.offset}@e{theirs.epoch}",
        "own log end": f"{facts.log_end.offset}@e{facts.log_end.epoch}",
        "epoch": request.epoch,
    }

    def answer(granted: bool, reason: str) -> Decision:
        return Decision("grant_vote", granted, reason, VOTE_SOURCE, numbers)

    refusal = _pre_vote_refusal(facts) if request.pre_vote else _vote_refusal(facts, request.candidate_id)
    if refusal:
        return answer(False, refusal)
    if theirs < facts.log_end:
        return answer(False, "its log is behind")
    if request.pre_vote:
        return answer(True, "would vote: its log is not behind")
    if facts.voted_for == request.candidate_id:
        return answer(True, "it has this node's vote already")
    return answer(True, "first vote in this epoch, its log is not behind")


def _pre_vote_refusal(facts: VoterFacts) -> str:
    if facts.role is Role.LEADER:
        return "leads this epoch"
    if facts.role is Role.FOLLOWER and facts.has_fetched:
        return f"has fetched from leader {facts.leader_id} in this epoch"
    return ""


def _vote_refusal(facts: VoterFacts, candidate_id: NodeId) -> str:
    if facts.role in (Role.LEADER, Role.CANDIDATE, Role.RESIGNED):
        return f"is {facts.role} in this epoch"
    if facts.leader_id != NO_NODE:
        return f"leader {facts.leader_id} is known in this epoch"
    if facts.voted_for not in (NO_NODE, candidate_id):
        return f"already voted for {facts.voted_for}"
    return ""


def majority_offset(log_end_offsets: Iterable[Offset]) -> Offset:
    """The largest offset that a majority of the voters has reached; -1 counts as unknown."""
    ordered = sorted(log_end_offsets, reverse=True)
    return ordered[len(ordered) // 2]


def advance_high_watermark(
    log_end_offsets: Mapping[NodeId, Offset], epoch_start_offset: Offset, high_watermark: Offset
) -> tuple[Offset, Decision]:
    """The new high watermark (exclusive), or the old one and why it stands still. Source: KIP-595, Raft 5.4.2."""
    candidate = majority_offset(log_end_offsets.values())
    decision = Decision(
        "advance_high_watermark",
        True,
        "a majority of voters holds it",
        "KIP-595; Raft paper 5.4.2",
        {
            "majority offset": candidate,
            "epoch start": epoch_start_offset,
            "high watermark": high_watermark,
            "log ends": ", ".join(f"n{voter}:{offset}" for voter, offset in sorted(log_end_offsets.items())),
        },
    )
    if candidate <= epoch_start_offset:
        decision.granted, decision.reason = False, "no record of the leader's own epoch is on a majority yet"
        return high_watermark, decision
    if candidate <= high_watermark:
        decision.granted, decision.reason = False, "the majority offset has not moved"
        return high_watermark, decision
    return candidate, decision


def diverging_epoch(
    leader_epochs: LeaderEpochs, log_end_offset: Offset, last_fetched_epoch: Epoch, fetch_offset: Offset
) -> EpochEnd | None:
    """Where a fetcher's log leaves ours; None when it agrees up to fetch_offset. Source: KIP-595 Fetch."""
    if fetch_offset == 0 and last_fetched_epoch <= 0:
        return None
    if last_fetched_epoch == leader_epochs.latest() != NO_EPOCH and fetch_offset <= log_end_offset:
        return None  # nearly always
    end = leader_epochs.end_offset_for(last_fetched_epoch, log_end_offset)
    if end == UNKNOWN_END:
        return EpochEnd(max(0, leader_epochs.latest()), log_end_offset)
    if end.epoch != last_fetched_epoch or end.end_offset < fetch_offset:
        return EpochEnd(end.epoch, end.end_offset) if end.epoch <= last_fetched_epoch else EpochEnd(0, 0)
    return None


def truncation_point(leader_epochs: LeaderEpochs, log_end_offset: Offset, diverging: EpochEnd) -> Offset:
    """Where a follower cuts (exclusive log end after the cut). Source: KIP-595, ReplicatedLog.truncateToEndOffset."""
    own = leader_epochs.end_offset_for(diverging.epoch, log_end_offset)
    if own == UNKNOWN_END or diverging.epoch == 0:
        return min(diverging.end_offset, log_end_offset)
    if own.epoch == diverging.epoch:
        return min(own.end_offset, diverging.end_offset)
    return own.end_offset


def successor_backoff_ms(position: int, candidate_count: int, backoff_max_ms: int) -> int:
    """How long a preferred successor waits before it campaigns. Source: KIP-595 EndQuorumEpoch."""
    if position == 0:
        return 0
    return min(backoff_max_ms, (backoff_max_ms >> (candidate_count - 1)) << (position - 1))
