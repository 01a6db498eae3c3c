"""The director's clock: decisions run slow, waiting runs fast. Knows no screen and no clock of its own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from workbench.session.recording import Recording
from workbench.session.steps.sequence import CALM_NS, Step

STEP_MS = 600
PACES_MS = (300, 400, 500, STEP_MS, 800, 1_000, 1_300, 1_600, 2_000)
"""How long a step may be shown."""
SILENCE_MS = 1_200
"""How long a silence of any length is shown."""
REST_MS = 2_000
"""After the last step, before the view goes back to the present."""
RETURN_MS = 1_000
"""How long the way back to the present takes."""
SILENT_NS = 30_000_000
"""From this length on the time between two steps is a silence."""
FAR_NS = 1 << 62
STEPS_TO_LEADER = 11
"""A new leader is not shown before so many steps' time after what took the one before: where fewer steps lie
between, each is shown longer. At the usual pace 6.6 s: frames come late on a busy machine."""
STEPS_MAX = 60
"""A direction that began by itself or went back from the present ends with so many steps."""
NEWS_NS = 3_000_000_000
"""What is older is not shown by itself: it was there before the screen, or was passed over."""
PATIENCE_MS = 6_000
"""How long the view waits at the present for a step of a story that is not over."""


class Beat(Enum):
    """What is shown at the moment."""

    SILENCE = "silence"
    """The time up to the next step, or up to the present when none is known."""
    STEP = "step"
    REST = "rest"
    RETURN = "return"


@dataclass(slots=True)
class Director:
    """Says for each instant of the wall clock which moment of the recording is on screen.

    It goes by steps: through a recorded run, or through what the present cluster did a moment ago while that runs on.
    """

    recording: Recording
    _is_on: bool = False
    _plays: bool = False
    beat: Beat = Beat.SILENCE
    step: int = 0
    """Index of the step in view or, in a silence, of the one that comes."""
    first: int = 0
    """Index of the step with which it began."""
    t_ns: int = 0
    """The moment in view."""
    cursor: int = 0
    """Entries up to it."""
    pace_ms: int = STEP_MS
    silences: int = 0
    """How many silences were shown."""
    silent_ns: int = 0
    """How long these were in the run."""
    _is_whole: bool = False
    """It goes on to the end of the recording, and stops there."""
    _run: int = 0
    """Of which the recording was at the last look."""
    _seen: int = 0
    """Steps that open nothing new any more."""
    _left_ns: int = FAR_NS
    """End of the last step when a direction came to its own end: what opened after it is still news."""
    _wall_ms: float = 0.0
    """At the last look."""
    _spent_ms: float = 0.0
    """Of the beat."""
    _waited_ms: float = 0.0
    """At the present, for a step to come."""
    _missing_ms: float = 0.0
    """Shown since a leader began to miss."""
    _from_cursor: int = 0
    _from_ns: int = 0
    """Where the silence or the way back began."""

    @property
    def is_on(self) -> bool:
        """Whether it says what is on screen; a run that was replaced by another is over for it."""
        return self._is_on and self._run == self.recording.run_count

    @property
    def is_playing(self) -> bool:
        """Whether it goes on by itself; else it stands at its moment."""
        return self._plays and self.is_on

    def watch(self, wall_ms: float, present_ns: int, *, may_begin: bool) -> bool:
        """Begin by itself where a story has just opened that is not shown yet; whether it does."""
        if self._run != self.recording.run_count:
            self.end()
            self._run, self._seen = self.recording.run_count, 0
        if self.is_on:
            return False
        steps, fresh = self._steps, self._seen
        self._seen = max(fresh, len(steps) - 1)  # the last may still take in what opens it
        least_ns = min(present_ns - NEWS_NS, self._left_ns)
        self._left_ns = FAR_NS
        opening = next((i for i in range(fresh, len(steps)) if steps[i].opens and steps[i].end_ns > least_ns), None)
        if opening is None or not may_begin:
            return False
        self.begin(self.recording.steps.beginning_of(opening), wall_ms)
        return True

    def again(self, wall_ms: float) -> bool:
        """Once more the last story; False when nothing has been lost or cut yet."""
        index = self._last_story(len(self._steps))
        if index is not None:
            self.begin(index, wall_ms)
        return index is not None

    def story_before(self, cursor: int) -> int | None:
        """Where in the recording the last story begins that opened before the cursor; None when there is none."""
        index = self._last_story(self.recording.steps.first_from(cursor))
        return None if index is None else self._steps[index].first

    def _last_story(self, count: int) -> int | None:
        """Index of the first step of the last story of the first steps; None when none of them opens one."""
        last = next((index for index in reversed(range(count)) if self._steps[index].opens), None)
        return self.recording.steps.beginning_of(last) if last is not None else None

    def begin(self, index: int, wall_ms: float) -> None:
        """From a step on, to the end of its story, then back to the present."""
        self._start(wall_ms, index, is_whole=False)
        self._show(index)

    def play_from(self, cursor: int, wall_ms: float) -> None:
        """From any place of a recorded run to its end."""
        self._start(wall_ms, 0, is_whole=True)
        entries = self.recording.entries
        t_ns = entries[max(0, min(cursor, len(entries)) - 1)].t_ns if entries else 0
        self._be_silent(self.recording.steps.first_from(cursor), cursor, t_ns)

    def _start(self, wall_ms: float, first: int, *, is_whole: bool) -> None:
        self._is_on = self._plays = True
        self._run, self.first, self._is_whole = self.recording.run_count, first, is_whole
        self._wall_ms, self._missing_ms, self.silences, self.silent_ns = wall_ms, 0.0, 0, 0

    def end(self) -> None:
        """Let the view go; where it is then is for others to say."""
        self._is_on = self._plays = False
        self._seen = len(self._steps)

    def play_or_stop(self) -> None:
        """Stand at the moment in view, or go on."""
        self._plays = not self._plays

    def walk(self, count: int) -> None:
        """To a step further on or back, and stand there."""
        here = self.step - (self.beat is Beat.SILENCE and count > 0)
        index = min(len(self._steps) - 1, max(0, here + count))
        self._plays = False
        if index >= 0:
            self.first = min(self.first, index)
            self._show(index)
            self._place(0)

    def hurry(self, direction: int) -> None:
        """Steps shorter (1) or longer (-1)."""
        place = PACES_MS.index(self.pace_ms) - direction
        self.pace_ms = PACES_MS[min(len(PACES_MS) - 1, max(0, place))]

    def look(self, wall_ms: float, present_ns: int) -> None:
        """Go to the moment that is due at that instant of the wall clock. present_ns: where the cluster is.

        Where looks come late, less time passes: no step goes by between two of them.
        """
        passed_ms, self._wall_ms = min(self.pace_ms, max(0.0, wall_ms - self._wall_ms)), wall_ms
        while self.is_playing and self._spent_ms + passed_ms >= self._due_ms:
            rest_ms = max(0.0, self._due_ms - self._spent_ms)
            passed_ms -= rest_ms
            self._pass(rest_ms)
            if not self._turn(present_ns):
                self._waited_ms += passed_ms
                self._missing_ms += passed_ms
                break
        else:
            if self.is_playing:
                self._pass(passed_ms)
        if self.is_playing:
            self._place(present_ns)

    @property
    def last(self) -> int:
        """Index of the last step that is known to belong to what is shown."""
        index = len(self._steps) - 1 if self._is_whole else min(self.step, len(self._steps) - 1)
        while self._goes_on(index + 1):
            index += 1
        return index

    @property
    def _steps(self) -> list[Step]:
        return self.recording.steps.all

    @property
    def _next(self) -> Step | None:
        """The step that the silence leads to, or that comes after the step in view; None when none is known."""
        index = self.step if self.beat is Beat.SILENCE else self.step + 1
        return self._steps[index] if self._goes_on(index) else None

    def _goes_on(self, index: int) -> bool:
        """Whether there is a step of that index and it is shown."""
        if index >= len(self._steps) or self._is_whole:
            return index < len(self._steps)
        belongs = index == self.first or not self.recording.steps.are_apart(index) or self._steps[index].opens
        return belongs and index - self.first < STEPS_MAX

    def _is_over(self, present_ns: int) -> bool:
        """Whether the story is known to have no further step."""
        last = self._steps[self.step - (self.beat is Beat.SILENCE)]
        index = self.step + (self.beat is not Beat.SILENCE)
        return index < len(self._steps) or not last.misses and present_ns - last.end_ns > CALM_NS

    @property
    def _due_ms(self) -> float:
        """How long the beat lasts."""
        coming = self._next
        if self.beat is Beat.SILENCE:
            end_ns = self.recording.timeline.end_ns if self._is_whole else FAR_NS
            until_ns = coming.t_ns if coming is not None else end_ns
            return 0.0 if until_ns - self._from_ns < SILENT_NS else SILENCE_MS
        if self.beat is Beat.STEP:
            return self._step_ms
        return REST_MS if self.beat is Beat.REST else RETURN_MS

    @property
    def _step_ms(self) -> float:
        """How long the step in view is shown: longer where few steps lie before the next leader."""
        steps, here = self._steps, self.step
        if not steps[here].misses:
            return self.pace_ms
        won = next((i for i in range(here + 1, min(len(steps), here + STEPS_MAX)) if not steps[i].misses), None)
        if won is None:
            return self.pace_ms
        silent_ms = SILENCE_MS * sum(self.silence_before(index) > 0 for index in range(here + 1, won + 1))
        left_ms = STEPS_TO_LEADER * self.pace_ms - silent_ms - (self._missing_ms - self._spent_ms)
        return min(PACES_MS[-1], max(self.pace_ms, left_ms / (won - here)))

    def silence_before(self, index: int) -> int:
        """Nanoseconds without a decision before a step; 0 where that is no silence."""
        passed_ns = self._steps[index].t_ns - self._steps[index - 1].end_ns if 0 < index < len(self._steps) else 0
        return passed_ns if passed_ns >= SILENT_NS else 0

    def _pass(self, ms: float) -> None:
        self._spent_ms += ms
        self._missing_ms += ms

    def _turn(self, present_ns: int) -> bool:
        """Go on to the next beat; False when there is none, or none yet."""
        match self.beat:
            case Beat.STEP:
                step = self._steps[self.step]
                self.t_ns, self.cursor = step.end_ns, step.last + 1
                if self._next is None and not self._is_whole and self._is_over(present_ns):
                    self._enter(Beat.REST)
                else:
                    self._be_silent(self.step + 1, self.cursor, self.t_ns)
            case Beat.SILENCE if (coming := self._next) is not None:
                if coming.t_ns - self._from_ns >= SILENT_NS:
                    self.silences += 1
                    self.silent_ns += coming.t_ns - self._from_ns
                self._show(self.step)
            case Beat.SILENCE if self._is_whole:
                self._place(present_ns)
                self._plays = False
                return False
            case Beat.SILENCE if self._is_over(present_ns):
                self.step -= 1
                self._enter(Beat.REST)
            case Beat.SILENCE:
                if self._waited_ms > PATIENCE_MS:
                    self.end()
                return False
            case Beat.REST if self._next is not None:
                self._be_silent(self.step + 1, self.cursor, self.t_ns)
            case Beat.REST:
                self._enter(Beat.RETURN)
            case Beat.RETURN:
                self.end()
                self._seen, self._left_ns = self.step + 1, self._steps[self.step].end_ns
                return False
            case _:
                assert_never(self.beat)
        return True

    def _enter(self, beat: Beat) -> None:
        self.beat, self._spent_ms, self._waited_ms = beat, 0.0, 0.0
        self._from_cursor, self._from_ns = self.cursor, self.t_ns

    def _be_silent(self, index: int, cursor: int, t_ns: int) -> None:
        """The time before a step, from a moment on."""
        self.step, self.cursor, self.t_ns = index, cursor, t_ns
        self._enter(Beat.SILENCE)

    def _show(self, index: int) -> None:
        step = self._steps[index]
        if step.misses and not (index and self._steps[index - 1].misses):
            self._missing_ms = 0.0
        self.step, self.cursor, self.t_ns = index, step.last + 1, step.t_ns
        self._enter(Beat.STEP)

    def _place(self, present_ns: int) -> None:
        """Where the beat stands by now."""
        entries, coming = self.recording.entries, self._next if self.beat is not Beat.RETURN else None
        until_ns, until = (coming.t_ns, coming.first) if coming is not None else (present_ns, len(entries))
        share = min(1.0, self._spent_ms / self._due_ms) if self._due_ms else 1.0
        match self.beat:
            case Beat.SILENCE | Beat.RETURN:
                self._go_to(self._from_ns + int(share * (until_ns - self._from_ns)), self._from_cursor, until)
            case Beat.STEP if coming is not None and not self.silence_before(self.step + 1):
                step = self._steps[self.step]
                self._go_to(step.end_ns + int(share * (until_ns - step.end_ns)), step.last + 1, until)
            case _:
                pass

    def _go_to(self, t_ns: int, least: int, most: int) -> None:
        """A moment, which is never before the one in view."""
        self.t_ns = max(self.t_ns, t_ns)
        self.cursor = max(self.cursor, min(most, max(least, self.recording.cursor_at(self.t_ns))))
