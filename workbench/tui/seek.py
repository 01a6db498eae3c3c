"""Where `seek` goes in a recording: a time, some seconds on, a mark of a kind, an event by number. Knows no screen."""

from __future__ import annotations

import re
from typing import NamedTuple

from workbench.session.recording import Recording
from workbench.session.timeline import OWN
from workbench.tui.break_point import MARK_GLYPHS

FORM = "seek 00:41.2 | +5 | next vote | previous own | start | end | event 100"
WAYS = {"next": 1, "previous": -1, "prev": -1}
_TIME = re.compile(r"([+-]?)(?:(\d{1,4}):)?(\d{1,9}(?:\.\d{1,9})?)s?")
_EVENT = re.compile(r"event (\d{1,9})")


def is_time(text: str) -> bool:
    """Whether it names a moment from the start of a run."""
    return _TIME.fullmatch(text) is not None and text[0] not in "+-"


class Found(NamedTuple):
    """Where to go."""

    cursor: int = -1
    """Entries before it and itself; -1 for nowhere."""
    live: bool = False
    """To the newest event, and on with it."""
    wrong: str = ""


def seek(text: str, recording: Recording) -> Found:
    """The place that the text names, as seen from the event in view."""
    words = " ".join(text.split())
    if not recording.entries:
        return Found(wrong="nothing has happened yet")
    if words in ("end", "live"):
        return Found(live=True)
    if words == "start":
        return Found(1)
    way, _, kind = words.partition(" ")
    if way in WAYS:
        return _mark(WAYS[way], kind or "mark", recording)
    event = _EVENT.fullmatch(words)
    if event:
        number = int(event[1])
        if not 1 <= number <= len(recording.entries):
            return Found(wrong=f"there are events 1 to {len(recording.entries)}")
        return Found(number)
    time = _TIME.fullmatch(words)
    return _at(time, recording) if time else Found(wrong=FORM)


def _mark(way: int, kind: str, recording: Recording) -> Found:
    if kind not in ("mark", "own", *MARK_GLYPHS):
        return Found(wrong=f"there are marks of {', '.join((*MARK_GLYPHS, 'own'))}; mark is any of them")
    glyphs = OWN if kind == "own" else MARK_GLYPHS.get(kind, "")
    timeline, here = recording.timeline, recording.cursor - 1
    mark = timeline.next_mark(here, glyphs) if way > 0 else timeline.previous_mark(here, glyphs)
    if mark is None:
        return Found(wrong=f"no {'more ' if kind == 'mark' else ''}{kind} {'after' if way > 0 else 'before'} this")
    return Found(mark.place + 1)


def _at(time: re.Match[str], recording: Recording) -> Found:
    sign, minutes, seconds = time.groups()
    wanted_ns = int(int(minutes or 0) * 60e9 + float(seconds) * 1e9)
    start_ns, end_ns = recording.timeline.start_ns, recording.timeline.end_ns
    base_ns = recording.t_ns if sign else start_ns
    t_ns = base_ns - wanted_ns if sign == "-" else base_ns + wanted_ns
    if t_ns > end_ns:
        return Found(wrong=f"the run ends at {recording.seconds(end_ns):.3f} s")
    return Found(max(1, recording.cursor_at(max(t_ns, start_ns))))
