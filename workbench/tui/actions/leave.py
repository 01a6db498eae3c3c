"""Leaving the screen: the question before a living cluster ends, its end, or the cluster left running."""

from __future__ import annotations

from workbench.support.safe_text import safe_text
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
            ui.asks_leave = True  # asked on the answer row, over whatever comes in meanwhile

    def answer_leave(self, key: str) -> None:
        """The key after the question: another one than its answers does nothing else, were it an n for no."""
        if key == "ctrl+q" or self.ui.keyboard.is_on("quit", key):
            self.action_leave()
        elif key == "y" and self.player is None:
            self.ui.asks_leave = False
            self.spawn(self._stay())
        else:
            self.ui.asks_leave = False

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
