from __future__ import annotations

import pytest

from cluster.model import events as ev
from cluster.model.entry import Entry
from tests.support.fault_events import fault_fields
from tests.support.traces import story
from workbench.session.recording import Recording
from workbench.session.views.sides import sides_of
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.cluster_map import draw_map, rows_of_nodes
from workbench.tui.panes.map_links import stem_of, way_of
from workbench.tui.panes.map_places import groups_of, place
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


def links(ui: UiState, width: int = 111, height: int = 16) -> list[str]:
    """The rows of the map alone."""
    canvas = Canvas(width, height)
    draw_map(canvas.area(Rect(0, 0, width, height)), ui)
    return canvas.text_rows()


def test_one_way_and_both_ways_differ_in_their_lanes() -> None:
    one, both = ([row for row in links(cluster(("Cut", link))) if "\u2573" in row[25:43]] for link in ("1>2", "1-2"))
    assert len(one) == 1 and len(both) == 2, "the upper lane goes to the right, the lower one to the left"
    whole = next(row for row in links(cluster()) if "\u251c" in row)
    assert whole[25:43] == "\u2500" * 18 and one[0][25:43].replace("\u2573", "\u2500") == "\u2500" * 18


def test_the_crosses_of_a_cut_leave_the_middle_to_what_is_held() -> None:
    row = next(row for row in links(cluster(("Cut", "1>2"))) if "\u2573" in row[25:43])
    lane = row[25:43]
    assert [x for x, char in enumerate(lane) if char == "\u2573"] == [3, 14], "at a sixth and at five sixths"


def test_the_lanes_to_a_node_that_is_down_are_dotted() -> None:
    ui = cluster()
    ui.view.nodes[2].stage = "down"
    dotted = [row for row in links(ui) if row[26:42] == "\u2508" * 16]
    assert len(dotted) == 2


def test_a_link_without_a_line_of_its_own_is_told_in_words() -> None:
    rows = "\n".join(links(cluster(("Cut", "1-5"), ("Cut", "3>4"))))
    assert "\u2573 n1\u2194n5" in rows and "\u2573 n3\u2192n4" in rows


def test_delays_and_slow_links_say_how_much() -> None:
    rows = "\n".join(links(cluster(("Delay", "2-3 200ms"), ("SlowLink", "1>4 65536"))))
    assert rows.count("\u2248 +200ms") == 2 and "\u2248 64KiB/s n1\u2192n4" in rows


def test_a_cut_hides_the_delay_of_the_same_link() -> None:
    way = way_of(cluster(("Delay", "1-2 50ms"), ("Cut", "1-2")).view, 1, 2)
    assert way.label == "\u2573"


def test_isolation_touches_every_link_of_the_node_and_healing_none() -> None:
    ui = cluster(("Isolate", "3"))
    assert {other for other in (1, 2, 4, 5) if way_of(ui.view, other, 3).label} == {1, 2, 4, 5}
    over = ev.FaultReverted(**fault_fields(10, "Isolate", "3"))
    ui.recording.extend([Entry("story", 0, 0, 2000, ui.recording.t_ns + 1, 0, 0, None, "", None, over)])
    assert not any(way_of(ui.view, other, 3).label for other in (1, 2, 4, 5))


@pytest.mark.parametrize("pairs", ((), ((0, 1),), ((-7, 2),)))
def test_a_fault_that_names_no_links_of_nodes_draws_none(pairs: tuple[tuple[int, int], ...]) -> None:
    ui = cluster()
    applied = ev.FaultApplied(fault_id=10, kind="Cut", arguments="\x1b[2J", links=pairs)
    ui.recording.extend([Entry("story", 0, 0, 2000, ui.recording.t_ns + 1, 0, 0, None, "", None, applied)])
    assert ui.view.links() == {}


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
    assert "PAUSED" in shown and "cut 1>2" in shown
    assert glyphs == "mono" or shown.isascii()
    assert all(look.color is None and look.bgcolor is None for row in canvas.styles for look in row)


def test_a_network_in_two_halves_shows_a_wall_and_which_half_can_elect_a_leader() -> None:
    ui = cluster(("Partition", "1,4|2,3,5"))
    assert rows_of_nodes(ui) == [[1, 2, 3, 4, 5]], "nobody moves"
    rows = [row for row in text(ui, 160, 45).splitlines() if "\u2573" in row]
    boxes = next(row for row in text(ui, 160, 45).splitlines() if "A n1" in row)
    assert boxes.index("A n1") < boxes.index("\u2573") < boxes.index("B n2") < boxes.index("B n3")
    assert any("side A: 2 of 5 voters, no majority  n1 n4" in row for row in rows)
    assert any("side B: 3 of 5 voters, majority  n2 n3 n5" in row for row in rows)
    assert "n1\u2194n5" not in text(ui, 160, 45), "the wall says it; no words for each pair"


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
def test_a_wall_stands_at_every_width_between_columns_that_cannot_talk(width: int) -> None:
    ui = cluster(("Partition", "1,4|2,3,5"))
    places = place(rows_of_nodes(ui), width - 10, 12)
    rows = links(ui, width - 10, 18)
    one, other = places.boxes[1], places.boxes[2]
    wall = (one.right + other.x) // 2
    assert [rows[y][wall] for y in range(one.y, one.low + 1)] == ["\u2573"] * one.height
    assert "A n4" in "".join(rows) and "B n5" in "".join(rows), "letters say it where a wall runs between"


def test_a_cut_that_leaves_a_broker_in_neither_group_is_a_wall_too() -> None:
    ui = cluster(("Partition", "1,4|2,5"))
    assert [(side.name, side.nodes, side.between, side.voters) for side in sides_of(ui.view)] == [
        ("A", (1, 4), (3,), 3),
        ("B", (2, 5), (3,), 3),
    ]
    places = place(rows_of_nodes(ui), 111, 12)
    rows = links(ui, 111, 18)
    one, other, third = places.boxes[1], places.boxes[2], places.boxes[3]
    wall = (one.right + other.x) // 2
    assert [rows[y][wall] for y in range(one.y, one.low + 1)] == ["\u2573"] * one.height
    assert "n1 n4, with n3 that no cut touches" in "\n".join(rows)
    free = (other.right + third.x) // 2
    assert all(rows[y][free] != "\u2573" for y in range(other.y, other.low + 1)), "the third still hears both"
    assert not way_of(ui.view, 3, 1).label and not way_of(ui.view, 3, 2).label


@pytest.mark.parametrize("crowned", [101, 102, 103, 104])
@pytest.mark.parametrize("size", [(111, 16), (84, 17), (60, 14)], ids=str)
def test_the_way_from_the_leader_to_the_brokers_passes_beside_other_boxes(crowned: int, size: tuple[int, int]) -> None:
    places = place(groups_of([101, 102, 103, 104, 1, 2, 3, 4]), *size)
    box = places.boxes[crowned]
    stem = stem_of(places, box)
    assert 0 <= stem.x < size[0] and places.bus > 0
    for other in places.boxes.values():
        crosses = other.x <= stem.x <= other.right and stem.y <= other.low and other.y < places.bus
        assert not crosses, "no line runs through a box"
