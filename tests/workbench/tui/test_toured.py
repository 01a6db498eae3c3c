"""Who has had the tour of the screen."""

from __future__ import annotations

from workbench.support.state_files import read_state, state_folder, write_state
from workbench.tui.settings import Settings
from workbench.tui.theme.themes import FILE
from workbench.tui.toured import toured, wants_tour


def test_it_is_shown_once_and_not_to_those_who_do_not_want_it() -> None:
    assert wants_tour(Settings()) and not wants_tour(Settings(tour=False))
    toured()
    assert not wants_tour(Settings())


def test_what_else_is_remembered_of_the_screen_stays() -> None:
    write_state(state_folder() / FILE, {"theme": "light"})
    toured()
    assert read_state(state_folder() / FILE) == {"theme": "light", "toured": True}
