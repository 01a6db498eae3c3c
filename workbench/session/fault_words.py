"""Faults in the words of the command grammar."""

from __future__ import annotations

from workbench.session.safe_text import safe_text

FAULT_WORDS = {
    "CutLinks": "cut",
    "PowerLoss": "power-loss",
    "SlowLink": "slow-link",
    "FsyncLie": "fsync lie",
    "FsyncLieDir": "fsync lie-dir",
    "FsyncFail": "fsync fail",
    "FsyncSlow": "fsync slow",
    "LoseMessages": "lose",
    "DuplicateMessages": "duplicate",
    "ReorderMessages": "reorder",
    "SkewClock": "clock skew",
    "DriftClock": "clock drift",
    "CrashPoint": "crash",
    "DiskFull": "disk-full",
    "ClientCut": "client cut",
    "ClientSlow": "client slow",
    "ClientDropResponses": "client drop-responses",
}
"""Kinds of faults in the words of the command grammar, where lower case is not enough."""


def fault_words(kind: str, arguments: str) -> str:
    """A fault as one would type it."""
    return f"{FAULT_WORDS.get(kind, safe_text(kind, 40).lower())} {safe_text(arguments, 100)}".rstrip()
