"""The actions of a lesson: predict, do the step, turn the pages, try again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Coroutine
from typing import Any

from textual.screen import Screen

from workbench.session.lesson.player import STILL_RUNNING, LessonPlayer
from workbench.tui.ui_state import UiState

NO_LESSON = "no lesson is open: workbench learn"


class LessonActions(Screen[None]):
    """Mixed into the main screen."""

    ui: UiState
    player: LessonPlayer | None = None

    @abstractmethod
    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine beside the screen."""

    def show_page(self) -> None:
        """The player's page, from its first line when the step is another."""
        if self.player is None:
            return
        before, self.ui.page = self.ui.page, self.player.page()
        self.player.tell_viewers()
        if self.ui.page.step != before.step:
            self.ui.page_scroll = 0
        elif (self.ui.page.script, self.ui.page.verdict) != (before.script, before.verdict):
            self.ui.page_scroll = -1

    def action_lesson(self) -> None:
        """Show the lesson alone, or all panes again."""
        self.ui.zoom = "" if self.ui.zoom == "lesson" else "lesson"
        if self.ui.lesson:
            self.ui.focus = "lesson"

    def action_lesson_step(self, count: int) -> None:
        """Next or previous step."""
        player = self.player
        if player is None:
            self.ui.answer = NO_LESSON, "dim"
            return
        said = player.turn(count)
        self.ui.answer = said, "warn"
        self.show_page()

    def is_answer(self, key: str) -> bool:
        """Whether b, which goes back as well, answers now."""
        page = self.ui.page
        is_asked = self.player is not None and page.is_open and self.ui.focus == "lesson" and len(page.choices) > 1
        return key == "b" and is_asked and self.ui.keyboard.is_on("lesson.back", key)

    def action_answer(self, letter: str) -> None:
        """Choose a prediction."""
        if self.player is None:
            self.ui.answer = NO_LESSON, "dim"
            return
        said = (
            "" if self.player.predict(letter) else "no such option" if self.ui.page.is_open else "no question is open"
        )
        self.ui.answer = said, "dim"
        self.show_page()

    def action_do(self) -> None:
        """Run the step's commands, or go on when they are done."""
        player = self.player
        if player is None:
            self.ui.answer = NO_LESSON, "dim"
            return
        said = player.why_not()
        self.ui.answer = said, "warn"
        if said:
            return
        if player.is_done:
            self.action_lesson_step(1)
        else:
            self.spawn(self._play(player))

    def action_retry(self) -> None:
        """Try the part of the step that was not reached once more."""
        player = self.player
        if player is None:
            self.ui.answer = NO_LESSON, "dim"
        elif not player.has_failed:
            self.ui.answer = "nothing to try again", "dim"
        else:
            self.spawn(self._play(player))

    async def _play(self, player: LessonPlayer) -> None:
        await player.run_step()
        if self.ui.answer[0] == STILL_RUNNING:
            self.ui.answer = "", "dim"
        self.show_page()
