"""A consumer checks its position after a change of leader."""

from __future__ import annotations

import pytest

from cluster.kafka.api import Request
from cluster.kafka.apis.offset_for_leader_epoch import (
    OFFSET_FOR_LEADER_EPOCH,
    EpochEndExchange,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from cluster.model.errors import ErrorCode
from cluster.model.messages import OffsetForLeaderEpochResponse as CoreResponse
from tests.support.clients.client_world import VIEW, give, request_of, run, told
from tests.support.worlds.replica_world import ReplicaWorld


def ask(version: int, leader_epoch: int, current: int = -1) -> Request:
    topics = [OffsetForLeaderTopic("orders", [OffsetForLeaderPartition(0, current, leader_epoch)])]
    return request_of(OFFSET_FOR_LEADER_EPOCH, version, OffsetForLeaderEpochRequest(topics=topics))


@pytest.mark.parametrize("version", OFFSET_FOR_LEADER_EPOCH.versions)
def test_the_end_of_an_epoch_is_told_in_every_version(version: int) -> None:
    world = ReplicaWorld()
    world.produce(1, "one", "two")
    epoch = world.state().leader_epoch
    request = ask(version, epoch, epoch)
    response = run(world, 1, request, EpochEndExchange(request, VIEW))
    (found,) = response.topics[0].partitions
    assert (found.error_code, found.leader_epoch, found.end_offset) == (0, epoch, 2)


def test_a_broker_that_does_not_lead_says_so() -> None:
    world = ReplicaWorld()
    request = ask(4, 0)
    (found,) = run(world, 2, request, EpochEndExchange(request, VIEW)).topics[0].partitions
    assert found.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert (found.leader_epoch, found.end_offset) == (-1, -1)


def test_answers_that_nobody_waits_for_are_dropped() -> None:
    request = ask(4, 0)
    exchange = EpochEndExchange(request, VIEW)
    give(exchange, CoreResponse(topic="stock", partition=0))
    assert not exchange.is_complete
    give(exchange, CoreResponse(topic="orders", partition=0, leader_epoch=3, end_offset=8))
    give(exchange, CoreResponse(topic="orders", partition=0, leader_epoch=3, end_offset=9))
    assert told(request, exchange.response()).topics[0].partitions[0].end_offset == 8
