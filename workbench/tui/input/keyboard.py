"""Which key does what: the table as it is shipped, or with the keys that a user gave to some of its ids."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from textual.keys import KEY_NAME_REPLACEMENTS, Keys

from workbench.support.safe_text import safe_text
from workbench.tui.input.keys import NO_KEY, TABLE, Key

Keymap = Mapping[str, tuple[str, ...]]
"""Id -> its keys, as a person writes them; none takes the key away."""
MODIFIERS = ("ctrl", "alt", "shift")
ALIASES = {"esc": "escape", "return": "enter", "del": "delete", "ins": "insert", "pgup": "pageup", "pgdn": "pagedown"}
ARROWS = {"left": "\u2190", "right": "\u2192", "up": "\u2191", "down": "\u2193", "escape": "esc"}
NAMES = frozenset(
    name
    for name in (key.value.rpartition("+")[2] for key in Keys)
    if len(name) > 1 and "<" not in name and "-" not in name
)
"""Keys that are no characters, and some that are, as Textual names them."""
FULL_NAMES = {short: name for name, short in KEY_NAME_REPLACEMENTS.items()} | {
    "minus": "hyphen-minus", "less_than_sign": "less-than sign", "greater_than_sign": "greater-than sign"
}  # fmt: skip
"""Textual's short names of characters -> Unicode's."""
TAKEN = {"ctrl+c": "it leaves, whatever else does", "ctrl+q": "it leaves, whatever else does"}
SAME = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+left_square_bracket": "escape"}
"""Keys for which a terminal sends the same."""


PLACE = re.compile(r"\{([a-z0-9.]+)\}")
"""Where a text names a key by its id."""
KNOWN = frozenset(name for item in TABLE for _, _, name in item.keys)


class KeymapError(ValueError):
    """What is wrong, for people; safe to print."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name
        """The id in question."""


def call_of(action: str) -> tuple[str, tuple[Any, ...]]:
    """(command, arguments) of what the table names."""
    verb, bracket, rest = action.partition("(")
    return verb, ast.literal_eval(f"({rest[:-1]},)") if bracket else ()


def key_named(written: str) -> str:
    """Textual's name of a key: one character, or a name such as space, f5, ctrl+k, shift+left. ValueError for none."""
    if len(written) == 1:
        return _of_character(written)
    *modifiers, base = written.lower().replace("++", "+plus").split("+")
    if not set(modifiers) <= set(MODIFIERS) or len(set(modifiers)) != len(modifiers):
        raise ValueError(written)
    base = ALIASES.get(base, base)
    if len(base) == 1:
        base = _of_character(base)
    elif base not in NAMES and not _character_of(base):
        raise ValueError(written)
    if modifiers == ["shift"] and len(base) == 1:
        return base.upper()
    return "+".join((*(name for name in MODIFIERS if name in modifiers), base))


def _of_character(char: str) -> str:
    if not char.isprintable():
        raise ValueError(char)
    if char.isalnum():
        return char
    name = unicodedata.name(char).lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)


def _character_of(name: str) -> str:
    """The character behind a long name; empty when there is none that can be seen."""
    try:
        char = unicodedata.lookup(FULL_NAMES.get(name, name).replace("_", " "))
    except KeyError:
        return ""
    return char if char.isprintable() and char != " " else ""


def readable(key: str) -> str:
    """A key as a person writes it."""
    *modifiers, base = key.split("+")
    return "+".join((*modifiers, _character_of(base) or base))


class Keyboard:
    """The table of keys and what each of them does; as shipped, or with some ids on other keys."""

    def __init__(self, keymap: Keymap | None = None) -> None:
        """KeymapError for an id or a key that does not exist, and for a key that two ids would have."""
        chosen = _checked(keymap or {})
        rows = tuple(_with(item, chosen) for item in TABLE)
        self.table = tuple(
            _labelled(item, rows) if item.alike and set(item.alike) & set(chosen) else item for item in rows
        )
        """What footer and help show."""
        self.actions: dict[str, tuple[str, tuple[Any, ...]]] = {}
        """Textual's key -> (action, arguments)."""
        self._ids: dict[str, str] = {}
        for name, key, action in self._all():
            other = self._ids.setdefault(key, name)
            if other != name:
                mine, theirs = (other, name) if other in chosen else (name, other)
                raise KeymapError(
                    mine,
                    f"{mine}: '{safe_text(readable(key), 20)}' is the key of {theirs}; give that one another, "
                    f'or none: {theirs} = ""',
                )
            self.actions[key] = call_of(action)
        self._signs = {name: ARROWS.get(key, readable(key)) for name, key, _ in reversed([*self._all()])}
        # b goes back and is an answer too; where it only answers, it still does.
        self.actions.setdefault("b", ("answer", ("b",)))

    def is_on(self, name: str, key: str) -> bool:
        """Whether an id has a key."""
        return self._ids.get(key) == name

    def first(self, name: str) -> str:
        """The key of an id as a person writes it; a dash when it has none."""
        return next(iter(self.keys_by_id()[name]), "-")

    def sign(self, name: str) -> str:
        """The key of an id as the footer writes it: arrows are arrows."""
        return self._signs.get(name, f"({NO_KEY})")

    def said(self, text: str) -> str:
        """The text with `{id}` as the key that the id has; other braces stay."""
        return PLACE.sub(lambda found: self.sign(found[1]) if found[1] in KNOWN else found[0], text)

    def keys_by_id(self) -> dict[str, tuple[str, ...]]:
        """Every id with its keys, in the order of the table."""
        keys: dict[str, tuple[str, ...]] = {name: () for item in self.table for _, _, name in item.keys}
        for name, key, _ in self._all():
            keys[name] = (*keys[name], readable(key))
        return keys

    def _all(self) -> Iterator[tuple[str, str, str]]:
        for item in self.table:
            for keys, action, name in item.keys:
                for key in filter(None, keys.split(",")):
                    yield name, key, action


def _checked(keymap: Keymap) -> dict[str, tuple[str, ...]]:
    """Id -> Textual's keys."""
    ids = [name for item in TABLE for _, _, name in item.keys]
    checked = {}
    for name, keys in keymap.items():
        if name not in ids:
            near = get_close_matches(name, ids, n=1)
            hint = f"did you mean {near[0]}?" if near else "workbench config show lists all"
            raise KeymapError(name, f"no key has the id '{safe_text(name, 60)}'; {hint}")
        checked[name] = tuple(dict.fromkeys(_key_of(name, key) for key in keys if key))
    return checked


def _key_of(name: str, text: str) -> str:
    shown = safe_text(text, 40)
    try:
        key = key_named(text)
    except ValueError as error:
        form = "one character, or a name such as space, f5, ctrl+k, shift+left"
        raise KeymapError(name, f"{name}: no key is called '{shown}'; write {form}") from error
    if key in TAKEN:
        raise KeymapError(name, f"{name}: '{shown}' cannot be given away: {TAKEN[key]}")
    if key in SAME:
        raise KeymapError(name, f"{name}: a terminal sends the same for '{shown}' and {SAME[key]}; choose another")
    return key


def _with(item: Key, chosen: Mapping[str, tuple[str, ...]]) -> Key:
    """The row with its chosen keys."""
    if not any(name in chosen for _, _, name in item.keys):
        return item
    keys = tuple((",".join(chosen.get(name, tuple(own.split(",")))), action, name) for own, action, name in item.keys)
    return item._replace(keys=keys, label=_label(keys) or NO_KEY)


def _labelled(item: Key, rows: tuple[Key, ...]) -> Key:
    """A row that names keys of other rows, as these are now."""
    return item._replace(label=_label(tuple(key for row in rows for key in row.keys if key[2] in item.alike)) or NO_KEY)


def _label(keys: tuple[tuple[str, str, str], ...]) -> str:
    firsts = [own.partition(",")[0] for own, _, _ in keys if own]
    return " ".join(ARROWS.get(key, readable(key)) for key in firsts)
