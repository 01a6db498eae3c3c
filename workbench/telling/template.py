"""Sentences as templates: a field of the event in braces is said as its type and its name ask for, and made safe.

{leader}             n3 for a node, n1,n2 for several, the name of an error; text that no terminal obeys
{count:record}       3 records; of a list how many there are
{pre_vote:yes/no}    the first where there is something, else the second; `{}` in the first is the value
{votes:and}          one of FORMATS
{log}                one of PARTS: what several fields say together
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from string import Formatter
from typing import Any, TypeAlias

from cluster.language.topics import acks_text
from cluster.model.identifiers import FIRST_CLIENT_ID
from workbench.support.safe_text import safe_text
from workbench.telling import words
from workbench.telling.telling import Words

Field: TypeAlias = Callable[[Any], Any]
Say: TypeAlias = Callable[[Any], str]
NOTHING_MORE: Mapping[str, Any] = {}
TEXT_MAX, ID_MAX = 120, 60
"""Characters of a text, and of somebody's id, that are shown."""
OF_CODE = frozenset(
    {
        "before",
        "function",
        "how",
        "instead",
        "kind",
        "mode",
        "reason",
        "request",
        "role",
        "setting",
        "state",
        "why",
    }
)
"""Fields with words of the program's own: two words are told as two. What people named is told as they wrote it."""
UNDERSCORE = re.compile("(?<=[a-z])_(?=[a-z])")
PARTS: dict[str, Callable[[Any], str]] = {
    "log": lambda e: words.log_name((e.topic, e.partition)),
    "offsets": lambda e: f"{e.base_offset} to {e.base_offset + e.count - 1}" if e.count > 1 else str(e.base_offset),
    "fault": lambda e: words.fault_words(e.kind, e.arguments),
}
"""What several fields say together, by name."""
FORMATS: dict[str, Callable[[Any], str]] = {
    "and": words.nodes,
    "node": words.node_name,
    "acks": acks_text,
    "logs": words.log_names,
    "owner": lambda node: "a session that ended" if node < 0 else "a tool" if node > 1000 else words.node_name(node),
    "fetcher": lambda node: "a consumer" if node >= FIRST_CLIENT_ID else words.node_name(node),
    "capitals": str.upper,
    "disk": words.disk_words,
    "size": lambda values: str(len(values)),
    "are": lambda values: f"{len(values)} {'is' if len(values) == 1 else 'are'}",
}
"""Other ways to say a value."""


def fill(template: str, event: Any, more: Mapping[str, Any] = NOTHING_MORE) -> str:
    """The template with `more` and with what an event says. KeyError when neither has a name."""
    parts: list[str] = []
    kind: type = type(event)
    for literal, name, field, say in _parts(template, kind):
        parts.append(literal)
        if name:
            parts.append(say(more[name] if name in more else field(event)))
    return "".join(parts)


def worded(words: Words, event: Any, more: Mapping[str, Any] = NOTHING_MORE) -> str:
    """By a template, or by a function of the event."""
    return fill(words, event, more) if isinstance(words, str) else words(event)


@cache
def _parts(template: str, kind: type) -> tuple[tuple[str, str, Field, Say], ...]:
    """Words, and the name, the field and the way to say it that follow them; read once for each kind of event."""
    hints = getattr(kind, "__annotations__", {})
    return tuple(
        (literal, name or "", _field(name or "", hints), _way(name or "", form or "", hints.get(name, "")))
        for literal, name, form, _ in Formatter().parse(template)
    )


def _field(name: str, hints: Mapping[str, str]) -> Field:
    if name in hints:
        return attrgetter(name)

    def several(event: Any) -> str:
        return PARTS[name](event)

    return several


def _way(name: str, form: str, hint: str) -> Say:
    """How a value is said that has this name and type, in this form."""
    plain = _plain(name, hint)
    if form in FORMATS:
        return FORMATS[form]
    if "/" in form:
        there, _, missing = form.partition("/")
        return lambda value: missing if _is_nothing(name, value, hint) else there.replace("{}", plain(value))
    if form:
        return lambda value: words.plural(len(value) if isinstance(value, tuple | list) else value, form)
    return plain


def _is_nothing(name: str, value: Any, hint: str) -> bool:
    """Offset 0 and epoch 0 are something; where there is none, it is -1. Of errors 0 is none."""
    return value < 0 if hint in ("NodeId", "Offset", "Epoch") else not value or (value == -1 and name != "error")


def _plain(name: str, hint: str) -> Say:
    if name == "error":
        return words.error_name
    if hint == "NodeId":
        return words.node_name
    if hint == "tuple[NodeId, ...]":
        return words.names
    limit = ID_MAX if name.endswith("_id") else TEXT_MAX
    if name in OF_CODE:
        return lambda value: safe_text(UNDERSCORE.sub(" ", value) if "_" in value else value, limit)
    return lambda value: safe_text(value, limit) if isinstance(value, str) else str(value)
