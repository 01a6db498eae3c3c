"""A key that can do nothing now says why."""

from __future__ import annotations

from pathlib import Path

from tests.support.screens.screen_app import made, rows
from workbench.tui.answer import Answer
from workbench.tui.modes import Typing

KEYS = [
    ("n", "no lesson is open"),
    ("a", "no lesson is open"),
    ("R", "no lesson is open"),
    ("A", "in presenter mode only"),
    ("G", "no consumer group"),
    ("x", "a link has two ends"),
    ("y", "a link has two ends"),
    ("B", "only a simulated run can be branched"),
    ("g", "real processes keep their own time"),
]


async def test_a_key_without_anything_to_do_says_why(tmp_path: Path) -> None:
    app, lab = made(tmp_path, live=True)

    async with app.run_test(size=(120, 40)) as pilot:
        for key, told in KEYS:
            app.ui.answer = Answer()
            await pilot.press(key)
            assert told in " ".join(rows(app).split()), key
        app.ui.node = next(iter(app.ui.view.nodes))
        app.ui.recording.live.nodes[app.ui.node].roles = ("controller",)
        await pilot.press("L")
        assert "choose a broker" in rows(app), "no Kafka client talks to a controller"
        assert not isinstance(app.ui.mode, Typing)
    assert lab.commands == []
