"""Elections: pre-vote rounds, votes, and what ends a round. Source: KIP-595, KIP-996."""

from __future__ import annotations

from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import ElectionStarted, VoteGranted, VoteReceived, VoteRejected
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.messages import VoteRequest, VoteResponse
from cluster.raft import following, leadership, timers
from cluster.raft.roles import Role
from cluster.raft.rules.votes import Tally, VoterFacts, count_votes, grant_pre_vote, grant_vote, majority
from cluster.raft.state import QuorumState


def on_election_timeout(state: QuorumState, now_ms: int) -> list[Effect]:
    """No leader in time: ask for pre-votes, or for votes when pre-vote is off."""
    if state.role is Role.RESIGNED:
        return following.become_unattached(state, state.epoch + 1, "resigned long enough")
    if state.role is Role.PROSPECTIVE:
        return _give_up_pre_vote(state, "no majority of pre-votes in time")
    return campaign(state, "election timer ran out", now_ms)


def campaign(state: QuorumState, why: str, now_ms: int) -> list[Effect]:
    """Begin a round. The only voter needs to ask nobody."""
    if not state.others or (not state.settings.pre_vote):
        return become_candidate(state, why, now_ms)
    effects = state.move(Role.PROSPECTIVE, why, leader_id=state.leader_id)
    return [*effects, *timers.stop_timers(), *_ask(state, pre_vote=True)]


def become_candidate(state: QuorumState, why: str, now_ms: int) -> list[Effect]:
    """Bump the epoch, vote for oneself (on disk first), ask the others."""
    effects: list[Effect] = []
    if state.role in (Role.UNATTACHED, Role.FOLLOWER, Role.PROSPECTIVE, Role.CANDIDATE):
        own, disk = state.node_id, state.directory_id
        effects += state.move(Role.CANDIDATE, why, epoch=state.epoch + 1, vote=own, vote_directory_id=disk)
    effects += _ask(state, pre_vote=False)
    if not state.others:
        effects += leadership.become_leader(state, now_ms)
    return effects


def restart_as_candidate(state: QuorumState) -> list[Effect]:
    """quorum-state says this node voted for itself: it goes on asking in that epoch."""
    return [*state.move(Role.CANDIDATE, "it had voted for itself before the restart"), *_ask(state, pre_vote=False)]


def _ask(state: QuorumState, *, pre_vote: bool) -> list[Effect]:
    state.granted, state.rejected = {state.node_id}, set()
    state.vote_correlation = state.correlation()
    end = state.log_end()
    started = ElectionStarted(
        epoch=state.epoch, pre_vote=pre_vote, last_epoch=end.epoch, last_offset=end.offset, voters=state.voters
    )
    return [Emit(started), *_requests(state, pre_vote=pre_vote), timers.set_election_timer(state), _resend_timer(state)]


def _resend_timer(state: QuorumState) -> SetTimer:
    return SetTimer(timers.RESEND_TIMER, state.settings.quorum_request_timeout_ms // 2)


def _requests(state: QuorumState, *, pre_vote: bool) -> list[Effect]:
    end = state.log_end()
    return [
        Send(
            voter,
            VoteRequest(
                voter_id=voter,
                candidate_id=state.node_id,
                epoch=state.epoch,
                last_epoch=end.epoch,
                last_offset=end.offset,
                pre_vote=pre_vote,
                directory_id=state.directory_id,
                voter_directory_id=state.directories.get(voter, ""),
            ),
            state.vote_correlation,
        )
        for voter in state.others
        if voter not in state.granted | state.rejected
    ]


def on_resend(state: QuorumState) -> list[Effect]:
    """Ask again those who have not answered."""
    if state.role not in (Role.PROSPECTIVE, Role.CANDIDATE):
        return []
    return [*_requests(state, pre_vote=state.role is Role.PROSPECTIVE), _resend_timer(state)]


def on_vote_request(state: QuorumState, sender: NodeId, correlation: int, request: VoteRequest) -> list[Effect]:
    """Answer one request. What must be remembered is on disk before the answer leaves."""
    if not request.pre_vote and request.last_epoch >= request.epoch or request.last_offset < 0:
        return [_vote_answer(state, sender, correlation, request, error=ErrorCode.INVALID_REQUEST)]
    if request.epoch < state.epoch:
        return [_vote_answer(state, sender, correlation, request, error=ErrorCode.FENCED_LEADER_EPOCH)]
    effects: list[Effect] = []
    if request.epoch > state.epoch:
        effects += following.become_unattached(state, request.epoch, f"node {sender} asked in a higher epoch")
    # The candidate counts a voter of its log: this number with that disk. This node has another disk, on which no vote
    # of this epoch is written, while the old one may have given one. To answer for it may be to vote twice (KIP-853).
    if request.voter_directory_id not in ("", state.directory_id):
        return [*effects, _vote_answer(state, sender, correlation, request, error=ErrorCode.INVALID_VOTER_KEY)]
    end = state.log_end()
    facts = VoterFacts(
        role=state.role,
        voted_for=state.voted_for,
        leader_id=state.leader_id,
        has_fetched=state.has_fetched,
        log_end=end,
        voted_directory_id=state.voted_directory_id,
    )
    ruling = grant_pre_vote(facts, request) if request.pre_vote else grant_vote(facts, request)
    asked = {
        "epoch": request.epoch,
        "candidate_id": request.candidate_id,
        "candidate_last_epoch": request.last_epoch,
        "candidate_last_offset": request.last_offset,
        "last_epoch": end.epoch,
        "last_offset": end.offset,
    }
    if not ruling.granted:
        rejected = VoteRejected(**asked, pre_vote=request.pre_vote, why=ruling.reason)
        return [*effects, Emit(rejected, ruling.decision), _vote_answer(state, sender, correlation, request)]
    if request.pre_vote or state.voted_for == request.candidate_id:
        asked_again: list[Effect] = []  # to grant a pre-vote changes nothing, and this vote was given before
    else:
        recorded, asked_again = _record_vote(state, request)
        # Into quorum-state, before the answer. A voter that answers first and dies in between is back with nothing
        # written, and gives the one vote of this epoch a second time: two leaders of one epoch.
        effects += recorded
    effects.append(Emit(VoteGranted(**asked, pre_vote=request.pre_vote), ruling.decision))
    return [*effects, _vote_answer(state, sender, correlation, request, granted=True), *asked_again]


def _record_vote(state: QuorumState, request: VoteRequest) -> tuple[list[Effect], list[Effect]]:
    """What comes before the answer, and what after it.

    The role stays. Who asks for pre-votes itself counts them anew, from all, with another election timer.
    Source: QuorumState.unattachedAddVotedState, prospectiveAddVotedState.
    """
    candidate, disk = request.candidate_id, request.directory_id
    moved = state.move(state.role, f"voted for {candidate}", vote=candidate, vote_directory_id=disk)
    # By its own log it is no voter, and it may be one all the same: voters change with a record that it may not have.
    #
    #     101   ... 7 8:{101,102}    led, added 102, and died before 102 had fetched 8
    #     102   ... 7                goes by what it had, {101}, and observes
    #
    # 101 is back and needs two of {101,102}. If 102 refused because it does not vote, nobody would ever lead, and only
    # a leader could give 102 the record that makes it a voter. So it grants like any other, to a log that is not behind
    # its own. But it sets no election timer and never campaigns: a majority of voters to which it does not belong is
    # nothing that it may ask for. Source: KIP-853 "Vote".
    if not state.is_voter:
        return moved, []
    if state.role is Role.PROSPECTIVE:
        return moved, _ask(state, pre_vote=True)
    return [*moved, timers.set_election_timer(state)], []


def _vote_answer(
    state: QuorumState,
    sender: NodeId,
    correlation: int,
    request: VoteRequest,
    *,
    granted: bool = False,
    error: ErrorCode = ErrorCode.NONE,
) -> Send:
    answer = VoteResponse(
        error=error, epoch=state.epoch, leader_id=state.leader_id, granted=granted, pre_vote=request.pre_vote
    )
    return Send(sender, answer, correlation)


def on_vote_response(
    state: QuorumState, sender: NodeId, correlation: int, response: VoteResponse, now_ms: int
) -> list[Effect]:
    """Count one answer of the round that is under way; late ones are dropped."""
    asking_role = Role.PROSPECTIVE if response.pre_vote else Role.CANDIDATE
    # The epoch does not tell rounds apart: pre-votes bump none, so one round after the other is in the same epoch. A
    # yes to a pre-vote holds for the moment only, "I hear no leader". It promises nothing, and whoever said it may
    # follow a leader by now. Counted a round later it would start the very election that pre-votes are there to
    # prevent.
    if state.role is not asking_role or correlation != state.vote_correlation or response.epoch != state.epoch:
        return []
    if response.error or sender not in state.voters:
        return []
    (state.granted if response.granted else state.rejected).add(sender)
    tally = count_votes(len(state.granted), len(state.rejected), len(state.voters))
    counted = VoteReceived(
        epoch=state.epoch,
        voter_id=sender,
        pre_vote=response.pre_vote,
        granted=response.granted,
        granted_count=len(state.granted),
        rejected_count=len(state.rejected),
        needed=majority(len(state.voters)),
    )
    effects: list[Effect] = [Emit(counted, tally.decision)]
    if tally.value is Tally.WON:
        if response.pre_vote:
            return [*effects, *become_candidate(state, "won the pre-vote", now_ms)]
        return [*effects, CancelTimer(timers.RESEND_TIMER), *leadership.become_leader(state, now_ms)]
    if response.pre_vote and tally.value is Tally.LOST:
        return [*effects, *_give_up_pre_vote(state, "a majority refused the pre-vote")]
    return effects


def _give_up_pre_vote(state: QuorumState, why: str) -> list[Effect]:
    # It goes back to the leader that it knew. Who refuses hears that leader: then nothing is wrong but this node's way
    # to it. Unattached, it would not fetch, and would ask for pre-votes round after round until that leader happened to
    # announce itself again. Source: KIP-996.
    if state.leader_id != NO_NODE:
        return following.become_follower(state, state.epoch, state.leader_id, why)
    return [*state.move(Role.UNATTACHED, why), timers.set_election_timer(state)]
