"""Bugs of a quorum whose voters change."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.model.identifiers import NodeId
from cluster.model.voters import VoterSet
from cluster.raft import election, membership, quorum, voter_history, voter_sets
from cluster.raft.state import QuorumState
from tests.support.bugs.planted import PlantedBug


def _changes_at_once(may_change: Any) -> Any:
    return lambda facts: may_change(replace(facts, waits=False))


def _never_pending(may_change: Any) -> Any:
    return lambda facts: may_change(replace(facts, is_pending=False, voters_offset=-1))


def _keeps_what_was_cut(_cut: Any) -> Any:
    return lambda _self, _end_offset: False


def _forgets_the_log(_read: Any) -> Any:
    return lambda _log, first: voter_history.VoterHistory(first)


def _counts_itself(recount: Any) -> Any:
    def counted(state: QuorumState) -> Any:
        effects = recount(state)
        state.voter_ends[state.node_id] = state.log.flushed_offset
        return effects

    return counted


def _looks_at_numbers_alone(_is_key: Any) -> Any:
    def is_key(self: QuorumState, node: NodeId, _directory_id: str) -> bool:
        return node in self.voters

    return is_key


def _answers_for_any_disk(on_request: Any) -> Any:
    def answer(state: QuorumState, sender: NodeId, correlation: int, request: Any) -> Any:
        return on_request(state, sender, correlation, replace(request, voter_directory_id=""))

    return answer


def _removes_whom_it_finds(write: Any) -> Any:
    """A change that adds one also drops the first of the others."""

    def both(state: QuorumState, voters: VoterSet, *given: Any) -> Any:
        return write(state, voters[1:] if len(voters) > 3 else voters, *given)

    return both


VOTER_BUGS = (
    PlantedBug("changes-at-once", "quorum", "a leader changes voters before it has committed in its own epoch",
               frozenset({"R9", "R25"}), ((membership, "may_change_voters", _changes_at_once),)),
    PlantedBug("never-pending", "quorum", "a leader changes voters while a change is not committed",
               frozenset({"R25"}), ((membership, "may_change_voters", _never_pending),)),
    PlantedBug("keeps-cut-voters", "quorum", "voters whose record was cut off stay in force",
               frozenset({"R3", "R11", "R16", "R18", "R24", "T5"}),
               ((voter_history.VoterHistory, "cut", _keeps_what_was_cut),)),
    PlantedBug("forgets-voters", "quorum", "after a restart the voters are those that the disk was formatted with",
               frozenset({"R24"}), ((quorum, "read_history", _forgets_the_log),)),
    PlantedBug("removed-and-counted", "quorum", "a leader that removed itself counts itself",
               frozenset({"R11"}), ((voter_sets, "_recount", _counts_itself),)),
    PlantedBug("numbers-alone", "quorum", "another disk under a voter's number votes",
               frozenset({"R3", "R11", "R16"}), ((QuorumState, "is_key", _looks_at_numbers_alone),)),
    PlantedBug("answers-for-the-old-disk", "quorum", "a new disk answers what the old one was asked",
               frozenset({"R3", "R18"}), ((election, "on_vote_request", _answers_for_any_disk),)),
    PlantedBug("changes-two", "quorum", "a leader that adds a voter drops another one with it",
               frozenset({"R25"}), ((membership, "_write", _removes_whom_it_finds),)),
)  # fmt: skip
"""Caught only where voters come and go."""
