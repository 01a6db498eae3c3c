"""Commands of a lesson: predict, do the step, go on from a hold point, turn the pages, try again."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from cluster.model.entry import Entry
from cluster.model.events import OperationFailed, OperationSucceeded, OperationUnknown
from workbench.course.glossary import Term, read_glossary, terms_of
from workbench.course.reading.question import misconceptions_in
from workbench.session.event_list import CLUSTER
from workbench.session.lesson.holds import Held
from workbench.session.lesson.page import NO_CHALLENGE
from workbench.session.lesson.pages import page_of
from workbench.session.lesson.player import STILL_RUNNING, LessonPlayer
from workbench.session.lesson.resuming import catch_up, missing_steps
from workbench.session.recording import Recording
from workbench.telling.tell import describe
from workbench.tui.answer import Answer, dim, info, warn
from workbench.tui.commands.classroom import ask_the_class
from workbench.tui.commands.context import Context, Group, Said, command
from workbench.tui.drawing.layout import is_small
from workbench.tui.modes import Comparison, Terms

NO_LESSON = dim("no lesson is open: workbench learn")
TALK_SEARCHED = 3000
"""Newest events in which the answers to clients are looked for."""
TASK_EVERY_S = 0.1
"""How often it is looked whether a task is done."""


class LessonCommands(Group):
    """Without a lesson each of them says so."""

    def __init__(self, context: Context, run: Callable[..., Said]) -> None:
        """run: carries out a command of any group, by its name."""
        super().__init__(context)
        self._run = run
        self._held: Held | None = None
        """Where the view was put."""
        self._known: tuple[Term, ...] | None = None
        """The glossary, once it was read."""
        self._task_at_s = 0.0
        self._filter = ""
        """Of the events, before a hold point set it aside."""
        self._cluster = 0
        """How many clusters there had been when a log was chosen last."""

    def follow(self) -> None:
        """What is due each frame: a step that begins by itself, a task that is done, the view at a hold point."""
        player = self.host.player
        if player is None:
            return
        if player.begin_what_is_due():
            self.context.to_the_present()
            self.host.spawn(self._play(player))
        if self._cluster != self.ui.recording.run_count:  # its logs are others
            self._cluster, self.ui.log_index = self.ui.recording.run_count, None
        self.ui.is_staged = player.has_holds_to_come
        now_s = monotonic()
        if now_s - self._task_at_s > TASK_EVERY_S:
            self._task_at_s = now_s
            player.look_at_task(now_s)
        if isinstance(self.ui.mode, Comparison):
            self._held = None  # both worlds are gone through together; whoever closes them is back where it is held
        else:
            self._hold(player.held)
        self.show_page()

    def _hold(self, held: Held | None) -> None:
        """Put the view where the lesson holds it, once its event is on the screen; or let it go."""
        ui, recording = self.ui, self.ui.recording
        if held == self._held or ui.director.is_on and (held is None or not held.pane):
            return
        if held is None:
            self._held = None
            recording.go_live()
            self._let_go()
            return
        index = recording.index_of(held.event) if held.event is not None else -1
        if index is None:
            return
        self._held = held
        if ui.director.is_on:
            ui.director.end()
            ui.answer = Answer()
        recording.seek(index + 1)
        self._let_go()
        ui.held_ns = recording.t_ns
        if held.pane:
            self.light(held, index)

    def _let_go(self) -> None:
        ui = self.ui
        ui.held_nodes, ui.held_talk, ui.held_ns = (), (), -1
        if self._filter:
            ui.events.set_filter(self._filter, ui.node)
            self._filter = ""

    def light(self, held: Held, index: int) -> None:
        """The pane shows what is to be seen, whatever was chosen in it before."""
        ui = self.ui
        ui.zoom, ui.held_nodes = "", held.nodes
        ui.log_back = ui.rows_back = ui.group_back = 0
        if held.pane == "quorum" or held.pane == "clients" and ui.view.groups:
            ui.side = held.pane  # it stays while the reveal is read
        logs = ui.view.shown_logs()
        if held.log is not None and held.log in logs:
            ui.log_index = logs.index(held.log)
        elif held.pane == "logs":
            ui.log_index = ui.log_place  # it stays while the reveal is read, whatever topics come meanwhile
        elif held.pane == "quorum" and ui.log_index == 0:
            ui.log_index = None  # votes are meant, not what the metadata log says
        if held.pane == "clients":
            ui.held_talk = talk_until(ui.recording, index)
        if held.pane == "events":
            if ui.events.is_story or not ui.events.passes(ui.recording.entries[index]):
                self._filter = ui.events.filter
                ui.events.set_filter(CLUSTER, ui.node)
            ui.events.choose(index)

    def show_page(self) -> None:
        """The player's page, from its first line when the step is another."""
        player, ui = self.host.player, self.ui
        if player is None:
            return
        player.class_votes = ui.room is not None
        before, ui.page = ui.page, page_of(player, ui.beliefs)
        if ui.page.step != before.step or not before.step:
            ui.terms = tuple(terms_of(player.step, self._glossary(player)))
        player.tell_viewers()
        if ui.room is not None:
            ask_the_class(ui.room, ui.page)
        if ui.page.step != before.step:
            ui.page_scroll = 0
            if is_small(*self.host.size) and not ui.page.look_at and not ui.text_beside:
                ui.main = "lesson"
        elif ui.page.verdict and not before.verdict or ui.page.after and not before.after:
            ui.page_scroll = -1
        elif len(ui.page.task) > len(before.task):
            ui.page_scroll = -1  # a hint has come: it may stand below what is in sight

    def _glossary(self, player: LessonPlayer) -> tuple[Term, ...]:
        if self._known is None:
            folder = player.lesson.folder.parent
            self._known, self.ui.beliefs = read_glossary(folder), misconceptions_in(folder)
        return self._known

    @property
    def is_asked(self) -> bool:
        """Whether a question is open in the pane that has the keys, and in sight."""
        return self.host.player is not None and self.ui.is_question_in_sight and self.ui.focus == "lesson"

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
        refusal = player.turn(count)
        self.show_page()
        return warn(refusal)

    @command
    def answer(self, letter: str) -> Said:
        """Choose a prediction; on the last page c is the challenge."""
        player = self.host.player
        if player is None:
            return NO_LESSON
        if player.is_last_page:
            return self._challenge(player) if letter == "c" else None
        if self.ui.page.is_open and not self.ui.is_question_in_sight:
            return warn(self.ui.keyboard.said("the question is not in sight: {lesson.toggle} shows it"))
        is_taken = player.predict(letter)
        refusal = "" if is_taken else "no such option" if self.ui.page.is_open else "no question is open"
        self.show_page()
        return dim(refusal)

    def _challenge(self, player: LessonPlayer) -> Said:
        if not player.lesson.challenge:
            return dim(NO_CHALLENGE)
        self.host.next_challenge = player.lesson.challenge
        return self._run("quit")

    @command
    def do(self) -> Said:
        """Go on from a hold point, run the step's commands, or go on when they are done."""
        player = self.host.player
        if player is None:
            return NO_LESSON
        if player.go_on():
            self.follow()
            return None
        if player.is_last_page:
            return self._next_lesson(player)
        refusal = player.why_not()
        if not refusal and player.is_done:
            return self.lesson_step(1)
        if not refusal:
            self.context.to_the_present()
            self.host.spawn(self._play(player))
        return warn(refusal)

    def _next_lesson(self, player: LessonPlayer) -> Said:
        return self._run("open_lesson", player.lesson.next) if player.lesson.next else self._run("leave")

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

    @command
    def terms(self) -> Said:
        """Open or close the terms of this step."""
        if self.host.player is None:
            return NO_LESSON
        self.ui.toggle(Terms())
        return None

    async def _play(self, player: LessonPlayer) -> None:
        await player.run_step()
        if self.ui.answer.text == STILL_RUNNING:
            self.ui.answer = Answer()
        self.show_page()

    def take_up(self) -> None:
        """What a lesson that was left had been through is played again before it goes on."""
        player = self.host.player
        if player is not None and missing_steps(player):
            self.ui.answer = info("taking up the lesson where you left it: its cluster is made again ...")
            self.host.spawn(self._catch_up(player))

    async def _catch_up(self, player: LessonPlayer) -> None:
        done = await catch_up(player)
        self.ui.answer = info("you left here the last time") if done else Answer()
        self.show_page()


def talk_until(recording: Recording, index: int) -> tuple[str, ...]:
    """What clients had asked and got by the event at that index, the newest last."""
    newest = recording.entries[max(0, index + 1 - TALK_SEARCHED) : index + 1]
    return tuple(describe(entry) for entry in newest if _is_answer(entry))


def _is_answer(entry: Entry) -> bool:
    """Whether a client got an answer, or none, to something that it did with records."""
    kinds = (OperationSucceeded, OperationFailed, OperationUnknown)
    return isinstance(entry.event, kinds) and entry.event.function in ("produce", "consume")
