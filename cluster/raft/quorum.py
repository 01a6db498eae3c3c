"""The quorum machine's one door: routes inputs, holds no behaviour. Source: KIP-595, KIP-996."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from cluster.model.effects import Effect, Emit, HaltNode, SetTimer
from cluster.model.election_state import ElectionState
from cluster.model.events import QuorumBooted, RoleChanged
from cluster.model.identifiers import METADATA, NO_NODE, Epoch, NodeId, Offset
from cluster.model.inputs import Disconnected, Flushed, Input, NodeStarted, Received, StopRequested, TimerFired
from cluster.model.log_view import LogView, SnapshotView
from cluster.model.messages import (
    AddRaftVoterRequest,
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    DescribeQuorumRequest,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    RemoveRaftVoterRequest,
    VoteRequest,
    VoteResponse,
)
from cluster.model.metadata_records import MetadataRecord
from cluster.model.settings import Settings
from cluster.model.voters import VoterSet
from cluster.raft import (
    describing,
    election,
    fetching,
    following,
    leadership,
    membership,
    serving,
    snapshots,
    timers,
    voter_sets,
)
from cluster.raft.roles import LEADS, Role
from cluster.raft.state import QuorumState, TwoLeadersError
from cluster.raft.voter_history import VoterHistory, read_history


class DynamicQuorum(Struct, frozen=True, kw_only=True):
    """What a node of a dynamic quorum begins with. Source: KIP-853, kafka-storage format."""

    directory_id: str
    """Of its disk."""
    first_voters: VoterSet
    """That its disk was formatted with; empty where it was formatted without."""
    joins: bool = False
    """Whether it asks to vote while it does not. Source: KIP-1186."""


Standing: TypeAlias = tuple[Role, Epoch, NodeId, Offset, bool]
"""Role, epoch, leader, high watermark, and whether it may leave."""


class Quorum:
    """One node's part in the controller quorum; a node that is no voter observes."""

    __slots__ = ("_persisted", "_state")

    def __init__(
        self,
        node_id: NodeId,
        voters: tuple[NodeId, ...],
        settings: Settings,
        log: LogView,
        persisted: ElectionState | None,
        first_correlation: int = 0,
        snapshots: SnapshotView | None = None,
        *,
        dynamic: DynamicQuorum | None = None,
    ) -> None:
        """
        Args:
            voters: of a static quorum; of a dynamic one whom an observer asks.
            dynamic: what a node of a dynamic quorum begins with.
        """
        self._state = QuorumState(
            node_id=node_id,
            voters=voters,
            settings=settings,
            log=log,
            next_correlation=first_correlation,
            bootstrap=tuple(sorted(voters)),
        )
        if snapshots is not None:
            self._state.snapshots = snapshots
        self._persisted = persisted
        if dynamic is not None:
            self._state.voters = ()
            self._state.directory_id, self._state.joins = dynamic.directory_id, dynamic.joins
            self._state.history = read_history(log, self._state.snapshots, dynamic.first_voters)

    @property
    def role(self) -> Role:
        """Its role now."""
        return self._state.role

    @property
    def epoch(self) -> Epoch:
        """The quorum epoch it is in."""
        return self._state.epoch

    @property
    def leader_id(self) -> NodeId:
        """The leader of that epoch, -1 when unknown."""
        return self._state.leader_id

    @property
    def high_watermark(self) -> Offset:
        """Exclusive; -1 when unknown."""
        return self._state.high_watermark

    @property
    def standing(self) -> Standing:
        """All that the other parts of a node go by: while it stays, nothing that happens here concerns them."""
        state = self._state
        return state.role, state.epoch, state.leader_id, state.high_watermark, state.is_stopped

    @property
    def epoch_start_offset(self) -> Offset:
        """Of a leader: where its epoch begins."""
        return self._state.epoch_start_offset

    @property
    def next_offset(self) -> Offset:
        """Of a leader: where the next batch goes."""
        return self._state.log_end().offset

    @property
    def is_stopped(self) -> bool:
        """After a stop request: it may leave."""
        return self._state.is_stopped

    @property
    def voter_history(self) -> VoterHistory | None:
        """Of a dynamic quorum: its voters, as they stand in the log."""
        return self._state.history

    def append(self, records: tuple[MetadataRecord, ...], now_ms: int) -> tuple[Offset, list[Effect]]:
        """Write one batch as the leader; returns its base offset."""
        return leadership.append(self._state, records, now_ms)

    def handle(self, happened: Input, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""
        state = self._state
        state.appended_end = state.log.log_end_offset
        epoch = state.epoch
        try:
            if type(happened) is Received:  # nearly always, and a match costs as much as many a handler
                effects = self._on_message(happened.sender, happened.correlation, happened.message, now_ms)
            else:
                effects = self._route(happened, now_ms)
        except TwoLeadersError as conflict:
            return [HaltNode(str(conflict))]
        if state.history is not None:
            effects += membership.settle(state)
        assert state.epoch >= epoch, "an epoch never goes back"
        return effects

    def _route(self, happened: Input, now_ms: int) -> list[Effect]:
        state = self._state
        match happened:
            case NodeStarted():
                return self._start(now_ms)
            case TimerFired(name=name):
                return self._on_timer(name, now_ms)
            case Flushed(topic_partition=which, end_offset=end_offset) if which == METADATA:
                if state.role is LEADS:
                    return leadership.on_flushed(state, end_offset)
                return snapshots.on_flushed(state)
            case Disconnected(peer=peer):
                return fetching.on_disconnected(state, peer)
            case StopRequested():
                return self._stop()
            case _:
                return []

    def _on_message(self, sender: NodeId, correlation: int, message: object, now_ms: int) -> list[Effect]:
        state = self._state
        if type(message) is FetchRequest:
            return serving.on_fetch_request(state, sender, correlation, message, now_ms)
        if type(message) is FetchResponse:
            effects = self._learn(message.leader_epoch, NO_NODE, sender) if message.leader_id == NO_NODE else []
            return effects + following.on_fetch_response(state, sender, correlation, message)
        match message:
            case VoteRequest():
                return election.on_vote_request(state, sender, correlation, message)
            case BeginQuorumEpochRequest():
                return following.on_begin_request(state, sender, correlation, message)
            case EndQuorumEpochRequest():
                return following.on_end_request(state, sender, correlation, message)
            case FetchSnapshotRequest():
                return snapshots.on_fetch_snapshot_request(state, sender, correlation, message)
            case FetchSnapshotResponse():
                effects = self._learn(message.leader_epoch, NO_NODE, sender) if message.leader_id == NO_NODE else []
                return effects + snapshots.on_fetch_snapshot_response(state, sender, correlation, message)
            case DescribeQuorumRequest():
                return describing.on_describe(state, sender, correlation, now_ms)
            case AddRaftVoterRequest():
                return membership.on_add_request(state, sender, correlation, message, now_ms)
            case RemoveRaftVoterRequest():
                return membership.on_remove_request(state, sender, correlation, message, now_ms)
            case VoteResponse():
                effects = self._learn(message.epoch, message.leader_id, sender)
                return [*effects, *election.on_vote_response(state, sender, correlation, message, now_ms)]
            case BeginQuorumEpochResponse() | EndQuorumEpochResponse():
                return leadership.on_epoch_answer(state, message)
            case _:
                return []

    def _learn(self, epoch: Epoch, leader_id: NodeId, sender: NodeId) -> list[Effect]:
        is_old = epoch < self._state.epoch or (epoch == self._state.epoch and leader_id in (NO_NODE, self.leader_id))
        return [] if is_old else following.learn_leader(self._state, epoch, leader_id, f"node {sender} said so")

    def _on_timer(self, name: str, now_ms: int) -> list[Effect]:
        state = self._state
        match name:
            case timers.ELECTION_TIMER:
                return election.on_election_timeout(state, now_ms)
            case timers.RESEND_TIMER:
                return election.on_resend(state)
            case timers.FETCH_TIMER if state.role is Role.FOLLOWER:
                return election.campaign(state, "no successful fetch in time", now_ms)
            case timers.FETCH_RETRY_TIMER:
                return fetching.on_fetch_retry(state)
            case timers.CHECK_TIMER:
                return leadership.on_check_timeout(state)
            case timers.BEGIN_TIMER:
                return leadership.on_begin_timer(state)
            case timers.RETENTION_TIMER:
                return snapshots.on_retention_check(state, now_ms)
            case timers.CHANGE_TIMER:
                return membership.on_change_timeout(state)
            case timers.JOIN_TIMER:
                return membership.on_join_timer(state)
            case timers.STOP_TIMER:
                state.is_stopped = True
                return []
            case _ if name.startswith(timers.PARKED_TIMER):
                return serving.on_parked_timeout(state, int(name.removeprefix(timers.PARKED_TIMER)))
            case _:
                return []

    def _start(self, now_ms: int) -> list[Effect]:
        """Resume from quorum-state; never as leader: it might write an offset twice. Source: QuorumState.initialize."""
        state, saved = self._state, self._persisted or ElectionState(epoch=0)
        # The log has a record of a later epoch than quorum-state tells of: that file is lost, or older than the log.
        # With its epoch this node would be behind its own log, and would ask for votes that each voter refuses as
        # invalid, since no log can have records of an epoch that is only being voted on.
        if saved.epoch < state.log.last_epoch:
            saved = ElectionState(epoch=state.log.last_epoch)
        state.epoch, state.leader_id, state.voted_for = saved.epoch, saved.leader_id, saved.voted_for
        state.voted_directory_id = saved.voted_directory_id
        kept, end = state.snapshots.kept, state.log.end()
        if kept:
            state.committed_before = kept[-1].snapshot_id.end_offset
        adopted = [] if state.history is None else voter_sets.adopt(state, "as its disk has them")
        booted = QuorumBooted(
            epoch=saved.epoch,
            voted_for=saved.voted_for,
            leader_id=saved.leader_id,
            log_end_offset=end.offset,
            last_epoch=end.epoch,
            voters=state.voters,
        )
        effects: list[Effect] = [Emit(booted), *adopted]
        if len(kept) > 1:
            effects.append(SetTimer(timers.RETENTION_TIMER, snapshots.CHECK_INTERVAL_MS))
        if state.joins:
            effects.append(membership.set_join_timer(state))
        if not state.is_voter:
            state.role = Role.OBSERVER
            return [*effects, *fetching.send_fetch(state)]
        if not state.others:
            return [*effects, *election.campaign(self._alone(), "only voter", now_ms)]
        # Never as leader again. quorum-state is flushed at once, records later, so this log may be shorter than what it
        # has sent in this very epoch:
        #
        #     before the restart   7 8:a      8 is not flushed; 102 has fetched it
        #     after it             7          if it led e5 again, it would write 8:b
        #     102                  7 8:a      two records 8 of e5, and who compares logs by epochs finds no difference
        #
        # Nor does it vote for another in this epoch, which has had its leader. Source: QuorumState.initialize.
        if saved.leader_id == state.node_id:
            state.role = Role.RESIGNED
            return [*effects, *self._say("it led before the restart"), timers.set_election_timer(state)]
        if saved.voted_for == state.node_id:
            return [*effects, *election.restart_as_candidate(state)]
        if saved.leader_id != NO_NODE:
            return [*effects, *following.become_follower(state, saved.epoch, saved.leader_id, "restarted")]
        return [*effects, timers.set_election_timer(state)]

    def _alone(self) -> QuorumState:
        self._state.leader_id = NO_NODE
        return self._state

    def _say(self, why: str) -> list[Effect]:
        """The role a voter wakes up in; quorum-state holds all of it already."""
        state = self._state
        names = {"leader_id": state.leader_id, "voted_for": state.voted_for}
        return [Emit(RoleChanged(role=str(state.role), epoch=state.epoch, why=why, **names))]

    def _stop(self) -> list[Effect]:
        state = self._state
        if state.role is not Role.LEADER or not state.others:
            state.is_stopped = True
            return []
        effects = leadership.resign(state, "asked to stop")
        return [*effects, SetTimer(timers.STOP_TIMER, state.settings.quorum_retry_backoff_ms)]
