"""Leading: the first record of an epoch, announcing, check-quorum, resigning. Source: KIP-595; spec B.5, B.7, B.9."""

from __future__ import annotations

from cluster.model.codec import encode_metadata_record
from cluster.model.effects import Append, CancelTimer, Effect, Emit, Flush, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.events import LeaderElected, MetadataAppended, MetadataHighWatermarkAdvanced
from cluster.model.identifiers import METADATA, NO_NODE, UNKNOWN_OFFSET, Epoch, NodeId, Offset
from cluster.model.messages import (
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
)
from cluster.model.metadata_records import LeaderChangeRecord, MetadataRecord
from cluster.model.record_batch import encode_batch, read_header
from cluster.raft import election, fetching
from cluster.raft.roles import Role
from cluster.raft.rules import advance_high_watermark, majority, successor_backoff_ms
from cluster.raft.state import QuorumState

CHECK_TIMER = "quorum.check"
BEGIN_TIMER = "quorum.begin"
STOP_TIMER = "quorum.stop"


def stop_timers() -> list[Effect]:
    """Timers that only a leader or a follower has."""
    return [CancelTimer(name) for name in (CHECK_TIMER, BEGIN_TIMER, fetching.FETCH_TIMER, election.RESEND_TIMER)]


def become_leader(state: QuorumState, now_ms: int) -> list[Effect]:
    """Won: write LeaderChange in the new epoch, flush, announce. The high watermark is unknown until it commits."""
    votes = tuple(sorted(state.granted))
    effects = state.move(Role.LEADER, f"{len(votes)} of {len(state.voters)} votes", leader_id=state.node_id)
    state.epoch_start_offset = state.log_end().offset
    state.high_watermark = UNKNOWN_OFFSET
    state.voter_ends = dict.fromkeys(state.voters, UNKNOWN_OFFSET)
    state.heard, state.recent, state.fetchers = set(), set(), {}
    elected = LeaderElected(epoch=state.epoch, epoch_start_offset=state.epoch_start_offset, votes=votes)
    effects += [CancelTimer(election.ELECTION_TIMER), CancelTimer(fetching.FETCH_TIMER), Emit(elected)]
    change = LeaderChangeRecord(leader_id=state.node_id, voters=state.voters, granting_voters=votes)
    effects += append(state, (change,), now_ms, control=True)[1]
    timeout_ms = state.settings.quorum_fetch_timeout_ms
    if len(state.voters) > 1:
        effects += [
            *_announce(state),
            SetTimer(CHECK_TIMER, timeout_ms * 3 // 2),
            SetTimer(BEGIN_TIMER, timeout_ms // 2),
        ]
    return effects


def append(
    state: QuorumState, records: tuple[MetadataRecord, ...], now_ms: int, *, control: bool = False
) -> tuple[Offset, list[Effect]]:
    """Write one batch in the leader's epoch; returns its base offset (one offset for each record)."""
    assert state.role is Role.LEADER, "only the leader appends"
    base_offset = state.log_end().offset
    batch = encode_batch(
        [encode_metadata_record(item) for item in records], base_offset, state.epoch, now_ms, control=control
    )
    state.appended_end, state.appended_epoch = base_offset + len(records), state.epoch
    appended = MetadataAppended(
        base_offset=base_offset,
        end_offset=state.appended_end,
        epochs=((state.epoch, base_offset),),
        kinds=tuple(type(item).__name__ for item in records),
        role=str(state.role),
        digests=(f"{read_header(batch).crc:08x}",),
    )
    return base_offset, [Emit(appended), Append(METADATA, batch), Flush(METADATA)]


def on_flushed(state: QuorumState, end_offset: Offset) -> list[Effect]:
    """The leader's own copy counts only once it is on disk; what was written can be given to parked fetches."""
    state.voter_ends[state.node_id] = end_offset
    return [*try_advance(state), *fetching.answer_parked(state)]


def try_advance(state: QuorumState) -> list[Effect]:
    """Move the high watermark when a majority allows it."""
    high_watermark, decision = advance_high_watermark(state.voter_ends, state.epoch_start_offset, state.high_watermark)
    if high_watermark == state.high_watermark:
        return []
    state.high_watermark = high_watermark
    event = MetadataHighWatermarkAdvanced(
        epoch=state.epoch,
        high_watermark=high_watermark,
        role=str(state.role),
        log_end_offsets=tuple(sorted(state.voter_ends.items())),
    )
    return [Emit(event, decision)]


def note_contact(state: QuorumState, voter: NodeId) -> list[Effect]:
    """A voter fetched. Once a majority has, the check-quorum timer starts anew."""
    if voter not in state.voters or voter == state.node_id:
        return []
    state.heard.add(voter)
    state.recent.add(voter)
    if len(state.heard) < majority(len(state.voters)) - 1:
        return []
    state.heard = set()
    return [SetTimer(CHECK_TIMER, state.settings.quorum_fetch_timeout_ms * 3 // 2)]


def on_check_timeout(state: QuorumState) -> list[Effect]:
    """No majority fetched for 1.5 fetch timeouts: another leader may exist, so step down."""
    return resign(state, "no majority of voters fetched in time") if state.role is Role.LEADER else []


def resign(state: QuorumState, why: str) -> list[Effect]:
    """Stop leading and ask the others, most advanced first, to elect a successor."""
    order = sorted(state.others, key=lambda voter: (-state.voter_ends.get(voter, UNKNOWN_OFFSET), voter))
    effects = state.move(Role.RESIGNED, why, leader_id=state.node_id)
    effects += [*drop_parked(state), *stop_timers(), election.set_election_timer(state)]
    end = EndQuorumEpochRequest(leader_id=state.node_id, epoch=state.epoch, preferred_candidates=tuple(order))
    return [*effects, *(Send(voter, end, state.correlation()) for voter in order)]


def drop_parked(state: QuorumState) -> list[Effect]:
    """Waiting fetches are told that this node does not lead."""
    parked, state.parked = state.parked, {}
    return [
        fetching.refusal(state, replica, waiting.correlation, ErrorCode.NOT_LEADER_OR_FOLLOWER)
        for replica, waiting in sorted(parked.items())
    ]


def _announce(state: QuorumState) -> list[Effect]:
    begin = BeginQuorumEpochRequest(leader_id=state.node_id, epoch=state.epoch)
    return [Send(voter, begin, state.correlation()) for voter in state.others if voter not in state.recent]


def on_begin_timer(state: QuorumState) -> list[Effect]:
    """Announce again to voters that have not fetched since."""
    if state.role is not Role.LEADER:
        return []
    effects = _announce(state)
    state.recent = set()
    return [*effects, SetTimer(BEGIN_TIMER, state.settings.quorum_fetch_timeout_ms // 2)]


def on_begin_request(
    state: QuorumState, sender: NodeId, correlation: int, request: BeginQuorumEpochRequest
) -> list[Effect]:
    """Follow the leader that announces itself, unless its epoch is over."""
    if request.epoch < state.epoch:
        error = ErrorCode.FENCED_LEADER_EPOCH
        return [
            Send(
                sender, BeginQuorumEpochResponse(error=error, epoch=state.epoch, leader_id=state.leader_id), correlation
            )
        ]
    effects = learn_leader(state, request.epoch, request.leader_id, f"leader {request.leader_id} announced itself")
    answer = BeginQuorumEpochResponse(epoch=state.epoch, leader_id=state.leader_id)
    return [*effects, Send(sender, answer, correlation)]


def on_end_request(
    state: QuorumState, sender: NodeId, correlation: int, request: EndQuorumEpochRequest
) -> list[Effect]:
    """The leader leaves: campaign after a wait that grows with the place in its list."""
    if request.epoch < state.epoch:
        error = ErrorCode.FENCED_LEADER_EPOCH
        return [
            Send(sender, EndQuorumEpochResponse(error=error, epoch=state.epoch, leader_id=state.leader_id), correlation)
        ]
    effects = learn_leader(state, request.epoch, request.leader_id, f"leader {request.leader_id} resigns")
    effects.append(Send(sender, EndQuorumEpochResponse(epoch=state.epoch, leader_id=state.leader_id), correlation))
    if state.role is Role.FOLLOWER:
        candidates = request.preferred_candidates
        largest_ms = state.settings.quorum_election_backoff_max_ms
        known = state.node_id in candidates
        wait_ms = (
            successor_backoff_ms(candidates.index(state.node_id), len(candidates), largest_ms) if known else largest_ms
        )
        effects.append(SetTimer(fetching.FETCH_TIMER, wait_ms))
    return effects


def on_epoch_answer(state: QuorumState, response: BeginQuorumEpochResponse | EndQuorumEpochResponse) -> list[Effect]:
    """A refusal with a newer epoch ends this node's leadership; anything else needs nothing."""
    if response.epoch <= state.epoch:
        return []
    return learn_leader(state, response.epoch, response.leader_id, "an answer named a higher epoch")


def learn_leader(state: QuorumState, epoch: Epoch, leader_id: NodeId, why: str) -> list[Effect]:
    """Take over an epoch, and its leader when one is named, from what another node said."""
    if epoch < state.epoch or leader_id == state.node_id:
        return []
    if leader_id == NO_NODE:
        return election.become_unattached(state, epoch, why) if epoch > state.epoch else []
    if epoch == state.epoch and state.leader_id == leader_id and state.role in (Role.FOLLOWER, Role.OBSERVER):
        return []
    return become_follower(state, epoch, leader_id, why)


def become_follower(state: QuorumState, epoch: Epoch, leader_id: NodeId, why: str) -> list[Effect]:
    """Follow and fetch at once."""
    effects = drop_parked(state)
    effects += state.move(Role.FOLLOWER, why, epoch=epoch, leader_id=leader_id)
    effects += [*stop_timers(), CancelTimer(election.ELECTION_TIMER)]
    if state.is_voter:
        effects.append(SetTimer(fetching.FETCH_TIMER, state.settings.quorum_fetch_timeout_ms))
    return [*effects, *fetching.send_fetch(state)]
