"""Bugs of a quorum whose voters change."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.model.identifiers import NodeId
from cluster.model.log_view import NoSnapshots
from cluster.model.voters import VoterSet
from cluster.node import snapshot_part
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
    return lambda _log, _snapshots, first: voter_history.VoterHistory(first)


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


def _names_nobody(encode: Any) -> Any:
    return lambda snapshot_id, records, time_ms, _control=(): encode(snapshot_id, records, time_ms)


def _names_the_newest(_before: Any) -> Any:
    """Whoever wrote them: the change may be cut off yet."""
    return lambda self, _end_offset: self.newest


def _looks_past_the_snapshot(_begin: Any) -> Any:
    return lambda _self, _snapshot_id, _data: None


def _starts_from_the_log_alone(read: Any) -> Any:
    return lambda log, _snapshots, first: read(log, NoSnapshots(), first)


def _forgets_who_is_in_force(_forget: Any) -> Any:
    """All sets before the snapshot go, the one that is in force at its end too."""

    def forget(self: Any, start_offset: int) -> None:
        self._sets = [item for item in self._sets if item[0] >= start_offset] or [(-1, self._first)]

    return forget


VOTER_BUGS = (
    PlantedBug("changes-at-once", "quorum", "a leader changes voters before it has committed in its own epoch",
               frozenset({"R9", "R25"}), ((membership, "may_change_voters", _changes_at_once),), seeds=(1,)),
    PlantedBug("never-pending", "quorum", "a leader changes voters while a change is not committed",
               frozenset({"R25"}), ((membership, "may_change_voters", _never_pending),), seeds=(5,)),
    PlantedBug("keeps-cut-voters", "quorum", "voters whose record was cut off stay in force",
               frozenset({"R3", "R11", "R16", "R18", "R24", "T5"}),
               ((voter_history.VoterHistory, "cut", _keeps_what_was_cut),), seeds=(39,)),
    PlantedBug("forgets-voters", "quorum", "after a restart the voters are those that the disk was formatted with",
               frozenset({"R24"}), ((quorum, "read_history", _forgets_the_log),), seeds=(1,)),
    PlantedBug("removed-and-counted", "quorum", "a leader that removed itself counts itself",
               frozenset({"R11"}), ((voter_sets, "_recount", _counts_itself),), seeds=(112,)),
    PlantedBug("numbers-alone", "quorum", "another disk under a voter's number votes",
               frozenset({"R3", "R11", "R16"}), ((QuorumState, "is_key", _looks_at_numbers_alone),), seeds=(1,)),
    PlantedBug("answers-for-the-old-disk", "quorum", "a new disk answers what the old one was asked",
               frozenset({"R3", "R18"}), ((election, "on_vote_request", _answers_for_any_disk),), seeds=(1,)),
    PlantedBug("changes-two", "quorum", "a leader that adds a voter drops another one with it",
               frozenset({"R25"}), ((membership, "_write", _removes_whom_it_finds),), seeds=(1,)),
    PlantedBug("snapshot-names-nobody", "quorum", "a snapshot of a dynamic quorum names no voters",
               frozenset({"R24"}), ((snapshot_part, "encode_snapshot", _names_nobody),), seeds=(6,)),
    PlantedBug("snapshot-names-the-newest", "quorum", "a snapshot names voters whose record is after its end",
               frozenset({"R26"}), ((voter_history.VoterHistory, "before", _names_the_newest),), seeds=(25,)),
    PlantedBug("looks-past-the-snapshot", "quorum", "who fetches a snapshot goes on with the voters it knew",
               frozenset({"R24"}), ((voter_history.VoterHistory, "begin_after", _looks_past_the_snapshot),),
               seeds=(6,)),
    PlantedBug("starts-from-the-log-alone", "quorum", "a start looks for voters in the log and in no snapshot",
               frozenset({"R24"}), ((quorum, "read_history", _starts_from_the_log_alone),), seeds=(6,)),
    PlantedBug("forgets-at-a-snapshot", "quorum", "a snapshot makes its writer forget who is in force at its end",
               frozenset({"R26"}), ((voter_history.VoterHistory, "forget_before", _forgets_who_is_in_force),),
               seeds=(6,)),
)  # fmt: skip
"""Caught only where voters come and go."""
