"""Fetch sessions that a client names wrongly: Kafka's codes, and the sessions that are there go on as they were."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cluster.fetch_sessions.session_cache import FetchSessionCache
from cluster.kafka.apis.fetch import FETCH, FetchPartition, FetchRequest, FetchTopic
from cluster.kafka.broker_view import BrokerView
from cluster.model.errors import ErrorCode
from tests.support.clients.client_world import request_of, run, view_of
from tests.support.worlds.replica_world import ReplicaWorld

E = ErrorCode
NAMES, IDS = 12, 13
"""The last version in which topics have names, and the first in which they have ids."""
ORDERS = [FetchTopic("orders", partitions=[FetchPartition(0, fetch_offset=0, partition_max_bytes=1 << 20)])]


class Client:
    """One with a session that it has used once."""

    def __init__(self) -> None:
        self.world = ReplicaWorld()
        self.sessions = FetchSessionCache(3, "start-1", lambda: self.world.now_ms)
        self.view: BrokerView = replace(view_of(self.world, 1), fetch_sessions=self.sessions)
        self.session = int(self.fetch(0, 0, topics=ORDERS).session_id)
        self.epoch = 1
        """Of its next fetch."""
        self.goes_on()

    def fetch(
        self, session: int, epoch: int, version: int = NAMES, topics: list[FetchTopic] | None = None, replica: int = -1
    ) -> Any:
        message = FetchRequest(
            replica_id=replica, max_wait_ms=0, min_bytes=1, session_id=session, session_epoch=epoch, topics=topics or []
        )
        request = request_of(FETCH, version, message)
        return run(self.world, 1, request, FETCH.begin(request, self.view))

    def goes_on(self) -> None:
        """There is one session, which expects the epoch that it expected."""
        answer = self.fetch(self.session, self.epoch)
        assert (answer.error_code, answer.session_id, answer.responses) == (E.NONE, self.session, [])
        assert len(self.sessions) == 1
        self.epoch += 1


@pytest.fixture(scope="module")
def client() -> Client:
    return Client()


@pytest.mark.parametrize(
    ("shift", "ahead", "version", "error"),
    [
        (1, 0, NAMES, E.FETCH_SESSION_ID_NOT_FOUND),
        (1, 5, NAMES, E.FETCH_SESSION_ID_NOT_FOUND),
        (None, 0, NAMES, E.FETCH_SESSION_ID_NOT_FOUND),
        (0, -1, NAMES, E.INVALID_FETCH_SESSION_EPOCH),
        (0, 1, NAMES, E.INVALID_FETCH_SESSION_EPOCH),
        (0, -99, NAMES, E.INVALID_FETCH_SESSION_EPOCH),
        (0, 1, IDS, E.INVALID_FETCH_SESSION_EPOCH),
        (0, 0, IDS, E.FETCH_SESSION_TOPIC_ID_ERROR),
    ],
)
def test_a_session_that_is_named_wrongly_is_refused_and_goes_on(
    client: Client, shift: int | None, ahead: int, version: int, error: ErrorCode
) -> None:
    """No session has the id 0, and one beside the known one is nobody's."""
    session = 0 if shift is None else client.session + shift
    answer = client.fetch(session, client.epoch + ahead, version)
    assert (answer.error_code, answer.session_id, answer.responses) == (error, 0, [])
    client.goes_on()


def test_who_says_to_be_a_replica_gets_no_session(client: Client) -> None:
    assert client.fetch(0, 0, topics=ORDERS, replica=2).error_code == E.INVALID_REQUEST
    client.goes_on()
