"""Bugs of the quorum that a hunt seals."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.model.effects import PersistElection
from cluster.model.election_state import ElectionState
from cluster.model.identifiers import NO_NODE
from cluster.model.ruling import Ruling
from cluster.node import committed
from cluster.raft import election, serving
from cluster.raft import state as raft_state
from cluster.raft.roles import Role
from cluster.raft.rules import check_quorum, high_watermark, votes
from cluster.raft.state import QuorumState
from cluster.storage import node_store
from workbench.challenges.bugs.planted_bug import PlantedBug


def _forgets_whom(grant: Any) -> Any:
    def grant_vote(facts: votes.VoterFacts, request: Any) -> Ruling[bool]:
        role = Role.UNATTACHED if facts.role in (Role.CANDIDATE, Role.RESIGNED) else facts.role
        return grant(replace(facts, voted_for=NO_NODE, role=role), request)  # type: ignore[no-any-return]

    return grant_vote


def _one_less(majority: Any) -> Any:
    return lambda count: max(1, majority(count) - 1)


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


def _epoch_without_vote(read: Any) -> Any:
    def read_election(disk: Any) -> ElectionState | None:
        election = read(disk)
        return None if election is None else ElectionState(epoch=election.epoch)

    return read_election


def _reads_past(_advance: Any) -> Any:
    original = committed.Committed.__dict__["advance"]

    def advance(self: committed.Committed, _high_watermark: int) -> bool:
        return original(self, self._log.log_end_offset)  # type: ignore[no-any-return]

    return advance


def _raises_at_once(campaign: Any) -> Any:
    """It is candidate without asking first, though pre-vote is on."""
    return lambda state, why, now_ms: election.become_candidate(state, why, now_ms)


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


def _never_hears_a_leader(grant_pre_vote: Any) -> Any:
    return lambda facts, request: grant_pre_vote(replace(facts, role=Role.UNATTACHED), request)


def _follows_without_its_vote(move: Any) -> Any:
    def moved(self: QuorumState, role: Any, why: str, **named: Any) -> Any:
        return move(self, role, why, **({"vote": NO_NODE} if role is Role.FOLLOWER else {}) | named)

    return moved


def _counts_anybody(note_contact: Any) -> Any:
    """Whoever fetches keeps a leader in office, voter or not."""

    def noted(state: Any, voter: int, directory_id: str) -> Any:
        if state.is_key(voter, directory_id):
            return note_contact(state, voter, directory_id)
        other = state.others[0]
        return note_contact(state, other, state.directories.get(other, directory_id))

    return noted


QUORUM = (
    PlantedBug("votes-twice", "quorum", "a voter forgets within an epoch whom it voted for",
        frozenset({"R1", "R2", "R3", "R14"}), ((election, "grant_vote", _forgets_whom),), seeds=(8,)),
    PlantedBug("small-majority", "quorum", "one vote less than a majority elects a leader",
        frozenset({"R1", "R3"}), ((votes, "majority", _one_less), (check_quorum, "majority", _one_less))),
    PlantedBug("commits-alone", "quorum", "the furthest voter is enough to commit",
        frozenset({"R11"}), ((high_watermark, "majority_offset", _furthest),)),
    PlantedBug("never-persists", "quorum", "epoch and vote are kept in memory only",
        frozenset({"R2", "R5", "R6"}), ((QuorumState, "move", _without_persisting),)),
    PlantedBug("votes-before-disk", "quorum", "a vote is answered and never written",
        frozenset({"R2", "R6"}), ((QuorumState, "move", _persist_late),)),
    PlantedBug("forgets-its-vote", "quorum", "the vote is lost at a restart, the epoch is not",
        frozenset({"R2", "R5"}), ((node_store, "read_election", _epoch_without_vote),)),
    PlantedBug("applies-uncommitted", "quorum", "a node applies metadata records that are not committed",
        frozenset({"R10"}), ((committed.Committed, "advance", _reads_past),)),
    PlantedBug("no-pre-vote", "quorum", "a node raises its epoch without asking first",
        frozenset({"R16", "R18"}), ((election, "campaign", _raises_at_once),)),
    PlantedBug("wakes-as-candidate", "quorum", "a leader that resigned campaigns at once when it wakes up",
        frozenset({"R16"}),
        ((raft_state, "TRANSITIONS", _all_roles), (election, "on_election_timeout", _campaigns_when_resigned))),
    PlantedBug("disturbs-its-leader", "quorum", "a follower that hears its leader grants pre-votes",
        frozenset({"R19"}), ((election, "grant_pre_vote", _never_hears_a_leader),)),
    PlantedBug("follows-without-its-vote", "quorum", "who follows forgets whom it voted for",
        frozenset({"R20"}), ((QuorumState, "move", _follows_without_its_vote),)),
    PlantedBug(
        "counts-anybody",
        "quorum",
        "observers that fetch keep a leader in office",
        frozenset({"L12"}),
        ((serving, "note_contact", _counts_anybody),),
),
)  # fmt: skip
