"""Bugs of the quorum."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.model.effects import Emit, PersistElection, Truncate
from cluster.model.election_state import ElectionState
from cluster.model.events import MetadataTruncated
from cluster.model.identifiers import METADATA, NO_NODE, LogEnd
from cluster.model.ruling import Ruling
from cluster.node import committed
from cluster.raft import election, following, leadership, quorum, rules, serving
from cluster.raft import state as raft_state
from cluster.raft.roles import Role
from cluster.raft.state import QuorumState
from cluster.storage import node_store
from tests.support.bugs.planted import PlantedBug


def _forgets_whom(grant: Any) -> Any:
    def grant_vote(facts: rules.VoterFacts, request: Any) -> Ruling[bool]:
        role = Role.UNATTACHED if facts.role in (Role.CANDIDATE, Role.RESIGNED) else facts.role
        return grant(replace(facts, voted_for=NO_NODE, role=role), request)  # type: ignore[no-any-return]

    return grant_vote


def _ignores_the_log(grant: Any) -> Any:
    return lambda facts, request: grant(replace(facts, log_end=LogEnd(0, 0)), request)


def _one_less(majority: Any) -> Any:
    return lambda count: max(1, majority(count) - 1)


def _any_epoch(advance: Any) -> Any:
    return lambda ends, _start, high_watermark: advance(ends, -1, high_watermark)


def _furthest(_majority: Any) -> Any:
    return lambda ends: max(ends)


def _without_persisting(move: Any) -> Any:
    def moved(self: QuorumState, *given: Any, **named: Any) -> list[Any]:
        return [effect for effect in move(self, *given, **named) if not isinstance(effect, PersistElection)]

    return moved


def _persist_late(move: Any) -> Any:
    """The vote is written with the next change only, if ever."""

    def moved(self: QuorumState, role: Any, why: str, **named: Any) -> list[Any]:
        effects = move(self, role, why, **named)
        is_vote = named.get("vote") not in (None, NO_NODE)
        return [effect for effect in effects if not (is_vote and isinstance(effect, PersistElection))]

    return moved


def _takes_any_answer(on_response: Any) -> Any:
    def on_fetch_response(state: QuorumState, sender: int, correlation: int, response: Any) -> Any:
        if response.leader_epoch == state.epoch or response.diverging is not None:
            correlation = state.fetch_correlation
            response = replace(response, leader_epoch=max(state.epoch, response.leader_epoch))
        return on_response(state, sender, correlation, response)

    return on_fetch_response


def _cuts_one_more(truncation_point: Any) -> Any:
    def cut(epochs: Any, end: int, diverging: Any) -> Ruling[int]:
        ruling: Ruling[int] = truncation_point(epochs, end, diverging)
        ruling.value = max(0, ruling.value - 1)
        return ruling

    return cut


def _never_diverges(_rule: Any) -> Any:
    return lambda *_given: Ruling(None, False, "planted")


def _reads_past(_advance: Any) -> Any:
    original = committed.Committed.__dict__["advance"]

    def advance(self: committed.Committed, _high_watermark: int) -> bool:
        return original(self, self._log.log_end_offset)  # type: ignore[no-any-return]

    return advance


def _leads_on(start: Any) -> Any:
    """After a restart the old leader campaigns without a new epoch."""

    def _start(self: quorum.Quorum, now_ms: int) -> list[Any]:
        saved = self._persisted
        if saved is not None and saved.leader_id == self._state.node_id and saved.epoch >= self._state.log.last_epoch:
            state = self._state
            state.epoch, state.voted_for = saved.epoch, state.node_id
            state.role = Role.CANDIDATE
            state.granted = {state.node_id, *state.others[:1]}
            return leadership.become_leader(state, now_ms)
        return start(self, now_ms)  # type: ignore[no-any-return]

    return _start


def _answers_with_its_own(learn: Any) -> Any:
    """A node believes a lower epoch when it names a leader."""

    def learn_leader(state: QuorumState, epoch: int, leader_id: int, why: str) -> Any:
        return learn(state, max(epoch, state.epoch), leader_id, why)

    return learn_leader


def _raises_at_once(campaign: Any) -> Any:
    """It is candidate without asking first, though pre-vote is on."""
    return lambda state, why, now_ms: election.become_candidate(state, why, now_ms)


def _empty_election(_read: Any) -> Any:
    return lambda _disk: None


def _epoch_without_vote(read: Any) -> Any:
    def read_election(disk: Any) -> ElectionState | None:
        found = read(disk)
        return None if found is None else ElectionState(epoch=found.epoch)

    return read_election


def _all_is_committed(follower_high_watermark: Any) -> Any:
    return lambda known, leaders, own_end: follower_high_watermark(known, max(leaders, own_end), own_end)


def _one_past(follower_high_watermark: Any) -> Any:
    return lambda known, leaders, own_end: follower_high_watermark(known, min(leaders, own_end) + 1, own_end + 1)


def _all_roles(_transitions: Any) -> Any:
    return {role: frozenset(Role) for role in Role}


def _campaigns_when_resigned(on_timeout: Any) -> Any:
    """A leader that has resigned asks for votes again, instead of waiting for a new epoch to begin."""

    def on_election_timeout(state: QuorumState, now_ms: int) -> Any:
        if state.role is not Role.RESIGNED:
            return on_timeout(state, now_ms)
        moved = state.move(Role.CANDIDATE, "resigned long enough", epoch=state.epoch + 1, vote=state.node_id)
        return [*moved, *election._ask(state, pre_vote=False)]

    return on_election_timeout


def _takes_back(become_leader: Any) -> Any:
    """A new leader cuts the record that begins its epoch."""

    def become(state: QuorumState, now_ms: int) -> Any:
        end = state.log.log_end_offset
        effects = become_leader(state, now_ms)
        cut = MetadataTruncated(end_offset=end, old_end_offset=end + 1, high_watermark=state.high_watermark, why="bug")
        return [*effects, Emit(cut), Truncate(METADATA, end)]

    return become


def _never_hears_a_leader(grant_pre_vote: Any) -> Any:
    return lambda facts, request: grant_pre_vote(replace(facts, role=Role.UNATTACHED), request)


def _follows_without_its_vote(move: Any) -> Any:
    def moved(self: QuorumState, role: Any, why: str, **named: Any) -> Any:
        return move(self, role, why, **({"vote": NO_NODE} if role is Role.FOLLOWER else {}) | named)

    return moved


def _always_the_same(_correlation: Any) -> Any:
    return lambda _self: 4


QUORUM_BUGS = (
    PlantedBug("votes-twice", "quorum", "a voter forgets within an epoch whom it voted for",
               frozenset({"R1", "R2", "R3", "R14"}), ((election, "grant_vote", _forgets_whom),), seeds=(8,)),
    PlantedBug("votes-for-short-logs", "quorum", "a voter does not compare logs",
               frozenset({"R4", "R9", "R12", "R17", "T5"}), ((election, "grant_vote", _ignores_the_log),)),
    PlantedBug("small-majority", "quorum", "one vote less than a majority elects a leader",
               frozenset({"R1", "R3"}), ((rules, "majority", _one_less),)),
    PlantedBug("commits-older-epochs", "quorum", "a leader counts records of older epochs as committed",
               frozenset({"R11"}), ((serving, "advance_high_watermark", _any_epoch),)),
    PlantedBug("commits-alone", "quorum", "the furthest voter is enough to commit",
               frozenset({"R11"}), ((rules, "majority_offset", _furthest),)),
    PlantedBug("never-persists", "quorum", "epoch and vote are kept in memory only",
               frozenset({"R2", "R5", "R6"}), ((QuorumState, "move", _without_persisting),)),
    PlantedBug("votes-before-disk", "quorum", "a vote is answered and never written",
               frozenset({"R2", "R6"}), ((QuorumState, "move", _persist_late),)),
    PlantedBug("forgets-its-vote", "quorum", "the vote is lost at a restart, the epoch is not",
               frozenset({"R2", "R5"}), ((node_store, "read_election", _epoch_without_vote),)),
    PlantedBug("forgets-everything", "quorum", "quorum-state is not read at a restart",
               frozenset({"R2", "R5"}), ((node_store, "read_election", _empty_election),)),
    PlantedBug("takes-late-answers", "quorum", "a fetch answer that nobody waits for is used",
               frozenset({"R8", "R12", "R13", "R17", "T5"}), ((following, "on_fetch_response", _takes_any_answer),)),
    PlantedBug("cuts-too-much", "quorum", "a follower cuts one record more than the logs differ in",
               frozenset({"R12", "R13", "T5"}), ((following, "truncation_point", _cuts_one_more),), seeds=(5,)),
    PlantedBug("never-diverges", "quorum", "a leader does not compare epochs",
               frozenset({"R8", "R10", "R12", "R17", "T5"}), ((serving, "diverging_epoch", _never_diverges),),
               seeds=(5,)),
    PlantedBug("applies-uncommitted", "quorum", "a node applies metadata records that are not committed",
               frozenset({"R10"}), ((committed.Committed, "advance", _reads_past),)),
    PlantedBug("all-is-committed", "quorum", "a follower takes all it holds for committed",
               frozenset({"R17"}), ((following, "follower_high_watermark", _all_is_committed),)),
    PlantedBug("leads-on-after-restart", "quorum", "a leader that restarts leads on in its old epoch",
               frozenset({"R1", "R3", "R16", "R7"}), ((quorum.Quorum, "_start", _leads_on),), seeds=(19,)),
    PlantedBug("no-pre-vote", "quorum", "a node raises its epoch without asking first",
               frozenset({"R16", "R18"}), ((election, "campaign", _raises_at_once),)),
    PlantedBug("wakes-as-candidate", "quorum", "a leader that resigned campaigns at once when it wakes up",
               frozenset({"R16"}),
               ((raft_state, "TRANSITIONS", _all_roles), (election, "on_election_timeout", _campaigns_when_resigned))),
    PlantedBug("takes-back-its-record", "quorum", "a new leader cuts the record that begins its epoch",
               frozenset({"R7"}), ((leadership, "become_leader", _takes_back),)),
    PlantedBug("numbers-all-alike", "quorum", "all requests have the same number, so any answer fits",
               frozenset({"R13"}), ((QuorumState, "correlation", _always_the_same),), seeds=(8,)),
    PlantedBug("runs-ahead-of-its-log", "quorum", "a follower's high watermark passes the end of its log",
               frozenset({"R21"}), ((following, "follower_high_watermark", _one_past),)),
    PlantedBug("disturbs-its-leader", "quorum", "a follower that hears its leader grants pre-votes",
               frozenset({"R19"}), ((election, "grant_pre_vote", _never_hears_a_leader),)),
    PlantedBug("follows-without-its-vote", "quorum", "who follows forgets whom it voted for",
               frozenset({"R20"}), ((QuorumState, "move", _follows_without_its_vote),)),
)  # fmt: skip
