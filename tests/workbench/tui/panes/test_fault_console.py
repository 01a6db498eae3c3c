"""The table of nodes, links and faults."""

from __future__ import annotations

import pytest

from cluster.faults.grammar import parse_command
from cluster.faults.links import Cut
from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces import story
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.spots import spots_at
from workbench.tui.modes import Faults
from workbench.tui.panes.fault_console import fault_on, nodes_of_console, staged_command
from workbench.tui.ui_state import UiState


def console(*faults: tuple[str, str], nodes: tuple[int, ...] = (101, 102, 103, 1, 2, 3), over: bool = False) -> UiState:
    told = story.Story()
    told.say(0, ev.RunStarted(config="{}", world="processes", title="Faults"))
    for node in nodes:
        role = "controller" if node > 100 else "broker"
        told.say(0, ev.ProcessStarted(node_id=node, roles=(role,), incarnation_number=0, pid=node))
        told.say(node, ev.ProcessReady(node_id=node, port=9000 + node))
    for number, (kind, arguments) in enumerate(faults, start=1):
        told.say(0, ev.FaultApplied(**fault_fields(number, kind, arguments)))
        if over:
            told.say(0, ev.FaultReverted(**fault_fields(number, kind, arguments)))
    recording = Recording()
    recording.extend(told.entries)
    ui = UiState(recording, title="Faults")
    ui.mode = Faults()
    return ui


def text(ui: UiState, width: int = 120, height: int = 40) -> str:
    return "\n".join(draw_screen(width, height, ui).text_rows())


def test_one_command_is_made_of_all_that_is_staged_and_it_cuts_exactly_that() -> None:
    staged = {(1, 2), (2, 1), (101, 3), (3, 102)}
    command = staged_command(staged)
    assert command == "cut 1-2,3>102,101>3"
    cut = parse_command(command)
    assert isinstance(cut, Cut)
    assert {way for link in cut.links for way in link.ways()} == staged


@pytest.mark.parametrize("size", [(200, 50), (120, 40), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_each_link_is_a_cell_with_a_sign_for_what_touches_it(size: tuple[int, int]) -> None:
    ui = console(("Cut", "101>1"), ("Delay", "2-3 200ms"), ("Partition", "102|103"))
    ui.cell = 0, 3
    side = max(0, size[0] - 112) // 2  # what is behind the table stands beside it
    rows = [row[side : size[0] - side] for row in text(ui, *size).splitlines() if "\u2713 up" in row]
    cells = [
        row[row.index(name) + len(name) :] for row, name in zip(rows, ("n101  ", "n102  ", "n103  "), strict=False)
    ]
    assert [len(rows), "[\u2573]" in rows[0], "\u2573" in rows[3]] == [6, True, False]
    assert cells[1].count("\u2573") == cells[2].count("\u2573") == 1
    assert rows[4].count("\u2248") == rows[5].count("\u2248") == 1
    assert "n101\u2192n1: fault 1, cut 101>1; enter heals the whole of it" in text(ui, *size)


def test_what_is_staged_is_told_as_the_command_it_will_be() -> None:
    ui = console()
    ui.cell, ui.mode = (0, 1), Faults(frozenset({(101, 102), (102, 101)}))
    assert "[+\u2573]" in text(ui)
    assert "space cuts 2 links as one fault:  cut 101-102" in text(ui)
    assert "n101\u2192n102: staged, enter takes it back" in text(ui)


def test_the_newest_fault_on_a_link_is_the_one_that_is_healed() -> None:
    ui = console(("Delay", "1>2 50ms"), ("Isolate", "1"))
    found = fault_on(ui, 1, 2)
    assert found is not None and found.fault_id == 2
    assert fault_on(ui, 2, 3) is None


def test_faults_that_are_over_stay_in_the_history() -> None:
    shown = text(console(("Pause", "2"), over=True))
    assert "no fault in force" in shown and "before: pause 2 " in shown


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_large_cluster_scrolls_with_the_cursor(size: tuple[int, int]) -> None:
    nodes = (*range(101, 110), *range(1, 10))
    ui = console(nodes=nodes)
    order = nodes_of_console(ui)
    assert order == list(nodes)
    for place in range(len(nodes)):
        ui.cell = place, len(nodes) - 1 - place
        shown = text(ui, *size)
        assert "[\u2713]" in shown
        assert f"n{order[place]}\u2192n{order[-1 - place]}: free" in shown


def test_a_click_finds_the_cell_under_it_and_nothing_behind_the_console() -> None:
    ui = console()
    canvas = draw_screen(120, 40, ui)
    cells = {spot.value: spot for spot in canvas.spots if spot.kind == "cell"}
    assert len(cells) == 36
    spot = cells[2, 4]
    assert [found.kind for found in spots_at(canvas.spots, spot.x, spot.y)] == ["cell", "overlay"]
