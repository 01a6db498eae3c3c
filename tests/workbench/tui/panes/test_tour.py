"""Five stops over a lab, and who has had them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.screens.bare_host import Bench
from workbench.tui.compose import draw_screen, places_of
from workbench.tui.modes import AskingToLeave, Help, Palette, Tour, Typing, Watching
from workbench.tui.panes.tour import STOPS

SIZES = ((200, 50), (160, 45), (120, 40), (80, 24))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("stop", range(len(STOPS)))
def test_each_stop_says_what_it_shows_and_leaves_that_lit(tmp_path: Path, size: tuple[int, int], stop: int) -> None:
    ui = Bench(tmp_path).ui
    before = draw_screen(*size, ui)
    ui.mode = Tour(stop)
    canvas, places = draw_screen(*size, ui), places_of(*size, ui)
    text = "\n".join(canvas.text_rows())
    assert STOPS[stop].title in text and f"{stop + 1} of {len(STOPS)}" in text and "esc ends the tour" in text
    lit = next((places[name] for name in STOPS[stop].places if name in places), places["keys"])
    same = sum(
        canvas.styles[y][x] == before.styles[y][x] and canvas.chars[y][x] == before.chars[y][x]
        for y in range(lit.y, lit.y + lit.height)
        for x in range(lit.x, lit.x + lit.width)
    )
    assert same >= lit.width * lit.height // 3, "its words do not cover what they tell of"
    assert "{" not in text


@pytest.mark.parametrize("size", SIZES[:3])
def test_on_a_large_screen_nothing_of_what_is_told_is_covered(tmp_path: Path, size: tuple[int, int]) -> None:
    ui = Bench(tmp_path).ui
    before = draw_screen(*size, ui)
    for stop, told in enumerate(STOPS):
        ui.mode = Tour(stop)
        canvas, places = draw_screen(*size, ui), places_of(*size, ui)
        lit = next(places[name] for name in told.places if name in places)
        for y in range(lit.y, lit.y + lit.height):
            assert canvas.chars[y][lit.x : lit.x + lit.width] == before.chars[y][lit.x : lit.x + lit.width]


def test_enter_goes_on_left_goes_back_and_the_last_stop_ends_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.commands.submit("tour")
    assert bench.ui.mode == Tour(0)
    bench.press("enter", "enter", "left")
    assert bench.ui.mode == Tour(1)
    bench.press(*["enter"] * 4)
    assert bench.ui.mode == Watching()
    bench.commands.submit("tour")
    bench.press("escape")
    assert bench.ui.mode == Watching()


def test_no_key_breaks_anything_during_the_tour(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.ui.node = 1
    bench.commands.submit("tour")
    bench.press("k", "h", "F", "r")
    assert bench.ui.mode == Tour(0) and bench.lab.commands == []
    assert bench.ui.answer.text == "first the tour: enter goes on, esc ends it"
    bench.press("question_mark")
    assert isinstance(bench.ui.mode, Help)
    bench.ui.mode = Tour(0)
    bench.press("q")
    assert isinstance(bench.ui.mode, AskingToLeave)


def test_what_is_typed_during_the_tour_is_typed(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    for stop in range(len(STOPS)):
        for key, expected in (("colon", "kill 2"), ("slash", "/kill 2")):
            bench.ui.mode = Tour(stop)
            bench.press(key, "k", "i", "l", "l", "space", "2")
            assert isinstance(bench.ui.mode, Typing) and bench.ui.line.text == expected and bench.lab.commands == []
        bench.ui.mode = Tour(stop)
        bench.press("ctrl+p", "k", "i")
        assert isinstance(bench.ui.mode, Palette) and bench.ui.mode.query == "ki"


def test_at_the_last_stop_the_key_that_it_names_does_what_it_says(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.ui.node, bench.ui.mode = 1, Tour(len(STOPS) - 1)
    bench.press("k")
    bench.host.finish()
    assert bench.ui.mode == Watching() and bench.lab.commands == ["kill 1"]


def test_where_a_pane_is_missing_it_tells_of_the_one_that_is_there(tmp_path: Path) -> None:
    ui = Bench(tmp_path).ui
    ui.mode = Tour(2)
    small, large = ("\n".join(draw_screen(*size, ui).text_rows()) for size in ((80, 24), (160, 45)))
    assert "Time goes down" in small and "v shows the next pane" in " ".join(small.replace("\u2502", "").split())
    assert "A row for each replica" in large and "Time goes down" not in large
