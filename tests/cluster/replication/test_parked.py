"""Fetches that wait at a leader."""

from __future__ import annotations

from node_world import CLIENT
from replica_world import ORDERS, ReplicaWorld

from cluster.model.inputs import FetchAbandoned
from cluster.model.messages import FetchRequest


def parked(world: ReplicaWorld) -> int:
    """A consumer's fetch that waits for a record."""
    request = FetchRequest(replica_id=-1, topic="orders", partition=0, fetch_offset=0, max_wait_ms=20_000)
    return world.send_as_client(1, request)


def test_a_fetch_that_nobody_waits_for_is_never_answered_and_the_others_are() -> None:
    world = ReplicaWorld()
    gone, waiting = parked(world), parked(world)
    world.give(1, FetchAbandoned(topic_partition=ORDERS, sender=CLIENT, correlation=gone))
    world.produce(1, "late")
    world.answer_of(waiting)
    world.until(lambda: world.now_ms > 25_000)
    assert gone not in world.answered


def test_what_was_answered_already_cannot_be_abandoned() -> None:
    world = ReplicaWorld()
    world.produce(1, "a")
    answered = parked(world)
    assert answered in world.answered
    world.give(1, FetchAbandoned(topic_partition=ORDERS, sender=CLIENT, correlation=answered))
    world.give(1, FetchAbandoned(topic_partition=ORDERS._replace(partition=7), sender=CLIENT, correlation=answered))
