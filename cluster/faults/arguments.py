"""The words of a command one by one: nodes, links, durations, sizes, topics, key=value pairs."""

from __future__ import annotations

import re

from cluster.faults.names import NodeName
from cluster.model.identifiers import METADATA, TopicPartition

DELAY_MAX_MS = 60_000
SIZE_MAX_BYTES = 1 << 30
_NAMED = re.compile(r"(leader|follower|coordinator)\(([^()]+)\)")
_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)(ms|s|m)")
_SIZE = re.compile(r"([0-9]{1,12})(B|KiB|MiB|GiB)?")
_SHARE = re.compile(r"([+-]?)([0-9]{1,3})%")
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,60}")
_UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000}
_UNITS_BYTES = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
NODE_ALLOWED = "a node number, controller, leader(TOPIC-P), follower(TOPIC-P) or coordinator(GROUP)"


class CommandError(Exception):
    """A command that cannot be understood. str() is one whole sentence for the learner."""

    def __init__(self, what: str, where: str = "", value: str = "", allowed: str = "", hint: str = "") -> None:
        self.what = what
        """What is wrong, one clause."""
        self.where = where
        """Verb and field; empty for the whole line."""
        self.value = _visible(value)
        """What was written there, safe to show."""
        self.allowed = allowed
        """What may stand there."""
        head = f"{where}: {what}" if where else what
        seen = f": '{self.value}'" if value else ""
        rest = [hint] if hint else [f"allowed: {allowed}"] if allowed else []
        super().__init__("; ".join([f"{head}{seen}", *rest]))


def _visible(text: str) -> str:
    """The text without control characters, cut to 80."""
    shown = "".join(char if char.isprintable() else "\ufffd" for char in text[:81])
    return shown if len(shown) <= 80 else shown[:79] + "\u2026"


def node(text: str, where: str) -> NodeName:
    """2, controller, leader(orders-0), follower(orders-0), coordinator(g1). `leader` alone is the quorum's leader."""
    if text.isascii() and text.isdigit() and len(text) <= 4:
        return NodeName(int(text))
    if text in ("controller", "leader"):
        return NodeName(part="controller")
    named = _NAMED.fullmatch(text)
    if named is None:
        raise CommandError("no such node name", where, text, NODE_ALLOWED)
    if named[1] == "coordinator":
        return NodeName(part=named[1], group=name(named[2], where))
    return NodeName(part=named[1], topic_partition=topic_partition(named[2], where))


def nodes(text: str, where: str) -> tuple[NodeName, ...]:
    """1,2,3 without repeats."""
    found = tuple(node(part, where) for part in text.split(","))
    if len(set(found)) != len(found):
        raise CommandError("a node is named twice", where, text)
    return found


def link(text: str, where: str, *, one_way: bool = True) -> tuple[NodeName, NodeName, bool]:
    """1>2 (one way) or 1-2 (both ways): source, target, both ways."""
    allowed = "1>2 for one direction or 1-2 for both" if one_way else "1-2"
    arrow = ">" in text
    parts = text.split(">") if arrow else _split_pair(text)
    if len(parts) != 2 or not all(parts) or (arrow and not one_way):
        raise CommandError("not a link", where, text, allowed)
    source, target = node(parts[0], where), node(parts[1], where)
    if source == target:
        raise CommandError("a link has two ends", where, text, allowed)
    return source, target, not arrow


def link_or_all(text: str, where: str) -> tuple[tuple[NodeName, ...], bool]:
    """all, 1>2 or 1-2: the two ends or nothing for everybody, and whether both ways."""
    if text == "all":
        return (), True
    source, target, both_ways = link(text, where)
    return (source, target), both_ways


def _split_pair(text: str) -> list[str]:
    """Split at the one '-' that is not inside parentheses."""
    depth = 0
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "-" and depth == 0:
            return [text[:index], text[index + 1 :]]
    return [text]


def duration_ms(text: str, where: str) -> int:
    """200ms, 2s, 1.5s, 1m; 1 ms to 60 s."""
    allowed = "1ms to 60s, for example 200ms or 1.5s"
    found = _DURATION.fullmatch(text)
    if found is None:
        raise CommandError("not a duration", where, text, allowed)
    value = round(float(found[1]) * _UNITS_MS[found[2]])
    if not 1 <= value <= DELAY_MAX_MS:
        raise CommandError("duration out of range", where, text, allowed)
    return value


def signed_ms(text: str, where: str) -> int:
    """+2s, -500ms; 1 ms to 60 s either way."""
    allowed = "+1ms to +60s or -1ms to -60s, for example +2s"
    if text[:1] not in ("+", "-"):
        raise CommandError("a sign is missing", where, text, allowed)
    value = duration_ms(text[1:], where)
    return value if text[0] == "+" else -value


def share(text: str, where: str, least: int = 1, most: int = 100) -> int:
    """10%, and with a negative least +10% or -10% too; never 0."""
    allowed = f"{least}% to {most}%"
    found = _SHARE.fullmatch(text)
    if found is None or (found[1] and least >= 0):
        raise CommandError("not a share", where, text, allowed)
    value = int(found[2]) * (-1 if found[1] == "-" else 1)
    if not least <= value <= most or value == 0:
        raise CommandError("share out of range", where, text, allowed)
    return value


def size_bytes(text: str, where: str, least: int = 1) -> int:
    """4096, 64KiB, 1MiB; at most 1 GiB."""
    allowed = f"{least}B to 1GiB, for example 64KiB"
    found = _SIZE.fullmatch(text)
    if found is None:
        raise CommandError("not a size", where, text, allowed)
    value = int(found[1]) * _UNITS_BYTES[found[2] or ""]
    if not least <= value <= SIZE_MAX_BYTES:
        raise CommandError("size out of range", where, text, allowed)
    return value


def number(text: str, where: str, least: int, most: int) -> int:
    """A whole number from least to most, both inclusive."""
    allowed = f"{least} to {most}"
    if not (text.isascii() and text.isdigit() and len(text) <= 12):
        raise CommandError("not a whole number", where, text, allowed)
    if not least <= int(text) <= most:
        raise CommandError("number out of range", where, text, allowed)
    return int(text)


def name(text: str, where: str) -> str:
    """Of a group, or of a member of one."""
    if not _NAME.fullmatch(text):
        raise CommandError("not a name", where, text, "1 to 60 of a-z A-Z 0-9 . _ -")
    return text


def topic_name(text: str, where: str, internal: tuple[str, ...] = ()) -> str:
    """A topic name as Kafka allows it; of the internal ones only these."""
    if not _TOPIC.fullmatch(text) or text in (".", ".."):
        raise CommandError("not a topic name", where, text, "1 to 249 of a-z A-Z 0-9 . _ -")
    if text.startswith("__") and text not in internal:
        raise CommandError("names that begin with __ are internal", where, text, ", ".join(internal))
    return text


def topic_partition(text: str, where: str, *, needs_index: bool = False) -> TopicPartition:
    """orders-0, or orders for its partition 0 unless needs_index."""
    head, dash, index = text.rpartition("-")
    if dash and head and index.isascii() and index.isdigit() and len(index) <= 4:
        return TopicPartition(topic_name(head, where), int(index))
    if needs_index:
        raise CommandError("not a partition", where, text, "TOPIC-NUMBER, for example orders-0")
    return TopicPartition(topic_name(text, where), 0)


def log_name(text: str, where: str) -> TopicPartition:
    """orders-0, or metadata for the quorum's log."""
    return METADATA if text == "metadata" else topic_partition(text, where, needs_index=True)


def log_text(log: TopicPartition) -> str:
    """The inverse of log_name."""
    return "metadata" if log == METADATA else str(log)


def choice(text: str, where: str, allowed: dict[str, int]) -> int:
    """One of the words in allowed."""
    if text not in allowed:
        raise CommandError("not a choice", where, text, ", ".join(allowed))
    return allowed[text]


def pairs(words: list[str], where: str, allowed: tuple[str, ...]) -> dict[str, str]:
    """key=value words; each key at most once."""
    found: dict[str, str] = {}
    names = ", ".join(f"{name}=" for name in allowed)
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key not in allowed:
            raise CommandError("unknown argument", where, word, names)
        if key in found:
            raise CommandError("argument given twice", where, word)
        found[key] = value
    return found
