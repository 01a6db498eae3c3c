"""Where the view is to hold by itself: at the next vote, epoch, cut, change of an ISR. Knows no screen."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.session.recording import Recording
from workbench.session.timeline import LOST, Mark
from workbench.telling.telling import ABORT, MOVE

MARK_GLYPHS = {
    "vote": "V",
    "epoch": "E",
    "cut": "\u2702",
    "isr": "-+",
    "fault": "KPF",
    "rebalance": "R",
    "move": MOVE,
    "abort": ABORT,
    "lost": LOST,
}
"""Word -> the timeline's marks that it means."""
OFF = "off"


@dataclass(slots=True)
class BreakPoint:
    """What the teacher waits for; stays until it is taken away."""

    kinds: tuple[str, ...] = ()
    seen: int = 0
    """Marks that cannot hold the view any more."""
    run: int = 0
    """Of which the recording was then: a lesson begins several."""

    def set(self, text: str, recording: Recording) -> str:
        """Take in what was typed after the word; what is wrong with it, or nothing."""
        words = tuple(dict.fromkeys(text.removeprefix("on ").replace(",", " ").split()))
        if words == (OFF,):
            self.kinds = ()
            return ""
        if not words or not set(words) <= set(MARK_GLYPHS):
            return f"break {' | '.join(MARK_GLYPHS)}, several of them, or break {OFF}"
        self.kinds, self.seen, self.run = words, len(recording.timeline.marks), recording.run_count
        return ""

    def reached(self, recording: Recording) -> Mark | None:
        """The mark at which the view is to hold now: the first of its kind that came while the view followed."""
        marks = recording.timeline.marks
        if self.run != recording.run_count:
            self.run, self.seen = recording.run_count, 0
        if self.kinds and recording.follows:
            glyphs = "".join(MARK_GLYPHS[kind] for kind in self.kinds)
            next_mark = next((mark for mark in marks[self.seen :] if mark.glyph in glyphs), None)
            if next_mark is not None:
                self.seen = marks.index(next_mark) + 1
                return next_mark
        self.seen = len(marks)
        return None
