"""Lanes of cells: what is committed, what is gone, who differs."""

from __future__ import annotations

from cluster.model.identifiers import METADATA, TopicPartition
from tests.workbench.tui.panes.test_panes import state
from workbench.tui.compose import draw_screen
from workbench.tui.panes.logs import logs_note
from workbench.tui.theme.roles import ROLES


def test_the_legend_of_the_lanes_is_whole_on_a_small_screen() -> None:
    ui = state()
    ui.main, ui.log_index = "logs", 1
    item = ui.recording.live.partition(ui.log)
    item.leader, item.leader_epoch, item.isr = -1, 99, ()
    rows = draw_screen(80, 24, ui).text_rows()
    assert any("no leader e99 ISR 0/3" in row for row in rows)
    assert any(row.rstrip().endswith(("\u258c HW", "\u258c high watermark")) for row in rows)


def test_deleted_records_are_dots_in_front_of_what_is_left() -> None:
    ui = state()
    ui.log_index, ui.zoom = 1, "logs"
    whole = next(row for row in draw_screen(200, 50, ui).text_rows() if "in sync" in row and "HW" in row)
    for lane in ui.recording.live.logs.values():
        lane.delete(2)
    row = next(row for row in draw_screen(200, 50, ui).text_rows() if "in sync" in row and "HW" in row)
    assert whole.count("\u00b7") + 2 == row.count("\u00b7")
    first = row.index("\u00b7")
    assert row[first : first + 7].split() == ["\u00b7", "\u00b7", whole[first + 6]]
    assert row[first + 6 :] == whole[first + 6 :]


def test_logs_without_room_for_every_lane_say_so_and_nothing_lies_over_it() -> None:
    ui = state()
    ui.log_index = 0
    for node in (6, 7, 8):
        ui.recording.live.log(node, METADATA).log_end_offset = 9
    ui.main = "logs"
    rows = draw_screen(80, 24, ui).text_rows()
    told = [row for row in rows if "more, 4 shows all" in row]
    assert len(told) == 1 and "knows" not in told[0]


def test_the_head_names_the_log_and_what_holds_for_it() -> None:
    ui = state()
    ui.log_index = 1
    assert logs_note(ui) == "orders-0  2 of 2, t next  e1 ISR 2/3 min 2"


def test_another_log_stands_below_where_there_is_room_and_yields_where_there_is_none() -> None:
    ui = state()
    ui.log_index = 1
    assert any("__cluster_metadata" in row for row in draw_screen(200, 50, ui).text_rows())
    assert not any("__cluster_metadata" in row for row in draw_screen(80, 24, ui).text_rows())


def test_a_selected_node_that_is_down_stays_red_and_has_the_sign_of_the_selection() -> None:
    ui = state()
    ui.zoom, ui.log_index, ui.node = "logs", 1, 2
    ui.view.nodes[2].stage = "down"
    canvas = draw_screen(120, 40, ui)
    y = next(y for y, row in enumerate(canvas.text_rows()) if "\u2717n2" in row and "LEO" in row)
    look = canvas.styles[y][canvas.text_rows()[y].index("n2")]
    assert canvas.text_rows()[y].startswith("\u25b8") and look.color and look.color.name == ROLES["no"].dark


def test_replicas_that_hold_other_records_at_one_offset_are_said_to_differ() -> None:
    ui = state()
    ui.zoom, ui.log_index = "logs", 1
    assert not any("DIFFERS" in row for row in draw_screen(120, 40, ui).text_rows())
    log = ui.view.log(3, TopicPartition("orders", 0))
    log.cells.cut(0)
    log.cells.append((0, 7, 0, "other"))
    assert any("DIFFERS at 0" in row for row in draw_screen(120, 40, ui).text_rows())
