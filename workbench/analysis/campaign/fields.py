"""Values of a campaign file one by one: a mistake is told with its place, what was seen and what is allowed."""

from __future__ import annotations

import re
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from cluster.model.settings import CHOICES, Settings
from workbench.support.safe_text import safe_text

DURATION = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)(ms|s|m)")
UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000}
SETTING_MAX = 3_600_000
SENTENCE_MAX = 1000
_BARE = re.compile(r"[A-Za-z0-9_-]+")
NOT_VARIED = ("trace", "host_fsync", "client_auth")
"""Settings that a simulated run without files or without events would make no sense of."""


class CampaignError(Exception):
    """A campaign file that cannot be run. str() is one sentence: where, what, what was seen, what is allowed."""

    def __init__(self, where: str, what: str, seen: object = None, allowed: str = "") -> None:
        shown = f": {_shown(seen)}" if seen is not None else ""
        super().__init__(safe_text(f"{where}: {what}{shown}" + (f"; {allowed}" if allowed else ""), SENTENCE_MAX))


def _shown(value: object) -> str:
    text = "true" if value is True else "false" if value is False else repr(value)
    return safe_text(text, 80)


class Section:
    """A TOML table of which every key must be asked for; what nobody asks for is a mistake."""

    def __init__(self, where: str, plain: object) -> None:
        if not isinstance(plain, dict):
            raise CampaignError(where, "must be a table", plain, f"write [{where}] on a line of its own")
        self.where = where
        """Its name, for messages."""
        self.plain: dict[str, Any] = plain
        self._asked: set[str] = set()

    def place(self, key: str) -> str:
        """Where a key stands, for messages."""
        shown = key if _BARE.fullmatch(key) else f'"{key}"'
        return f"{self.where}.{shown}" if self.where else shown

    def raw(self, key: str, default: Any = None) -> Any:
        """The value as it is."""
        self._asked.add(key)
        return self.plain.get(key, default)

    def section(self, key: str) -> Section:
        """A table within; empty when it is not there."""
        return Section(self.place(key), self.raw(key, {}))

    def text(self, key: str, most: int, default: str | None = None) -> str:
        """One line of text."""
        value = self.raw(key, default)
        if value is None:
            raise CampaignError(self.where or "the file", f"{key} is missing", None, f'add {key} = "..."')
        if not isinstance(value, str) or not value.strip() or len(value) > most or not value.isprintable():
            raise CampaignError(self.place(key), "must be text", value, f"1 to {most} characters in one line")
        return value

    def texts(self, key: str, most: int = 20) -> tuple[str, ...]:
        """A list of lines, maybe empty."""
        value = self.raw(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) and item.isprintable() for item in value):
            raise CampaignError(self.place(key), "must be a list of texts", value, 'for example ["one", "two"]')
        if len(value) > most or len(set(value)) != len(value):
            raise CampaignError(self.place(key), "is too long or says one thing twice", value, f"at most {most}")
        return tuple(value)

    def whole(self, key: str, least: int, most: int, default: int) -> int:
        """A whole number, both ends inclusive."""
        return whole(self.place(key), self.raw(key, default), least, most)

    def choice(self, key: str, allowed: tuple[str, ...], default: str) -> str:
        """One of some words."""
        value = self.raw(key, default)
        if value not in allowed:
            raise CampaignError(self.place(key), "no such choice", value, f"there are {', '.join(allowed)}")
        return str(value)

    def duration_ms(self, key: str, most_ms: int, default: str, least_ms: int = 0) -> int:
        """20ms, 1.5s, 2m."""
        return duration_ms(self.place(key), self.raw(key, default), most_ms, least_ms)

    def done(self) -> None:
        """Everything was asked for; CampaignError for the first key that was not."""
        for key in self.plain:
            if key not in self._asked:
                near = get_close_matches(key, self._asked, n=1, cutoff=0.6)
                is_section = isinstance(self.plain[key], dict)
                form = "[{}]" if is_section else "{}"
                allowed = (
                    f"did you mean {form.format(near[0])}?" if near else f"there are {', '.join(sorted(self._asked))}"
                )
                if is_section:
                    raise CampaignError(
                        self.where or "the file", f"unknown section: [{self.place(key)}]", None, allowed
                    )
                raise CampaignError(self.where or "the file", "unknown key", key, allowed)


def whole(where: str, value: object, least: int, most: int) -> int:
    """A whole number, both ends inclusive."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise CampaignError(where, "must be a whole number", value, f"{least} to {most}")
    return value


def share(where: str, value: object) -> float:
    """A number from 0 to 1."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise CampaignError(where, "must be a share", value, "a number from 0 to 1")
    return float(value)


def duration_ms(where: str, value: object, most_ms: int, least_ms: int = 0) -> int:
    """20ms, 1.5s, 2m."""
    allowed = f"{least_ms} ms to {most_ms / 1000:g} s, for example 200ms or 1.5s"
    parts = DURATION.fullmatch(value) if isinstance(value, str) else None
    if parts is None:
        raise CampaignError(where, "must be a duration", value, allowed)
    found_ms = round(float(parts[1]) * UNITS_MS[parts[2]])
    if not least_ms <= found_ms <= most_ms:
        raise CampaignError(where, "is out of range", value, allowed)
    return found_ms


def setting(where: str, name: str, value: object) -> int | bool | str:
    """The value of one of the cluster's settings."""
    usual = Settings()
    names = [item.name for item in fields(Settings) if item.name not in NOT_VARIED]
    if name not in names:
        near = get_close_matches(name, names, n=2, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names)}"
        raise CampaignError(where, "no such setting", name, hint)
    present = getattr(usual, name)
    if isinstance(present, bool):
        if not isinstance(value, bool):
            raise CampaignError(where, "must be true or false", value)
        return value
    if isinstance(present, str):
        if value not in CHOICES[name]:
            raise CampaignError(where, "no such choice", value, f"there are {', '.join(CHOICES[name])}")
        return str(value)
    least = 1 if name.endswith(("_ms", "_bytes")) else 0
    return whole(where, value, least, SETTING_MAX if name.endswith("_ms") else 1 << 30)
