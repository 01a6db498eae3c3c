"""Fetches that wait at a leader."""

from __future__ import annotations

from cluster.model.effects import CancelTimer, Send, SetTimer
from cluster.model.inputs import FetchAbandoned, Received, TimerFired
from cluster.model.messages import FetchRequest, ProduceRequest
from tests.support.worlds.node_world import CLIENT
from tests.support.worlds.replica_world import ORDERS, ReplicaWorld, batch


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


def test_the_timer_of_a_followers_fetch_stays_when_it_is_answered_and_then_finds_nothing() -> None:
    world = ReplicaWorld()
    leader, state = world.replicas[1], world.replicas[1].replica(ORDERS)
    world.until(lambda: any(sender == 2 for sender, _ in state.parked))
    (waiting,) = [correlation for sender, correlation in state.parked if sender == 2]
    timer = TimerFired(name="replica.orders-0.parked:2")
    answered = leader.handle(timer, world.now_ms)
    assert [(type(effect), effect.correlation) for effect in answered if isinstance(effect, Send)] == [(Send, waiting)]
    assert not [effect for effect in answered if isinstance(effect, CancelTimer | SetTimer)]
    assert leader.handle(timer, world.now_ms) == []


def test_the_timer_of_a_consumers_fetch_ends_when_it_is_answered() -> None:
    world = ReplicaWorld(min_isr=1, replicas=1)
    waiting = parked(world)
    produce = ProduceRequest(client_id="p", topic="orders", partition=0, acks=1, timeout_ms=800, records=batch("a"))
    effects = world.replicas[1].handle(Received(sender=CLIENT, correlation=7, message=produce), world.now_ms)
    assert CancelTimer(f"replica.orders-0.parked:{CLIENT}:{waiting}") in effects
