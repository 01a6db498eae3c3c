"""Commands on the director's clock: once more and slowly, play and stop, longer and shorter steps."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE
from workbench.session.director import Beat
from workbench.session.score import moment_words
from workbench.session.steps.sequence import Step
from workbench.session.story.headline import told_of
from workbench.telling.reasons import fact_of
from workbench.telling.words import node_name
from workbench.tui.answer import Answer, bad, dim, info, warn
from workbench.tui.break_point import OFF
from workbench.tui.commands.context import Context, Group, Said, command
from workbench.tui.modes import AskingToLeave, Ending, Loading, Starting

NOTHING = "nothing has happened yet that could be shown slowly: no leader was lost, no log cut"
ON = "on"
ROOM = 30
"""Columns of the answer row that others need."""
KEYS = "  \u2502  {view.pause} %s  {step.back} {step.on} step  {direct.slower} {direct.faster} pace  {scrub.live} %s"


class DirectionCommands(Group):
    """A direction shows the recording; the cluster runs on meanwhile."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._wall_ms = 0.0
        self._placed: int | None = None
        """Where the view was put last; None before a direction has put it anywhere."""
        self._told: tuple[int, bool] = (-1, False)
        """Step and state that the answer row tells."""
        self._said = Answer()
        self._before = Answer()
        """What the answer row told when the direction began: it gives way."""

    def direct(self, wall_ms: float) -> None:
        """Once a frame: begin where a story opens, and be at the moment that is due."""
        ui, director, recording = self.ui, self.ui.director, self.ui.recording
        self._wall_ms = wall_ms
        if director.is_on and self._placed is not None and self._is_elsewhere():
            director.end()
        if not director.is_on:
            self._placed, self._before, ui.bets.open = None, ui.answer, None
        if director.watch(wall_ms, ui.present_ns, may_begin=self._may_begin()):
            self._placed = None
        if not director.is_on:
            return
        director.look(wall_ms, ui.present_ns)
        if director.is_on:
            recording.seek(director.cursor)
            self._placed = recording.cursor
            self._bet()
            self._tell()
        else:
            recording.go_live()
            if ui.answer == self._said:
                ui.answer = Answer()

    def _bet(self) -> None:
        """Stop once before an incident that one may bet on; say what came of a bet."""
        bets, director, recording = self.ui.bets, self.ui.director, self.ui.recording
        if said := bets.settle(recording):
            self.ui.answer = info(said)
        elif director.is_playing and (bet := bets.ask(recording)) is not None:
            director.play_or_stop()
            self.ui.answer = info(self.ui.keyboard.said(f"{bet.question}   {{view.pause}} skips"))

    def place_bet(self, number: int) -> Said:
        """Bet on an option of the open bet; then it is played on."""
        bets, director = self.ui.bets, self.ui.director
        node = bets.place(number)
        if node == NO_NODE:
            return warn("there is no such option; the keys of all stand beside them")
        if director.is_on and not director.is_playing:
            director.play_or_stop()
        return info(f"you bet on {node_name(node)}")

    @command
    def bets(self, text: str) -> Said:
        """Have what is directed stop for bets, or no more."""
        bets = self.ui.bets
        if text not in ("", ON, OFF):
            return bad(f"bets {ON} | {OFF}")
        bets.is_on, bets.open = text != OFF, None
        score = f"   {bets.right} of {bets.count} were right" if bets.count else ""
        how = f"when a leader is lost, one key says who will win{score}" if bets.is_on else f"no more bets{score}"
        return info(how)

    def _is_elsewhere(self) -> bool:
        """Whether the view was moved by anybody else."""
        recording = self.ui.recording
        return recording.follows or recording.cursor != self._placed

    def _may_begin(self) -> bool:
        """By itself; a lesson holds the view where it wants to be seen."""
        ui = self.ui
        is_live = not (ui.replay or ui.ended or ui.reading or ui.lesson) and ui.recording.follows
        is_busy = isinstance(ui.mode, Starting | Loading | Ending | AskingToLeave)
        is_watched = ui.break_point.kinds or ui.pace is not None and ui.pace.is_halted
        return ui.directs and is_live and not is_busy and not is_watched and not ui.is_staged

    def _tell(self) -> None:
        """The step in view on the answer row, when it is another or stands still now."""
        director, now = self.ui.director, (self.ui.director.step, self.ui.director.is_playing)
        if director.beat is Beat.SILENCE and director.is_playing or now == self._told:
            return
        self._told = now
        answer = self.ui.answer
        if answer not in (self._said, self._before) and not answer.text.startswith(": "):
            return
        steps = director.recording.steps.all
        what = f": {self._words_of(steps[min(director.step, len(steps) - 1)])}" if steps else ""
        keys = KEYS % ("stop" if director.is_playing else "play", "last event" if self.ui.replay else "the present")
        text, keys = f"{moment_words(director)}{what}", self.ui.keyboard.said(keys)
        has_room = not director.is_playing or len(text) + len(keys) + ROOM <= self.host.size[0]
        self._said = self.ui.answer = info(text + keys if has_room else text)

    def _words_of(self, step: Step) -> str:
        """As the story tells it; of what it does not tell what the event says."""
        recording = self.ui.recording
        return told_of(recording.story, step.first, step.last) or fact_of(recording.entries[step.words[-1].place])

    @command
    def again(self) -> Said:
        """What happened last, once more and slowly; of a recorded run what happened last before the view."""
        director, recording = self.ui.director, self.ui.recording
        self._placed, self._told = None, (-1, False)
        if not self.ui.replay:
            return None if director.again(self._wall_ms) else dim(NOTHING)
        place = director.story_before(recording.cursor)
        if place is None:
            return dim(NOTHING)
        director.play_from(place, self._wall_ms)
        return None

    def play_or_stop(self) -> Said:
        """Go on with what is directed or stand still; a recorded run plays from the event in view."""
        director, recording = self.ui.director, self.ui.recording
        self._told, self.ui.bets.open = (-1, False), None
        if not director.is_on or not director.is_playing and recording.cursor >= len(recording.entries):
            at_end = recording.cursor >= len(recording.entries)
            self._placed = None
            director.play_from(1 if at_end else recording.cursor, self._wall_ms)
        else:
            director.play_or_stop()
        return None

    @command
    def hurry(self, direction: int) -> Said:
        """Shorter or longer steps."""
        director = self.ui.director
        director.hurry(direction)
        return info(f"a step is shown for {director.pace_ms / 1000:g} s")
