"""The map in zookeeper mode: the coordinator is named as what it is, and a zombie as one."""

from __future__ import annotations

from tests.workbench.tui.panes.test_panes import state
from workbench.tui.panes.map_boxes import rows_of
from workbench.tui.panes.map_zookeeper import row_of_controller, rows_of_coordinator
from workbench.tui.theme.palette import CROWN, WARN
from workbench.tui.ui_state import UiState


def in_the_mode() -> UiState:
    ui = state()
    zookeeper = ui.view.zookeeper
    zookeeper.is_used, zookeeper.controller, zookeeper.controller_epoch = True, 2, 5
    zookeeper.acting = {1: 4, 2: 5}
    return ui


def test_the_coordinator_says_who_has_the_controller_znode() -> None:
    rows = ["".join(text for text, _ in row) for row in rows_of_coordinator(in_the_mode())]
    assert rows[0] == "/controller n2 e5" and rows[1] == "sessions none"


def test_a_controller_that_the_znode_no_longer_names_is_a_zombie() -> None:
    ui = in_the_mode()
    assert row_of_controller(ui, 2) == [("CONTROLLER e5", CROWN)]
    assert row_of_controller(ui, 1) == [("zombie controller e4", WARN)]
    assert any("zombie" in text for row in rows_of(ui, ui.view.nodes[1], 30) for text, _ in row)
