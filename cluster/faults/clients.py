"""Faults between a broker and its Kafka clients, as data and as words of the command grammar."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from msgspec import Struct

from cluster.faults import arguments as arg
from cluster.faults.arguments import CommandError
from cluster.faults.names import NodeName

KINDS = ("cut", "slow", "drop-responses", "ok")
_SHARE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,4})?)(%)?")


class ClientCut(Struct, frozen=True):
    """Nothing passes between a broker and its Kafka clients, either way."""

    node: NodeName
    """Which broker."""


class ClientSlow(Struct, frozen=True):
    """A broker's responses to Kafka clients leave later."""

    node: NodeName
    """Which broker."""
    delay_ms: int
    """Extra time for each."""


class ClientDropResponses(Struct, frozen=True):
    """Some responses to produce requests are lost after the append, with their connection."""

    node: NodeName
    """Which broker."""
    share: float
    """How many of them: above 0, up to 1."""


class ClientOk(Struct, frozen=True):
    """Nothing stands between a broker and its Kafka clients any more."""

    node: NodeName
    """Which broker."""


ClientFault: TypeAlias = ClientCut | ClientSlow | ClientDropResponses
ClientCommand: TypeAlias = ClientFault | ClientOk
FAULTS = (ClientCut, ClientSlow, ClientDropResponses)
USAGE = "client cut N, client slow N 200ms, client drop-responses N 0.15, client ok N"
HELP = "Stand between a broker and its Kafka clients: nothing passes, answers are late, or produce answers are lost."
VERB_OF: dict[type, str] = {
    ClientCut: "client cut",
    ClientSlow: "client slow",
    ClientDropResponses: "client drop-responses",
    ClientOk: "client ok",
}


def parse(verb: str, words: list[str]) -> ClientCommand:
    """What follows the verb. CommandError when it is not of the grammar."""
    kind = words[0] if words else ""
    if words and kind not in KINDS:
        raise CommandError("unknown kind", f"{verb}: kind", kind, ", ".join(KINDS))
    wanted = 3 if kind in ("slow", "drop-responses") else 2
    if len(words) != wanted:
        what = "something is missing" if len(words) < wanted else "too many words"
        raise CommandError(what, verb, " ".join(words), hint=f"the form is: {USAGE}")
    node = arg.node(words[1], f"{verb}: broker")
    match kind:
        case "cut":
            return ClientCut(node)
        case "slow":
            return ClientSlow(node, arg.duration_ms(words[2], f"{verb}: duration"))
        case "drop-responses":
            return ClientDropResponses(node, _share(words[2], f"{verb}: share"))
        case _:
            return ClientOk(node)


def format_rest(command: Any) -> str:
    """What follows the verb; the command is of one of the types of VERB_OF."""
    match command:
        case ClientSlow(node, delay_ms):
            return f"{node} {delay_ms}ms"
        case ClientDropResponses(node, share):
            return f"{node} {share:g}"
        case _:
            return str(command.node)


def offers(words: list[str], nodes: list[str]) -> list[str]:
    """What may stand as the next word."""
    third = {"slow": ["200ms", "2s"], "drop-responses": ["0.15", "1"]}.get(words[1] if len(words) == 3 else "", [])
    return [list(KINDS), nodes, third, []][min(len(words), 4) - 1]


def _share(text: str, where: str) -> float:
    """0.15 or 15%: above 0, up to 1, with at most four digits after the point."""
    allowed = "0.15 or 15%, above 0 and up to 1"
    found = _SHARE.fullmatch(text)
    if found is None:
        raise CommandError("not a share", where, text, allowed)
    value = round(float(found[1]) / (100 if found[2] else 1), 4)
    if not 0 < value <= 1:
        raise CommandError("share out of range", where, text, allowed)
    return value
