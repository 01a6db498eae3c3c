from __future__ import annotations

import re

import pytest

from cluster.model import events as ev
from cluster.model.entry import Entry
from tests.support.fault_events import fault_fields
from tests.support.traces import story
from workbench.session.recording import Recording
from workbench.session.views.sides import sides_of
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.cluster_map import LEGEND, draw_map, rows_of_nodes
from workbench.tui.panes.link_lines import assign_lanes, broken_links
from workbench.tui.ui_state import UiState


def cluster(*faults: tuple[str, str]) -> UiState:
    recording = Recording()
    recording.extend(story.full_story())
    for number, (kind, arguments) in enumerate(faults, start=10):
        applied = ev.FaultApplied(**fault_fields(number, kind, arguments, (1, 2, 3, 4, 5)))
        recording.extend([Entry("story", 0, 0, 1000 + number, recording.t_ns + 1, 0, 0, None, "", None, applied)])
    return UiState(recording, title="Links", main="map")


def text(ui: UiState, width: int = 80, height: int = 30) -> str:
    return "\n".join(draw_screen(width, height, ui).text_rows())


def test_one_way_and_both_ways_differ_in_shape_and_in_words() -> None:
    one, both = (text(cluster(("Cut", link))).replace(LEGEND, "") for link in ("1>2", "1-2"))
    assert "cut n1\u2192n2" in one and one.count("\u25b2") == 1 and "\u252c" in one
    assert "cut n1\u2194n2" in both and both.count("\u25b2") == 2 and "\u252c" not in both


def test_delays_and_slow_links_say_how_much() -> None:
    shown = text(cluster(("Delay", "2-5 200ms"), ("SlowLink", "1>4 65536")))
    assert "+200ms n2\u2194n5" in shown and "64KiB/s n1\u2192n4" in shown


def test_a_cut_hides_the_delay_of_the_same_link() -> None:
    (line,) = broken_links(cluster(("Delay", "1-2 50ms"), ("Cut", "1-2")).view)
    assert line.is_cut and line.label == "\u2573 cut n1\u2194n2"


def test_isolation_touches_every_link_of_the_node_and_healing_none() -> None:
    ui = cluster(("Isolate", "3"))
    assert {line.first if line.second == 3 else line.second for line in broken_links(ui.view)} == {1, 2, 4, 5}
    over = ev.FaultReverted(**fault_fields(10, "Isolate", "3"))
    ui.recording.extend([Entry("story", 0, 0, 2000, ui.recording.t_ns + 1, 0, 0, None, "", None, over)])
    assert broken_links(ui.view) == []


def test_lines_that_overlap_get_lanes_of_their_own() -> None:
    ui = cluster(("Cut", "1-3"), ("Cut", "2-4"), ("Cut", "4-5"))
    lanes, lines = assign_lanes(broken_links(ui.view), [[1, 2, 3, 4, 5]], 5)
    assert lanes == {0: 2}
    assert {(line.first, line.lane) for line in lines} == {(1, 0), (2, 1), (4, 0)}


@pytest.mark.parametrize("links", ((), ((0, 1),), ((-7, 2),)))
def test_a_fault_that_names_no_links_of_nodes_draws_none(links: tuple[tuple[int, int], ...]) -> None:
    ui = cluster()
    applied = ev.FaultApplied(fault_id=10, kind="Cut", arguments="\x1b[2J", links=links)
    ui.recording.extend([Entry("story", 0, 0, 2000, ui.recording.t_ns + 1, 0, 0, None, "", None, applied)])
    assert broken_links(ui.view) == []


def test_a_paused_node_a_lying_and_a_full_disk_are_words() -> None:
    shown = text(cluster(("Pause", "4"), ("FsyncLie", "3"), ("DiskFull", "5")))
    assert "PAUSED" in shown and "disk LIES" in shown and "disk FULL" in shown


def test_thawing_leaves_a_node_paused_that_was_paused_alone() -> None:
    ui = cluster(("Pause", "4"), ("Freeze", ""))
    assert ui.view.is_frozen and ui.view.nodes[2].process == "paused"
    over = ev.FaultReverted(**fault_fields(11, "Freeze", "", (1, 2, 3, 5)))
    ui.recording.extend([Entry("story", 0, 0, 2000, ui.recording.t_ns + 1, 0, 0, None, "", None, over)])
    assert (ui.view.nodes[2].process, ui.view.nodes[4].process) == ("running", "paused")


@pytest.mark.parametrize("glyphs", ("mono", "ascii"))
def test_without_colour_and_without_unicode_the_words_stay(glyphs: str) -> None:
    ui = cluster(("Cut", "1>2"), ("Pause", "4"))
    ui.glyphs = glyphs
    canvas = draw_screen(120, 40, ui)
    shown = "\n".join(canvas.text_rows())
    assert "PAUSED" in shown and "cut 1>2" in shown and "x" in shown
    assert glyphs == "mono" or shown.isascii()
    assert all(look.color is None and look.bgcolor is None for row in canvas.styles for look in row)


def test_a_network_in_two_halves_shows_a_wall_and_which_half_can_elect_a_leader() -> None:
    ui = cluster(("Partition", "1,4|2,3,5"))
    assert rows_of_nodes(ui) == [[1, 4, 2, 3, 5]], "sides stand together"
    rows = [row for row in text(ui).splitlines() if "\u2573" in row]
    assert (
        "A n1" in rows[0]
        and "B n2" in rows[0]
        and rows[0].index("A n4") < rows[0].index("\u2573") < rows[0].index("B n2")
    )
    assert any("side A: 2 of 5 voters, no majority  n1 n4" in row for row in rows)
    assert any("side B: 3 of 5 voters, majority  n2 n3 n5" in row for row in rows)
    assert "cut n1" not in text(ui), "the wall says it; no line for each pair"


def test_a_dead_voter_does_not_count_for_its_side() -> None:
    ui = cluster(("Partition", "1,4|2,3,5"))
    gone = ev.ProcessExited(node_id=5, incarnation_number=0, exit_code=-9, expected=True)
    ui.recording.extend([Entry("story", 0, 0, 3000, ui.recording.t_ns + 1, 0, 0, None, "", None, gone)])
    assert [(side.name, side.voters, side.has_majority) for side in sides_of(ui.view)] == [
        ("A", 2, False),
        ("B", 2, False),
    ]


@pytest.mark.parametrize(
    ("faults", "halves"),
    [
        ([("Cut", "1>2")], 0),
        ([("Cut", "1-2")], 0),
        ([("Isolate", "3")], 2),
        ([("Partition", "1|2")], 0),
        ([("Partition", "1|2|3,4,5")], 3),
        ([("Cut", link) for link in ("1>2", "1>3", "1>4", "1>5")], 0),
        ([("Cut", link) for link in ("1-2", "1-3", "1-4", "1-5")], 2),
    ],
)
def test_sides_are_what_cuts_both_ways_take_apart(faults: list[tuple[str, str]], halves: int) -> None:
    assert len(sides_of(cluster(*faults).view)) == halves


@pytest.mark.parametrize("width", [120, 140, 160, 180, 200])
@pytest.mark.parametrize("down", [False, True])
def test_a_wall_stands_at_every_width_and_no_word_of_a_box_is_cut(width: int, down: bool) -> None:
    ui = cluster(("Partition", "1,4|2,3,5"))
    if down:
        gone = ev.ProcessExited(node_id=5, incarnation_number=0, exit_code=-9, expected=True)
        ui.recording.extend([Entry("story", 0, 0, 3000, ui.recording.t_ns + 1, 0, 0, None, "", None, gone)])
    ui.main, ui.zoom = "map", ""
    canvas = Canvas(width // 3, 30)
    draw_map(canvas.area(Rect(0, 0, width // 3, 30)), ui)
    rows = canvas.text_rows()
    assert sum(row.count("\u2573") for row in rows) > 4
    shown = "\n".join(rows)
    for word in ("leader", "follower", "LEADER", "SIGKILL"):
        assert not any(re.search(rf"\b{word[:cut]}[\u2502\u256e\u2510]", shown) for cut in range(3, len(word)))
