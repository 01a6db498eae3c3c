"""The pane of consumer groups, drawn from a story."""

from __future__ import annotations

import pytest

from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces import group_story
from tests.support.traces.client_story import client_story
from tests.support.traces.story import Story
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.layout import arrange
from workbench.tui.ui_state import UiState

SIZES = ((200, 50), (120, 40), (80, 24))


def state(until: str = "end") -> UiState:
    recording = Recording()
    recording.extend(group_story.group_story(until=until).entries)
    return UiState(recording, title="Groups")


def text(ui: UiState, width: int, height: int) -> str:
    return "\n".join(draw_screen(width, height, ui).text_rows())


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_group_stands_with_phase_members_and_chart(size: tuple[int, int]) -> None:
    ui = state("two")
    ui.main, ui.side = "clients", "clients"
    shown = text(ui, *size)
    assert "7 Clients  group readers" in shown
    assert " JOIN  SYNC  STABLE " in shown
    rows = [row for row in shown.splitlines() if "0,1" in row or "2,3" in row]
    assert any("\u2605" in row and "a" in row and "lag 2" in row for row in rows)
    assert any(form in shown for form in ("REBALANCE_IN_PROGRESS", "rebalance", "\u2717"))
    assert "SYNC: all have joined" in shown


def test_a_wide_screen_shows_groups_by_itself_once_there_are_any() -> None:
    assert "7 Clients" in text(state(), 200, 50)
    assert "7 Clients" not in text(state(), 120, 40)
    empty = UiState(Recording())
    assert "7 Clients" not in text(empty, 200, 50)


def test_a_coordinator_that_is_down_is_marked() -> None:
    ui = state("moved")
    ui.side = "clients"
    ui.recording.seek(len(ui.recording.entries) - 1)
    assert "n2\u2717" in text(ui, 120, 40)
    ui.recording.go_live()
    assert "n2\u2717" not in text(ui, 120, 40).split("7 Clients")[1].split("n1")[0]


def test_the_broker_that_keeps_a_group_says_so_on_the_map() -> None:
    ui = state("two")
    ui.zoom = "map"
    assert text(ui, 200, 50).count("keeps readers") == 1


def test_without_a_group_it_says_so() -> None:
    ui = UiState(Recording(), zoom="clients")
    assert "no consumer group has been heard of yet" in text(ui, 80, 24)


def test_who_writes_although_nobody_is_connected_is_named() -> None:
    told, ui = Story(), UiState(Recording(), zoom="clients")
    told.begin()
    told.say(9000, ev.OperationSucceeded(client_id="p", operation_id=1, function="produce", topic="orders", partition=0,
                                         base_offset=0, count=1, values=()))  # fmt: skip
    ui.recording.extend(told.entries)
    shown = text(ui, 80, 24)
    assert "No outside client is connected" in shown and "comes from the built-in clients" in shown


def test_the_chart_turns_back() -> None:
    ui = state()
    ui.side = "clients"
    newest = text(ui, 120, 40)
    ui.group_back = 3
    older = text(ui, 120, 40)
    assert "3 newer" in older and older != newest
    ui.group_back = 10_000
    assert "newer" in text(ui, 120, 40) and ui.group_back < 10_000


@pytest.mark.parametrize("size", [(160, 40), (200, 50), (100, 30), (120, 40)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("side", ["quorum", "clients"])
def test_no_pane_lies_on_another(size: tuple[int, int], side: str) -> None:
    places = arrange(*size, side=side, clients=True, banner=3)
    cells: set[tuple[int, int]] = set()
    for rect in places.values():
        here = {(x, y) for x in range(rect.x, rect.x + rect.width) for y in range(rect.y, rect.y + rect.height)}
        assert not cells & here and rect.x + rect.width <= size[0] and rect.y + rect.height <= size[1]
        cells |= here


def test_hostile_names_are_only_text() -> None:
    ui = state("one")
    told = group_story.group_story(until="one")
    group_story.joins(told, 2, "z-\x1b[2J\u202e", 1, client="\x1b]52;c;evil\x07")
    ui.recording.extend(told.entries[-1:])
    ui.zoom = "clients"
    shown = text(ui, 120, 40)
    assert "\x1b" not in shown and "\u202e" not in shown and "\x07" not in shown


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_kafka_client_stands_with_its_name_where_it_is_and_what_it_asks(size: tuple[int, int]) -> None:
    recording = Recording()
    recording.extend(client_story().entries)
    ui = UiState(recording, title="Clients", side="clients", main="clients")
    shown = text(ui, *size)
    assert "7 Clients  2 connected" in shown
    row = next(
        row for row in shown.splitlines() if "shop" in row and "headline" not in row and "Kafka client" not in row
    )
    assert "n1 n2" in row and "1 answer lost" in shown
    ui.zoom = "map"
    assert "2 clients" in text(ui, *size), "the broker's box counts them"
    ui.zoom = "clients"
    assert "librdkafka 2.5.0" in text(ui, *size) and "Produce 40" in text(ui, *size)


@pytest.mark.parametrize(("width", "words"), [(200, "answers LOST"), (120, "answers LOST")])
def test_what_stands_between_a_broker_and_its_clients_is_on_the_map(width: int, words: str) -> None:
    told = client_story()
    told.say(0, ev.FaultApplied(**fault_fields(4, "ClientDropResponses", "2 0.5")))
    recording = Recording()
    recording.extend(told.entries)
    shown = text(UiState(recording, title="Clients", zoom="map" if width > 160 else ""), width, 40)
    assert sum(words in row for row in shown.splitlines()) == 1


def test_where_kafka_clients_connect_is_told_while_there_is_none() -> None:
    ui = UiState(Recording(), zoom="clients", bootstrap=("127.0.0.1:19098", "127.0.0.1:19099"))
    assert "kcat -b 127.0.0.1:19098 -L" in text(ui, 120, 40)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_group_of_the_newer_protocol_shows_epochs_and_what_is_still_to_come(size: tuple[int, int]) -> None:
    recording = Recording()
    recording.extend(group_story.consumer_story().entries)
    ui = UiState(recording, title="Groups")
    ui.main, ui.side = "clients", "clients"
    shown = text(ui, *size)
    assert " ASSIGN  RECONCILE  STABLE " in shown and "epoch 2" in shown
    assert "e2: nothing, await" in shown
    assert "e1: 0,1, gives up 2,3" in shown


def test_who_has_one_partition_is_shown_with_its_committed_offset() -> None:
    told = group_story.group_story(until="two")
    group_story.generation(told, 2, 3, {"a-1": group_story.PARTS[:1], "b-1": group_story.PARTS[1:]})
    recording = Recording()
    recording.extend(told.entries)
    ui = UiState(recording, title="Groups")
    ui.main, ui.side = "clients", "clients"
    for size in SIZES:
        assert "committed 5, lag 2" in text(ui, *size)


def test_over_answers_that_are_held_it_does_not_say_that_nobody_is_here() -> None:
    ui = UiState(Recording(), zoom="clients")
    assert "7 Clients  nobody from outside" in text(ui, 120, 40)
    ui.held_talk = ("producer-1 got offset 0",)
    assert "7 Clients  what they were told" in text(ui, 120, 40)
