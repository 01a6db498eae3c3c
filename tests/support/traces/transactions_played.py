"""A short play in the simulated world: transactions that end in each way, and replicas that move."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from cluster.model.identifiers import NO_NODE
from cluster.model.settings import classroom_timing
from tests.support.traces.played import passes
from tests.support.traces.watched import Watched

SETTINGS = replace(classroom_timing(), transaction_state_partitions=1, transaction_abort_interval_ms=500)


@cache
def transactions_and_a_move() -> Watched:
    """`done` commits, `idle` runs out of time, `taken` goes to another producer, `open` is open when orders-0 moves."""
    world = Watched(seed=1, controllers=3, brokers=3, settings=SETTINGS)
    world.until(lambda: world.cluster().quorum_leader != NO_NODE)
    world.do("topic __transaction_state assign=3,2", "topic orders assign=1,2", "topic users assign=2,1")
    world.do("txn begin A id=done", "txn produce A orders 2", "txn commit A")
    world.do("txn begin B id=idle timeout=1s", "txn produce B orders 1")
    passes(world, 3.0)
    world.do("txn begin C id=taken", "txn produce C users 1", "txn begin D id=taken")
    world.do("txn begin E id=open", "txn produce E orders 1", "txn produce E users 1")
    world.do("reassign orders-0 3,2")
    passes(world, 2.0)
    return world
