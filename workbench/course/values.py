"""{value} in a lesson's text: a timer of its cluster, or any value of the script language as the run has it now.

A timer is told as people say it (333 ms, 1.5 s), any other value as the script language shows it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from cluster.model.identifiers import NO_NODE
from cluster.model.settings import Settings, setting_names
from cluster.picture.cluster_state import ClusterState
from cluster.scenario.conditions import parse_value, value_of
from cluster.scenario.event_pattern import NO_EVENTS, EventBook, EventCount
from cluster.scenario.terms import GrammarError, Memory, Term, shown

VALUE = re.compile(r"\{([^{}]*)\}")
NAMED = re.compile(r"([Bb]roker |[Cc]ontroller )?\{([^{}]*)\}")
"""A value with the noun before it, which nobody has no need of."""
_OF = re.compile(r" (?=[\w.-]+-\d+\b|metadata\b)")
"""Before the log that a value is about."""
UNKNOWN = "unknown"
NOBODY = "nobody"
NODES = ("leader", "leader of quorum", "active controller")
"""Values that are a node, or none."""
TIMERS = frozenset(name for name in setting_names() if name.endswith("_ms"))
SECOND_MS, MINUTE_MS = 1000, 60_000
MINUTES_FROM_MS = 2 * MINUTE_MS


def duration(milliseconds: int) -> str:
    """A time as people say it: 333 ms, 1.5 s, 20 min."""
    if milliseconds < SECOND_MS:
        return f"{milliseconds} ms"
    if milliseconds >= MINUTES_FROM_MS and milliseconds % MINUTE_MS == 0:
        return f"{milliseconds // MINUTE_MS} min"
    return f"{milliseconds / SECOND_MS:.3f}".rstrip("0").rstrip(".") + " s"


def values_in(text: str) -> list[str]:
    """What stands in braces, one blank between words."""
    return [" ".join(value.split()) for value in VALUE.findall(text)]


@lru_cache(maxsize=1024)
def parsed(value: str, names: frozenset[str]) -> Term | EventCount | None:
    """What is asked for; None for a timer. GrammarError for what is neither."""
    if value in TIMERS:
        return None
    try:
        return parse_value(value.split(), names)
    except GrammarError as error:
        raise GrammarError(f"{{{value[:60]}}} is no timer of cluster/model/settings.py, and: {error}") from error


def told(text: str, settings: Settings, state: ClusterState, memory: Memory, book: EventBook = NO_EVENTS) -> str:
    """The text with each value as it is now."""

    def one(braces: re.Match[str]) -> str:
        noun, value = braces[1] or "", " ".join(braces[2].split())
        value_text = duration(getattr(settings, value)) if value in TIMERS else _now(value, state, memory, book)
        if value_text != NOBODY:
            return noun + value_text
        return value_text.capitalize() if noun[:1].isupper() else value_text

    return NAMED.sub(one, text)


def told_timers(text: str, settings: Settings) -> str:
    """The text with each timer; what only a run can tell stands in brackets."""

    def one(braces: re.Match[str]) -> str:
        value = " ".join(braces[1].split())
        return (
            duration(getattr(settings, value))
            if value in TIMERS
            else f"[{_OF.sub(' of ', value, 1).replace('_', ' ')}]"
        )

    return VALUE.sub(one, text)


def unknown_values(text: str, state: ClusterState, memory: Memory, book: EventBook = NO_EVENTS) -> list[str]:
    """The values of a text that are not known now."""
    return [value for value in values_in(text) if _now(value, state, memory, book) == UNKNOWN]


def _now(value: str, state: ClusterState, memory: Memory, book: EventBook) -> str:
    term = parsed(value, frozenset(memory))
    if term is None:
        return ""
    value_now = value_of(term, state, memory, book)
    return NOBODY if value_now == NO_NODE and isinstance(term, Term) and term.kind in NODES else shown(value_now)
