"""A mission or a theme of another version is named, and the rest of what was kept holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.course.progress import PROGRESS, record_mission
from workbench.session.missions.board import Board
from workbench.support.state_files import state_folder, write_state
from workbench.tui.remembered import strange
from workbench.tui.screens.home import HomeApp
from workbench.tui.theme.themes import FILE, chosen_theme, keep_theme


def test_what_this_version_has_is_not_named(tmp_path: Path) -> None:
    assert strange(tmp_path) == ""
    for name in ("kill-leader", "two-controllers", "challenge-3"):
        record_mission(name, "0.58 s", tmp_path)
    keep_theme("light", tmp_path)
    assert strange(tmp_path) == ""


def test_a_mission_that_there_is_not_is_named_and_the_others_count(tmp_path: Path) -> None:
    for name in ("kill-leader", "land-on-the-moon\x1b", "zoom"):
        record_mission(name, "0.58 s", tmp_path)
    told = strange(tmp_path)
    assert told.startswith(f"{tmp_path / PROGRESS}: there is no mission 'land-on-the-moon\u241b' (and 1 more)")
    assert Board(tmp_path).done_count == 1


@pytest.mark.parametrize("theme", ["pink", 3, ["dark"]])
def test_a_theme_that_there_is_not_is_named_on_the_first_screen(tmp_path: Path, theme: object) -> None:
    write_state(state_folder() / FILE, {"theme": theme})
    assert f"there is no theme '{theme}' in this version; it is dark" in HomeApp(tmp_path).notice
    assert chosen_theme() == "dark"
