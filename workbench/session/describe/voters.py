"""Sentences for events about who votes in a dynamic quorum; names are made safe here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model.errors import ErrorCode
from cluster.model.events import quorum
from workbench.session.describe.tones import INFO, WARN
from workbench.support.safe_text import safe_text

SHOWN = 4
"""Characters of a disk's id: enough to tell disks of one run apart."""


def disk_words(directory_id: str) -> str:
    """The beginning of a disk's id, as it is shown; empty where voters are numbers alone."""
    return f":{safe_text(directory_id, SHOWN + 1).rstrip('…')[:SHOWN]}" if directory_id else ""


def _voters(e: quorum.VotersChanged) -> str:
    pairs = zip(e.voters, e.directories, strict=False)
    return ", ".join(f"n{node}{disk_words(disk)}" for node, disk in pairs) or "nobody that it knows of"


def _where(e: quorum.VotersChanged) -> str:
    return f"as of offset {e.offset}" if e.offset >= 0 else "no record yet"


def _refused(e: quorum.VoterChangeRefused) -> str:
    known = e.error in set(ErrorCode)
    name = ErrorCode(e.error).name if known else f"error {e.error}"
    return f"does not {safe_text(e.kind, 20)} voter n{e.voter_id}{disk_words(e.directory_id)}: {name}, " + safe_text(
        e.why, 200
    )


VOTER_SENTENCES: dict[type, tuple[str, Callable[[Any], str]]] = {
    quorum.VotersChanged: (
        INFO,
        lambda e: f"VOTERS {_voters(e)} ({_where(e)}): {safe_text(e.why, 200)}",
    ),
    quorum.VoterChangeRefused: (WARN, _refused),
}
