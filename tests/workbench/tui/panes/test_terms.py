from __future__ import annotations

import pytest

from workbench.course.glossary import Term
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.modes import Terms
from workbench.tui.panes.terms import NONE
from workbench.tui.ui_state import UiState

TERMS = (
    Term("high watermark", "HW", "All below it is on every in-sync replica.", "S2.11"),
    Term("evil \x1b[2J", "", "Text.", ""),
)


@pytest.mark.parametrize("size", [(160, 45), (80, 24)], ids=str)
def test_the_terms_of_the_step_stand_with_their_short_form_and_source(size: tuple[int, int]) -> None:
    ui = UiState(Recording(), lesson=True, terms=TERMS, mode=Terms())
    shown = "\n".join(draw_screen(*size, ui).text_rows())
    for told in ("high watermark (HW)  S2.11", "All below it is on every in-sync replica.", "Terms of this step"):
        assert told in shown
    assert "\x1b" not in shown
    ui.terms = ()
    assert NONE in "\n".join(draw_screen(*size, ui).text_rows())
