from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces import story
from tests.support.worlds.mission_world import played
from workbench.session.director import Director
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.cluster_map import draw_map
from workbench.tui.ui_state import UiState

SIZES = ((200, 50), (120, 40), (80, 24))


def shown(run: story.Story, size: tuple[int, int]) -> str:
    recording = Recording()
    recording.extend(run.entries)
    ui = UiState(recording)
    ui.main = "map"
    return "\n".join(draw_screen(*size, ui).text_rows())


def stuttering(arguments: str = "3 150ms 50ms") -> story.Story:
    run = story.Story()
    run.begin()
    run.say(0, ev.FaultApplied(**fault_fields(1, "Stutter", arguments)))
    return run


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_node_that_stutters_says_how_much_of_the_time_it_stands_still(size: tuple[int, int]) -> None:
    run = stuttering()
    assert "stops 25%" in shown(run, size) and "stutter 3 150ms 50ms" in shown(run, size)
    run.say(0, ev.FaultReverted(**fault_fields(1, "Stutter", "3 150ms 50ms")))
    assert "stops" not in shown(run, size)


def test_a_node_that_is_gone_does_not_stutter() -> None:
    run = stuttering()
    run.say(0, ev.ProcessExited(node_id=3, incarnation_number=0, exit_code=-9, expected=True))
    assert "stops" not in shown(run, SIZES[0])


@pytest.mark.parametrize("stop_ms", ("", "x", "0", "-5", "9" * 60))
def test_a_stutter_whose_numbers_make_no_sense_is_only_listed(stop_ms: str) -> None:
    run = story.Story()
    run.begin()
    numbers = (("run_ms", "150"), ("stop_ms", stop_ms))
    run.say(0, ev.FaultApplied(fault_id=1, kind="Stutter", arguments="3", nodes=(3,), parameters=numbers))
    text = shown(run, SIZES[0])
    assert "stops" not in text and "stutter" in text


def test_a_fault_of_an_older_trace_is_listed_and_marks_no_node() -> None:
    run = story.Story()
    run.begin()
    run.say(0, ev.FaultApplied(fault_id=1, kind="Stutter", arguments="3 150ms 50ms"))
    text = shown(run, SIZES[0])
    assert "stops" not in text and "stutter 3 150ms 50ms" in text


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_node_without_power_says_since_when(size: tuple[int, int]) -> None:
    run = story.Story()
    run.begin()
    run.say(0, ev.PowerLost(node_id=3, files=()))
    run.say(0, ev.ProcessExited(node_id=3, incarnation_number=0, exit_code=-9, expected=True))
    text = shown(run, size)
    assert "NO POWER" in text and "0.000 s" in text


def test_a_low_and_narrow_card_shows_what_is_wrong_before_a_healthy_role() -> None:
    run = story.Story()
    run.begin()
    for node in (1, 2):
        run.say(node, ev.BrokerStateChanged(state="running", broker_epoch=node))
    run.say(3, ev.BrokerFenced(broker_id=1, broker_epoch=1, why="session expired"))
    run.say(3, ev.BrokerUnfenced(broker_id=2, broker_epoch=2))
    recording = Recording()
    recording.extend(run.entries)
    rows = {height: drawn(recording, height) for height in (3, 4)}
    assert "FENCED" in rows[3] and "FENCED" in rows[4] and "running" not in rows[3]


def drawn(recording: Recording, height: int) -> str:
    """The map in room for cards of that many rows, and one row of faults."""
    canvas = Canvas(62, height + 1)
    draw_map(canvas.area(Rect(0, 0, 62, height + 1)), UiState(recording))
    return "\n".join(canvas.text_rows())


def test_how_long_a_node_is_down_goes_on_while_nothing_happens() -> None:
    run = story.Story()
    run.say(0, ev.ProcessStarted(node_id=1, roles=("broker",), incarnation_number=0, pid=1))
    run.say(0, ev.ProcessExited(node_id=1, incarnation_number=0, exit_code=-9, expected=True))
    recording = Recording()
    recording.extend(run.entries)
    ui = UiState(recording, main="map", now_ns=recording.t_ns + 42_000_000_000)
    assert "42 s ago" in "\n".join(draw_screen(200, 50, ui).text_rows())
    recording.pause()
    assert "0.000 s ago" in "\n".join(draw_screen(200, 50, ui).text_rows())


def test_where_there_is_room_for_one_half_a_slowed_story_shows_the_one_that_is_parted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 80 columns the leader of the quorum is selected from the start, so brokers that were parted were in words."""
    _, recording = played(tmp_path, "partition 1|2,3,101,102,103", 0.2)
    ui = UiState(recording, node=101)

    def half() -> str:
        canvas = Canvas(80, 11)
        draw_map(canvas.area(Rect(0, 0, 80, 11)), ui)
        return "\n".join(canvas.text_rows())

    assert "brokers: n1 running" in half()
    monkeypatch.setattr(Director, "is_on", property(lambda _self: True))
    assert "quorum: n101" in half() and "A n1 " in half()
    _, recording = played(tmp_path / "pause", "pause 2", 3.0)
    ui.recording = recording
    assert recording.story.moments[-1].text.startswith("n2 is fenced") and "quorum: n101" in half()
    _, recording = played(tmp_path / "kill", "kill {led}", 3.0)
    ui.recording = recording
    assert "leads the quorum in e2" in recording.story.moments[-1].text and "brokers: n1" in half()
