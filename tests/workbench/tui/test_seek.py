"""`seek`, `mark` and the list of marks: to a moment by its time, its kind or its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.faults.grammar import known_commands
from tests.support.screens.screen_app import made, rows
from tests.support.traces import story
from workbench.session.recording import Recording
from workbench.tui.input.words import WORDS
from workbench.tui.modes import Typing
from workbench.tui.seek import FORM, Found, is_time, seek

ENTRIES = story.full_story()


def recording(cursor: int = len(ENTRIES)) -> Recording:
    made = Recording()
    made.extend(ENTRIES)
    made.seek(cursor)
    return made


def time_at(found: Found) -> float:
    run = recording(found.cursor)
    return run.seconds(run.t_ns)


def test_a_time_is_the_last_event_not_later() -> None:
    run = recording()
    end_s = run.seconds(run.timeline.end_ns)
    for text, wanted_s in (("00:00.5", 0.5), ("0.5", 0.5), (".5", None), ("0.5s", 0.5), ("start", 0.0), ("0", 0.0)):
        found = seek(text, run)
        if wanted_s is None:
            assert found.wrong == FORM
            continue
        assert time_at(found) <= wanted_s
        after = recording(found.cursor + 1)
        assert after.seconds(after.t_ns) > wanted_s or found.cursor == 1
    assert f"the run ends at {end_s:.3f} s" == seek("99:00", run).wrong
    assert seek("end", run).live


def test_a_run_is_opened_at_a_time_from_its_start_alone() -> None:
    assert all(map(is_time, ("0", "12.5", "01:23.4", "3s")))
    assert not any(map(is_time, ("+3", "-3", "next vote", "end", "event 4", "")))


def test_signed_seconds_count_from_the_event_in_view() -> None:
    here = recording(60)
    at_s = here.seconds(here.t_ns)
    assert time_at(seek("-0.1", here)) <= at_s - 0.1 and time_at(seek("+0.1", here)) <= at_s + 0.1
    assert seek("+0.1", here).cursor >= 60 > seek("-0.1", here).cursor
    assert seek("-9999", here).cursor == 1


def test_marks_are_found_by_kind_both_ways() -> None:
    run, found = recording(0), []
    while (place := seek("next vote", run)).cursor > 0:
        run.seek(place.cursor)
        found.append(run.entries[place.cursor - 1].event.name)
    assert set(found) == {"raft.election_started"} and place.wrong == "no vote after this"
    assert seek("previous vote", run).cursor < run.cursor
    assert "no own after" in seek("next own", run).wrong
    assert seek("next", recording(0)) == seek("next mark", recording(0))


@pytest.mark.parametrize("text", ["", "next nothing", "event 0", "event 9999", "1:2:3", "-", "1e9", "\x1b"])
def test_what_is_no_place_is_refused_and_says_what_is(text: str) -> None:
    found = seek(text, recording())
    assert found.wrong and found.cursor == -1
    assert seek("start", Recording()).wrong == "nothing has happened yet"


async def test_a_lecturer_marks_a_moment_of_a_recording_and_comes_back_to_it(tmp_path: Path) -> None:
    app, _ = made(tmp_path, live=False)
    async with app.run_test(size=(120, 40)) as pilot:
        app.commands.run("type", "seek next vote")
        await pilot.press("enter")
        assert "no vote after this" in rows(app)
        await pilot.press("ctrl+p", *"seek")
        app.commands.run("type", "seek previous epoch")
        await pilot.press("enter")
        assert "event " in rows(app) and not app.ui.recording.follows
        place = app.ui.recording.cursor
        await pilot.press("M", *"it", "space", *"won", "enter")
        assert "marked at" in rows(app)
        await pilot.press("end", "ctrl+o")
        shown = rows(app)
        assert "Jump" in shown and "your mark: it won" in shown
        marks = app.ui.recording.timeline.all_marks()
        assert app.ui.overlay_scroll == len(marks) - 1
        ups = len(marks) - 1 - next(at for at, mark in enumerate(marks) if mark.glyph == "M")
        await pilot.press(*["up"] * ups, "enter")
        assert app.ui.recording.cursor == place and "your mark: it won" in rows(app)
        assert app.ui.overlay is None and "your mark" in rows(app)
        await pilot.press("colon", *"kill", "space", "1", "enter")
        assert "a replay takes no commands, only" in rows(app)
        await pilot.press("escape", "ctrl+o", "4")
        assert app.ui.overlay is None and app.ui.zoom == "logs"
    assert (tmp_path / "marks.json").exists()


async def test_what_keys_open_words_open_too_and_no_word_hides_a_command(tmp_path: Path) -> None:
    app, lab = made(tmp_path, live=True)
    async with app.run_test(size=(120, 40)) as pilot:
        for word, title in (("help", "Help"), ("faults", "Faults and links"), ("jump", "Jump"), ("hold", "HELD")):
            app.commands.run("type", word)
            await pilot.press("enter")
            assert title in rows(app), word
        app.commands.run("type", "picture")
        await pilot.press("enter")
        assert "saved " in rows(app) and lab.commands == []
    assert list(tmp_path.glob("screen*.svg"))
    assert not {word.name for word in WORDS} & {command.verb for command in known_commands()}


async def test_the_words_of_a_lesson_are_offered_in_a_lesson_only(tmp_path: Path) -> None:
    app, lab = made(tmp_path, live=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("colon", *"answ")
        assert app.ui.mode == Typing()
        app.ui.lesson = True
        await pilot.press("e")
        assert app.ui.mode == Typing(("answer",))
        await pilot.press("r", "space", "c", "enter")
        assert "no lesson is open" in rows(app) and lab.commands == []
