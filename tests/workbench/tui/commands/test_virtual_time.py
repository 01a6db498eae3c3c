"""Virtual time obeys the screen."""

from __future__ import annotations

from pathlib import Path

from tests.support.screens.bare_host import BareHost
from tests.support.worlds.paced_world import TOPIC, Watched, played
from workbench.tui.commands.context import Context
from workbench.tui.commands.virtual_time import TimeCommands
from workbench.tui.ui_state import UiState


def test_a_hunt_for_a_mark_can_be_stopped_by_what_halts_time(tmp_path: Path) -> None:
    async def story() -> None:
        world = Watched(tmp_path)
        await world.send(TOPIC)
        host = BareHost((120, 40))
        ui = UiState(world.session.recording, pace=world.pace, seed=7)
        time = TimeCommands(Context(world.session, ui, host))
        time.advance("mark")
        world.turn()
        said = time.halt()
        world.turn()
        told = len(world.session.recording.entries)
        world.turn()
        assert said is not None and "time is halted" in said.text and world.pace.is_halted
        assert len(world.session.recording.entries) == told and not world.pace.runs_to
        await world.lab.close()

    played(story)
