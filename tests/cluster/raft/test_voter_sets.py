"""What other voters mean for a leader's count and for one that fetches."""

from __future__ import annotations

import pytest

from cluster.model.effects import CancelTimer, Emit, SetTimer
from cluster.model.events import RoleChanged, VotersChanged
from cluster.model.settings import Settings
from cluster.model.voters import Voter, VoterSet
from cluster.raft import timers
from cluster.raft.following import become_unattached
from cluster.raft.roles import Role
from cluster.raft.state import Fetcher, QuorumState
from cluster.raft.voter_history import VoterHistory
from cluster.raft.voter_sets import adopt, change_part, first_records
from tests.support.worlds.quorum_harness import MemoryLog

ONE: VoterSet = (Voter(101, "a"),)
TWO: VoterSet = (Voter(101, "a"), Voter(102, "b"))


def state_of(role: Role, voters: VoterSet) -> QuorumState:
    state = QuorumState(
        node_id=101, voters=(), settings=Settings(), log=MemoryLog(), directory_id="a", history=VoterHistory(voters)
    )
    adopt(state, "as its disk has them")
    state.role, state.epoch, state.leader_id = role, 3, 101 if role is Role.LEADER else 102
    return state


def test_a_new_voter_counts_with_what_it_has_fetched_from_that_disk() -> None:
    for disk, end in (("b", 7), ("other", -1)):
        state = state_of(Role.LEADER, ONE)
        state.voter_ends = {101: 9}
        state.fetchers[102] = Fetcher(7, 1, 7, 1, disk)
        assert state.history is not None
        state.history.add(4, TWO)
        effects = adopt(state, "voter 102 is added")
        assert state.voter_ends == {101: 0, 102: end}, "its own log counts as far as it is on disk"
        assert {item.name for item in effects if isinstance(item, SetTimer)} == {timers.CHECK_TIMER, timers.BEGIN_TIMER}
        assert [type(item.event) for item in effects if isinstance(item, Emit)] == [VotersChanged]


def test_the_last_voter_waits_for_nobody() -> None:
    state = state_of(Role.LEADER, TWO)
    state.voter_ends, state.heard = {101: 9, 102: 9}, {102}
    assert state.history is not None
    state.history.add(4, ONE)
    effects = adopt(state, "voter 102 is removed")
    assert {item.name for item in effects if isinstance(item, CancelTimer)} == {timers.CHECK_TIMER, timers.BEGIN_TIMER}
    assert (set(state.voter_ends), state.heard) == ({101}, set())


@pytest.mark.parametrize(("heard", "anew"), [({102}, True), (set(), False)])
def test_a_leader_waits_anew_when_who_was_heard_is_a_majority_of_fewer_voters(heard: set[int], anew: bool) -> None:
    """Else its timer runs out while they count, is not set again, and a leader that nobody fetches from leads on."""
    four = (*TWO, Voter(103, "c"), Voter(104, "d"))
    state = state_of(Role.LEADER, four)
    state.voter_ends, state.heard = dict.fromkeys((101, 102, 103, 104), 9), set(heard)
    assert state.history is not None
    state.history.add(4, four[:3])
    names = [item.name for item in adopt(state, "voter 104 is removed") if isinstance(item, SetTimer)]
    assert names == ([timers.CHECK_TIMER] if anew else [])
    assert state.heard == set()


def test_a_follower_that_votes_no_more_observes_and_the_other_way_round() -> None:
    state = state_of(Role.FOLLOWER, TWO)
    assert change_part(state) == []
    state.voters = (102,)
    (told,) = [item.event for item in change_part(state) if isinstance(item, Emit)]
    assert isinstance(told, RoleChanged) and (told.role, told.leader_id) == ("observer", 102)
    state.voters = (101, 102)
    (told,) = [item.event for item in change_part(state) if isinstance(item, Emit)]
    assert isinstance(told, RoleChanged) and told.role == "follower"
    assert state.has_fetched, "the change came with an answer of its leader"


def test_only_the_first_leader_writes_what_disks_were_formatted_with() -> None:
    state = state_of(Role.CANDIDATE, TWO)
    assert [type(item).__name__ for item in first_records(state)] == ["KRaftVersionRecord", "VotersRecord"]
    assert state.history is not None
    state.history.add(2, TWO)
    assert first_records(state) == ()
    state.history = None
    assert first_records(state) == ()


def test_who_led_removed_itself_and_learns_of_a_newer_epoch_waits_for_no_election() -> None:
    state = state_of(Role.RESIGNED, TWO)
    state.voters = (102,)
    effects = become_unattached(state, 4, "node 102 said so")
    assert CancelTimer(timers.ELECTION_TIMER) in effects
    assert not [item for item in effects if isinstance(item, SetTimer) and item.name == timers.ELECTION_TIMER]
