"""Option values with messages for people: what was seen, and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import typer

DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)(ms|s|m|h)")
SEEDS_MAX = 1_000_000
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def visible(value: object) -> str:
    """The value without control characters, cut to 60."""
    return "".join(char if char.isprintable() else "\ufffd" for char in str(value)[:60])


def whole_number(low: int, high: int, why: str = "") -> Callable[[str | int], int]:
    """A parser for an int from low to high; it fails with exit 2 and says why there is a limit."""

    def number(value: str | int) -> int:
        text = str(value)
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
            raise typer.BadParameter(f"not a whole number: '{visible(text)}'")
        found = int(text)
        if not low <= found <= high:
            tail = f"; {why}" if why and found > high else ""
            raise typer.BadParameter(f"needs {low} to {high}, not {found}{tail}")
        return found

    return number


def duration(value: str | float) -> float:
    """Seconds, from text such as 90s."""
    found = DURATION.fullmatch(str(value))
    if found is None or float(found[1]) == 0:
        raise typer.BadParameter(f"not a duration: '{visible(value)}'; write 500ms, 90s, 10m or 2h")
    return float(found[1]) * SECONDS[found[2]]


@dataclass(frozen=True, slots=True)
class SeedRange:
    """Seeds to run."""

    first: int
    """Inclusive."""
    last: int
    """Inclusive."""

    def __str__(self) -> str:
        return f"{self.first}..{self.last}"


def seed_range(value: str | SeedRange) -> SeedRange:
    """From text such as 1..1000; one number is a range of one."""
    found = re.fullmatch(r"([0-9]{1,10})(?:\.\.([0-9]{1,10}))?", str(value))
    if found is None:
        raise typer.BadParameter(f"not a range of seeds: '{visible(value)}'; write 1..1000, or one number")
    first, last = int(found[1]), int(found[2] or found[1])
    if not first <= last < first + SEEDS_MAX:
        raise typer.BadParameter(f"needs the first seed, then the last, at most {SEEDS_MAX} in all")
    return SeedRange(first, last)


def factor(value: str | float) -> float:
    """A number that timers are multiplied with; nan and inf are none."""
    text = str(value)
    if not re.fullmatch(r"[0-9]{1,4}(\.[0-9]{1,6})?", text) or not 0.1 <= float(text) <= 1000:
        raise typer.BadParameter(f"needs a number from 0.1 to 1000, not '{visible(text)}'")
    return float(text)
