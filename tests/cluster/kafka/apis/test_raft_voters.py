"""Clients that change voters: what they get wrong is told in Kafka's codes, and leaves nothing behind."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cluster.kafka.api import Api
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
from cluster.model.settings import Settings
from cluster.model.uuids import uuid_bytes, uuid_of
from tests.support.clients.client_world import VIEW, request_of

DISK = uuid_of("a disk")
WHERE = [Listener(CONTROLLER_LISTENER, "127.0.0.1", 9093)]
ADD = AddRaftVoterRequest(VIEW.cluster_id, 1000, 104, uuid_bytes(DISK), WHERE)
REMOVE = RemoveRaftVoterRequest(None, 104, uuid_bytes(DISK))


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
