"""The words of a command one by one: nodes, links, durations, sizes, topics, key=value pairs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, TypeAlias

from msgspec import Struct

from cluster.model.identifiers import FIRST_CLIENT_ID, METADATA, NO_NODE, NodeId, TopicPartition

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


CLIENT = "client"
"""The built-in clients, as one end of a link."""


class NodeName(Struct, frozen=True):
    """A node by number, or by the part it plays at the moment the command runs."""

    node_id: NodeId = NO_NODE
    """The number; -1 when it is named by its part."""
    part: str = ""
    """Empty for a number; controller, leader, follower (the lowest follower in the ISR), coordinator, or client."""
    topic_partition: TopicPartition | None = None
    """Of leader and follower."""
    group: str = ""
    """Consumer group of a coordinator."""

    def __str__(self) -> str:
        if not self.part:
            return CLIENT if self.node_id == FIRST_CLIENT_ID else str(self.node_id)
        whose = self.group or self.topic_partition
        return f"{self.part}({whose})" if whose else self.part


class Link(NamedTuple):
    """One or both directions between two nodes."""

    source: NodeName
    target: NodeName
    both_ways: bool = False

    def __str__(self) -> str:
        return f"{self.source}{'-' if self.both_ways else '>'}{self.target}"

    def ways(self) -> tuple[tuple[NodeId, NodeId], ...]:
        """Sender and receiver of each direction; the nodes are numbers."""
        there = (self.source.node_id, self.target.node_id)
        return (there, there[::-1]) if self.both_ways else (there,)


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
    names = tuple(node(part, where) for part in text.split(","))
    if len(set(names)) != len(names):
        raise CommandError("a node is named twice", where, text)
    return names


def link(text: str, where: str, end: Callable[[str, str], NodeName] = node) -> Link:
    """1>2 (one way) or 1-2 (both ways). end: reads one of the two."""
    allowed = "1>2 for one direction or 1-2 for both"
    arrow = ">" in text
    parts = text.split(">") if arrow else _split_pair(text)
    if len(parts) != 2 or not all(parts):
        raise CommandError("not a link", where, text, allowed)
    source, target = end(parts[0], where), end(parts[1], where)
    if source == target:
        raise CommandError("a link has two ends", where, text, allowed)
    return Link(source, target, not arrow)


def link_or_all(text: str, where: str) -> Link | None:
    """1>2, 1-2, or all: nothing in particular."""
    return None if text == "all" else link(text, where)


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
    parts = _DURATION.fullmatch(text)
    if parts is None:
        raise CommandError("not a duration", where, text, allowed)
    value = round(float(parts[1]) * _UNITS_MS[parts[2]])
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
    parts = _SHARE.fullmatch(text)
    if parts is None or (parts[1] and least >= 0):
        raise CommandError("not a share", where, text, allowed)
    value = int(parts[2]) * (-1 if parts[1] == "-" else 1)
    if not least <= value <= most or value == 0:
        raise CommandError("share out of range", where, text, allowed)
    return value


def size_bytes(text: str, where: str, least: int = 1) -> int:
    """4096, 64KiB, 1MiB; at most 1 GiB."""
    allowed = f"{least}B to 1GiB, for example 64KiB"
    parts = _SIZE.fullmatch(text)
    if parts is None:
        raise CommandError("not a size", where, text, allowed)
    value = int(parts[1]) * _UNITS_BYTES[parts[2] or ""]
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
    values: dict[str, str] = {}
    names = ", ".join(f"{name}=" for name in allowed)
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key not in allowed:
            raise CommandError("unknown argument", where, word, names)
        if key in values:
            raise CommandError("argument given twice", where, word)
        values[key] = value
    return values


@dataclass(frozen=True)
class Known:
    """What a word may name while a command is typed."""

    nodes: tuple[NodeId, ...] = ()
    topics: tuple[str, ...] = ()
    """Partitions such as orders-0."""

    @property
    def names(self) -> list[str]:
        """Every way to name a node that is known."""
        return [*map(str, sorted(self.nodes)), "controller", *(f"leader({topic})" for topic in self.topics)]

    def pairs(self, signs: str = "->") -> list[str]:
        """Every link between two nodes."""
        nodes = sorted(self.nodes)
        return [f"{a}{sign}{b}" for a in nodes for b in nodes if a != b for sign in signs]


Offers: TypeAlias = tuple[str, ...] | Callable[[Known], list[str]]


@dataclass(frozen=True)
class Word:
    """How one field of a command is written. It stands in the field's type: Annotated[int, Word(...)]."""

    usage: str
    """As help shows it."""
    read: Callable[[str, str], Any]
    """The value of a word, and where it stands for a CommandError."""
    write: Callable[[Any], str] = str
    offers: Offers = ()
    """What may stand there, as far as that can be listed."""
    label: str = ""
    """What a message calls it; empty for the name of the field."""
    key: str = ""
    """Of key=value; empty for a word that has its place."""
    is_rest: bool = False
    """Whether it takes all the words that are left."""
    is_always_written: bool = True
    """False when it is left out while the field has its default."""

    def offered(self, known: Known) -> list[str]:
        """The words that may stand there."""
        words = self.offers(known) if callable(self.offers) else list(self.offers)
        return [f"{self.key}={word}" for word in words or [""]] if self.key else words


def one_of(*allowed: str) -> Callable[[str, str], str]:
    """A reader of a word that is one of these."""

    def read(text: str, where: str) -> str:
        if text not in allowed:
            raise CommandError("not a choice", where, text, ", ".join(allowed))
        return text

    return read


def whole(least: int, most: int) -> Callable[[str, str], int]:
    """A reader of a whole number from least to most, both inclusive."""
    return lambda text, where: number(text, where, least, most)


def key(name: str, usage: str, read: Callable[[str, str], Any], *offers: str, **more: Any) -> Word:
    """A word that is written name=value."""
    return Word(usage, read, offers=offers, key=name, label=name, **more)


def switch(name: str, yes: str, no: str, *, default: bool, is_always_written: bool = False) -> Word:
    """name=yes or name=no, in these or other words; what is not the default is offered."""
    return Word(
        f"{yes}|{no}" if default else f"{no}|{yes}",
        lambda text, where: bool(choice(text, where, {yes: 1, no: 0})),
        lambda value: yes if value else no,
        (no if default else yes,),
        label=name,
        key=name,
        is_always_written=is_always_written,
    )


def _nodes_text(value: tuple[NodeName, ...]) -> str:
    return ",".join(map(str, value))


def duration(usage: str, *offers: str) -> Word:
    """1 ms to 60 s, in milliseconds."""
    return Word(usage, duration_ms, "{}ms".format, offers)


Node = Annotated[NodeName, Word("N", node, offers=lambda known: known.names, label="node")]
Nodes = Annotated[tuple[NodeName, ...], Word("N[,M]", nodes, _nodes_text, lambda known: known.names, "nodes")]
OneLink = Annotated[Link, Word("1-2", link, offers=Known.pairs, label="link")]
LinkOrAll = Annotated[
    Link | None,
    Word("1-2", link_or_all, lambda value: str(value or "all"), lambda known: ["all", *known.pairs()], label="link"),
]
Log = Annotated[TopicPartition, Word("LOG", log_name, log_text, lambda known: [*known.topics, "metadata"], label="log")]
Wait = Annotated[bool, switch("wait", "yes", "no", default=True)]
