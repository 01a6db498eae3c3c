"""Themes: every colour that a pane uses is named in each, can be read, and the choice is kept."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.style import Style

import workbench.tui
from tests.support.traces import story
from tests.workbench.tui.panes.test_panes import SIZES, state
from tests.workbench.tui.theme.test_roles import contrast
from workbench.session.session import Session
from workbench.support.refusal import Refusal
from workbench.tui.app import WorkbenchApp
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.svg import canvas_svg
from workbench.tui.modes import Help
from workbench.tui.screens.home import HomeApp, draw_home
from workbench.tui.screens.home_choices import Choice
from workbench.tui.theme.palette import DIM, GROUND, TEXT, committed_cell, filled, uncommitted_cell, without_colour
from workbench.tui.theme.roles import ROLES
from workbench.tui.theme.themes import THEMES, VARIABLE, chosen_theme, dressed, keep_theme
from workbench.tui.ui_state import UiState

LINES = frozenset("╭╮╯╰─│┄┆·╌┈├┤┬┴╎ ")
"""Frames and links: they may stand back."""
STRUCTURE = (ROLES["line"].dark, ROLES["rail"].dark)
"""What may vanish without loss."""
LEAST = {"dark": 3.0, "light": 3.3, "contrast": 7.0}
"""Least contrast of letters; times and legends, which repeat what is said elsewhere, have the least."""


def test_sixteen_colours_show_a_fill_as_reverse_video_of_its_role() -> None:
    look = dressed(filled("no", "bright"), "terminal")
    assert (
        look.reverse
        and look.color
        and look.color.name == "bright_red"
        and look.bgcolor
        and look.bgcolor.name == "default"
    )
    plain = dressed(TEXT, "terminal")
    assert not plain.reverse and plain.color and plain.color.name == "default"


def test_without_colour_a_fill_is_reverse_video_and_bold_stays() -> None:
    look = without_colour(filled("ask"))
    assert look.reverse and look.bold and look.color is None and not without_colour(DIM).reverse


def looks_on_screen() -> set[tuple[Style, bool]]:
    """Every style of the story's screens, and whether only lines are drawn with it."""
    found: dict[Style, bool] = {}
    canvases = [draw_screen(*size, state(entries)) for size in SIZES for entries in (None, story.split_vote_end())]
    help_shown = state()
    help_shown.mode = Help()
    choices = [Choice("Lessons", "lesson", "x", "one", "\u2713 finished", "done"), Choice("Runs", "replay", "y", "two")]
    canvases += [draw_screen(120, 40, help_shown), draw_home(100, 30, choices, 0, "notice", "full")]
    for canvas in canvases:
        for chars, styles in zip(canvas.chars, canvas.styles, strict=True):
            for char, look in zip(chars, styles, strict=True):
                found[look] = found.get(look, True) and char in LINES
    return set(found.items())


def test_a_colour_is_written_down_in_the_table_of_roles_alone() -> None:
    for path in Path(workbench.tui.__file__).parent.rglob("*.py"):
        found = re.findall(r'"(#[0-9a-f]{3,6})"', path.read_text("utf-8"))
        assert not found or path.name == "roles.py", (path, found)


@pytest.mark.parametrize("name", sorted(LEAST))
def test_what_is_written_can_be_read(name: str) -> None:
    weak = set()
    for look, is_line in looks_on_screen():
        if is_line or not look.color or not look.bgcolor or look.color.name in STRUCTURE:
            continue
        if (found := contrast(dressed(look, name))) < LEAST[name]:
            weak.add((look.color.name, look.bgcolor.name, round(found, 1)))
    assert weak == set()


def test_epochs_keep_colours_of_their_own_in_every_theme() -> None:
    for name in THEMES:
        inks = {str(dressed(uncommitted_cell(epoch), name).color) for epoch in range(5)}
        cells = {str(dressed(committed_cell(epoch), name)) for epoch in range(5)}
        assert (len(inks), len(cells)) == (5, 5), name


def test_the_theme_is_the_variable_s_else_the_last_one_chosen_else_dark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert chosen_theme(tmp_path) == "dark"
    keep_theme("light", tmp_path)
    assert chosen_theme(tmp_path) == "light"
    (tmp_path / "screen.json").write_text('{"theme": ["\\u001b"]}')
    assert chosen_theme(tmp_path) == "dark", "what is damaged is passed over"
    monkeypatch.setenv(VARIABLE, "contrast")
    assert chosen_theme(tmp_path) == "contrast"
    monkeypatch.setenv(VARIABLE, "pink\x1b")
    with pytest.raises(Refusal, match="no theme 'pink␛'; choose dark, light, contrast, terminal"):
        chosen_theme(tmp_path)


def test_a_picture_wears_the_theme_too() -> None:
    canvas = draw_screen(120, 40, state())
    assert GROUND in canvas_svg(canvas, "x") and GROUND not in canvas_svg(canvas, "x", "light")
    assert canvas_svg(canvas, "x", "terminal") == canvas_svg(canvas, "x"), "a file has no terminal's colours"


def ground_on_screen(app: WorkbenchApp | HomeApp) -> set[str]:
    strips = app.screen._compositor.render_strips()
    return {
        segment.style.bgcolor.name for strip in strips for segment in strip if segment.style and segment.style.bgcolor
    }


async def test_a_key_changes_the_colours_of_a_screen_and_the_next_screen_has_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path))
    monkeypatch.delenv(VARIABLE, raising=False)
    session = Session(Path(), None)
    session.recording.extend(story.full_story())
    app = WorkbenchApp(session, UiState(session.recording, replay=True, title="x"))
    async with app.run_test(size=(120, 40)) as pilot:
        assert GROUND in ground_on_screen(app)
        await pilot.press("I")
        assert isinstance(app.screen, object) and app.worn == "light"
        grounds = ground_on_screen(app)
        assert GROUND not in grounds and str(dressed(TEXT, "light").bgcolor and "#fbfaf7") in grounds
    home = HomeApp(tmp_path)
    async with home.run_test(size=(100, 30)) as pilot:
        assert home.worn == "light" and GROUND not in ground_on_screen(home)
        await pilot.press("I")
        assert (home.worn, home.notice) == ("contrast", "theme contrast: white and strong colours on black")
        assert "#000000" in ground_on_screen(home)
