"""The settings of a Kafka broker or controller: which names there are, and which values each takes.

Source: kafka_settings.txt beside this file, made of what Apache Kafka itself tells; Kafka ConfigDef.parseType.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("kafka_settings.txt")
BITS = {"short": 16, "int": 32, "long": 64}
FAMILIES = ("process.", "node.", "controller.quorum.", "controller.listener.", "metadata.log.")
"""A name of these that Kafka has not got is wrong; another is if it is near to one of Kafka's, or has no dot."""
NEAR, NEAR_IN_FAMILY = 0.85, 0.6
GONE = (
    "zookeeper.", "broker.id.generation.enable", "control.plane.listener.name", "inter.broker.protocol.version",
    "log.message.format.version", "log.message.timestamp.difference.max.ms", "reserved.broker.max.id",
)  # fmt: skip
"""Beginnings of names that Kafka had before 4.0."""
NEWER = {"controller.quorum.auto.join.enable": "4.2"}
"""What came after the Kafka that the list is of."""
_RANGE = re.compile(r"\[(-?[0-9.]+),\.\.\.(?:,([0-9.]+))?\](?: or (-1))?")
_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")


class Setting(NamedTuple):
    """What Kafka lets one setting be."""

    kind: str
    """Kafka's type, in small letters."""
    allowed: str
    """As Kafka writes it: [0,...], [a, b]; empty for whatever the type takes."""


@cache
def settings() -> dict[str, Setting]:
    """Name to setting, of all that Kafka 4.1.0 has, brokers and controllers together."""
    by_name = {}
    for line in FILE.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            name, kind, *allowed = line.split(" ", 2)
            by_name[name] = Setting(kind, "".join(allowed))
    return by_name


def wrong_name(name: str) -> str:
    """Why Kafka has no setting of this name, in a clause, with the name that was meant; empty when it is right."""
    by_name = settings()
    if name in by_name or name.startswith("listener.name."):
        return ""
    if name in NEWER:
        return f"Kafka has it since {NEWER[name]}"
    if name.startswith(GONE):
        return "ZooKeeper is gone since 4.0" if name.startswith("zookeeper.") else "it is gone since 4.0"
    is_family = name.startswith(FAMILIES)
    near = [each for each in by_name if name.startswith(f"{each}.")] if is_family else []
    near += get_close_matches(name, by_name, 1, NEAR_IN_FAMILY if is_family else NEAR)
    if not near and not is_family and "." in name:
        return ""
    return "Kafka has no such setting" + (f"; Kafka's name is {near[0]}" if near else "")


def wrong_value(name: str, value: str) -> str:
    """Why Kafka refuses a value, in a clause; empty when it takes it, or when the name is none of Kafka's."""
    setting = settings().get(name)
    if setting is None or "${" in value:  # which a config provider replaces
        return ""
    kind, allowed = setting
    if kind == "boolean":
        return "" if value.lower() in ("true", "false") else "neither true nor false"
    if kind in (*BITS, "double"):
        return _wrong_number(kind, value, allowed)
    if allowed.startswith("non-empty"):
        return "" if value else "something has to stand there"
    return _wrong_word(kind, value, allowed)


def _wrong_number(kind: str, value: str, allowed: str) -> str:
    if kind in BITS and not _WHOLE.fullmatch(value):
        return "no whole number"
    try:
        number = float(value) if kind == "double" else int(value)
    except ValueError:
        return "no number"
    if kind in BITS and not -(1 << BITS[kind] - 1) <= number < 1 << BITS[kind] - 1:
        return f"too large for a number of {BITS[kind]} bits"
    bounds = _RANGE.fullmatch(allowed)
    if bounds is None or (bounds[3] and number == int(bounds[3])):
        return ""
    if not number >= float(bounds[1]):
        return f"{bounds[1]} is the least"
    return f"{bounds[2]} is the most" if bounds[2] and number > float(bounds[2]) else ""


def _wrong_word(kind: str, value: str, allowed: str) -> str:
    """Of words that are listed; a list may have several of them."""
    listed = re.search(r"\[([^\]]*)\]$", allowed)
    if listed is None:
        return ""
    words = [word.strip() for word in listed[1].split(",")]
    is_any_case = allowed.startswith("(case insensitive)")
    given = [word.strip() for word in value.split(",")] if kind == "list" else [value]
    accepted = {word.lower() for word in words} if is_any_case else set(words)
    return (
        ""
        if all((word.lower() if is_any_case else word) in accepted for word in given)
        else f"one of {', '.join(words)}"
    )
