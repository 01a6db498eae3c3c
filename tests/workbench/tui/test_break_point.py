"""`break`: the view holds by itself at what a teacher waits for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.screens.screen_app import made, rows, shows
from tests.support.traces import story
from workbench.session.recording import Recording
from workbench.tui.break_point import BreakPoint

ENTRIES = story.full_story()


def followed(text: str, *, held_until: int = 0) -> list[str]:
    """The marks at which the view holds while the story comes in bit by bit, each let go at once."""
    recording, point, found = Recording(), BreakPoint(), []
    assert point.set(text, recording) == ""
    for place, entry in enumerate(ENTRIES):
        recording.extend([entry])
        if place < held_until:
            recording.pause()
        while (mark := point.reached(recording)) is not None:
            found.append(mark.glyph)
            recording.seek(mark.place + 1)
            recording.go_live()
        recording.go_live()
    return found


def test_the_view_holds_at_each_mark_of_the_kinds_that_were_named() -> None:
    assert followed("vote") == ["V", "V", "V", "V"]
    assert followed("epoch, cut") == ["E", "E", "\u2702"]
    assert followed("off") == []


def test_what_comes_while_the_view_is_held_does_not_hold_it_again() -> None:
    assert followed("vote epoch", held_until=len(ENTRIES)) == []


def test_another_run_begins_anew() -> None:
    recording, point = Recording(), BreakPoint()
    recording.extend(ENTRIES)
    point.set("epoch", recording)
    assert point.reached(recording) is None
    recording.reset()
    recording.extend(ENTRIES[:60])
    found = point.reached(recording)
    assert found is not None and found.glyph == "E"


@pytest.mark.parametrize("text", ["", "votes", "vote off", "vote\x1b"])
def test_what_is_no_kind_is_refused_with_those_there_are(text: str) -> None:
    point = BreakPoint()
    assert point.set(text, Recording()) == (
        "break vote | epoch | cut | isr | fault | rebalance | move | abort | lost, several of them, or break off"
    )
    assert point.kinds == ()


async def test_a_teacher_types_it_and_the_screen_holds(tmp_path: Path) -> None:
    app, lab = made(tmp_path, live=True)
    app.session.recording.reset()
    app.session.recording.extend(ENTRIES[:20])
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("colon", *"break", "space", *"epoch", "enter")
        assert "the view holds at the next epoch" in rows(app) and "holds at epoch" in rows(app)
        app.session.recording.extend(ENTRIES[20:])
        await shows(pilot, app, "held at: n")
        assert "\u2016 HELD" in rows(app) and app.ui.recording.entries[app.ui.recording.cursor - 1].event.name == (
            "raft.leader_elected"
        )
        await pilot.press("space")
        assert "\u25cf LIVE" in rows(app)
    assert lab.commands == []
