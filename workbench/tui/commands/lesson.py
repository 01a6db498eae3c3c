"""Commands of a lesson: predict, do the step, turn the pages, try again."""

from __future__ import annotations

from workbench.session.lesson.player import STILL_RUNNING, LessonPlayer
from workbench.tui.answer import Answer, dim, warn
from workbench.tui.commands.context import Group, Said, command

NO_LESSON = dim("no lesson is open: workbench learn")


class LessonCommands(Group):
    """Without a lesson each of them says so."""

    def show_page(self) -> None:
        """The player's page, from its first line when the step is another."""
        player, ui = self.host.player, self.ui
        if player is None:
            return
        before, ui.page = ui.page, player.page()
        player.tell_viewers()
        if ui.page.step != before.step:
            ui.page_scroll = 0
        elif (ui.page.script, ui.page.verdict) != (before.script, before.verdict):
            ui.page_scroll = -1

    @property
    def is_asked(self) -> bool:
        """Whether a question is open in the pane that has the keys."""
        return self.host.player is not None and self.ui.page.is_open and self.ui.focus == "lesson"

    @command
    def lesson(self) -> None:
        """Show the lesson alone, or all panes again."""
        self.ui.zoom = "" if self.ui.zoom == "lesson" else "lesson"
        if self.ui.lesson:
            self.ui.focus = "lesson"

    @command
    def lesson_step(self, count: int) -> Said:
        """Next or previous step."""
        player = self.host.player
        if player is None:
            return NO_LESSON
        said = player.turn(count)
        self.show_page()
        return warn(said)

    @command
    def answer(self, letter: str) -> Said:
        """Choose a prediction."""
        player = self.host.player
        if player is None:
            return NO_LESSON
        is_taken = player.predict(letter)
        said = "" if is_taken else "no such option" if self.ui.page.is_open else "no question is open"
        self.show_page()
        return dim(said)

    @command
    def do(self) -> Said:
        """Run the step's commands, or go on when they are done."""
        player = self.host.player
        if player is None:
            return NO_LESSON
        said = player.why_not()
        if not said and player.is_done:
            return self.lesson_step(1)
        if not said:
            self.context.to_the_present()
            self.host.spawn(self._play(player))
        return warn(said)

    @command
    def retry(self) -> Said:
        """Try the part of the step that was not reached once more."""
        player = self.host.player
        if player is None:
            return NO_LESSON
        if not player.has_failed:
            return dim("nothing to try again")
        self.host.spawn(self._play(player))
        return None

    async def _play(self, player: LessonPlayer) -> None:
        await player.run_step()
        if self.ui.answer.text == STILL_RUNNING:
            self.ui.answer = Answer()
        self.show_page()
