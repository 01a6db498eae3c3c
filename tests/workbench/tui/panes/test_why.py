"""The overlay that says why: nothing in it is cut in the middle of an aside, and the proof comes into view."""

from __future__ import annotations

import pytest

from tests.workbench.tui.panes.test_panes import state
from workbench.session.explanation import explanation
from workbench.tui.compose import draw_screen
from workbench.tui.modes import Why
from workbench.tui.panes.why import PROOF, TEXT_ROWS, why_lines
from workbench.tui.ui_state import UiState


def asked() -> UiState:
    """Why the newest leader leads."""
    ui = state()
    kinds = [entry.event.name for entry in ui.recording.entries]
    place = len(kinds) - 1 - kinds[::-1].index("raft.leader_elected")
    ui.mode = Why(explanation(ui.recording, place))
    return ui


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_an_opened_proof_is_in_view(size: tuple[int, int]) -> None:
    ui = asked()
    assert isinstance(ui.mode, Why)
    ui.mode, ui.overlay_scroll = Why(ui.mode.explained, is_open=True), -1
    rows = draw_screen(*size, ui).text_rows()
    head = next(y for y, row in enumerate(rows) if PROOF in row)
    assert sum("because" in row for row in rows[head + 1 :]) >= 3
    assert ui.overlay_scroll >= 0, "from here on it scrolls as before"


@pytest.mark.parametrize("width", [70, 76, 100, 140])
def test_what_happens_at_a_step_is_not_cut_within_brackets(width: int) -> None:
    ui = asked()
    assert isinstance(ui.mode, Why)
    below: dict[int, list[str]] = {}
    for row in why_lines(ui.mode, ui.recording, width):
        for x, text, _ in row:
            below.setdefault(x, []).append(text)
    for hop in ui.mode.explained.hops:
        parts = next(texts for texts in below.values() if any(text == hop.text[: len(text)] for text in texts if text))
        text = " ".join(parts)
        assert text.count("(") == text.count(")") or text.endswith("\u2026"), (hop.text, text)
        assert not text.endswith((",", "(")) and TEXT_ROWS == 2


@pytest.mark.parametrize("width", [80, 100])
def test_a_label_has_as_many_rows_as_it_needs(width: int) -> None:
    ui = asked()
    assert isinstance(ui.mode, Why)
    picture = [text for row in why_lines(ui.mode, ui.recording, width) for _, text, _ in row]
    assert not [text for text in picture if text.endswith("\u2026")]
