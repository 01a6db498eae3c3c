"""The part of the command grammar that only a simulated world obeys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.faults import arguments as arg
from cluster.faults import simulated as s
from cluster.faults.arguments import CommandError

Parser = Callable[[str, list[str]], Any]
_CRASH_FORM = "crash N before|after " + "|".join(s.CRASH_PLACES)
FORMS = {
    "lose": "lose 1-2 10%, lose 1>2 10%, lose all 2%",
    "duplicate": "duplicate 1-2 10%, duplicate all 2%",
    "reorder": "reorder 1-2 10% [200ms], reorder all 2%",
    "clock": "clock skew N +2s, clock drift N -20%, clock ok N",
    "crash": _CRASH_FORM,
}
"""Verb to its usage."""


def _exactly(verb: str, words: list[str], least: int, most: int) -> None:
    if not least <= len(words) <= most:
        what = "something is missing" if len(words) < least else "too many words"
        raise CommandError(what, verb, " ".join(words), hint=f"the form is: {FORMS[verb]}")


def _share_of_messages(kind: Callable[..., Any]) -> Parser:
    def parse(verb: str, words: list[str]) -> Any:
        _exactly(verb, words, 2, 2)
        return kind(*arg.link_or_all(words[0], f"{verb}: link"), arg.share(words[1], f"{verb}: share"))

    return parse


def _reorder(verb: str, words: list[str]) -> s.ReorderMessages:
    _exactly(verb, words, 2, 3)
    late_ms = arg.duration_ms(words[2], f"{verb}: latest") if len(words) == 3 else s.REORDER_MS
    link, both_ways = arg.link_or_all(words[0], f"{verb}: link")
    return s.ReorderMessages(link, both_ways, arg.share(words[1], f"{verb}: share"), late_ms)


def _clock(verb: str, words: list[str]) -> s.ClockCommand | s.ClockOk:
    _exactly(verb, words, 2, 3)
    kind, node = words[0], arg.node(words[1], f"{verb}: node")
    if kind not in ("skew", "drift", "ok"):
        raise CommandError("unknown kind", f"{verb}: kind", kind, "skew, drift, ok")
    _exactly(verb, words, *((2, 2) if kind == "ok" else (3, 3)))
    if kind == "skew":
        return s.SkewClock(node, arg.signed_ms(words[2], f"{verb}: offset"))
    if kind == "drift":
        return s.DriftClock(node, arg.share(words[2], f"{verb}: drift", -50, 100))
    return s.ClockOk(node)


def _crash(verb: str, words: list[str]) -> s.CrashPoint:
    _exactly(verb, words, 3, 3)
    point = " ".join(words[1:])
    if point not in s.CRASH_POINTS:
        raise CommandError("no such place", f"{verb}: place", point, ", ".join(s.CRASH_POINTS))
    return s.CrashPoint(arg.node(words[0], f"{verb}: node"), point)


PARSERS: dict[str, tuple[Parser, str, str]] = {
    "lose": (
        _share_of_messages(s.LoseMessages),
        FORMS["lose"],
        "Lose single messages; simulated only, TCP never does.",
    ),
    "duplicate": (
        _share_of_messages(s.DuplicateMessages),
        FORMS["duplicate"],
        "Deliver single messages twice; simulated only, TCP never does.",
    ),
    "reorder": (_reorder, FORMS["reorder"], "Let single messages be overtaken; simulated only, TCP never does."),
    "clock": (_clock, FORMS["clock"], "Set a node's wall clock off, or let its clocks drift; simulated only."),
    "crash": (_crash, FORMS["crash"], "Have a process die right there, the next time it comes there; simulated only."),
}
"""Verb to parser, usage and one sentence."""
VERB_OF: dict[type, str] = {
    s.LoseMessages: "lose",
    s.DuplicateMessages: "duplicate",
    s.ReorderMessages: "reorder",
    s.SkewClock: "clock skew",
    s.DriftClock: "clock drift",
    s.ClockOk: "clock ok",
    s.CrashPoint: "crash",
}


def format_rest(command: Any) -> str:
    """What follows the verb; the command is of one of the types of VERB_OF."""
    match command:
        case s.ReorderMessages():
            return f"{_messages(command)} {command.late_ms}ms"
        case s.LoseMessages() | s.DuplicateMessages():
            return _messages(command)
        case s.SkewClock(node, offset_ms):
            return f"{node} {offset_ms:+d}ms"
        case s.DriftClock(node, percent):
            return f"{node} {percent:+d}%"
        case s.CrashPoint(node, point):
            return f"{node} {point}"
        case _:
            return str(command.node)


def _messages(command: s.UnkindCommand) -> str:
    sign = "-" if command.both_ways else ">"
    link = sign.join(map(str, command.link)) or "all"
    return f"{link} {command.percent}%"


def offers(words: list[str], names: list[str], pairs: list[str]) -> list[str]:
    """What may stand as the next word."""
    verb, place = words[0], len(words)
    if verb == "clock":
        following = {"skew": ["+2s", "-2s", "+60s"], "drift": ["+10%", "-10%"]}.get(words[1] if place > 1 else "", [])
        return ["skew", "drift", "ok"] if place == 1 else names if place == 2 else following if place == 3 else []
    if verb == "crash":
        return [names, ["before", "after"], list(s.CRASH_PLACES), []][min(place, 4) - 1]
    latest = ["50ms", "200ms"] if verb == "reorder" else []
    return [["all", *pairs], ["2%", "10%", "50%"], latest, []][min(place, 4) - 1]
