"""Which records a client was told to be there."""

from __future__ import annotations

from cluster.invariants.checker import Checker
from cluster.model import events as ev
from cluster.model.identifiers import TopicPartition
from tests.support.traces.partition_traces import orders
from tests.support.traces.traces import CLIENT

ORDERS = TopicPartition("orders", 0)


def test_only_acks_all_counts_as_acknowledged() -> None:
    trace = orders()
    for operation, acks in ((1, -1), (2, 1), (3, -1)):
        trace.add(
            CLIENT,
            ev.OperationInvoked(
                client_id="c",
                operation_id=operation,
                function="produce",
                topic="orders",
                partition=0,
                acks=acks,
                value="",
            ),
        )
    trace.add(
        CLIENT,
        ev.OperationUnknown(client_id="c", operation_id=3, function="produce", topic="orders", partition=0, error=-1),
    )
    names = [
        trace.add(
            CLIENT,
            ev.OperationSucceeded(
                client_id="c",
                operation_id=operation,
                function="produce",
                topic="orders",
                partition=0,
                base_offset=offset,
                count=2,
                values=("a",),
            ),
        )
        for operation, offset in ((1, 0), (2, 2))
    ]
    checker = Checker()
    checker.feed_all(trace.entries)
    checker.finish()
    assert list(checker.ghost.partitions[ORDERS].acked) == [(0, 2, 0xA, names[0], "c")]
