"""The newest records of the metadata log in words, as the leaders of the quorum wrote them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from cluster.model.entry import Entry
from cluster.model.events import quorum
from cluster.model.identifiers import METADATA, Offset
from workbench.session.recording import Recording

LOOK_BACK = 5_000
"""Entries before the cursor among which the records are sought."""
IDLE = "NoOp"


class MetadataRow(NamedTuple):
    """A record of the metadata log in words."""

    offset: Offset
    kind: str
    """As Kafka names it, without Record at the end."""
    words: str
    """What it says; empty for what was not told. Untrusted text."""
    times: int = 1
    """How many such records stand one after the other up to this one: an idle quorum writes many."""


def newest_rows(recording: Recording, count: int) -> tuple[MetadataRow, ...]:
    """The newest of the log of whoever led the quorum last, oldest first; at most count."""
    view = recording.view
    log = view.logs.get((view.leader_of_newest_epoch, METADATA))
    if log is None:
        ends = [(state.log_end_offset, node) for (node, tp), state in view.logs.items() if tp == METADATA]
        log = view.logs[max(ends)[1], METADATA] if ends else None
    if log is None:
        return ()
    return _found(recording, (recording.run_count, recording.cursor), log.log_end_offset, count)


@lru_cache(maxsize=4)
def _found(recording: Recording, place: tuple[int, int], end_offset: Offset, count: int) -> tuple[MetadataRow, ...]:
    """place: number of the run, and the cursor in it."""
    entries = recording.entries[max(0, place[1] - LOOK_BACK) : place[1]]
    return rows_of(entries, end_offset, count)


def rows_of(entries: Sequence[Entry], end_offset: Offset, count: int) -> tuple[MetadataRow, ...]:
    """Below end_offset (exclusive). Of two records of one offset the newer one counts: the other one was cut."""
    rows: list[MetadataRow] = []
    for entry in reversed(entries):
        event = entry.event
        if not isinstance(event, quorum.MetadataAppended) or event.role != "leader":
            continue
        for offset in range(min(event.end_offset, end_offset) - 1, event.base_offset - 1, -1):
            if len(rows) > count:
                break
            place = offset - event.base_offset
            kind, words = _told(event.kinds, place).removesuffix("Record"), _told(event.words, place)
            if rows and kind == IDLE == rows[-1].kind:
                rows[-1] = rows[-1]._replace(times=rows[-1].times + 1)
            else:
                rows.append(MetadataRow(offset, kind, words))
        end_offset = min(end_offset, event.base_offset)
        if len(rows) > count:
            break
    return tuple(rows[:count][::-1])


def _told(texts: tuple[str, ...], place: int) -> str:
    """What an event tells of the record at this place of a batch; it may tell less than all."""
    return texts[place] if place < len(texts) else ""
