"""How often the screen is drawn: less often while little happens, frames take long, or the terminal is slow."""

from __future__ import annotations

from collections import deque

from workbench.tui.lateness import UNREAD_MAX

STEPS = (30, 15, 8, 4)
"""Frames a second."""
SLOW_SHARE = 0.5
"""Share of the time of a frame that drawing may take before the rate falls."""
SLOW_FRAMES_MAX = 30
CALM_FRAMES = 300
HURRIED_FRAMES = 45
STILL_FPS = STEPS[1]
"""Frames a second while little happens: what travels on the map is still seen to move."""
FEW_ENTRIES = 250
"""More than these in as many frames as a second has are not little."""
SLOW_TERMINAL, BUSY_MACHINE = "slow terminal", "busy machine"


class FrameRate:
    """Falls after many slow frames, rises again after many calm ones."""

    def __init__(self) -> None:
        self.fps = STEPS[0]
        self.because = ""
        """Why it is not the highest; empty when it is, or was asked for."""
        self._slow = self._unread = self._calm = 0

    def after(self, spent_s: float, unread: int, *, highest: int = STEPS[0]) -> bool:
        """Count one frame; tells whether the rate is another now.

        spent_s: what drawing it took. unread: writes that the terminal has not taken. highest: what is asked for.
        """
        before = self.fps
        is_unread = unread > UNREAD_MAX
        if is_unread or spent_s > SLOW_SHARE / self.fps:
            self._slow, self._unread, self._calm = self._slow + 1, self._unread + is_unread, 0
        else:
            self._slow, self._calm = max(0, self._slow - 1), self._calm + 1
            self._unread = min(self._unread, self._slow)
        place = STEPS.index(self.fps)
        if self._slow > SLOW_FRAMES_MAX and place + 1 < len(STEPS):
            because = SLOW_TERMINAL if self._unread * 2 > self._slow else BUSY_MACHINE
            self.begin(STEPS[place + 1], because)
        elif self._calm >= CALM_FRAMES and self.fps < highest:
            self.begin(STEPS[place - 1], self.because if STEPS[place - 1] < highest else "")
        return self.fps != before

    def begin(self, fps: int, because: str = "") -> None:
        """Draw so often from now on."""
        self.fps, self.because = fps, because
        self._slow = self._unread = self._calm = 0


class Stillness:
    """While nobody touches the screen and little happens, frames are left out; nearly all where nothing changes."""

    def __init__(self) -> None:
        self._hurries, self._left_out = HURRIED_FRAMES, 0
        self._drawn_of, self._changes = 0, True
        """Entries of the frame that was drawn last, and whether it was another than the one before."""
        self._entries: deque[int] = deque(maxlen=STEPS[0])
        self._seen = 0, -1

    @property
    def is_calm(self) -> bool:
        """Whether frames are left out now."""
        return not self._hurries

    def hurry(self) -> None:
        """Leave none out for a while: a key was pressed, or something came about."""
        self._hurries = HURRIED_FRAMES

    def is_due(self, fps: int, entries: int, marks: int, held_at: int = -1) -> bool:
        """Whether this frame is to be drawn.

        Args:
            fps: how many there are a second.
            entries: how many there are by now; marks as well.
            held_at: the entry at which the view is held; -1 while it is not.
        """
        self._entries.append(entries)
        if (marks, held_at) != self._seen or abs(entries - self._entries[0]) > FEW_ENTRIES:
            self._seen = marks, held_at
            self.hurry()
        least_fps = STILL_FPS if self._changes or entries != self._drawn_of else STEPS[-1]
        if self._hurries or (self._left_out + 1) * least_fps >= fps:
            self._hurries, self._left_out, self._drawn_of = max(0, self._hurries - 1), 0, entries
            return True
        self._left_out += 1
        return False

    def drew(self, rows: int) -> None:
        """So many rows of the frame are others than before."""
        self._changes = rows > 0
