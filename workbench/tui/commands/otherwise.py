"""Commands on the other world of a wrong answer: it is played in a simulation, then both runs are compared."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from cluster.scenario.runner import NotStarted
from workbench.course.content import OtherWorld
from workbench.course.other_world import in_words
from workbench.session.lesson.markdown import plain_prose
from workbench.session.lesson.otherwise import IN_NO_RUN, NO_OTHER_WORLD, is_wrong, play_world, world_of
from workbench.session.lesson.player import LessonPlayer
from workbench.session.paced import paced
from workbench.support.places import home_of
from workbench.support.platform import in_background
from workbench.support.safe_text import safe_text
from workbench.tui.answer import bad, dim, info, warn
from workbench.tui.commands.context import Context, Group, Said, command
from workbench.tui.commands.worlds import WorldCommands
from workbench.tui.modes import Watching


class Played(NamedTuple):
    """The newest world that was played, and what it is compared with."""

    world: OtherWorld
    own: Path
    """The run of the learner's step."""
    other: Path
    caption: str
    length_ns: int
    """How much of the other run is shown."""


class OtherwiseCommands(Group):
    """One world at a time; the lesson goes on meanwhile."""

    def __init__(self, context: Context, worlds: WorldCommands) -> None:
        """worlds: shows two runs side by side."""
        super().__init__(context)
        self._worlds = worlds
        self._is_busy = False
        self._played: Played | None = None

    @command
    def would(self) -> Said:
        """When would the answer be right? The first such world of it, beside this one."""
        player, ui = self.host.player, self.ui
        world = world_of(player) if player is not None else None
        if player is None or ui.presenting and not ui.answers_shown:
            return dim(NO_OTHER_WORLD)
        if world is None:
            return dim(IN_NO_RUN if is_wrong(player) else NO_OTHER_WORLD)
        if player.held is not None and player.held.pane:
            return dim(ui.keyboard.said("first see what this run does: {enter} goes on"))
        played, own = self._played, self._run_of(player)
        if played is not None and (played.own, played.world) == (own, world) and played.other.is_dir():
            self._show(played)
            return None
        if self._is_busy:
            return warn("another world is being played: one at a time")
        self._is_busy = True
        self.host.spawn(self._play(player, player.at, world, own))
        changes = safe_text(player.with_names(in_words(world)), 300)
        return dim(f"playing this once more in a simulation, with: {changes} ...")

    async def _play(self, player: LessonPlayer, at: int, world: OtherWorld, folder: Path) -> None:
        """at: index of the step. folder: the run of it."""
        ui, step = self.ui, player.lesson.steps[at]
        if (virtual := paced(self.session.lab)) is not None:
            virtual.flush()
        own = ui.recording.timeline
        own_ns = own.end_ns - own.start_ns if folder == self.session.run_folder else 0
        try:
            played = await in_background(play_world, player, step, world, home_of(folder), ui.seed or 0)
        except (NotStarted, OSError) as error:
            ui.answer = bad(f"it cannot be played: {safe_text(str(error), 300)}")
            return
        finally:
            self._is_busy = False
        assert step.question is not None
        answer = next(option.text for option in step.question.options if world in option.would)
        changes = safe_text(player.with_names(in_words(world)), 300)
        caption = f'"{safe_text(plain_prose(answer), 200)}" is right in B, with: {changes}'
        length_ns = max(own_ns, played.length_ns) if played.length_ns else 0
        self._played = Played(world, folder, played.run_folder, caption, length_ns)
        if self.host.player is player and player.at == at and isinstance(ui.mode, Watching):
            self._show(self._played)
        elif self.host.player is player:
            ui.answer = info(ui.keyboard.said(f"the world of step {at + 1} is played: {{lesson.would}} there shows it"))

    def _run_of(self, player: LessonPlayer) -> Path:
        """The run of the step on screen: a later step may have begun another cluster."""
        current = self.session.run_folder
        return current.with_name(player.own.run) if player.own.run else current

    def _show(self, played: Played) -> None:
        titles = "as it was", "where you are right"
        self._worlds.show_runs(played.own, played.other, titles, played.caption, length_ns=played.length_ns)
