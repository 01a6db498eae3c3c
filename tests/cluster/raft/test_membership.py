"""A leader adds and removes voters, and what comes of it for the others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cluster.model.errors import ErrorCode
from cluster.model.events import VoterChangeRefused, VotersChanged
from cluster.model.identifiers import NodeId
from cluster.model.messages import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
    VoteRequest,
)
from cluster.model.settings import Settings
from cluster.raft.roles import Role
from tests.support.worlds.quorum_harness import World


def add(world: World, voter: NodeId) -> AddRaftVoterRequest:
    return AddRaftVoterRequest(voter_id=voter, directory_id=world.disks[voter])


def remove(world: World, voter: NodeId) -> RemoveRaftVoterRequest:
    return RemoveRaftVoterRequest(voter_id=voter, directory_id=world.disks[voter])


def answered(world: World) -> AddRaftVoterResponse | RemoveRaftVoterResponse:
    """The next answer that the client gets."""
    world.run(lambda: bool(world.answers))
    answer = world.answers.pop()
    assert isinstance(answer, AddRaftVoterResponse | RemoveRaftVoterResponse)
    return answer


def voters_of(world: World, node: NodeId) -> tuple[NodeId, ...]:
    told = [event for _, of, event in world.events if of == node and isinstance(event, VotersChanged)]
    return told[-1].voters


def ready(world: World) -> NodeId:
    """The leader, once every controller has all of its log."""
    leader = world.elect()
    ends = {node: world.logs[node] for node in world.voters}
    world.run(lambda: all(log.log_end_offset == ends[leader].log_end_offset for log in ends.values()))
    world.run_for(600)
    return leader


def test_a_controller_that_observes_becomes_a_voter() -> None:
    world = World(3, spares=1)
    leader = ready(world)
    assert world.nodes[104].role is Role.OBSERVER
    world.ask(leader, add(world, 104))
    assert voters_of(world, leader) == (101, 102, 103, 104), "in force as soon as it is written"
    assert not world.answers, "the answer waits until it is committed"
    assert answered(world).error == ErrorCode.NONE
    world.run(lambda: world.nodes[104].role is Role.FOLLOWER)
    assert all(voters_of(world, node) == (101, 102, 103, 104) for node in world.voters)


def test_four_voters_need_three() -> None:
    world = World(3, spares=1)
    leader = ready(world)
    world.ask(leader, add(world, 104))
    assert answered(world).error == ErrorCode.NONE
    for node in [node for node in world.voters if node != leader][:2]:
        world.kill(node)
    world.run(lambda: world.nodes[leader].role is Role.RESIGNED)
    world.run_for(20_000)
    assert world.leader() is None


def test_a_leader_that_removes_itself_does_not_count_itself_and_resigns_once_it_is_committed() -> None:
    world = World(3, spares=0)
    leader = ready(world)
    others = [node for node in world.voters if node != leader]
    world.ask(leader, remove(world, leader))
    assert world.nodes[leader].role is Role.LEADER, "it leads on until then"
    assert not world.answers, "its own copy, which is on disk at once, is none of a majority"
    assert answered(world).error == ErrorCode.NONE
    assert world.nodes[leader].role is Role.RESIGNED
    assert world.elect() in others
    world.run(lambda: world.nodes[leader].role is Role.OBSERVER)


def test_voters_change_one_at_a_time() -> None:
    world = World(3, spares=2)
    leader = ready(world)
    world.ask(leader, add(world, 104))
    world.ask(leader, add(world, 105))
    assert answered(world).error == ErrorCode.REQUEST_TIMED_OUT
    assert answered(world).error == ErrorCode.NONE
    refused = [event for _, _, event in world.events if isinstance(event, VoterChangeRefused)]
    assert [(event.kind, event.voter_id) for event in refused] == [("add", 105)]


def test_what_is_not_committed_in_time_is_told_so_and_stays() -> None:
    world = World(3, spares=1, settings=replace(Settings(), quorum_request_timeout_ms=200))
    leader = ready(world)
    world.isolate(leader)
    world.ask(leader, add(world, 104))
    assert answered(world).error == ErrorCode.REQUEST_TIMED_OUT
    assert voters_of(world, leader) == (101, 102, 103, 104)
    world.run(lambda: world.nodes[leader].role is Role.RESIGNED)
    world.cut.clear()
    world.elect()
    world.run(lambda: voters_of(world, leader) == voters_of(world, 104))


def test_who_does_not_lead_says_who_does() -> None:
    world = World(3, spares=1)
    leader = ready(world)
    follower = next(node for node in world.voters if node != leader)
    world.ask(follower, add(world, 104))
    answer = answered(world)
    assert (answer.error, answer.leader_id) == (ErrorCode.NOT_CONTROLLER, leader)


def test_the_voters_of_a_static_quorum_are_fixed() -> None:
    world = World(3)
    world.ask(world.elect(), RemoveRaftVoterRequest(voter_id=101, directory_id=""))
    assert answered(world).error == ErrorCode.UNSUPPORTED_VERSION


def test_another_disk_under_a_voters_number_gives_no_vote() -> None:
    world = World(3, spares=0)
    leader = ready(world)
    follower = next(node for node in world.voters if node != leader)
    old = world.disks[follower]
    world.kill(follower)
    world.replace_disk(follower)
    world.start(follower)
    world.run(lambda: voters_of(world, follower) == (101, 102, 103))
    assert world.nodes[follower].role is Role.OBSERVER
    request = VoteRequest(
        voter_id=follower, candidate_id=leader, epoch=50, last_epoch=9, last_offset=99, pre_vote=False,
        directory_id=world.disks[leader], voter_directory_id=old,
    )  # fmt: skip
    world.ask(follower, request)
    (answer,) = world.answers
    assert getattr(answer, "error", None) == ErrorCode.INVALID_VOTER_KEY


def test_a_controller_joins_by_itself_with_its_new_disk() -> None:
    world = World(3, spares=1, settings=replace(Settings(), auto_join=True))
    leader = ready(world)
    world.run(lambda: voters_of(world, leader) == (101, 102, 103, 104))
    follower = next(node for node in world.voters if node != leader)
    world.kill(follower)
    world.replace_disk(follower)
    world.start(follower)
    world.run(lambda: world.nodes[follower].role is Role.FOLLOWER)
    history = [event for _, of, event in world.events if of == leader and isinstance(event, VotersChanged)]
    assert len(history[-2].voters) == 3, "the old disk is removed first"
    assert world.disks[follower] in history[-1].directories


@pytest.mark.parametrize("seed", range(5))
def test_an_uncommitted_change_is_gone_with_its_record(seed: int) -> None:
    world = World(3, spares=1, seed=seed)
    leader = ready(world)
    world.isolate(leader)
    world.ask(leader, remove(world, next(node for node in world.voters if node != leader)))
    world.run(lambda: world.leader() not in (None, leader))
    world.cut.clear()
    world.run(lambda: voters_of(world, leader) == (101, 102, 103))


@pytest.mark.parametrize("disk", [True, False])
def test_who_has_not_fetched_with_that_disk_is_not_added(disk: bool) -> None:  # noqa: FBT001
    world = World(3, spares=1)
    leader = ready(world)
    who, what = (104, "another disk") if disk else (105, "some disk")
    world.ask(leader, AddRaftVoterRequest(voter_id=who, directory_id=what))
    assert answered(world).error == ErrorCode.REQUEST_TIMED_OUT
    assert world.nodes[leader].role is Role.LEADER
