"""Clients that change voters: what they get wrong is told in Kafka's codes, and leaves nothing behind."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cluster.kafka.api import APIS, Api
from cluster.kafka.apis.raft_voters import (
    ADD_RAFT_VOTER,
    CONTROLLER_LISTENER,
    REMOVE_RAFT_VOTER,
    AddRaftVoterRequest,
    Listener,
    RemoveRaftVoterRequest,
)
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.events import VotersChanged
from cluster.model.identifiers import NodeId
from cluster.model.settings import Settings
from cluster.model.uuids import uuid_bytes, uuid_of
from tests.support.clients.client_world import VIEW, request_of
from tests.support.worlds.quorum_harness import World

DISK = uuid_of("a disk")
WHERE = [Listener(CONTROLLER_LISTENER, "127.0.0.1", 9093)]
ADD = AddRaftVoterRequest(VIEW.cluster_id, 1000, 104, uuid_bytes(DISK), WHERE)
REMOVE = RemoveRaftVoterRequest(None, 104, uuid_bytes(DISK))
UPDATE_RAFT_VOTER = 82
VOTER, SPARE, STRANGER = 101, 104, 109
E = ErrorCode


def begin(api: Api, version: int, message: Any, view: Any = VIEW) -> Any:
    return api.begin(request_of(api, version, message), view)


@pytest.mark.parametrize("version", ADD_RAFT_VOTER.versions)
def test_the_leader_of_the_quorum_is_asked(version: int) -> None:
    exchange = begin(ADD_RAFT_VOTER, version, ADD)
    (asked,) = exchange.requests
    assert asked == core.AddRaftVoterRequest(voter_id=104, directory_id=DISK)
    assert not exchange.is_complete
    exchange.answer(asked, core.AddRaftVoterResponse(leader_id=101))
    assert (exchange.response().error_code, exchange.response().error_message) == (0, None)


def test_who_joins_by_itself_waits_for_no_commit() -> None:
    message = AddRaftVoterRequest(None, 1000, 104, uuid_bytes(DISK), WHERE, ack_when_committed=False)
    assert not begin(ADD_RAFT_VOTER, 1, message).requests[0].ack_when_committed
    assert begin(ADD_RAFT_VOTER, 0, ADD).requests[0].ack_when_committed


def test_a_refusal_is_told_with_its_reason() -> None:
    exchange = begin(REMOVE_RAFT_VOTER, 0, REMOVE)
    (asked,) = exchange.requests
    assert asked == core.RemoveRaftVoterRequest(voter_id=104, directory_id=DISK)
    refused = core.RemoveRaftVoterResponse(error=ErrorCode.VOTER_NOT_FOUND, reason="no voter has that number and disk")
    exchange.answer(asked, refused)
    told = exchange.response()
    assert told.error_code == ErrorCode.VOTER_NOT_FOUND
    assert "no voter has that number" in told.error_message


@pytest.mark.parametrize(
    ("api", "message", "error"),
    [
        (ADD_RAFT_VOTER, AddRaftVoterRequest("other", 1, 104, uuid_bytes(DISK), WHERE), 104),
        (REMOVE_RAFT_VOTER, RemoveRaftVoterRequest("other", 104, uuid_bytes(DISK)), 104),
        (ADD_RAFT_VOTER, AddRaftVoterRequest(None, 1, 104, bytes(16), WHERE), 42),
        (REMOVE_RAFT_VOTER, RemoveRaftVoterRequest(None, 104, bytes(16)), 42),
        (ADD_RAFT_VOTER, AddRaftVoterRequest(None, 1, -5, uuid_bytes(DISK), WHERE), 42),
        (ADD_RAFT_VOTER, AddRaftVoterRequest(None, 1, 104, uuid_bytes(DISK), []), 42),
        (ADD_RAFT_VOTER, AddRaftVoterRequest(None, 1, 104, uuid_bytes(DISK), [Listener("PLAINTEXT", "h", 1)]), 42),
    ],
)
def test_what_makes_no_sense_reaches_nobody(api: Api, message: Any, error: int) -> None:
    exchange = begin(api, 0, message)
    assert exchange.requests == [] and exchange.is_complete
    assert exchange.response().error_code == error


def test_where_voters_are_numbers_alone_none_names_a_disk() -> None:
    view = replace(VIEW, settings=Settings(voter_directories=False))
    (asked,) = begin(REMOVE_RAFT_VOTER, 0, RemoveRaftVoterRequest(None, 104, bytes(16)), view).requests
    assert asked.directory_id == ""


def test_the_name_of_a_listener_is_read_in_any_case_as_in_kafka() -> None:
    message = replace_listeners([Listener("controller", "127.0.0.1", 9093)])
    assert len(begin(ADD_RAFT_VOTER, 1, message).requests) == 1


def replace_listeners(listeners: list[Listener]) -> AddRaftVoterRequest:
    return AddRaftVoterRequest(None, 1000, SPARE, uuid_bytes(DISK), listeners)


def test_a_client_cannot_say_where_another_voter_listens() -> None:
    assert UPDATE_RAFT_VOTER not in APIS, "only controllers send it, and whoever else does is disconnected"


@pytest.fixture(scope="module")
def world() -> World:
    """Three voters and one controller beside them that has all of the log."""
    world = World(3, spares=1)
    leader = world.elect()
    world.run(lambda: len({log.log_end_offset for log in world.logs.values()}) == 1)
    world.run_for(600)
    assert world.leader() == leader
    return world


def asked(world: World, api: Api, message: Any) -> ErrorCode:
    """What the leader says to what a client sends; disks of that world have names instead of ids."""
    names = {uuid_of(name): name for name in world.disks.values()}
    exchange = begin(api, api.last, message)
    (inside,) = exchange.requests
    world.answers.clear()
    leader = world.elect()
    world.ask(leader, replace(inside, directory_id=names.get(inside.directory_id, inside.directory_id)))
    world.run(lambda: bool(world.answers))
    exchange.answer(inside, world.answers.pop())
    return ErrorCode(exchange.response().error_code)


def disk(world: World, node: NodeId) -> bytes:
    return uuid_bytes(uuid_of(world.disks[node]))


@pytest.mark.parametrize(
    ("voter", "of_disk", "error"),
    [
        (VOTER, VOTER, E.DUPLICATE_VOTER),
        (VOTER, SPARE, E.DUPLICATE_VOTER),
        (SPARE, VOTER, E.REQUEST_TIMED_OUT),
        (STRANGER, SPARE, E.REQUEST_TIMED_OUT),
    ],
)
def test_who_votes_already_or_has_not_copied_the_log_is_not_added(
    world: World, voter: NodeId, of_disk: NodeId, error: ErrorCode
) -> None:
    before = whole(world)
    message = AddRaftVoterRequest(None, 1000, voter, disk(world, of_disk), WHERE)
    assert asked(world, ADD_RAFT_VOTER, message) == error
    assert whole(world) == before


@pytest.mark.parametrize(("voter", "of_disk"), [(SPARE, SPARE), (VOTER, SPARE), (STRANGER, VOTER)])
def test_who_does_not_vote_with_that_disk_is_not_removed(world: World, voter: NodeId, of_disk: NodeId) -> None:
    before = whole(world)
    message = RemoveRaftVoterRequest(None, voter, disk(world, of_disk))
    assert asked(world, REMOVE_RAFT_VOTER, message) == E.VOTER_NOT_FOUND
    assert whole(world) == before


def test_the_last_voter_stays() -> None:
    world = World(1, spares=1)
    world.elect()
    world.run_for(600)
    before = whole(world)
    message = RemoveRaftVoterRequest(None, VOTER, disk(world, VOTER))
    assert asked(world, REMOVE_RAFT_VOTER, message) == E.VOTER_NOT_FOUND
    assert whole(world) == before


def test_fixed_voters_are_changed_by_nobody() -> None:
    world = World(3)
    world.elect()
    world.run_for(600)
    before = whole(world)
    message = RemoveRaftVoterRequest(None, VOTER, uuid_bytes(DISK))
    assert asked(world, REMOVE_RAFT_VOTER, message) == E.UNSUPPORTED_VERSION
    assert whole(world) == before


def whole(world: World) -> object:
    """Every log, how often voters changed, and a change that somebody may still wait for."""
    changes = sum(isinstance(event, VotersChanged) for _, _, event in world.events)
    waiting = [name for _, name in world.timers if name.endswith("change")]
    return {node: log.log_end_offset for node, log in world.logs.items()}, changes, waiting
