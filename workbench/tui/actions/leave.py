"""Leaving the screen: the question before a living cluster ends, its end, or the cluster left running."""

from __future__ import annotations

from workbench.safe_text import safe_text
from workbench.tui.actions.world import WorldActions


class LeaveActions(WorldActions):
    """Mixed into the main screen, which owns session and state."""

    def action_leave(self) -> None:
        """Leave; a cluster of ours is ended first, step by step on the screen, one of processes only after a question.

        A simulated run comes again from its recording.
        """
        ui, was_asked = self.ui, self.ui.asks_leave
        ui.asks_leave = False
        if ui.ending or self.session.lab is None or not self.session.owns_lab:
            self.app.exit(0)
        elif was_asked or ui.starting or self.session.driver is not None or (self.player and self.player.is_finished):
            ui.ending = "the nodes leave in order ..."
            self.spawn(self._end())
        else:
            ui.asks_leave = True
            stays = "" if self.player else "y leaves it running, "
            ui.answer = f"{ui.keyboard.sign('quit')} again ends the cluster; {stays}any other key stays here", "warn"

    def answer_leave(self, key: str) -> bool:
        """The key after the question; false when it has still to be carried out."""
        if key == "ctrl+q" or self.ui.keyboard.is_on("quit", key):
            self.action_leave()
        elif key == "y" and self.player is None:
            self.ui.asks_leave = False
            self.spawn(self._stay())
        else:
            self.ui.asks_leave, self.ui.answer = False, ("", "dim")
            return key == "escape"
        return True

    async def _stay(self) -> None:
        """The cluster outlives its screen."""
        try:
            await self.session.keep_lab()
        except (OSError, EOFError) as error:
            self.ui.answer = f"it cannot be left running: {safe_text(str(error), 200)}", "bad"
            return
        self.app.exit(0)

    async def _end(self) -> None:
        await self.session.end_lab()
        self.ui.ending = "the run has ended"
        self.app.exit(0)
