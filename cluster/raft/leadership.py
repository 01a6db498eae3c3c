"""Leading: the first record of an epoch, announcing, check-quorum, resigning. Source: KIP-595."""

from __future__ import annotations

from cluster.model.codec import encode_metadata_record
from cluster.model.effects import Append, CancelTimer, Effect, Emit, Flush, Send, SetTimer
from cluster.model.events import LeaderElected, MetadataAppended
from cluster.model.identifiers import METADATA, UNKNOWN_OFFSET, Offset
from cluster.model.messages import (
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
)
from cluster.model.metadata_records import LeaderChangeRecord, MetadataRecord
from cluster.model.metadata_words import WORDS_MAX, words_of
from cluster.model.record_batch import encode_batch, read_header
from cluster.model.ruling import Decision
from cluster.raft import following, serving, timers, voter_sets
from cluster.raft.roles import Role
from cluster.raft.rules.check_quorum import check_quorum
from cluster.raft.state import QuorumState


def become_leader(state: QuorumState, now_ms: int) -> list[Effect]:
    """Won: write LeaderChange in the new epoch, flush, announce. The high watermark is unknown until it commits."""
    votes = tuple(sorted(state.granted))
    effects = state.move(Role.LEADER, f"{len(votes)} of {len(state.voters)} votes", leader_id=state.node_id)
    state.epoch_start_offset = state.log_end().offset
    # The high watermark is counted anew, from the records of this epoch on. But what was committed stays committed. A
    # leader that is deposed before it has committed anything would know of nothing that must not be cut, and would let
    # the next leader's log take it away without a word: `following._truncate` asks for both.
    state.committed_before = max(state.committed_before, state.high_watermark)
    state.high_watermark = UNKNOWN_OFFSET
    state.voter_ends = dict.fromkeys(state.voters, UNKNOWN_OFFSET)
    state.heard, state.recent, state.fetchers = set(), set(), {}
    elected = LeaderElected(epoch=state.epoch, epoch_start_offset=state.epoch_start_offset, votes=votes)
    effects += [CancelTimer(timers.ELECTION_TIMER), CancelTimer(timers.FETCH_TIMER), Emit(elected)]
    change = LeaderChangeRecord(leader_id=state.node_id, voters=state.voters, granting_voters=votes)
    first = voter_sets.first_records(state)
    offset, (appended, *written) = append(state, (change, *first), now_ms, control=True)
    effects.append(appended)
    if state.history is not None and first:
        state.history.add(offset + len(first), state.history.newest[1])
        effects += voter_sets.adopt(state, "the first leader wrote what its disk was formatted with")
    effects += written
    timeout_ms = state.settings.quorum_fetch_timeout_ms
    if state.others:
        effects += [
            *_announce(state),
            timers.set_check_timer(state),
            SetTimer(timers.BEGIN_TIMER, timeout_ms // 2),
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
        words=tuple(words_of(item) for item in records[:WORDS_MAX]),
    )
    return base_offset, [Emit(appended), Append(METADATA, batch), Flush(METADATA)]


def on_flushed(state: QuorumState, end_offset: Offset) -> list[Effect]:
    """The leader's own copy counts only once it is on disk; what was written can be given to parked fetches."""
    # Not what is in the page cache. A majority is a promise about disks; here the leader counts 9 before it is flushed:
    #
    #     101 leads   7 8 9*     * written, not flushed. With 102 that makes a majority: 9 is committed
    #     102         7 8 9
    #     103         7 8        101 loses power and is back with 7 8: it and 103 elect one of themselves, without 9
    #
    # One failure of three would have lost a committed record. Source: KIP-595; Raft paper 5.
    if state.node_id in state.voter_ends:
        state.voter_ends[state.node_id] = end_offset
    return [*serving.try_advance(state), *serving.answer_parked(state)]


def on_check_timeout(state: QuorumState) -> list[Effect]:
    """Resign unless a majority has fetched in time; `note_contact` sets the timer anew whenever one has."""
    if state.role is not Role.LEADER:
        return []
    # Nobody tells a leader that a cut took its majority away. It would lead for itself for ever. It can commit nothing,
    # but the brokers on its side of the cut still get answers to their fetches, so they never look for the leader that
    # the others have elected. It waits longer than a follower does (1.5 fetch timeouts), so by then they may elect one.
    # Source: KAFKA-15489.
    ruling = check_quorum(state.heard, len(state.voters), timers.check_quorum_ms(state), is_voter=state.is_voter)
    return [] if ruling.granted else resign(state, ruling.reason, ruling.decision)


def resign(state: QuorumState, why: str, decision: Decision | None = None) -> list[Effect]:
    """Stop leading and ask the others, most advanced first, to elect a successor."""
    # Who holds most comes first, and waits least. Whoever lacks a record that a majority has cannot win, and its round
    # of votes is time without a leader. This node stays the leader of this epoch by name, so that it votes for nobody
    # else in it: `quorum._start` has the reason.
    order = sorted(state.others, key=lambda voter: (-state.voter_ends.get(voter, UNKNOWN_OFFSET), voter))
    effects = state.move(Role.RESIGNED, why, leader_id=state.node_id, decision=decision)
    effects += [*serving.drop_parked(state), *timers.stop_timers(), timers.set_election_timer(state)]
    end = EndQuorumEpochRequest(leader_id=state.node_id, epoch=state.epoch, preferred_candidates=tuple(order))
    return [*effects, *(Send(voter, end, state.correlation()) for voter in order)]


def _announce(state: QuorumState) -> list[Effect]:
    own, epoch, disks = state.node_id, state.epoch, state.directories
    return [
        Send(
            voter,
            BeginQuorumEpochRequest(leader_id=own, epoch=epoch, voter_directory_id=disks.get(voter, "")),
            state.correlation(),
        )
        for voter in state.others
        if voter not in state.recent
    ]


def on_begin_timer(state: QuorumState) -> list[Effect]:
    """Announce again to voters that have not fetched since."""
    if state.role is not Role.LEADER:
        return []
    effects = _announce(state)
    state.recent = set()
    return [*effects, SetTimer(timers.BEGIN_TIMER, state.settings.quorum_fetch_timeout_ms // 2)]


def on_epoch_answer(state: QuorumState, response: BeginQuorumEpochResponse | EndQuorumEpochResponse) -> list[Effect]:
    """A refusal with a newer epoch ends this node's leadership; anything else needs nothing."""
    if response.epoch <= state.epoch:
        return []
    return following.learn_leader(state, response.epoch, response.leader_id, "an answer named a higher epoch")
