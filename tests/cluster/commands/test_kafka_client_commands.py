"""Faults between a broker and its Kafka clients, asked for where there are none."""

from __future__ import annotations

import pytest

from tests.support.traces.watched import Watched


@pytest.mark.parametrize(
    "command",
    [
        "client cut 1",
        "client slow 1 200ms",
        "client drop-responses 1 0.15",
        "inject-error 1 api=produce error=NOT_ENOUGH_REPLICAS for=5s",
    ],
)
def test_a_simulated_broker_says_that_it_has_no_clients_and_no_fault_stays(command: str) -> None:
    world = Watched(seed=1)
    world.advance(1)
    answer = world.send(command)
    assert not answer.ok
    assert answer.text == "broker 1 is simulated and has no listener; Kafka clients need real processes"
    assert "faults: none" in world.send("status").text


def test_a_controller_has_no_clients_and_what_is_not_there_cannot_be_mended() -> None:
    world = Watched(seed=1)
    world.advance(1)
    assert "node 101 is a controller" in world.send("client cut 101").text
    assert "nothing stands between broker 1 and its clients" in world.send("client ok 1").text
