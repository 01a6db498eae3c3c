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


def test_down_and_up_go_by_place_and_sideways_by_number(tmp_path: Path) -> None:
    """On the map stand 1 2 3, and below them 4 5."""
    bench = Bench(tmp_path)
    seen = []
    for key in ("down", "down", "right", "up", "up", "up", "up"):
        bench.press(key)
        seen.append(bench.ui.node)
    assert seen == [1, 4, 5, 2, 4, 1, 3]


def test_where_the_map_is_not_on_screen_down_goes_by_number(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.ui.zoom = "quorum"
    bench.press("down", "down")
    assert bench.ui.node == 2 and "n2 selected" in bench.said


def test_a_link_is_delayed_by_what_a_split_vote_wants(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.ui.marked, bench.ui.node = 1, 2
    bench.press("y")
    assert bench.ui.line.text == "delay 1-2 50ms"
