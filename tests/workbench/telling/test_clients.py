"""What is said of a workload, and that its steady work is no news."""

from __future__ import annotations

from typing import Any

from cluster.model import events as ev
from tests.support.traces.story import Story
from workbench.telling.tell import describe, tone
from workbench.telling.telling import BAD, DIM, INFO

PLACE: dict[str, Any] = {"topic": "orders", "partition": 0}
CLIENTS = 1001


def told(event: Any) -> tuple[str, str]:
    story = Story()
    story.say(CLIENTS, event)
    return describe(story.entries[-1]), tone(story.entries[-1])


def test_a_count_names_what_is_not_zero() -> None:
    numbers: dict[str, Any] = {"acked_count": 185, "failed_count": 0, "unknown_count": 0, "lost_count": 3}
    counted = ev.LoadCounted(**PLACE, **numbers, waiting_count=0, p50_ms=5, p99_ms=1310, position=182)
    assert told(counted) == (
        "orders-0: 185 acknowledged, 3 lost, typical 5 ms, slowest 1310 ms; the consumer is at 182", DIM,
    )  # fmt: skip


def test_its_start_is_told() -> None:
    started = ev.LoadStarted(**PLACE, producer_id="p", consumer_id="c", rate_per_s=2, acks=-1)
    assert told(started) == ("p writes 2 records/s to orders-0 with acks=all, c reads them", INFO)


def test_its_operations_are_background_until_one_fails() -> None:
    names: dict[str, Any] = {**PLACE, "operation_id": 1, "function": "produce"}
    invoked: dict[str, Any] = {**names, "acks": -1, "value": "v"}
    assert told(ev.OperationInvoked(client_id="load-producer-2", **invoked))[1] == DIM
    assert told(ev.OperationInvoked(client_id="producer-2", **invoked))[1] == INFO
    assert told(ev.OperationFailed(client_id="load-producer-2", error=19, **names))[1] == BAD
