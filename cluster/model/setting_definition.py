"""What a setting of Kafka is: its type, and which values fit. Source: Kafka ConfigDef."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntEnum
from typing import assert_never

from msgspec import Struct

VALUE_CHARS_MAX = 4096
"""Of one value: it goes into the metadata log and the trace. Kafka has no such bound."""
_NUMBER = re.compile(r"[+-]?[0-9]{1,19}")
_DECIMAL = re.compile(r"[+-]?([0-9]{1,19}(\.[0-9]{0,19})?|\.[0-9]{1,19})([eE][+-]?[0-9]{1,3})?")
_INT_MAX, _LONG_MAX = (1 << 31) - 1, (1 << 63) - 1
_THROTTLED = re.compile(r"[0-9]{1,9}:[0-9]{1,9}")
_SHOWN_MAX = 60


class Kind(IntEnum):
    """The type of a setting. Source: Kafka DescribeConfigsResponse.ConfigType."""

    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    PASSWORD = 9


class Definition(Struct, frozen=True):
    """A topic's setting: which values fit, what holds without it, and what it is for."""

    name: str
    """Kafka's name of it."""
    kind: Kind
    """What values look like."""
    default: str
    """Of a topic that does not set it."""
    words: str
    """What it is for, in a sentence."""
    synonym: str = ""
    """The broker's setting that stands behind a topic's; empty for none."""
    acts: bool = False
    """Whether it changes anything here."""
    lowest: float | None = None
    """Inclusive; None for no bound but that of the type."""
    highest: float | None = None
    """Inclusive."""
    choices: tuple[str, ...] = ()
    """All values, or of a list all its elements; empty where any will do."""
    never: float | None = None
    """A value between the bounds that does not fit."""

    @property
    def documentation(self) -> str:
        """The sentence, and that nothing comes of it where nothing does."""
        return self.words if self.acts else f"{self.words} It is kept and told, and has no effect here."

    def what_is_wrong(self, value: str) -> str:
        """Why a topic cannot have this value, in a clause; empty when it can."""
        if len(value) > VALUE_CHARS_MAX:
            return f"{self.name}: {len(value)} characters, at most {VALUE_CHARS_MAX} are taken"
        reason = _CHECKS[self.kind](self, value.strip())
        return f"{self.name}: {value[:_SHOWN_MAX]!a} {reason}" if reason else ""

    def spelled(self, value: str) -> str:
        """A value that fits, as it is told."""
        value = value.strip()
        match self.kind:
            case Kind.BOOLEAN:
                return value.lower()
            case Kind.INT | Kind.LONG:
                return str(int(value))
            case Kind.LIST:
                return ",".join(elements(value))
            case Kind.STRING | Kind.SHORT | Kind.DOUBLE | Kind.PASSWORD:
                return value
            case _:
                assert_never(self.kind)


def elements(value: str) -> list[str]:
    """Of a list."""
    return [each.strip() for each in value.split(",") if each.strip()]


def _boolean(_setting: Definition, value: str) -> str:
    return "" if value.lower() in ("true", "false") else "is neither true nor false"


def _string(setting: Definition, value: str) -> str:
    return "" if not setting.choices or value in setting.choices else f"is none of {', '.join(setting.choices)}"


def _whole(setting: Definition, value: str) -> str:
    if not _NUMBER.fullmatch(value):
        return "is no whole number"
    most = _INT_MAX if setting.kind is Kind.INT else _LONG_MAX
    if not -most - 1 <= int(value) <= most:
        return f"is beyond {most}"
    return _bounds(setting, int(value))


def _decimal(setting: Definition, value: str) -> str:
    return _bounds(setting, float(value)) if _DECIMAL.fullmatch(value) else "is no number"


def _bounds(setting: Definition, number: float) -> str:
    if setting.lowest is not None and number < setting.lowest:
        return f"is less than {setting.lowest:.0f}"
    if setting.highest is not None and number > setting.highest:
        return f"is more than {setting.highest:.0f}"
    if number == setting.never:
        return f"is none: {setting.lowest:.0f} to {setting.highest:.0f} without {number:.0f}"
    return ""


def _list(setting: Definition, value: str) -> str:
    parts = elements(value)
    if setting.choices:
        wrong = [each for each in parts if each not in setting.choices]
        return f"holds more than {' and '.join(setting.choices)}" if wrong else ""
    if value == "*" or all(_THROTTLED.fullmatch(each) for each in parts):
        return ""
    return "is neither * nor a list of partition:broker"


_CHECKS: dict[Kind, Callable[[Definition, str], str]] = {
    Kind.BOOLEAN: _boolean, Kind.STRING: _string, Kind.INT: _whole, Kind.LONG: _whole, Kind.DOUBLE: _decimal,
    Kind.LIST: _list,
}  # fmt: skip
