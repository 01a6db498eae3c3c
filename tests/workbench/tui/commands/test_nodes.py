"""Faults on the selected node and link."""

from __future__ import annotations

from pathlib import Path

from tests.support.screens.bare_host import Bench
from workbench.tui.modes import Typing


def test_the_mark_of_a_link_ends_with_the_heal_of_all_and_with_escape(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    for end in ("escape", "h"):
        bench.ui.node = 1
        bench.press("m")
        bench.ui.node = 2
        bench.press("x")
        assert bench.ui.marked == 1, "the same key heals it again"
        bench.press(end)
        assert bench.ui.marked == 0
        bench.host.finish()
    assert bench.lab.commands == ["cut 1>2", "cut 1>2", "heal"]


def test_without_a_node_the_bar_asks_which(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.press("k")
    assert isinstance(bench.ui.mode, Typing) and bench.ui.line.text == "kill "


def test_who_would_put_the_screen_aside_is_told_what_works_instead(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.press("ctrl+z")
    assert "cannot wait in the background" in bench.said and "y leaves the cluster running" in bench.said
