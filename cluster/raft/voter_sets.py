"""What follows for a node when other voters are in force. Source: KIP-853, LeaderState.updateVoterAndObserverStates."""

from __future__ import annotations

from cluster.model.effects import CancelTimer, Effect, Emit, SetTimer
from cluster.model.events import VotersChanged
from cluster.model.identifiers import UNKNOWN_OFFSET, NodeId, Offset
from cluster.model.metadata_records import KRaftVersionRecord, MetadataRecord, VotersRecord
from cluster.model.ruling import Decision
from cluster.raft import serving, timers
from cluster.raft.roles import Role
from cluster.raft.state import QuorumState
from cluster.raft.voter_history import BOOTSTRAP_OFFSET


def first_records(state: QuorumState) -> tuple[MetadataRecord, ...]:
    """What the first leader of a dynamic quorum writes: its disk was formatted with these voters.

    Source: LeaderState.appendStartOfEpochControlRecords.
    """
    if state.history is None or state.history.newest[0] != BOOTSTRAP_OFFSET:
        return ()
    return KRaftVersionRecord(version=1), VotersRecord(voters=state.history.newest[1])


def adopt(state: QuorumState, why: str, decision: Decision | None = None) -> list[Effect]:
    """Go by the newest voters of the history, and say so. A leader counts them from now on."""
    assert state.history is not None, "only a dynamic quorum has a history"
    offset, voters = state.history.newest
    state.voters = tuple(voter.node_id for voter in voters)
    state.directories = {voter.node_id: voter.directory_id for voter in voters if voter.directory_id}
    changed = VotersChanged(
        epoch=state.epoch,
        offset=offset,
        voters=state.voters,
        directories=tuple(voter.directory_id for voter in voters),
        directory_id=state.directory_id,
        why=why,
    )
    effects: list[Effect] = [Emit(changed, decision)]
    if state.role is Role.LEADER:
        return [*effects, *_recount(state)]
    return effects


def _recount(state: QuorumState) -> list[Effect]:
    """Of a leader: what its voters hold, who has been heard, and timers that only a leader of others has."""
    ends_before = state.voter_ends
    state.voter_ends = {voter: _end_of(state, voter, ends_before.get(voter, UNKNOWN_OFFSET)) for voter in state.voters}
    state.heard &= set(state.others)
    state.recent &= set(state.others)
    if not state.others:
        return [CancelTimer(timers.CHECK_TIMER), CancelTimer(timers.BEGIN_TIMER)]
    if len(ends_before) > 1 or (len(ends_before) == 1 and state.node_id not in ends_before):
        return serving.begin_anew(state) if len(ends_before) > len(state.voters) else []  # fewer may be a majority now
    return [
        timers.set_check_timer(state),
        SetTimer(timers.BEGIN_TIMER, state.settings.quorum_fetch_timeout_ms // 2),
    ]


def _end_of(state: QuorumState, voter: NodeId, known: Offset) -> Offset:
    if voter == state.node_id:
        return state.log.flushed_offset
    fetcher = state.fetchers.get(voter)
    return fetcher.log_end_offset if fetcher is not None and state.is_key(voter, fetcher.directory_id) else known


def change_part(state: QuorumState) -> list[Effect]:
    """Of one that fetches: it votes now, or votes no more. Source: QuorumState.isVoter."""
    if state.role is Role.OBSERVER and state.is_voter:
        effects = state.move(Role.FOLLOWER, "it is a voter now", leader_id=state.leader_id)
        effects.append(SetTimer(timers.FETCH_TIMER, state.settings.quorum_fetch_timeout_ms))
    elif state.role is Role.FOLLOWER and not state.is_voter:
        effects = state.move(Role.OBSERVER, "it is no voter any more", leader_id=state.leader_id)
        effects.append(CancelTimer(timers.FETCH_TIMER))
    else:
        return []
    state.has_fetched = True  # the change came with an answer of the leader
    return effects
