"""Marks that a viewer sets at events of a run. They stay with its recording, as a small file in its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cluster.model.entry import EventId
from workbench.session.recording import Recording
from workbench.session.timeline import OWN, Mark
from workbench.support.safe_text import safe_text
from workbench.support.state_files import read_state, write_state

FILE = "marks.json"
TEXT_MAX = 80
COUNT_MAX = 200


class Bookmarks:
    """Puts the marks of the run on screen onto its timeline, and keeps new ones."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._folder = Path()
        self._run = 0
        """Of which the recording was then."""
        self._waiting: dict[EventId, str] = {}
        """Marks at events that have not been read yet."""

    def follow(self, run_folder: Path) -> None:
        """The run on screen: read its marks once, and set those whose events are there by now."""
        recording = self._recording
        if (run_folder, recording.run_count) != (self._folder, self._run):
            self._folder, self._run = run_folder, recording.run_count
            self._waiting = _read(run_folder / FILE) if run_folder.name else {}
        for event in [event for event in self._waiting if recording.index_of(event) is not None]:
            self._set(event, self._waiting.pop(event))

    def add(self, text: str) -> str:
        """Mark the event in view; what went wrong, or nothing."""
        place = self._recording.cursor - 1
        if place < 0:
            return "there is nothing before the first event"
        if len(self._recording.timeline.own) + len(self._waiting) >= COUNT_MAX:
            return f"a run has {COUNT_MAX} marks of yours at most: mark off takes one away"
        self._set(self._recording.entries[place].id, text)
        return self._keep()

    def remove(self) -> str:
        """Take away the mark at the event in view; what went wrong, or nothing."""
        if not self._recording.timeline.remove_own(self._recording.cursor - 1):
            return "no mark of yours is here: {scrub.mark.previous} and {scrub.mark.next} go to marks"
        return self._keep()

    def _set(self, event: EventId, text: str) -> None:
        place = self._recording.index_of(event)
        assert place is not None, "an event that is marked was read"
        entry = self._recording.entries[place]
        self._recording.timeline.add_own(Mark(entry.t_ns, place, OWN, safe_text(text, TEXT_MAX)))

    def _keep(self) -> str:
        if not self._folder.name:
            return ""
        entries = self._recording.entries
        placed = {entries[mark.place].id: mark.text for mark in self._recording.timeline.own}
        marks = [{"event": list(event), "text": text} for event, text in (placed | self._waiting).items()]
        try:
            write_state(self._folder / FILE, {"marks": marks})
        except OSError as error:
            return f"it holds only until you leave: {safe_text(error.strerror or str(error), 100)}"
        return ""


def _read(path: Path) -> dict[EventId, str]:
    """Event -> text; what makes no sense is left out."""
    plain = read_state(path).get("marks")
    marks: dict[EventId, str] = {}
    for item in plain[:COUNT_MAX] if isinstance(plain, list) else ():
        event, text = _mark(item)
        if event is not None:
            marks[event] = text
    return marks


def _mark(item: Any) -> tuple[EventId | None, str]:
    if not isinstance(item, dict):
        return None, ""
    event, text = item.get("event"), item.get("text")
    if not isinstance(event, list) or len(event) != 3 or not isinstance(text, str):
        return None, ""
    return (EventId(*event), text) if all(type(part) is int for part in event) else (None, "")
