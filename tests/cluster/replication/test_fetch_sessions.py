"""Replicas that are fetched, and fetch, in sessions: they copy what others copy, in fewer and smaller requests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cluster.fetch_sessions.session_cache import FINAL_EPOCH, FetchSessionCache
from cluster.model.errors import ErrorCode
from cluster.model.events import FetchSessionOpened, FetchSessionRefused
from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from cluster.model.inputs import Received
from cluster.model.messages import (
    CreateTopicRequest,
    DeleteTopicRequest,
    FetchRequest,
    ProduceRequest,
    SessionFetchRequest,
    SessionFetchResponse,
)
from cluster.model.settings import classroom_timing
from cluster.replication import fetch_sessions
from cluster.replication.fetch_sessions import SessionReplicaManager
from cluster.replication.replica_manager import ReplicaManager
from tests.support.kinds import as_kind
from tests.support.worlds.node_world import NodeWorld
from tests.support.worlds.replica_world import BROKERS, CONTROLLERS, batch, values_of

PLACES = [TopicPartition("orders", partition) for partition in range(4)]


class SessionWorld(NodeWorld):
    """Four partitions of `orders`: broker 1 leads them, 2 and 3 follow."""

    def __init__(self, *, slots: int = 1000, **changes: Any) -> None:
        self.sent: list[tuple[NodeId, NodeId, Any]] = []
        self.sessions: dict[NodeId, FetchSessionCache] = {}
        settings = replace(classroom_timing(), elr=False, fetch_sessions=True, fetch_session_slots=slots, **changes)
        roles = dict.fromkeys(CONTROLLERS, ("controller",)) | dict.fromkeys(BROKERS, ("broker",))
        super().__init__(roles, settings, self._manager)
        self.until(lambda: self.active() != -1 and self.nodes[self.active()].image.unfenced_brokers() == BROKERS)
        asked = CreateTopicRequest(
            topic="orders", partitions=len(PLACES), replication_factor=3, min_insync_replicas=2,
            assignments=(BROKERS,) * len(PLACES),
        )  # fmt: skip
        self.ask(self.active(), asked)
        self.until(lambda: all(self.replicas[node].is_open(where) for node in BROKERS for where in PLACES))
        self.until(lambda: bool(self.of_followers(SessionFetchResponse)) or settings.commit_rule == "majority")

    def _manager(self, node: NodeId) -> ReplicaManager:
        sessions = self.sessions[node] = FetchSessionCache(
            self.settings.fetch_session_slots, f"start of {node}", lambda: self.now_ms
        )
        return SessionReplicaManager(node, self.settings, sessions)

    def _send(self, node: NodeId, target: NodeId, received: Received) -> None:
        self.sent.append((node, target, received.message))
        super()._send(node, target, received)

    def of_followers(self, kind: type) -> list[Any]:
        """Messages between brokers."""
        return [m for source, target, m in self.sent if isinstance(m, kind) and {source, target} <= set(BROKERS)]

    def produce(self, partition: int, *values: str) -> None:
        """Until it is acknowledged by all."""
        request = ProduceRequest(
            client_id="p", topic="orders", partition=partition, acks=-1, timeout_ms=5000, records=batch(*values)
        )
        number = self.send_as_client(1, request)
        self.until(lambda: number in self.answered)
        assert self.answered[number].error == ErrorCode.NONE

    def values(self, node: NodeId, partition: int) -> list[str]:
        return values_of(self.disks[node].logs[PLACES[partition]].read(0, 1 << 20))

    def fetch(self, *partitions: int, offset: int = 0, session: int = 0, epoch: int = 0, wait_ms: int = 300) -> int:
        """As a consumer; the correlation of the answer."""
        fetches = tuple(
            FetchRequest(
                replica_id=NO_NODE, topic="orders", partition=each, fetch_offset=offset, max_wait_ms=wait_ms
            )
            for each in partitions
        )  # fmt: skip
        return self.send_as_client(
            1, SessionFetchRequest(session_id=session, session_epoch=epoch, fetches=fetches)
        )  # fmt: skip

    def answer_to(self, number: int) -> SessionFetchResponse:
        self.until(lambda: number in self.answered)
        return as_kind(SessionFetchResponse, self.answered[number])

    def wait(self, duration_ms: int) -> None:
        end_ms = self.now_ms + duration_ms
        self.until(lambda: self.now_ms >= end_ms, duration_ms + 10_000)

    def named(self, kind: type) -> list[Any]:
        return [event for _, event in self.events if isinstance(event, kind)]


def told(answer: SessionFetchResponse) -> list[tuple[int, list[str]]]:
    return sorted((each.partition, values_of(each.records)) for each in answer.answers)


@pytest.mark.parametrize(
    "changes", [{}, {"flush_partitions": True}, {"slots": 1}, {"fetch_max_bytes": 1}, {"truncation_mode": "kip279"}]
)
def test_followers_copy_each_record_once(changes: dict[str, Any]) -> None:
    world = SessionWorld(**changes)
    for number in range(6):
        world.produce(number % 4, f"record-{number}")
    expected = [["record-0", "record-4"], ["record-1", "record-5"], ["record-2"], ["record-3"]]
    for node in BROKERS:
        assert [world.values(node, partition) for partition in range(4)] == expected


def test_each_pair_of_brokers_has_one_session_and_an_idle_fetch_names_nothing() -> None:
    world = SessionWorld()
    world.until(lambda: len(world.named(FetchSessionOpened)) == 2)
    opened = world.named(FetchSessionOpened)
    assert [(each.fetcher, each.partitions, each.is_follower) for each in opened] == [(2, 4, True), (3, 4, True)]
    world.produce(0, "one")
    world.wait(2 * world.settings.replica_fetch_wait_max_ms)  # until both have heard that it is committed
    seen = len(world.sent)
    world.wait(10 * world.settings.replica_fetch_wait_max_ms)
    idle = [message for source, target, message in world.sent[seen:] if {source, target} <= set(BROKERS)]
    assert {type(message) for message in idle} == {SessionFetchRequest, SessionFetchResponse}
    assert not any(message.fetches for message in idle if isinstance(message, SessionFetchRequest))
    assert not any(message.answers for message in idle if isinstance(message, SessionFetchResponse))
    assert 18 <= len([message for message in idle if isinstance(message, SessionFetchRequest)]) <= 22


def test_a_session_that_is_forgotten_costs_a_full_fetch_and_no_record() -> None:
    world = SessionWorld()
    world.produce(0, "one")
    session = world.named(FetchSessionOpened)[0]
    ended = world.sessions[1].begin(session.session_id, FINAL_EPOCH, {}, (), uses_ids=False)
    assert ended.error == ErrorCode.NONE
    for number in range(3):
        world.produce(number, f"more-{number}")
    (refused,) = world.named(FetchSessionRefused)
    assert (refused.fetcher, refused.session_id, refused.error) == (2, session.session_id, 70)
    assert len([each for each in world.named(FetchSessionOpened) if each.fetcher == 2]) == 2
    assert [world.values(2, partition) for partition in range(3)] == [["one", "more-0"], ["more-1"], ["more-2"]]


def test_a_follower_that_hears_nothing_begins_anew() -> None:
    world = SessionWorld()
    world.cuts |= {(1, 2), (2, 1)}
    world.wait(world.settings.request_timeout_ms + 10)
    world.cuts.clear()
    world.produce(3, "one")
    world.until(lambda: world.values(2, 3) == ["one"])
    again = [each for each in world.named(FetchSessionOpened) if each.fetcher == 2]
    assert len(again) >= 2
    assert len({each.session_id for each in again}) == len(again)


def test_a_consumer_is_told_all_at_first_and_then_what_is_new() -> None:
    world = SessionWorld()
    world.produce(1, "one")
    first = world.answer_to(world.fetch(0, 1, 2))
    assert told(first) == [(0, []), (1, ["one"]), (2, [])]
    waiting = world.fetch(1, offset=1, session=first.session_id, epoch=1)
    assert waiting not in world.answered
    world.produce(2, "two")
    assert told(world.answer_to(waiting)) == [(2, ["two"])]
    begun_ms = world.now_ms
    idle = world.answer_to(world.fetch(2, offset=1, session=first.session_id, epoch=2))
    assert (told(idle), world.now_ms - begun_ms) == ([], 300), "the wait was over"


def test_a_wrong_session_or_epoch_is_refused_and_reads_nothing() -> None:
    world = SessionWorld()
    unknown = world.answer_to(world.fetch(0, session=5, epoch=1))
    assert (unknown.error, unknown.answers) == (ErrorCode.FETCH_SESSION_ID_NOT_FOUND, ())
    first = world.answer_to(world.fetch(0, wait_ms=0))
    wrong = world.answer_to(world.fetch(session=first.session_id, epoch=7))
    assert (wrong.error, wrong.answers) == (ErrorCode.INVALID_FETCH_SESSION_EPOCH, ())
    assert [each.error for each in world.named(FetchSessionRefused)] == [70, 71]


def test_a_session_without_partitions_is_over() -> None:
    world = SessionWorld()
    first = world.answer_to(world.fetch(0, wait_ms=0))
    forgets = SessionFetchRequest(session_id=first.session_id, session_epoch=1, forgotten=(("orders", 0),))
    assert world.answer_to(world.send_as_client(1, forgets)) == SessionFetchResponse()


def test_a_partition_that_goes_while_it_is_waited_for_is_told() -> None:
    world = SessionWorld()
    waiting = world.fetch(0, 1, wait_ms=5000)
    world.ask(world.active(), DeleteTopicRequest(topic="orders"))
    errors = {each.partition: each.error for each in world.answer_to(waiting).answers}
    assert errors[0] == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_what_one_answer_cannot_hold_comes_with_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    world = SessionWorld()
    for partition in range(3):
        world.produce(partition, f"record-{partition}")
    monkeypatch.setattr(fetch_sessions, "RESPONSE_BYTES_MAX", 1)
    first = world.answer_to(world.fetch(0, 1, 2))
    assert told(first) == [(0, ["record-0"]), (1, []), (2, [])]
    second = world.answer_to(world.fetch(0, offset=1, session=first.session_id, epoch=1))
    assert told(second) == [(1, ["record-1"])]
    third = world.answer_to(world.fetch(1, offset=1, session=first.session_id, epoch=2))
    assert told(third) == [(2, ["record-2"])]


def test_by_majority_each_partition_is_asked_for_alone() -> None:
    world = SessionWorld(commit_rule="majority")
    world.produce(0, "one")
    assert world.of_followers(SessionFetchRequest) == []
    world.until(lambda: world.values(2, 0) == world.values(3, 0) == ["one"])
