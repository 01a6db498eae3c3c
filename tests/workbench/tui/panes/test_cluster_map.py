from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces import story
from tests.support.worlds.mission_world import played
from workbench.session.recording import Recording
from workbench.session.story.headline import REST_NS
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.modes import Faults, Watching
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


def test_where_there_is_room_for_one_half_it_is_that_of_the_headline(tmp_path: Path) -> None:
    """At 80 columns the leader of the quorum is selected from the start, so brokers that were parted were in words."""
    _, recording = played(tmp_path, "partition 1|2,3,101,102,103", 0.2)
    ui = UiState(recording, node=101)

    def half() -> str:
        canvas = Canvas(80, 11)
        draw_map(canvas.area(Rect(0, 0, 80, 11)), ui)
        return "\n".join(canvas.text_rows())

    ui.now_ns = recording.t_ns + REST_NS
    assert "brokers: n1 running" in half(), "a headline that has rested leaves it to what is selected"
    ui.now_ns = 0
    assert "quorum: n101" in half() and "A n1 " in half()
    _, recording = played(tmp_path / "pause", "pause 2", 3.0)
    ui.recording = recording
    assert recording.story.moments[-1].text.startswith("n2 is fenced") and "quorum: n101" in half()
    _, recording = played(tmp_path / "kill", "kill {led}", 3.0)
    ui.recording = recording
    assert "leads the quorum in e2" in recording.story.moments[-1].text and "brokers: n1" in half()


def test_brokers_that_lead_nothing_yet_are_not_said_to_lead_on(tmp_path: Path) -> None:
    run = story.Story()
    for node in (1, 2, 3, 101, 102, 103):
        role = "controller" if node > 100 else "broker"
        run.say(0, ev.ProcessStarted(node_id=node, roles=(role,), incarnation_number=0, pid=node))
    recording = Recording()
    recording.extend(run.entries)
    canvas = Canvas(80, 11)
    draw_map(canvas.area(Rect(0, 0, 80, 11)), UiState(recording, node=101))
    shown_now = "\n".join(canvas.text_rows())
    assert "brokers: n1 " in shown_now and "leads on" not in shown_now
    _, recording = played(tmp_path, "power-loss 101,102,103", 3.0)
    draw_map(canvas.area(Rect(0, 0, 80, 11)), UiState(recording, node=101))
    assert "what leads a partition leads on" in "\n".join(canvas.text_rows())


@pytest.mark.parametrize("count", [1, 2, 3, 9, 40])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mode", [Watching(), Faults()])
def test_faults_without_room_are_counted_in_the_list_of_them(
    size: tuple[int, int], count: int, mode: Watching | Faults
) -> None:
    """The map named two of three faults, and said nothing of the third."""
    run = story.Story()
    run.begin()
    for number in range(1, count + 1):
        run.say(0, ev.FaultApplied(**fault_fields(number, "Pause", "3")))
    recording = Recording()
    recording.extend(run.entries)
    text = "\n".join(draw_screen(*size, UiState(recording, main="map", mode=mode)).text_rows())
    named = len(re.findall(r"! fault \d+: " if isinstance(mode, Watching) else r"pause 3  since ", text))
    more = re.search(r"  (\d+) more", text)
    assert named and named + (int(more[1]) if more else 0) == count, text


FAULTS = (("Pause", "3"), ("CutLinks", "1>2"), ("Partition", "1|2,3,101,102,103"))


def boxes(canvas: Canvas) -> list[tuple[object, ...]]:
    return [(spot.x, spot.y, spot.value) for spot in canvas.spots if spot.kind == "node" and spot.height > 1]


def test_no_fault_moves_a_node(tmp_path: Path) -> None:
    """Each row of faults had pushed the brokers up by one."""
    _, calm = played(tmp_path)
    for size, fault in product(((200, 50), (160, 45), (120, 40), (100, 30), (80, 24)), FAULTS):
        recording, run = Recording(), story.Story()
        recording.extend(calm.entries)
        ui, run.now_ms = UiState(recording), calm.entries[-1].t_ns // 1_000_000
        before = boxes(draw_screen(*size, ui))
        assert len(before) == (3 if size == (80, 24) else 6)
        for number in range(1, 5):
            run.say(0, ev.FaultApplied(**fault_fields(number, *fault, nodes=(1, 2, 3, 101, 102, 103))))
            recording.extend(run.entries[number - 1 :])
            canvas = draw_screen(*size, ui)
            after = boxes(canvas)
            assert after == before, "\n".join(canvas.text_rows())
            assert re.search(rf"fault {number}: |\d more", "\n".join(canvas.text_rows()))


def test_a_map_alone_uses_the_rows_that_it_has(tmp_path: Path) -> None:
    """18 of 37 rows were drawn."""
    ui = UiState(played(tmp_path, 2.0)[1], zoom="map")
    for size in ((200, 50), (160, 45), (120, 40)):
        rows = draw_screen(*size, ui).text_rows()[2:-2]
        assert sum(bool(row.strip()) for row in rows) > len(rows) * 3 // 5
