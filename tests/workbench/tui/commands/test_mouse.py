"""The mouse on the running screen: real events of Textual on real cells."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from msgspec.structs import replace
from textual.events import MouseScrollDown, MouseScrollUp
from textual.pilot import Pilot

from cluster.model import events as ev
from tests.support.screens.screen_app import RecordingLab, made, rows, shows
from workbench.tui.app import WorkbenchApp
from workbench.tui.drawing.spots import Spot
from workbench.tui.modes import Faults, Touch, Why
from workbench.tui.screens.workbench import WorkbenchScreen

Play = Callable[[Pilot[int], WorkbenchApp, RecordingLab], Awaitable[None]]


def run(tmp_path: Path, play: Play, *, live: bool = True, size: tuple[int, int] = (120, 40)) -> None:
    async def story() -> None:
        app, lab = made(tmp_path, live=live)
        async with app.run_test(size=size) as pilot:
            rows(app)
            await play(pilot, app, lab)

    asyncio.run(story())


def spot(app: WorkbenchApp, kind: str, *value: object) -> Spot:
    """The spot of that kind, and value if one is given."""
    screen = app.screen
    assert isinstance(screen, WorkbenchScreen)
    rows(app)
    canvas = screen._grid._shown
    assert canvas is not None
    return next(found for found in canvas.spots if found.kind == kind and (not value or found.value == value))


async def click(pilot: Pilot[int], found: Spot, *, x: int = 1, button: int = 1, times: int = 1) -> None:
    await pilot.click(None, offset=(found.x + x, found.y), button=button, times=times)
    await pilot.pause()


async def wheel(pilot: Pilot[int], found: Spot, *, up: bool) -> None:
    kind = MouseScrollUp if up else MouseScrollDown
    await pilot._post_mouse_events([kind], None, offset=(found.x + 2, found.y + 1))
    await pilot.pause()


def test_a_click_on_a_node_selects_it_and_the_right_button_opens_the_faults(tmp_path: Path) -> None:
    async def play(pilot: Pilot[int], app: WorkbenchApp, _lab: RecordingLab) -> None:
        await click(pilot, spot(app, "node", 3), x=3)
        assert (app.ui.node, app.ui.focus, app.ui.overlay) == (3, "map", None)
        assert "n3 selected" in rows(app)
        await click(pilot, spot(app, "node", 2), x=3, button=3)
        assert (app.ui.node, app.ui.overlay) == (2, Faults())

    run(tmp_path, play)


def test_a_click_on_a_message_chooses_it_and_enter_tells_why_it_was_sent(tmp_path: Path) -> None:
    async def play(pilot: Pilot[int], app: WorkbenchApp, _lab: RecordingLab) -> None:
        recording = app.ui.recording
        last = recording.entries[-1]
        seen = ev.MessageSeen(source=1, target=2, message="VoteRequest", is_answer=False, fate="delivered",
                              left_ns=last.t_ns, ended_ns=last.t_ns + 1_000_000, numbers=(("epoch", 2),))  # fmt: skip
        told = replace(last, node=1, seq=90_000, t_ns=last.t_ns + 2_000_000, cause=None, event=seen)
        recording.extend([told])
        recording.seek(len(recording.entries))
        await click(pilot, spot(app, "message", told.id), x=0)
        assert isinstance(app.ui.overlay, Touch) and "It has arrived, after 1.000 ms." in rows(app)
        await pilot.press("enter")
        assert isinstance(app.ui.overlay, Why) and "Why?" in rows(app)
        assert "vote" in app.ui.overlay.explained.question, app.ui.overlay.explained

    run(tmp_path, play, size=(160, 45), live=False)


def test_a_click_on_an_event_tells_why_and_one_beside_closes_it(tmp_path: Path) -> None:
    async def play(pilot: Pilot[int], app: WorkbenchApp, _lab: RecordingLab) -> None:
        await click(pilot, spot(app, "event"))
        assert "Why?" in rows(app) and app.ui.focus == "events"
        await pilot.click(None, offset=(1, 20))
        await pilot.pause()
        assert "Why?" not in rows(app)

    run(tmp_path, play)


def test_a_click_on_the_timeline_goes_there_and_at_its_end_back_to_the_newest(tmp_path: Path) -> None:
    async def play(pilot: Pilot[int], app: WorkbenchApp, _lab: RecordingLab) -> None:
        time, recording = spot(app, "time"), app.ui.recording
        await click(pilot, time, x=time.width // 2)
        assert not recording.follows and 0 < recording.cursor < len(recording.entries)
        span = recording.timeline.end_ns - recording.timeline.start_ns
        assert abs(recording.t_ns - recording.timeline.start_ns - span / 2) < span / 8
        await click(pilot, time, x=time.width - 1)
        assert recording.follows

    run(tmp_path, play)


def test_a_click_on_a_key_of_the_last_row_presses_it(tmp_path: Path) -> None:
    async def play(pilot: Pilot[int], app: WorkbenchApp, _lab: RecordingLab) -> None:
        await click(pilot, spot(app, "key", "question_mark"), x=0)
        assert "Help" in rows(app)
        await click(pilot, spot(app, "key", "escape"), x=0)
        assert "Help" not in rows(app)
        await click(pilot, spot(app, "key", "space"), x=0)
        assert "\u2016 HELD" in rows(app)

    run(tmp_path, play)


def test_the_wheel_turns_what_lies_under_it(tmp_path: Path) -> None:
    async def play(pilot: Pilot[int], app: WorkbenchApp, _lab: RecordingLab) -> None:
        events, quorum = spot(app, "pane", "events"), spot(app, "pane", "quorum")
        await wheel(pilot, events, up=True)
        assert app.ui.events.selected is not None
        await wheel(pilot, quorum, up=True)
        assert app.ui.rows_back == 1
        await pilot.press("end")
        assert app.ui.rows_back == 0
        before = app.ui.recording.cursor
        await wheel(pilot, spot(app, "pane", "isr"), up=True)
        assert app.ui.recording.cursor < before

    run(tmp_path, play)


def test_a_pane_clicked_twice_stands_alone(tmp_path: Path) -> None:
    async def play(pilot: Pilot[int], app: WorkbenchApp, _lab: RecordingLab) -> None:
        # A slow machine has not got to the second click within half a second.
        vars(app)["CLICK_CHAIN_TIME_THRESHOLD"] = 60.0
        await click(pilot, spot(app, "pane", "logs"), x=4, times=2)
        assert app.ui.zoom == "logs"

    run(tmp_path, play)


def test_links_are_staged_by_keys_and_clicks_and_cut_by_one_command(tmp_path: Path) -> None:
    async def play(pilot: Pilot[int], app: WorkbenchApp, lab: RecordingLab) -> None:
        await pilot.press("F")
        app.ui.cell = 0, 1
        await pilot.press("enter")
        cell = spot(app, "cell", 2, 0)
        await click(pilot, cell)
        await click(pilot, cell)
        assert len(app.ui.staged) == 2
        await pilot.press("space")
        await shows(pilot, app, "did cut")
        assert lab.commands == ["cut 1>2,3>1"]
        assert app.ui.overlay == Faults()
        await pilot.press("space")
        assert "nothing is staged" in rows(app)
        await pilot.press("escape")
        assert app.ui.overlay is None

    run(tmp_path, play)


def test_the_console_acts_on_the_node_of_its_row_and_stays_open(tmp_path: Path) -> None:
    async def play(pilot: Pilot[int], app: WorkbenchApp, lab: RecordingLab) -> None:
        await pilot.press("F", "down", "down", "z", "r")
        await shows(pilot, app, "did restart 3")
        assert lab.commands == ["pause 3", "restart 3"]
        assert (app.ui.overlay, app.ui.node) == (Faults(), 3)

    run(tmp_path, play)


def test_the_history_is_saved_as_a_script(tmp_path: Path) -> None:
    async def play(pilot: Pilot[int], app: WorkbenchApp, _lab: RecordingLab) -> None:
        await pilot.press("F", "S")
        told = rows(app)
        assert "saved" in told or "both roles" in told

    run(tmp_path, play)


def test_a_replay_shows_the_console_and_changes_nothing(tmp_path: Path) -> None:
    async def play(pilot: Pilot[int], app: WorkbenchApp, lab: RecordingLab) -> None:
        await pilot.press("F", "enter", "h")
        assert app.ui.overlay == Faults() and lab.commands == []
        assert "a replay takes no commands" in rows(app)

    run(tmp_path, play, live=False)


def test_presenting_shows_a_banner_fewer_frames_and_b_darkens(tmp_path: Path) -> None:
    async def play(pilot: Pilot[int], app: WorkbenchApp, lab: RecordingLab) -> None:
        await pilot.press("P")
        assert app.ui.presenting and app.ui.fps == 15 and "P leave" in rows(app)
        await pilot.hover(None, offset=(60, 30))
        assert app.ui.pointer == (60, 30)
        await pilot.press("b")
        assert "any key shows the screen again" in rows(app)
        await pilot.press("k")
        assert "any key" not in rows(app) and lab.commands == [], "the key that ends it does nothing else"
        await pilot.press("P")
        assert not app.ui.presenting and app.ui.fps == 30

    run(tmp_path, play)
