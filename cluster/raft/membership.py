"""A leader adds and removes voters; a controller asks to be one. Source: KIP-853, KIP-1186."""

from __future__ import annotations

from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import VoterChangeRefused
from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.messages import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
)
from cluster.model.metadata_records import VotersRecord
from cluster.model.ruling import Decision
from cluster.model.voters import Voter, VoterSet
from cluster.raft import describing, leadership, timers, voter_sets
from cluster.raft.roles import Role
from cluster.raft.rules.voters import (
    ChangeFacts,
    has_caught_up,
    may_add_voter,
    may_change_voters,
    may_remove_voter,
    must_leave_office,
    next_join_step,
)
from cluster.raft.state import PendingChange, QuorumState
from cluster.raft.voter_history import BOOTSTRAP_OFFSET

VoterRequest = AddRaftVoterRequest | RemoveRaftVoterRequest


def on_add_request(
    state: QuorumState, sender: NodeId, correlation: int, request: AddRaftVoterRequest, now_ms: int
) -> list[Effect]:
    """Write the voters with a new one, or refuse."""
    new = Voter(request.voter_id, request.directory_id)
    if refused := _refuse_change(state, sender, correlation, request):
        return refused
    voters = _voters(state)
    ruling = may_add_voter(voters, new, is_caught_up=_is_caught_up(state, new, now_ms))
    if ruling.value != ErrorCode.NONE:
        return _refused(state, sender, correlation, request, ruling.value, ruling.decision)
    waiting = PendingChange("add", sender, correlation) if request.ack_when_committed else None
    effects = _write(state, tuple(sorted((*voters, new))), f"voter {new.node_id} is added", ruling.decision, now_ms)
    return effects + _wait(state, waiting, Send(sender, AddRaftVoterResponse(leader_id=state.node_id), correlation))


def on_remove_request(
    state: QuorumState, sender: NodeId, correlation: int, request: RemoveRaftVoterRequest, now_ms: int
) -> list[Effect]:
    """Write the voters without one, or refuse."""
    old = Voter(request.voter_id, request.directory_id)
    if refused := _refuse_change(state, sender, correlation, request):
        return refused
    voters = _voters(state)
    ruling = may_remove_voter(voters, old)
    if ruling.value != ErrorCode.NONE:
        return _refused(state, sender, correlation, request, ruling.value, ruling.decision)
    left = tuple(voter for voter in voters if voter != old)
    effects = _write(state, left, f"voter {old.node_id} is removed", ruling.decision, now_ms)
    return effects + _wait(state, PendingChange("remove", sender, correlation))


def _voters(state: QuorumState) -> VoterSet:
    assert state.history is not None, "only a dynamic quorum changes its voters"
    return state.history.newest[1]


def _is_caught_up(state: QuorumState, new: Voter, now_ms: int) -> bool:
    fetcher = state.fetchers.get(new.node_id)
    if fetcher is None or fetcher.directory_id != new.directory_id:
        return False
    caught_up_ms = fetcher.last_caught_up_ms
    age_ms = describing.NEVER if caught_up_ms == describing.NEVER else now_ms - caught_up_ms
    return has_caught_up(now_ms - fetcher.last_fetch_ms, age_ms).granted


def _refuse_change(state: QuorumState, sender: NodeId, correlation: int, request: VoterRequest) -> list[Effect]:
    """What every change needs; empty when it may go on."""
    if state.role is not Role.LEADER:
        return [Send(sender, _answer(state, request, ErrorCode.NOT_CONTROLLER, ""), correlation)]
    facts = ChangeFacts(
        is_pending=state.change is not None,
        high_watermark=state.high_watermark,
        committed_before=state.committed_before,
        voters_offset=BOOTSTRAP_OFFSET if state.history is None else state.history.newest[0],
        is_dynamic=state.history is not None,
        waits=state.settings.voter_change_waits,
    )
    ruling = may_change_voters(facts)
    if ruling.value == ErrorCode.NONE:
        return []
    return _refused(state, sender, correlation, request, ruling.value, ruling.decision)


def _refused(
    state: QuorumState, sender: NodeId, correlation: int, request: VoterRequest, error: ErrorCode, decision: Decision
) -> list[Effect]:
    refused = VoterChangeRefused(
        kind="add" if isinstance(request, AddRaftVoterRequest) else "remove",
        voter_id=request.voter_id,
        directory_id=request.directory_id,
        error=error,
        why=decision.reason,
    )
    answer = _answer(state, request, error, decision.reason)
    return [Emit(refused, decision), Send(sender, answer, correlation)]


def _answer(
    state: QuorumState, request: VoterRequest, error: ErrorCode, reason: str
) -> AddRaftVoterResponse | RemoveRaftVoterResponse:
    kind = AddRaftVoterResponse if isinstance(request, AddRaftVoterRequest) else RemoveRaftVoterResponse
    return kind(error=error, leader_id=state.leader_id, reason=reason)


def _write(state: QuorumState, voters: VoterSet, why: str, decision: Decision, now_ms: int) -> list[Effect]:
    """They are in force at once, here; with others as soon as they have the record."""
    assert state.history is not None, "only a dynamic quorum changes its voters"
    offset, (appended, *written) = leadership.append(state, (VotersRecord(voters=voters),), now_ms, control=True)
    state.history.add(offset, voters)
    return [appended, *voter_sets.adopt(state, why, decision), *written]  # told before it is in a file


def _wait(state: QuorumState, change: PendingChange | None, at_once: Send | None = None) -> list[Effect]:
    if change is None:
        return [] if at_once is None else [at_once]
    state.change = change
    return [SetTimer(timers.CHANGE_TIMER, state.settings.quorum_request_timeout_ms)]


def settle(state: QuorumState) -> list[Effect]:
    """Answer a change that is committed or has lost its leader; a leader that is no voter any more resigns then."""
    effects: list[Effect] = []
    if state.history is None:
        return effects
    is_leader, offset = state.role is Role.LEADER, state.history.newest[0]
    if state.change is not None and not is_leader:
        effects += _end(state, ErrorCode.NOT_CONTROLLER, "the leader was deposed")
    elif state.change is not None and state.high_watermark > offset:
        effects += _end(state, ErrorCode.NONE, "")
    # It has written the record that removes it, and goes on leading without a vote until that is committed. If it left
    # at once, whoever is elected next might lack the record: then this node is a voter still, and who asked for its
    # removal does not know. It counts itself for nothing meanwhile, neither for the high watermark nor for
    # check-quorum. Source: Raft thesis 4.2.2.
    if is_leader and not state.is_voter:
        ruling = must_leave_office(state.high_watermark, offset, is_voter=state.is_voter)
        if ruling.granted:
            effects += leadership.resign(state, ruling.reason, ruling.decision)
    return effects


def on_change_timeout(state: QuorumState) -> list[Effect]:
    """Who asked is told that it takes too long; the record stays, and may be committed yet."""
    return _end(state, ErrorCode.REQUEST_TIMED_OUT, "the change is not committed in time")


def _end(state: QuorumState, error: ErrorCode, reason: str) -> list[Effect]:
    change, state.change = state.change, None
    if change is None:
        return []
    kind = AddRaftVoterResponse if change.kind == "add" else RemoveRaftVoterResponse
    answer = kind(error=error, leader_id=state.leader_id, reason=reason)
    return [CancelTimer(timers.CHANGE_TIMER), Send(change.sender, answer, change.correlation)]


def set_join_timer(state: QuorumState) -> SetTimer:
    """How often a controller looks whether it votes. Source: FollowerState.updateVoterPeriodTimer."""
    return SetTimer(timers.JOIN_TIMER, state.settings.quorum_fetch_timeout_ms)


def on_join_timer(state: QuorumState) -> list[Effect]:
    """An observer asks its leader to add it, or to remove the voter that has its number. It looks again later."""
    again: list[Effect] = [set_join_timer(state)]
    if state.role is not Role.OBSERVER or state.leader_id == NO_NODE or state.history is None or not state.has_fetched:
        return again
    voter = next_join_step(state.history.newest[1], Voter(state.node_id, state.directory_id)).value
    if voter is None:
        return again
    request: VoterRequest = RemoveRaftVoterRequest(voter_id=voter.node_id, directory_id=voter.directory_id)
    if voter.directory_id == state.directory_id:
        request = AddRaftVoterRequest(voter_id=voter.node_id, directory_id=voter.directory_id, ack_when_committed=False)
    return [*again, Send(state.leader_id, request, state.correlation())]
