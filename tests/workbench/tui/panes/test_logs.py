"""Lanes of cells: what is committed, what is gone, who differs."""

from __future__ import annotations

import re

import pytest

from cluster.model.identifiers import METADATA, TopicPartition
from tests.support.traces.played import ready
from tests.support.traces.watched import Watched
from tests.workbench.tui.panes.test_panes import state
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen, places_of
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.logs import draw_logs, logs_note
from workbench.tui.theme.roles import ROLES
from workbench.tui.ui_state import UiState


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


def test_a_new_disk_under_the_number_of_a_voter_is_called_an_observer() -> None:
    ui = state()
    ui.log_index, ui.zoom = 0, "logs"
    live = ui.recording.live
    voter = next(node for node in live.voters if live.nodes[node].quorum_role == "follower")
    live.nodes[voter].quorum_role = "observer"
    row = next(row for row in draw_screen(200, 50, ui).text_rows() if f"n{voter} " in row and "HW" in row)
    assert "observer" in row and "voter" not in row


def test_records_of_a_short_log_show_what_they_say_while_all_have_room() -> None:
    world = ready(seed=0)
    world.do("produce orders 2 acks=all value=hat batch=2")
    recording = Recording()
    recording.extend(world.entries)
    ui = UiState(recording)
    ui.zoom, ui.log_index = "logs", 1
    wide = [row for row in draw_screen(120, 40, ui).text_rows() if "in sync" in row and "LEO" in row]
    said = "0 value-1 0 value-2 0 value-3 0 hat-1   0 hat-2"
    assert len(wide) == 3 and all(said in row.replace("\u258c", " ") for row in wide)
    narrow = [row for row in draw_screen(80, 24, ui).text_rows() if "in sync" in row and "LEO" in row]
    assert len(narrow) == 3 and not any("hat" in row for row in narrow)


@pytest.mark.parametrize("selected", [False, True])
def test_an_observer_with_a_long_number_is_named_whole_on_a_small_screen(selected: bool) -> None:  # noqa: FBT001
    world = ready(seed=0, brokers=1, topic="")
    recording = Recording()
    recording.extend(world.entries)
    ui, live = UiState(recording), recording.live
    node = next(node for node in live.voters if node != live.quorum_leader)
    ui.zoom, ui.log_index = "logs", 0
    live.nodes[node].quorum_role = "observer"
    ui.node = node if selected else -1
    row = next(row for row in draw_screen(80, 24, ui).text_rows() if f"n{node} observ" in row)
    assert f"{chr(0x25B8) if selected else ' '}n{node} observer" in row


def test_logs_without_room_for_every_lane_say_so_and_nothing_lies_over_it() -> None:
    ui = state()
    ui.log_index = 0
    for node in (6, 7, 8):
        ui.recording.live.log(node, METADATA).log_end_offset = 9
    ui.main = "logs"
    rows = draw_screen(80, 24, ui).text_rows()
    told = [row for row in rows if "more, 4 shows all" in row]
    assert len(told) == 1 and "knows" not in told[0]


def test_the_numbers_beside_wide_lanes_are_explained() -> None:
    ui = state()
    ui.zoom, ui.log_index = "logs", 1
    ui.view.logs[1, ui.log].durable_offset = 0
    text = "\n".join(draw_screen(160, 45, ui).text_rows())
    assert re.search(r"disk \d+ +HW", text) and "disk all before it is on disk" in text and "LEO end of the log" in text
    assert "disk all" not in "\n".join(draw_screen(80, 24, ui).text_rows())


def test_the_legend_gives_its_row_to_the_last_lane() -> None:
    ui = state()
    ui.log_index = 0
    lanes = len(ui.view.owners_of(METADATA))
    for rows in range(lanes + 1, lanes + 4):
        canvas = Canvas(80, rows)
        draw_logs(canvas.area(Rect(0, 0, 80, rows)), ui)
        drawn = "\n".join(canvas.text_rows())
        assert "more, 4 shows all" not in drawn and ("not yet" in drawn) is (rows > lanes + 1)


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
    log.append(0, 7, [(0, 7, 0, "other")])
    assert any("DIFFERS at 0" in row for row in draw_screen(120, 40, ui).text_rows())


def test_a_topic_that_is_made_later_does_not_take_the_place_of_the_one_in_view() -> None:
    world = Watched(seed=3, controllers=3, brokers=3)
    world.do("topic orders partitions=2 replicas=3")
    recording = Recording()
    recording.extend(world.entries)
    ui = UiState(recording)
    before = ui.log, ui.partition
    count = len(world.entries)
    world.do("topic a replicas=3")
    recording.extend(world.entries[count:])
    assert (ui.log, ui.partition) == before and str(ui.log) == "orders-0"
    assert ui.which_partition == "partition 2 of 3, t next"


def test_long_offsets_are_whole_at_the_end_of_their_lane() -> None:
    ui = state()
    ui.main, ui.log_index = "logs", 1
    for lane in (log for (_, tp), log in ui.recording.live.logs.items() if tp == ui.log):
        lane.log_end_offset = lane.durable_offset = 40_001
        lane.high_watermark = 12_345
    for size in ((80, 24), (120, 40), (200, 50)):
        shown = "\n".join(draw_screen(*size, ui).text_rows())
        assert len(re.findall(r"HW ?12345 +LEO ?40001", shown)) >= 3, size


@pytest.mark.parametrize("figure", (0, 60))
def test_eight_records_and_the_bar_have_room_on_a_usual_terminal(figure: int) -> None:
    ui = state()
    ui.lesson, ui.log_index, ui.page.figure_width = True, 1, figure
    for (_, tp), lane in ui.recording.live.logs.items():
        if tp == ui.log:
            lane.log_end_offset = lane.high_watermark = 8
            lane.ghosts = ()
    rect = places_of(120, 40, ui)["logs"]
    rows = [row[rect.x : rect.x + rect.width] for row in draw_screen(120, 40, ui).text_rows()[rect.y + 1 :]]
    assert rows[0].split()[:2] == ["0", "5"], "the ruler begins at the first record"
    lanes = [row for row in rows if "HW8 LEO8" in row or "HW   8 LEO   8" in row]
    assert lanes and all("\u258c" in row[:-10] for row in lanes)


def test_where_a_log_was_cut_to_is_told_whole_or_not_at_all() -> None:
    """`✂ to 77` ran into the high watermark as `✂ to 7HW`."""
    said = set()
    for width in range(48, 90):
        ui = state()
        ui.log_index = 1
        canvas = Canvas(width, 12)
        draw_logs(canvas.area(Rect(0, 0, width, 12)), ui)
        row = next(row for row in canvas.text_rows() if "\u2702" in row and "LEO" in row)
        said.add(row[row.index("\u2702") : row.index("HW")].strip())
    assert said <= {"\u2702 to 7", "\u2702 7", "\u2702"} and "\u2702 to 7" in said


def screen_of(world: Watched) -> str:
    recording = Recording()
    recording.extend(world.entries)
    return "\n".join(draw_screen(200, 50, UiState(recording, now_ns=recording.t_ns + 10_000_000_000)).text_rows())


def test_acknowledged_records_on_the_disk_of_a_broker_that_is_down_are_there_only_and_lost_once_it_cuts_them() -> None:
    """All panes said lost as soon as another led: the answer to what becomes of them, before it was true."""
    world = ready(seed=0)
    world.do("partition 1|2,3", "produce orders 3 acks=1 value=alone retries=no", "kill 1", "heal")
    world.run_until(lambda: False, 10.0)
    drawn = screen_of(world)
    assert " ONLY ON n1 3-5  acknowledged, and not in the leader's log" in drawn and "LOST" not in drawn
    assert (
        "6 acknowledged, none lost, 3 only on n1" in drawn
        and "6 records acknowledged, none lost, 3 only on n1" in drawn
    )
    world.do("start 1")
    world.run_until(lambda: False, 10.0)
    drawn = screen_of(world)
    assert " ACKNOWLEDGED AND LOST 3-5  nobody holds them now" in drawn and "ONLY ON" not in drawn
    assert "6 acknowledged, 3 lost" in drawn and "6 records acknowledged, 3 lost" in drawn
