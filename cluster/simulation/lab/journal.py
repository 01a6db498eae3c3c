"""What came into a simulated run from outside, and exactly when: with its seed, all that is needed to run it anew."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cluster.model.codec import DecodeError, from_plain, to_plain
from cluster.model.events import CATALOGUE, Event
from cluster.ordinary_file import StrangeFile, read_ordinary

FILE = "journal.jsonl"
JOURNAL_BYTES_MAX = 64 << 20


class JournalError(Exception):
    """A journal that is missing or cannot be trusted. The message is one clause for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """One thing that came from outside: a command, or an event noted by a script or its learner."""

    moves: int
    """Moves that the run had made before."""
    now_ns: int
    """What the virtual clock showed."""
    events: int
    """Events told before."""
    command: str = ""
    """As it was sent; empty for a note and for the end."""
    by: str = ""
    """Who gave the command; journals of earlier versions do not say."""
    note: Event | None = None
    """What a script or its learner wrote into the trace."""
    trigger: str = ""
    is_armed: bool = False
    """The command had waited for an event, the last one told before: it was carried out at that very moment."""

    @property
    def is_end(self) -> bool:
        """Whether the run was ended here."""
        return not self.command and self.note is None


class Journal:
    """Everything that came from outside so far; each is in the file before it is carried out."""

    def __init__(self, path: Path | None = None) -> None:
        """Begins a new file at the path; None keeps it in memory alone. OSError when the disk refuses."""
        self.entries: list[Outside] = []
        """In the order in which they came."""
        self._file = -1
        if path is not None:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def add(self, item: Outside) -> None:
        """Keep one more."""
        self.entries.append(item)
        if self._file >= 0:
            os.write(self._file, (json.dumps(_plain(item)) + "\n").encode())

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def read_journal(path: Path) -> list[Outside]:
    """All that a journal holds; a line cut short at its end is left out. JournalError when it is none."""
    try:
        lines = read_ordinary(path, JOURNAL_BYTES_MAX).decode("utf-8").split("\n")
        return [_outside(json.loads(line)) for line in lines[:-1]]
    except FileNotFoundError:
        raise JournalError("it has no journal") from None
    except StrangeFile as error:
        raise JournalError(f"its journal is {error.strerror}") from error
    except (OSError, ValueError, TypeError, KeyError, DecodeError, RecursionError) as error:
        raise JournalError(f"its journal cannot be read: {type(error).__name__}") from error


def _plain(item: Outside) -> dict[str, Any]:
    plain: dict[str, Any] = {"moves": item.moves, "now_ns": item.now_ns, "events": item.events}
    if item.command:
        plain["command"] = item.command
        if item.by:
            plain["by"] = item.by
        if item.is_armed:
            plain["armed"] = True
    elif item.note is not None:
        plain |= {"note": item.note.name, "fields": to_plain(item.note), "trigger": item.trigger}
    return plain


def _outside(plain: dict[str, Any]) -> Outside:
    moves, now_ns, events = (int(plain[name]) for name in ("moves", "now_ns", "events"))
    if "note" not in plain:
        command, is_armed = str(plain.get("command", "")), bool(plain.get("armed"))
        by = str(plain.get("by", ""))
        return Outside(moves=moves, now_ns=now_ns, events=events, command=command, by=by, is_armed=is_armed)
    event: Event = from_plain(CATALOGUE[plain["note"]], _tuples(plain["fields"]))
    return Outside(moves=moves, now_ns=now_ns, events=events, note=event, trigger=str(plain["trigger"]))


def _tuples(plain: Any) -> Any:
    """JSON knows lists only, the catalogue tuples only."""
    return tuple(map(_tuples, plain)) if isinstance(plain, list) else plain
