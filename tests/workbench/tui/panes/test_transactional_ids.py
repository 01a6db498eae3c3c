"""Transactional ids in pane 7."""

from __future__ import annotations

import pytest

from tests.support.traces.transactions_played import transactions_and_a_move
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.panes.transactional_ids import in_order
from workbench.tui.ui_state import UiState


@pytest.fixture
def ui() -> UiState:
    recording = Recording()
    recording.extend(transactions_and_a_move().entries)
    ui = UiState(recording, title="Transactions")
    ui.main = ui.side = "clients"
    return ui


def rows(ui: UiState, width: int, height: int) -> list[str]:
    return draw_screen(width, height, ui).text_rows()


@pytest.mark.parametrize("size", [(200, 50), (120, 40), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_each_id_has_its_state_its_producer_and_its_coordinator(ui: UiState, size: tuple[int, int]) -> None:
    shown = rows(ui, *size)
    assert any("7 Clients  4 transactional ids" in row for row in shown)
    (row,) = [row for row in shown if " open " in row and "Ongoing" in row]
    assert "3 e0" in row and "n3" in row
    assert any("taken" in row and "Empty" in row and "2 e2" in row for row in shown)
    assert any("done" in row and "CompleteCommit" in row for row in shown)


def test_where_there_is_room_partitions_are_told(ui: UiState) -> None:
    (row,) = [row for row in rows(ui, 80, 24) if " open " in row and "Ongoing" in row]
    assert "orders-0 users-0" in row
    assert all("nothing open" in row for row in rows(ui, 80, 24) if "CompleteCommit" in row)


def test_what_is_open_stands_first(ui: UiState) -> None:
    assert [item.transactional_id for item in in_order(ui.view)] == ["open", "taken", "idle", "done"]


def test_earlier_they_were_not_there(ui: UiState) -> None:
    ui.recording.seek(5)
    assert not any("transactional id" in row for row in rows(ui, 80, 24) if "7 Clients" in row)
