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
from workbench.tui.theme.palette import (
    DIM,
    GROUND,
    RAISED,
    TEXT,
    committed_cell,
    filled,
    stepped_back,
    style,
    uncommitted_cell,
    without_colour,
)
from workbench.tui.theme.roles import ROLES
from workbench.tui.theme.themes import THEMES, VARIABLE, chosen_theme, dressed, keep_theme
from workbench.tui.ui_state import UiState

LINES = frozenset("╭╮╯╰─│┄┆·╌┈├┤┬┴╎ ")
"""Frames and links: they may stand back."""
BARS = frozenset("▁▂▃▄▅▆▇█━╸")
"""Pictures of numbers and of time, without letters."""
BARS_LEAST = 3.0
"""Source: WCAG 2.1, 1.4.11."""
STRUCTURE = (ROLES["line"].dark, ROLES["rail"].dark)
"""What may vanish without loss."""
LEAST = {"dark": 4.5, "light": 4.5, "contrast": 7.0}
"""Least contrast of letters, times and legends too. Source of 4.5: WCAG 2.1, 1.4.3."""


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


def looks_on_screen() -> set[tuple[Style, bool, bool]]:
    """Every style of the story's screens, and whether only lines are drawn with it, and only lines and bars.

    Not what stands behind an overlay: that may stand back.
    """
    found: dict[Style, tuple[bool, bool]] = {}
    canvases = [draw_screen(*size, state(entries)) for size in SIZES for entries in (None, story.split_vote_end())]
    behind = {stepped_back(look) for canvas in canvases for row in canvas.styles for look in row}
    help_shown = state()
    help_shown.mode = Help()
    choices = [Choice("Lessons", "lesson", "x", "one", "\u2713 finished", "done"), Choice("Runs", "replay", "y", "two")]
    overlaid = draw_screen(120, 40, help_shown)
    canvases.append(draw_home(100, 30, choices, 0, "notice", "full"))
    for canvas in (*canvases, overlaid):
        for chars, styles in zip(canvas.chars, canvas.styles, strict=True):
            for char, look in zip(chars, styles, strict=True):
                if canvas is not overlaid or look not in behind:
                    lines, bars = found.get(look, (True, True))
                    found[look] = lines and char in LINES, bars and char in LINES | BARS
    return {(look, *kinds) for look, kinds in found.items()}


def test_a_colour_is_written_down_in_the_table_of_roles_alone() -> None:
    for path in Path(workbench.tui.__file__).parent.rglob("*.py"):
        found = re.findall(r'"(#[0-9a-f]{3,6})"', path.read_text("utf-8"))
        assert not found or path.name == "roles.py", (path, found)


@pytest.mark.parametrize("name", sorted(LEAST))
def test_what_is_written_can_be_read(name: str) -> None:
    weak = set()
    for look, is_line, is_bar in looks_on_screen():
        if is_line or not look.color or not look.bgcolor or look.color.name in STRUCTURE:
            continue
        if (found := contrast(dressed(look, name))) < (BARS_LEAST if is_bar else LEAST[name]):
            weak.add((look.color.name, look.bgcolor.name, round(found, 1)))
    assert weak == set()


@pytest.mark.parametrize("name", sorted(LEAST))
def test_a_word_in_the_header_can_be_read_in_each_colour(name: str) -> None:
    """Its ground is not that of the panes: DIRECTED and HELD stood there with a contrast of 4.1 in a bright room."""
    words = [role for role in ROLES if role not in ("line", "rail", "faint") and not role.endswith("_trail")]
    found = {role: round(contrast(dressed(style(role, RAISED), name)), 1) for role in words}
    assert {role: ratio for role, ratio in found.items() if ratio < LEAST[name]} == {}


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
