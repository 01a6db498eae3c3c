from __future__ import annotations

from typing import Any

import pytest

from cluster.model import events as ev
from cluster.replication.rules.in_sync_replicas import expand_isr, shrink_isr
from tests.support.traces import story
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.panes.isr import DRAWN_AS, headline
from workbench.tui.ui_state import UiState

SIZES = ((200, 50), (120, 40), (80, 24))


def lagging(silence_ms: int) -> UiState:
    run = story.Story()
    run.begin()
    run.partition((1, 2, 3), 1, 0, 0, (1, 2, 3))
    decision = shrink_isr(3, 3, 7, silence_ms, 5000).decision
    run.say(1, ev.ReplicaLagging(topic="orders", partition=0, replica_id=3, lagging=True), decision=decision)
    recording = Recording()
    recording.extend(run.entries)
    ui = UiState(recording)
    ui.main, ui.now_ns = "isr", recording.t_ns + 1_000_000_000
    return ui


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_replica_that_lags_has_the_time_that_is_left_beside_its_name(size: tuple[int, int]) -> None:
    rows = draw_screen(*size, lagging(2600)).text_rows()
    assert any("n3 1.4s" in row for row in rows)
    assert any("5 Timeline  orders-0  ISR 1,2,3  n3 lags: 1.4s left of 5.0s" in row for row in rows)


def by_majority() -> UiState:
    """orders-0 by majority: 1 and 2 have the newest record, 3 does not."""
    run = story.Story()
    run.begin()
    run.say(101, ev.TopicConfigChanged(topic="orders", config="commit.rule", value="majority", is_default=False))
    run.partition((1, 2, 3), 1, 0, 0, (1, 2, 3))
    run.say(1, ev.BecameLeader(topic="orders", partition=0, leader_epoch=0, epoch_start_offset=0, high_watermark=0,
                               isr=(1, 2, 3)))  # fmt: skip
    run.say(1, ev.HighWatermarkAdvanced(topic="orders", partition=0, high_watermark=4, leader_epoch=0, role="leader",
                                        log_end_offsets=((1, 5), (3, 2), (2, 4))))  # fmt: skip
    recording = Recording()
    recording.extend(run.entries)
    ui = UiState(recording)
    ui.main = "isr"
    return ui


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_by_majority_it_says_how_many_are_needed_and_who_counted(size: tuple[int, int]) -> None:
    ui = by_majority()
    assert headline(ui) == "orders-0  by majority, 2 of 1,2,3  newest commit: 1,2 have it"
    rows = draw_screen(*size, ui).text_rows()
    assert any("by majority, 2 of 1,2,3" in row for row in rows)
    assert not any("ISR 3/3" in row for row in rows)


def test_the_time_left_stands_still_with_the_view() -> None:
    ui = lagging(2600)
    ui.recording.pause()
    assert headline(ui) == "orders-0  ISR 1,2,3  n3 lags: 2.4s left of 5.0s"


def test_a_time_that_is_over_is_not_yet_a_replica_that_is_out() -> None:
    assert headline(lagging(4800)) == "orders-0  ISR 1,2,3  n3 lags: over 5.0s, the next look decides"


def test_every_mark_on_the_timeline_is_explained() -> None:
    run = story.Story()
    run.begin()
    run.partition((1,), 1, 0, 0, (1,))
    run.records(1, 0, 3, 0, 0, 3)
    run.say(0, ev.PowerLost(node_id=1, files=()))
    run.say(0, ev.RunEnded(clean=True), 400)
    recording = Recording()
    recording.extend(run.entries)
    rows = draw_screen(160, 45, UiState(recording)).text_rows()
    (marks,) = [row for row in rows if " marks   " in row]
    assert "!" in marks and any("! records lost" in row for row in rows)


def test_records_that_nobody_holds_any_more_are_named() -> None:
    run = story.Story()
    run.begin()
    run.partition((1,), 1, 0, 0, (1,))
    run.records(1, 0, 7, 0, 4, 6)
    run.say(0, ev.PowerLost(node_id=1, files=()))
    recording = Recording()
    recording.extend(run.entries)
    text = "\n".join(draw_screen(200, 50, UiState(recording, zoom="logs")).text_rows())
    assert "COMMITTED AND LOST 4-5" in text, "6 was not committed"


@pytest.mark.parametrize("scene", ("lags", "out", "in"))
def test_the_pane_has_a_likeness_in_ascii(scene: str) -> None:
    ui = lagging(2600)
    run = story.Story()
    run.now_ms = 5000
    isr = (1, 2) if scene == "out" else (1, 2, 3)
    changed: dict[str, Any] = {"topic": "orders", "partition": 0, "leader_epoch": 0, "partition_epoch": 1, "why": "x"}
    if scene == "in":
        run.partition((1,), 1, 0, 1, (1, 2))
    if scene != "lags":
        ruling = expand_isr(3, 9, 7, 0, 1, 1) if scene == "in" else shrink_isr(3, 3, 7, 5200, 5000)
        old = (1, 2) if scene == "in" else (1, 2, 3)
        run.say(1, ev.IsrProposed(isr=isr, old_isr=old, **changed), decision=ruling.decision)
        run.partition((1,), 1, 0, 2, isr)
    ui.recording.extend(run.entries)
    ui.glyphs = "ascii"
    rows = draw_screen(200, 50, ui).text_rows()
    (title,) = [row for row in rows if "5 Timeline" in row]
    assert title.isascii() and "?" not in title and "n3" in title


@pytest.mark.parametrize("size", ((200, 50), (160, 45), (80, 30)), ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_legend_has_every_mark_of_a_run_that_has_all_of_a_lesson(size: tuple[int, int]) -> None:
    recording = Recording()
    recording.extend(story.full_story())
    ui = UiState(recording, replay=True)
    ui.main, ui.log_index = "isr", 1
    recording.timeline.glyphs.update("hF+R")
    rows = draw_screen(*size, ui).text_rows()
    (at,) = [y for y, row in enumerate(rows) if "\u254c la" in row]
    legend = rows[at] + (rows[at + 1] if size[0] == 80 else "")
    for glyph in recording.timeline.glyphs:
        assert f" {DRAWN_AS.get(glyph, glyph)} " in legend, glyph
    assert "R rebalance" in legend or "R group" in legend


def test_where_a_lesson_holds_the_view_the_time_axis_ends_there_though_processes_run_on() -> None:
    recording = Recording()
    recording.extend(story.full_story())
    ui = UiState(recording)
    middle = len(recording.entries) // 3
    recording.seek(middle)
    assert ui.axis_end_ns == recording.timeline.end_ns, "who scrubs sees what is to come"
    ui.held_ns = recording.t_ns
    assert ui.axis_end_ns == recording.t_ns
    later = [mark for mark in recording.timeline.marks if mark.t_ns > ui.held_ns]
    assert later and any(DRAWN_AS.get(mark.glyph, mark.glyph) == "\u2702" for mark in later)
    ui.zoom = "isr"
    marks = next(row for row in draw_screen(120, 40, ui).text_rows() if row.startswith(" marks"))
    assert "\u2702" not in marks
    recording.go_live()
    assert ui.axis_end_ns == recording.timeline.end_ns, "who lets the view go sees all"
