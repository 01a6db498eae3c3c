"""Lines of the story. A line may be said anew; a viewer who looks back sees it as it was then."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

Key: TypeAlias = tuple[Hashable, ...]
STORY, DETAILS = "story", "details"
"""Levels of telling: what somebody has to know to follow the play, and what else belongs to it."""
SAID_MAX = 64
"""Wordings of one line that are kept: the first and the newest."""


class Said(NamedTuple):
    """One wording of a line."""

    place: int
    """Of the entry that said it, in the recording."""
    t_ns: int
    text: str
    times: int = 1
    """How often it was said so far."""
    since_ns: int = 0
    """When what it measures began, while that goes on: `{}` in the text is its length. 0 when nothing runs."""

    def words(self, now_ns: int) -> str:
        """The text at an instant."""
        if self.since_ns:
            return self.text.replace("{}", f"{seconds(max(0, now_ns - self.since_ns))} so far")
        return f"{self.text} \u00d7{self.times}" if self.times > 1 else self.text


@dataclass(slots=True)
class Line:
    """One line, with every wording that it had."""

    key: Key
    """What it is about, its kind first: the same said again is the same line."""
    level: str = STORY
    glyph: str = ""
    tone: str = "info"
    said: list[Said] = field(default_factory=list)

    def say(self, place: int, t_ns: int, text: str, since_ns: int = 0) -> None:
        """Say it, or say it again; the same words are counted."""
        before = self.said[-1] if self.said else None
        is_again = before is not None and before.text == text and not since_ns
        times = before.times + 1 if before is not None and is_again else 1
        self.said.append(Said(place, t_ns, text, times, since_ns))
        if len(self.said) > SAID_MAX:
            del self.said[1]

    @property
    def first(self) -> Said:
        """When it was said first."""
        return self.said[0]

    def at(self, cursor: int) -> Said | None:
        """Its wording once so many entries were told; None before it was said."""
        found = bisect_left(self.said, cursor, key=_place)
        return self.said[found - 1] if found else None


_place: Callable[[Said], int] = lambda said: said.place  # noqa: E731


def seconds(duration_ns: int) -> str:
    """A duration as a person says it: 0.577 s below one second, 1.48 s below ten, then 41.3 s and whole ones."""
    duration_s = duration_ns / 1e9
    digits = 3 if duration_s < 1 else 2 if duration_s < 10 else 1 if duration_s < 100 else 0
    return f"{duration_s:.{digits}f} s"


def instant(run_ns: int) -> str:
    """When it was, since the run began, in six columns: 41.3, then 1:05.3, from ten minutes on 11:25, as the clock."""
    minutes, rest = divmod(round(max(0, run_ns) / 1e8), 600)
    if not minutes:
        return f"{max(0, run_ns) / 1e9:.1f}"
    return f"{minutes}:{rest / 10:04.1f}" if minutes < 10 else f"{minutes}:{rest // 10:02d}"
