from __future__ import annotations

import os
import threading
from functools import partial
from math import inf
from pathlib import Path
from time import monotonic

import pytest
from textual.events import Paste

from cluster.cluster_spec import ClusterSpec
from cluster.lab import LEARNER, Answer
from cluster.model.entry import Entry
from cluster.picture.parts import FaultState
from cluster.runtime.run.folder import create_run, update_facts
from cluster.trace.entry import encode_entry
from tests.support.screens.screen_app import RecordingLab, made, rows, shows, until
from tests.support.traces import story
from workbench.session.follow import Past
from workbench.session.lesson.page import FREE_LAB
from workbench.session.missions.board import Board
from workbench.session.session import Session
from workbench.telling.tell import subject
from workbench.tui.answer import info
from workbench.tui.app import WorkbenchApp
from workbench.tui.frame_rate import STEPS
from workbench.tui.input.line_editor import NEXT_LINE, lines_of
from workbench.tui.modes import AskingToLeave, Ending, Faults, Help, Loading, Starting, Typing, Watching, Why
from workbench.tui.screens.workbench import WorkbenchScreen
from workbench.tui.ui_state import UiState


async def test_keys_send_commands_and_the_answer_is_shown(tmp_path: Path) -> None:
    app, lab = made(tmp_path, live=True)
    async with app.run_test(size=(120, 40)) as pilot:
        assert "\u25cf LIVE" in rows(app)
        await pilot.press("down", "right", "k", "K", "z", "h", "u", "w", "Z")
        await shows(pilot, app, "did freeze")
        assert lab.commands == ["kill 2", "power-loss 2", "pause 2", "heal", "undo", "produce orders-0 1 acks=all",
                                "freeze"]  # fmt: skip
        await pilot.press("colon", *"hea")
        assert "heal" in rows(app).splitlines()[-1]
        await pilot.press("tab", "enter")
        await shows(pilot, app, "did heal")
        assert lab.commands[-1] == "heal"
        await pilot.press("space")
        assert "\u2016 HELD" in rows(app)
        await pilot.press("q", "escape")
        assert not lab.left and not isinstance(app.ui.mode, AskingToLeave) and "ending" not in rows(app)
        await pilot.press("q")
        assert "q again ends the cluster; y leaves it running" in rows(app) and not lab.left
        await pilot.press("q")
        assert "ending the cluster" in rows(app)
        await pilot.pause()
    assert (app.return_code, lab.left) == (0, True)


async def test_who_leaves_may_leave_the_cluster_running_or_think_again(tmp_path: Path) -> None:
    app, lab = made(tmp_path, live=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q", "space")
        assert not isinstance(app.ui.mode, AskingToLeave) and "LIVE" in rows(app), "the other key only stays"
        await pilot.press("q")
        app.ui.answer = info("something else that comes in meanwhile")
        assert "q again ends the cluster" in rows(app), "a question that counts is in sight"
        await pilot.click(offset=(40, 12))
        assert not isinstance(app.ui.mode, AskingToLeave) and not lab.left, "so is a click another key"
        await pilot.press("q", "y")
        await pilot.pause()
    assert (app.return_code, lab.stays, lab.left, lab.commands) == (0, True, False, [])
    assert not app.session.owns_lab


async def test_ctrl_c_asks_as_q_does_and_a_second_one_ends_the_cluster_in_order(tmp_path: Path) -> None:
    app, lab = made(tmp_path, live=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("ctrl+c")
        assert "q again ends the cluster" in rows(app) and not lab.left
        await pilot.press("x", "colon", "k", "ctrl+c")
        assert "q again ends the cluster" in rows(app), "also over the command bar"
        await pilot.press("ctrl+c")
        await pilot.pause()
    assert (app.return_code, lab.left, lab.commands) == (0, True, [])


async def test_a_replay_scrubs_steps_and_explains(tmp_path: Path) -> None:
    app, lab = made(tmp_path, live=False)
    async with app.run_test(size=(200, 50)) as pilot:
        await pilot.press("left_square_bracket", "left_square_bracket", "left_square_bracket")
        assert "\u25c2 REPLAY" in rows(app) and app.ui.recording.cursor < len(app.ui.recording.entries)
        before = app.ui.recording.cursor
        await pilot.press("full_stop", "comma", "comma")
        assert app.ui.recording.cursor == before - 1
        await pilot.press("tab", "down", "down", "enter")
        assert "Why?" in rows(app) and "Because " in rows(app) and "root:" not in rows(app)
        why = app.ui.mode
        assert isinstance(why, Why)
        await pilot.press("down")
        assert app.ui.recording.cursor == why.explained.hops[0].place + 1
        await pilot.press("right")
        assert "root:" in rows(app)
        assert app.ui.events.selected is not None
        await pilot.press("escape", "end")
        assert (app.ui.events.selected, app.ui.recording.cursor) == (None, len(app.ui.recording.entries))
        await pilot.press("4")
        assert "4 Logs" in rows(app) and "3 Close-up" not in rows(app)
        await pilot.press("k")
        assert lab.commands == []
        await pilot.resize_terminal(40, 10)
        await shows(pilot, app, "enlarge to 80 x 24")
        await pilot.resize_terminal(80, 24)
        await shows(pilot, app, "4 Logs")


async def test_no_key_acts_behind_an_open_overlay_and_none_is_without_effect(tmp_path: Path) -> None:
    app, lab = made(tmp_path, live=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("question_mark")
        assert "Help" in rows(app)
        await pilot.press("space")
        assert "Help" not in rows(app) and "\u2016 HELD" in rows(app)
        await pilot.press("v")
        assert "1 Free lab" in rows(app) and "3 Close-up" not in rows(app)
        await pilot.press("escape", "colon", *"wobble", "enter")
        shown = rows(app).splitlines()
        assert any(":wobble" in row for row in shown[-5:]) and "status" in shown[-1], (
            "the whole list of commands is in sight"
        )
        await pilot.press("escape")
        await pilot.resize_terminal(80, 24)
        await pilot.press("down")
        await shows(pilot, app, "n1 selected")
        await pilot.press("tab")
        assert "6 Story" in rows(app)
    assert lab.commands == []


def recorded(tmp_path: Path) -> WorkbenchApp:
    """The app as it opens a recording that lies in files."""
    files: dict[int, bytes] = {}
    for entry in story.full_story():
        files[entry.node] = files.get(entry.node, b"") + encode_entry(entry)
    (tmp_path / "trace").mkdir()
    for node, content in files.items():
        (tmp_path / "trace" / f"{node}-0.trace").write_bytes(content)
    session = Session(tmp_path, None)
    return WorkbenchApp(session, UiState(session.recording, replay=True, title="old", mode=Loading("reading ...")))


async def test_a_recording_is_read_beside_the_screen_and_waits_at_its_first_mark_to_be_played(tmp_path: Path) -> None:
    app = recorded(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        shown = await shows(pilot, app, "REPLAY")
        assert "Elections and truncation" in shown and "space plays from here" in shown
        recording = app.session.recording
        first = recording.timeline.marks[0].place + 1
        assert recording.cursor == first
        await pilot.press("space")
        await until(pilot, lambda: recording.cursor > first)


async def test_a_damaged_recording_ends_the_screen_with_its_file_and_place(tmp_path: Path) -> None:
    async def play() -> WorkbenchApp:
        app = recorded(tmp_path)
        (tmp_path / "trace" / "2-0.trace").write_bytes(b"\xff" * 40)
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, lambda: app.return_code is not None)
        return app

    app = await play()
    assert app.return_value == 4 and "2-0.trace: byte 0" in app.failure


async def test_a_fault_that_came_into_force_names_the_key_that_takes_it_back(tmp_path: Path) -> None:
    app, lab = made(tmp_path, live=True)

    async def send(text: str, by: str = LEARNER) -> Answer:
        lab.commands.append(text)
        if text.startswith("cut"):
            fault = FaultState(9, "Cut", "1>2", 0)
            app.ui.recording.live.faults[9] = fault
        return Answer(True, f"did {text}")

    lab.send = send  # type: ignore[method-assign]
    async with app.run_test(size=(120, 40)) as pilot:
        app.commands.run("send", "status")
        await shows(pilot, app, "did status")
        app.commands.run("send", "cut 1>2")
        await shows(pilot, app, "did cut 1>2 (u undoes it)")
        await pilot.press("space")
        app.ui.recording.live.faults.clear()
        app.ui.recording.step(-3)
        app.commands.run("send", "cut 1>2")
        await shows(pilot, app, "(u undoes it) the view is held, now 5/5 up, +3 events: space follows")


async def test_in_a_list_j_and_k_move_and_kill_nobody(tmp_path: Path) -> None:
    app, lab = made(tmp_path, live=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("down", "question_mark", "j", "j", "pagedown", "k")
        assert (app.ui.overlay, app.ui.overlay_scroll, lab.commands) == (Help(), 11, [])
        await pilot.press("escape", "k")
        await pilot.pause()
        assert lab.commands == ["kill 1"]


class BeatingLab(RecordingLab):
    """Was last heard when the test says."""

    heard_s: float | None = None


async def test_the_screen_says_that_the_lab_is_not_heard_and_that_it_is_heard_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.session.hearing.AWAY_S", inf)  # however full the machine is
    app, _ = made(tmp_path, live=True)
    lab = BeatingLab()
    app.session.lab = lab
    async with app.run_test(size=(120, 40)) as pilot:
        assert "LIVE" in rows(app)
        lab.heard_s = monotonic() - 60
        shown = rows(app)
        assert "SILENT 60 s" in shown and "nothing heard from the lab for 60 s" in shown and "LIVE" not in shown
        await pilot.press("u")
        await shows(pilot, app, "did undo")
        lab.heard_s = monotonic() + 60
        shown = rows(app)
        assert "LIVE" in shown and "the lab is heard again, after 60 s" in shown


@pytest.mark.parametrize("is_new", [True, False])
async def test_a_new_run_with_other_ports_than_usual_says_so(tmp_path: Path, is_new: bool) -> None:
    folder, lock = create_run(tmp_path, ClusterSpec(title="moved", controllers=1, brokers=1))
    os.close(lock)
    update_facts(folder, ports={101: 25_000, 1: 25_001}, client_ports={1: 25_002})
    app, _ = made(folder, live=True)
    app.session.owns_lab = is_new
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("7", "7")
        shown = await shows(pilot, app, "127.0.0.1:25002", *(["this run has 25000 to 25002"] if is_new else []))
        assert ("were taken" in shown) is is_new


async def test_behind_the_progress_of_a_start_or_an_end_no_key_does_anything_unseen(tmp_path: Path) -> None:
    app, lab = made(tmp_path, live=True)
    async with app.run_test(size=(80, 24)) as pilot:
        for mode in (Ending("wait ..."), Loading("wait ..."), Starting()):
            app.ui.mode = mode
            await pilot.press("colon", "k", "h", "F", "space", "x")
            assert app.ui.mode == mode and app.ui.recording.follows
        await pilot.press("enter")
        assert app.ui.mode == Watching() and "LIVE" in rows(app) and lab.commands == []


def has_sent(lab: RecordingLab, count: int) -> bool:
    return len(lab.commands) == count


async def test_a_key_is_painted_at_once_however_seldom_frames_are_drawn(tmp_path: Path) -> None:
    app, _ = made(tmp_path, live=True)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = app.screen
        assert isinstance(screen, WorkbenchScreen)
        app.ui.fps = STEPS[-1]
        screen.beat.stop()  # no frame comes by itself any more
        await pilot.press("V")
        await until(pilot, lambda: "VERDICTS" in screen.shown_text().upper())
        await pilot.press("escape")
        await until(pilot, lambda: "esc closes" not in screen.shown_text())


async def test_pasted_lines_run_one_after_the_other_whatever_ends_them(tmp_path: Path) -> None:
    app, lab = made(tmp_path, live=True)
    async with app.run_test(size=(80, 24)) as pilot:
        app.screen.post_message(Paste("kill 1"))
        await pilot.pause()
        assert "pasted text goes into the command bar: : opens it" in rows(app)
        for text, count in (("heal\rkill 1\r", 2), ("\nheal\n\nkill 1", 4), ("heal", 5)):
            await pilot.press("colon")
            app.screen.post_message(Paste(text))
            await pilot.press("enter")
            await until(pilot, partial(has_sent, lab, count))
        await pilot.press("colon")
        app.screen.post_message(Paste("\n"))
        await pilot.press("escape")
        await pilot.pause()
    assert lab.commands == ["heal", "kill 1", "heal", "kill 1", "heal"]


async def test_of_pasted_lines_those_after_a_refused_one_stay_in_the_bar_and_what_has_no_room_is_counted(
    tmp_path: Path,
) -> None:
    app, lab = made(tmp_path, live=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("colon")
        app.screen.post_message(Paste("kill 1\nkil 2\nkill 3"))
        await pilot.pause()
        assert "runs 3 lines one after the other" in rows(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.ui.mode, Typing))
        assert app.ui.line.text == f"kil 2 {NEXT_LINE} kill 3" and "kil" in rows(app)
        await pilot.press("ctrl+u")
        app.screen.post_message(Paste("kill 1\n" * 100))
        await pilot.pause()
        assert "of 100 pasted lines have no room here" in rows(app)
        assert set(lines_of(app.ui.line.text)) == {"kill 1"}
    assert lab.commands == ["kill 1"]


async def test_the_events_of_this_node_are_those_of_the_node_that_is_selected(tmp_path: Path) -> None:
    app, _ = made(tmp_path, live=True)
    async with app.run_test(size=(200, 50)) as pilot:
        await pilot.press("f", "f", "f", "f")
        assert "select a node" in rows(app) and "f: this node " in rows(app)
        for name in ("n1", "n2"):
            await pilot.press("right")
            assert f"this node, {name}" in rows(app)
            listed = [app.ui.recording.entries[index] for index in app.ui.events.window(1000, 1000)]
            assert listed and {subject(entry) for entry in listed} == {app.ui.node}


async def test_what_waits_for_a_mark_is_refused_where_none_can_come(tmp_path: Path) -> None:
    app, _ = made(tmp_path, live=False)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("colon", *"break vote", "enter")
        assert "no mark is to come any more" in rows(app) and not app.ui.break_point.kinds


async def test_a_living_run_is_called_live_with_the_present_clock_only_once_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found at a run of ten minutes: for 14 s the present time stood over its first minutes, and k killed a node."""
    folder, lock = create_run(tmp_path, ClusterSpec(title="Long", controllers=1, brokers=1))
    may_go_on, take = threading.Event(), Past.take

    def slow_take(past: Past, count: int) -> list[Entry]:
        may_go_on.wait(60)
        return take(past, count)

    monkeypatch.setattr(Past, "take", slow_take)
    for entry in story.full_story():
        with (folder / "trace" / f"{entry.node}-{entry.incarnation}.trace").open("ab") as file:
            file.write(encode_entry(entry))
    lab = RecordingLab()
    session = Session(folder, lab)
    app = WorkbenchApp(session, UiState(session.recording, title="Long"))
    async with app.run_test(size=(120, 40)) as pilot:
        assert "READING 0 %" in (shown := rows(app)) and "LIVE" not in shown
        await pilot.press("u")
        await shows(pilot, app, "0 % of the run is read")
        assert app.ui.now_ns == 0 and not lab.commands
        session.follower.error = "trace: 1-0.trace is damaged"
        assert "NO MORE EVENTS" in rows(app)
        await pilot.press("u")
        await until(pilot, lambda: lab.commands == ["undo"])
        session.follower.error = ""
        may_go_on.set()
        await shows(pilot, app, "\u25cf LIVE")
        assert app.ui.now_ns > 0
        await pilot.press("h")
        await shows(pilot, app, "did heal")
    os.close(lock)
    assert lab.commands == ["undo", "heal"], "of a trace that ends here no more is to be waited for"


async def test_an_answer_is_not_for_ever_below_what_is_laid_over_the_panes_either(tmp_path: Path) -> None:
    app, _ = made(tmp_path, live=True)
    async with app.run_test(size=(120, 40)):
        screen = app.screen
        assert isinstance(screen, WorkbenchScreen)
        for mode in (Watching(), Help(), Faults()):
            app.ui.mode, app.ui.answer = mode, info("9092 is taken")
            screen.forget_old_answer(1.0)
            screen.forget_old_answer(2.0)
            assert app.ui.answer.text
            screen.forget_old_answer(1000.0)
            assert not app.ui.answer.text, mode


async def test_the_mark_of_a_link_ends_with_the_mission_that_it_was_for(tmp_path: Path) -> None:
    app, _ = made(tmp_path, live=True)
    async with app.run_test(size=(120, 40)):
        screen = app.screen
        assert isinstance(screen, WorkbenchScreen)
        app.ui.missions, app.ui.page, app.ui.marked = Board(tmp_path), FREE_LAB, 2
        screen.tick()
        assert app.ui.missions.done_count and app.ui.marked == 0
        app.ui.marked = 2
        screen.tick()
        assert app.ui.marked == 2, "until another one is done"
