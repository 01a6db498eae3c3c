"""A broker that is told to refuse one kind of request: a client sees the error, and nothing of it was done."""

from __future__ import annotations

from typing import Any

from cluster.faults.clients import InjectError
from cluster.faults.fault_book import FaultBook
from cluster.faults.grammar import parse_command
from cluster.kafka.apis.group_membership import HEARTBEAT, HeartbeatRequest
from cluster.kafka.apis.groups import FIND_COORDINATOR, FindCoordinatorRequest
from cluster.model.errors import ErrorCode
from tests.support.clients.kafka_broker import Broker
from tests.support.clients.raw_client import RawClient


def told(*commands: str) -> dict[str, Any]:
    """What the lab tells broker 1."""
    book = FaultBook()
    for text in commands:
        command = parse_command(text)
        assert isinstance(command, InjectError)
        book.add(book.open(command))
    return book.client_faults(1)


def test_a_produce_is_refused_and_not_written_until_it_is_healed(broker: Broker, client: RawClient) -> None:
    before = client.produce("orders", b"first")
    assert before.error_code == 0
    broker.order(**told("inject-error 1 api=produce error=NOT_ENOUGH_REPLICAS"))
    assert client.produce("orders", b"refused").error_code == ErrorCode.NOT_ENOUGH_REPLICAS
    assert client.fetch("orders", before.base_offset) == (0, [b"first"]), "other requests are served"
    broker.order(**told())
    after = client.produce("orders", b"second")
    assert (after.error_code, after.base_offset) == (0, before.base_offset + 1), "nothing was written between"


def test_a_group_and_its_coordinator_can_be_refused(broker: Broker, client: RawClient) -> None:
    unknown = "inject-error 1 api=heartbeat error=UNKNOWN_MEMBER_ID"
    broker.order(**told(unknown, "inject-error 1 api=find-coordinator error=COORDINATOR_NOT_AVAILABLE"))
    beat = HeartbeatRequest(group_id="g1", generation_id=1, member_id="m")
    assert client.ask(HEARTBEAT, 4, beat).error_code == ErrorCode.UNKNOWN_MEMBER_ID
    found = client.ask(FIND_COORDINATOR, 3, FindCoordinatorRequest(key="g1"))
    assert found.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    broker.order(**told())


def test_what_the_controller_decides_is_refused_by_the_broker_itself(broker: Broker, client: RawClient) -> None:
    broker.order(**told("inject-error 1 api=create-topics error=REQUEST_TIMED_OUT"))
    assert client.create("later") == ErrorCode.REQUEST_TIMED_OUT
    broker.order(**told())
    assert client.create("later") == 0, "it was not made before"
