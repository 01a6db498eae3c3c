"""One of two worlds along a time axis, without a screen."""

from __future__ import annotations

import pytest

from tests.support.traces.story import full_story
from workbench.session.comparison import World
from workbench.session.recording import Recording
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.isr import LEFT
from workbench.tui.panes.world import Axis, draw_axis, draw_lanes, draw_world_logs, replicas_of


def world() -> World:
    recording = Recording()
    recording.extend(full_story())
    return World("one", "one", recording)


def test_a_column_stands_for_the_same_time_in_both_worlds() -> None:
    axis = Axis(1_000_000_000, 5_000_000_000, 40)
    assert (axis.x(1_000_000_000), axis.x(3_000_000_000), axis.x(5_000_000_000)) == (0, 20, 39)
    assert (axis.x(0), axis.x(9_000_000_000)) == (0, 39), "what lies outside stands at the edge"


def test_a_world_that_is_over_has_no_columns_after_its_end() -> None:
    short = world()
    axis = Axis(0, 4 * short.length_ns, 40)
    times = axis.times(short)
    assert len(times) == 10 and times[-1] == short.recording.timeline.end_ns and times == sorted(times)


@pytest.mark.parametrize("rows", (1, 2, 4, 6, 8))
def test_who_led_the_quorum_is_never_left_out(rows: int) -> None:
    one, canvas = world(), Canvas(70, rows)
    draw_lanes(canvas.area(Rect(0, 0, 70, rows)), one, Axis(0, one.length_ns, 70 - LEFT - 1), one.partition, rows)
    text = canvas.text_rows()
    assert sum("quorum" in row for row in text) == 1
    assert sum(row.strip().startswith("n") for row in text) == min(rows - 1, len(replicas_of(one, one.partition)))


def test_the_axis_has_round_numbers_from_where_it_begins() -> None:
    canvas = Canvas(80, 1)
    draw_axis(canvas.area(Rect(0, 0, 80, 1)), Axis(20_000_000_000, 26_000_000_000, 60))
    found = canvas.text_rows()[0].split()
    assert found[:2] == ["20", "s"] and "22" in found and "0" not in found


def test_a_replica_without_a_log_yet_says_so() -> None:
    one = world()
    one.recording.seek(0)
    canvas = Canvas(60, 3)
    draw_world_logs(canvas.area(Rect(0, 0, 60, 3)), one, one.partition, 3)
    assert all("no log yet" in row for row in canvas.text_rows()[: len(replicas_of(one, one.partition))])
