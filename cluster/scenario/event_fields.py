"""Fields of events compared with words. A word that a field can never hold is refused when the script is read."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from msgspec import Struct

from cluster.model.errors import ErrorCode
from cluster.scenario.terms import NAME, GrammarError, Memory, shown

NO_ANSWER = -1
CODES = {item.name: int(item) for item in ErrorCode} | {"NO_ANSWER": NO_ANSWER}
SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_NUMBER = re.compile(r"(-?[0-9]{1,13})(?:([+-])([0-9]{1,9}))?")


@dataclass(frozen=True, slots=True)
class Due:
    """What a field holds."""

    kind: str
    """number, code, yes or no, text, list; empty for what cannot be written in a script."""
    says: str
    """For people: what to write."""
    part: str = ""
    """Of a list: the form of one of its values, as a regular expression."""


def due_of(kind: type[Struct], name: str) -> Due:
    """What the field of that class of events holds."""
    return _due(_hints(kind)[name], name)


@cache
def _hints(kind: type[Struct]) -> dict[str, Any]:
    return get_type_hints(kind)


def _due(hint: Any, name: str) -> Due:
    if hint is bool:
        return Due("yes or no", "yes or no")
    if hint is int:
        if name == "error":
            return Due("code", "the name of an error code, or its number")
        return Due("number", "a number, $name, or $name+1")
    if hint is str:
        return Due("text", "a word; $name is filled in")
    (part, _) = get_args(hint)
    if part is int:
        return Due("list", "numbers as 1,2,3, or none", r"-?[0-9]+")
    if part is str:
        return Due("list", "words as a,b,c, or none", r".+")
    inner = get_args(part)
    if any(get_origin(item) is tuple for item in inner):
        return Due("", "")
    form = "-".join("N" if item is int else "NAME" for item in inner)
    return Due("list", f"as {form},{form}, or none", "-".join(r"-?[0-9]+" if item is int else r".+" for item in inner))


@dataclass(frozen=True, slots=True)
class FieldFilter:
    """One field of an event compared with a word."""

    name: str
    sign: str
    """One of = != < <= > >=; only numbers have an order."""
    word: str
    """As written; $name stands for a remembered value, wherever it stands."""
    due: Due
    """What the field holds."""

    def fits(self, event: object, memory: Memory) -> bool:
        """Whether the field of this event compares so. A word that does not fit the field compares with nothing."""
        word = filled(self.word, memory)
        if not fits_due(word, self.due):
            return False
        return SIGNS[self.sign](_held(getattr(event, self.name), self.due), _wanted(word, self.due))

    def misfit(self, memory: Memory) -> str:
        """What is wrong with the word once the remembered values stand in it; empty when nothing is."""
        word = filled(self.word, memory)
        return "" if fits_due(word, self.due) else f"{self.name} holds {self.due.says}, not '{word[:60]}'"


def filled(word: str, memory: Memory) -> str:
    """The word with remembered values in the place of their names."""
    return NAME.sub(lambda found: shown(memory.get(found[1])), word) if "$" in word else word


def fits_due(word: str, due: Due) -> bool:
    """Whether a field can hold what the word says."""
    match due.kind:
        case "number":
            return _NUMBER.fullmatch(word) is not None
        case "code":
            return word in CODES or _NUMBER.fullmatch(word) is not None
        case "yes or no":
            return word in ("yes", "no")
        case "list":
            return word == "none" or all(re.fullmatch(due.part, part) for part in word.split(","))
        case _:
            return True


def _held(held: Any, due: Due) -> Any:
    """As `_wanted` gives it: what a list holds has no order."""
    return sorted(",".join(map(_part, held)).split(",")) if due.kind == "list" else held


def _wanted(word: str, due: Due) -> Any:
    if due.kind == "list":
        return [""] if word == "none" else sorted(word.split(","))
    if due.kind == "yes or no":
        return word == "yes"
    if due.kind == "text":
        return word
    if due.kind == "code" and word in CODES:
        return CODES[word]
    number = _NUMBER.fullmatch(word)
    assert number is not None, "whoever asks has looked"
    return int(number[1]) + (int(f"{number[2]}{number[3]}") if number[2] else 0)


def _part(value: object) -> str:
    """One of several values; what belongs together is written with dashes: orders-0, or orders-0-7 for an offset."""
    return "-".join(map(str, value)) if isinstance(value, tuple) else str(value)


def parse_filter(name: str, sign: str, word: str, kind: type[Struct], names: frozenset[str]) -> FieldFilter:
    """The comparison; GrammarError says what the field holds."""
    due = due_of(kind, name)
    if not due.kind:
        raise GrammarError(f"{name}: what it holds cannot be written in a script")
    unknown = next((named[1] for named in NAME.finditer(word) if named[1] not in names), None)
    if unknown is not None:
        raise GrammarError(f"nothing is remembered as '{unknown[:40]}'")
    if sign not in ("=", "!=") and due.kind != "number":
        raise GrammarError(f"{name}: only numbers have an order; it holds {due.says}")
    if not fits_due(NAME.sub("0", word), due):
        hint = f"; write ${word}" if word in names else ""
        raise GrammarError(f"{name} holds {due.says}, not '{word[:60]}'{hint}")
    return FieldFilter(name, sign, word, due)


def joined(words: list[str]) -> list[str]:
    """The words with sums in one: epoch=$e + 1 is epoch=$e+1."""
    words_joined: list[str] = []
    for word in words:
        if words_joined and (word in "+-" or words_joined[-1][-1] in "+-") and re.fullmatch(r"[+-]|[0-9]+", word):
            words_joined[-1] += word
        else:
            words_joined.append(word)
    return words_joined
