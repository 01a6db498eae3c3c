"""Kafka clients as a fold of what brokers tell of them."""

from __future__ import annotations

from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces import story
from tests.support.traces.client_story import asks, client_story
from workbench.session.recording import Recording
from workbench.session.views.clients import client_lines


def test_connections_of_one_client_are_one_line_with_what_it_asks_most_first() -> None:
    lines = {line.name: line for line in client_lines(story.view_of(client_story()).connections.values())}
    assert set(lines) == {"shop", "\u241b[2Jevil"}
    shop = lines["shop"]
    assert (shop.software, shop.nodes, shop.lost) == ("librdkafka 2.5.0", (1, 2), 1)
    assert (shop.asks, shop.about) == ((("Produce", 40), ("Metadata", 2)), "orders-3")


def test_a_client_that_leaves_and_one_whose_broker_dies_are_gone() -> None:
    told = client_story()
    told.say(1, ev.ClientDisconnected(connection_id=7, client_id="shop", count=2, why="closed by the client"))
    view = story.view_of(told)
    assert view.clients_of(1) == 0 and view.clients_of(2) == 2
    told.say(0, ev.ProcessExited(node_id=2, incarnation_number=0, exit_code=-9, expected=True))
    assert not story.view_of(told).connections


def test_what_a_connection_of_an_earlier_life_asks_is_left_out() -> None:
    told = story.Story()
    told.begin("clients")
    asks(told, 1, 99, "Fetch", 3, "orders-0")
    assert not story.view_of(told).connections


def test_a_fault_between_a_broker_and_its_clients_is_named_while_it_lasts() -> None:
    told = client_story()
    told.say(0, ev.FaultApplied(**fault_fields(4, "ClientDropResponses", "2 0.5")))
    assert (story.view_of(told).client_fault(2), story.view_of(told).client_fault(1)) == ("answers LOST", "")
    told.say(0, ev.FaultReverted(**fault_fields(4, "ClientDropResponses", "2 0.5")))
    assert story.view_of(told).client_fault(2) == ""


def test_the_past_keeps_its_own_counts() -> None:
    recording = Recording()
    told = client_story()
    recording.extend(told.entries)
    recording.seek(len(told.entries) - 2)
    before = recording.view.copy()
    recording.go_live()
    assert not any("Produce" in item.asks for item in before.connections.values())
    assert any("Produce" in item.asks for item in recording.view.connections.values())
