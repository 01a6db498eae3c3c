"""What makes a simulated run again, and the text that carries it. A text may come from anybody."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from cluster.model.codec import DecodeError, from_plain, to_plain
from cluster.model.events import CATALOGUE
from cluster.simulation.lab.journal import Outside
from cluster.simulation.world.kernel import START_NS
from workbench.session.sharing.source_scripts import words_of
from workbench.support.refusal import BAD_DATA, VERSION, Refusal

FORM = 1
TEXT = re.compile(r"kraft([0-9]{1,6})-([A-Za-z0-9_-]*)")
TEXT_MAX = 1 << 16
"""Characters of a text."""
BODY_MAX = 1 << 20
"""Bytes that it may unfold to."""
ITEMS_MAX = 10_000
LONGEST_NS = 3_600_000_000_000
EVENTS_MAX = 1_000_000
"""A longer run, or one that tells more, is no text: to play it would take minutes and gigabytes."""
NOTES = "lesson."
"""Only of a lesson may somebody outside tell what happened; of nodes the nodes tell themselves."""
HASH_BYTES = 8
BROKEN = "the text is damaged: some of its letters are missing or were changed"
COMMON = (
    b"lesson.answeredlesson.checkedlesson.stepq1q2q3rightlearnerscriptleader quorumtransfer pause resume restart "
    b"isolate power-loss fsync-lie slow-disk elect stop heal cut 1-2delay 50mscut 1>2consume orders group=produce "
    b"orders-0 20 acks=1 wait=notopic orders replicas=3 min-isr=2 partitions=1 assign=1,2,3start 3kill 1kill 2"
)
"""What texts are made of. It belongs to the form: another one needs another FORM."""

Position: TypeAlias = tuple[int, int, int]
"""Moves made, nanoseconds since the beginning, events told before."""


class SharedCluster(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A cluster that no script describes."""

    controllers: int
    brokers: int
    combined: bool
    title: str
    settings: dict[str, bool | int | str]
    """Those that a classroom does not have."""
    given: tuple[str, ...]
    """What was laid down before it began, as written."""


class PlayedScript(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """How far the script of the source made the run."""

    section: int
    """Index of the one that began the cluster."""
    steps_before: int
    """That its numbers of steps begin after."""
    count: int
    """Commands and notes of the script; what came after them is no script's."""
    holds: tuple[tuple[int, int, int], ...]
    """Of those that came later than the script alone has them: (index, moves, nanoseconds since the beginning)."""
    title: str = ""
    """Of the run, where it is not that of its source."""


class OutsideItem(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A command, or a note of a lesson, that no script gave. Its position counts from that of the one before."""

    position: Position
    text: str
    """The command, or the name of the event."""
    by: str
    """Who gave the command, or what made the note."""
    fields: tuple[bool | int | str, ...] | None = None
    """Of a note."""
    is_armed: bool = False


class Body(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """All of a text but its source."""

    program: str
    seed: int
    trace_hash: bytes
    end: Position
    script: PlayedScript | None
    cluster: SharedCluster | None
    items: tuple[OutsideItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedRun:
    """A simulated run, so that it can be played again."""

    program: str
    """Version of the program that recorded it."""
    seed: int
    trace_hash: bytes
    """The first bytes of the hash of its trace."""
    end: Position
    """Where it was ended."""
    source: str = ""
    """`lesson NUMBER` or `incident NUMBER`, whose script made it; empty without one."""
    script: PlayedScript | None = None
    cluster: SharedCluster | None = None
    """None when the script describes it."""
    outside: tuple[Outside, ...] = ()
    """What else came into it, in order."""


def text_of(shared: SharedRun) -> str:
    """The text, which holds letters, digits, - and _ alone."""
    body = Body(
        shared.program, shared.seed, shared.trace_hash, shared.end, shared.script, shared.cluster,
        _items(shared.outside),
    )  # fmt: skip
    folding = zlib.compressobj(9, zdict=COMMON + words_of(shared.source))
    folded = folding.compress(msgspec.msgpack.encode(body)) + folding.flush()
    packed = msgspec.msgpack.encode((shared.source, folded))
    return f"kraft{FORM}-{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def shared_in(text: str) -> SharedRun:
    """The run in a text, or in a link that ends with one. Refusal for anything else; nothing was done then."""
    if len(text) > TEXT_MAX:
        raise Refusal(BAD_DATA, f"the text is too long: {len(text)} characters, and that of a run has {TEXT_MAX}")
    form_and_body = TEXT.fullmatch(text.strip().rpartition("#run=")[2])
    if form_and_body is None:
        raise Refusal(
            BAD_DATA, f"this is no text of a run: one begins with kraft{FORM}- and has letters, digits, - and _"
        )
    if int(form_and_body[1]) != FORM:
        raise Refusal(VERSION, f"the text has form {int(form_and_body[1])}, and this tool reads form {FORM}")
    try:
        packed = base64.urlsafe_b64decode(form_and_body[2] + "=" * (-len(form_and_body[2]) % 4))
        source, folded = msgspec.msgpack.decode(packed, type=tuple[str, bytes])
        body = msgspec.msgpack.decode(_unfolded(folded, words_of(source)), type=Body)
        shared = SharedRun(
            program=body.program, seed=body.seed, trace_hash=body.trace_hash, end=body.end, source=source,
            script=body.script, cluster=body.cluster, outside=_outside(body.items),
        )  # fmt: skip
    except (binascii.Error, msgspec.DecodeError, zlib.error, DecodeError, ValueError, RecursionError) as error:
        raise Refusal(BAD_DATA, BROKEN) from error
    _check(shared)
    return shared


def _unfolded(folded: bytes, words: bytes) -> bytes:
    """Never more than a text may unfold to. ValueError for more, and for less than there was."""
    unfolding = zlib.decompressobj(zdict=COMMON + words)
    body = unfolding.decompress(folded, BODY_MAX)
    if not unfolding.eof or unfolding.unused_data:
        raise ValueError("cut short, or too long")
    return body


def _check(shared: SharedRun) -> None:
    """Refusal for what a run cannot be, or what would take too long."""
    moves, until_ns, events = shared.end
    if not 0 <= until_ns <= LONGEST_NS or not 0 <= events <= EVENTS_MAX or moves < 0:
        raise Refusal(BAD_DATA, f"the text asks for more than {too_long()}")
    if len(shared.outside) > ITEMS_MAX or len(shared.trace_hash) != HASH_BYTES:
        raise Refusal(BAD_DATA, f"the text holds {len(shared.outside)} commands; at most {ITEMS_MAX}")
    if (shared.script is None) == (shared.cluster is None) or (shared.script is None) != (not shared.source):
        raise Refusal(BAD_DATA, "the text names no cluster")


def too_long() -> str:
    """What a text holds at most."""
    return f"{LONGEST_NS // 60_000_000_000} minutes or {EVENTS_MAX} events"


def _items(outside: tuple[Outside, ...]) -> tuple[OutsideItem, ...]:
    items, before = [], (0, START_NS, 0)
    for one in outside:
        here = one.moves, one.now_ns, one.events
        position = here[0] - before[0], here[1] - before[1], here[2] - before[2]
        before = here
        if one.note is None:
            items.append(OutsideItem(position, one.command, one.by, None, one.is_armed))
        else:
            items.append(OutsideItem(position, one.note.name, one.trigger, tuple(to_plain(one.note))))
    return tuple(items)


def _outside(items: tuple[OutsideItem, ...]) -> tuple[Outside, ...]:
    """ValueError or DecodeError for a note that only a node may make."""
    outside, moves, now_ns, events = [], 0, START_NS, 0
    for item in items:
        moves, now_ns, events = moves + item.position[0], now_ns + item.position[1], events + item.position[2]
        if item.fields is None:
            outside.append(
                Outside(
                    moves=moves, now_ns=now_ns, events=events, command=item.text, by=item.by, is_armed=item.is_armed
                )
            )
            continue
        if not item.text.startswith(NOTES) or item.text not in CATALOGUE:
            raise ValueError("a note that is none of a lesson")
        note = from_plain(CATALOGUE[item.text], item.fields)
        outside.append(Outside(moves=moves, now_ns=now_ns, events=events, note=note, trigger=item.by))
    return tuple(outside)
