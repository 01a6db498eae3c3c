"""The palette as it is drawn and used."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.screens.bare_host import Bench
from workbench.tui.compose import draw_screen
from workbench.tui.modes import Help, Palette, Typing, Watching
from workbench.tui.theme.palette import BAR_KEY


def shown(bench: Bench, size: tuple[int, int] = (160, 45)) -> str:
    return "\n".join(draw_screen(*size, bench.ui).text_rows())


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
def test_it_lists_what_fits_by_group_with_the_key_beside_it(tmp_path: Path, size: tuple[int, int]) -> None:
    bench = Bench(tmp_path)
    bench.ui.node = 2
    bench.press("ctrl+p", *"lie")
    text = shown(bench, size)
    assert "> lie" in text and "fsync lie 2" in text and "Do" in text and "Make a disk lie" in text
    assert "type for fewer" in text
    bench.press(*"zzz")
    assert "nothing is called so" in shown(bench, size)


def test_enter_does_it_and_tab_puts_it_into_the_command_bar(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.ui.node = 2
    bench.press("ctrl+p", *"fsync", "space", *"lie", "enter")
    bench.host.finish()
    assert bench.lab.commands == ["fsync lie 2"] and bench.ui.mode == Watching()
    bench.press("ctrl+p", *"kill", "tab")
    assert isinstance(bench.ui.mode, Typing) and bench.ui.line.text == "kill 2"


def test_arrows_choose_and_backspace_widens(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.press("ctrl+p", *"theme", "down", "down")
    assert bench.ui.overlay_scroll == 2
    bench.press("up", "x")
    assert bench.ui.overlay_scroll == 0, "another query, the best of it chosen"
    bench.press("backspace")
    assert isinstance(bench.ui.mode, Palette) and bench.ui.mode.query == "theme"
    bench.press("k", "ctrl+u")
    assert bench.ui.mode.query == "" and bench.ui.mode.found and bench.lab.commands == []
    bench.press("ctrl+p")
    assert bench.ui.mode == Watching()


def test_what_is_chosen_may_open_another_overlay(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.press("ctrl+p", *"help", "enter")
    assert bench.ui.mode == Help()


def test_the_help_is_of_one_pane_after_the_other_and_searched_like_the_palette(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.press("question_mark")
    first = shown(bench)
    bench.press("tab")
    assert isinstance(bench.ui.mode, Help) and bench.ui.mode.pane == "quorum" and shown(bench) != first
    bench.press("slash", *"halt")
    assert isinstance(bench.ui.mode, Palette) and "halt" in shown(bench)


def test_a_row_without_a_key_has_no_ground_where_keys_stand(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.press("ctrl+p")
    canvas = draw_screen(120, 40, bench.ui)
    y = next(y for y, row in enumerate(canvas.text_rows()) if "select node n2" in row)
    assert BAR_KEY not in canvas.styles[y]


def test_beside_an_overlay_that_is_nearly_as_wide_as_the_screen_no_scraps_of_panes_are_seen(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.press("question_mark")
    for size in ((120, 40), (80, 24)):
        rows = draw_screen(*size, bench.ui).text_rows()
        top = next(y for y, row in enumerate(rows) if " Help " in row)
        low = next(y for y, row in enumerate(rows) if row.strip().startswith("\u2570"))
        assert all(not row[: row.index("\u2502")].strip() for row in rows[top + 1 : low])
