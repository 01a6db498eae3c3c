"""What a user wants of every screen: colours, mouse, lines instead of a screen, keys.

A flag wins over the environment, the environment over config.toml. What is merely remembered, as the theme last chosen
with a key, is no setting: it lies in the user's state (state_files.py) and counts where nobody set anything.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import platformdirs

from cluster.ordinary_file import StrangeFile, read_ordinary
from workbench.runs.wanted import LOADS, is_load
from workbench.support.refusal import BAD_DATA, ENVIRONMENT, USAGE, Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.input.keyboard import Keyboard, Keymap, KeymapError
from workbench.tui.terminal import is_dumb
from workbench.tui.theme.themes import THEMES, named_theme
from workbench.tui.theme.themes import VARIABLE as THEME_VARIABLE

VARIABLE = "WORKBENCH_CONFIG"
FILE_MAX = 1 << 20
GLYPHS = ("auto", "mono", "ascii")
SWITCHES = {"on": True, "1": True, "yes": True, "true": True, "off": False, "0": False, "no": False, "false": False}
SWITCHED = ("mouse", "plain", "direct", "motion", "tour")
KEYS = ("theme", *SWITCHED, "glyphs", "load", "keymap")
_PLACE = re.compile(r" ?\(at (?:line (\d+), column (\d+)|(end of document))\)")


@dataclass(frozen=True, slots=True)
class Settings:
    """What was set, by whomever."""

    theme: str = ""
    """Empty: the one chosen last with a key."""
    mouse: bool = True
    plain: bool = False
    """Sentences, line by line, instead of the screen."""
    glyphs: str = "auto"
    """auto: what the terminal can show; mono: no colour; ascii: no character beyond ASCII either."""
    load: str = "2"
    """What follows the command load when a free lab starts: a rate and perhaps acks, or off."""
    direct: bool = True
    """Where a leader is lost, a log is cut or records are lost, the screen shows it step by step by itself."""
    motion: bool = True
    """Messages travel and timers drain; without it a message stands in the middle of its link."""
    tour: bool = True
    """The first lab of a user begins with a tour of the screen."""
    keymap: Keymap = field(default_factory=dict)
    """Id -> keys, for those that have others than usual."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """Setting -> the file or the variable that it comes from."""
    refused: tuple[str, ...] = ()
    """What the file says and may not, a sentence each with its place; all else in it holds."""

    @property
    def is_plain(self) -> bool:
        """Whether lines come instead of the screen: wanted so, or the terminal can do no more."""
        return self.plain or is_dumb()

    def keyboard(self) -> Keyboard:
        """The keys that follow."""
        return Keyboard(self.keymap)


def config_path() -> Path:
    """WORKBENCH_CONFIG, or config.toml in the user's folder of configuration."""
    named = os.environ.get(VARIABLE)
    return Path(named).absolute() if named else platformdirs.user_config_path("kraft-workbench") / "config.toml"


def read_settings() -> Settings:
    """What the file says and then the environment.

    What the file may not say is in `refused`, and the rest of it holds. Refusal, in one sentence, for a file that
    cannot be read, and for a variable that is wrong: it was set for this call.
    """
    path = config_path()
    text = _text_of(path)
    refused: list[str] = []
    values = _from_file(path, text, refused) if text is not None else {}
    sources = dict.fromkeys(values, safe_text(str(path), 200))
    for name in SWITCHED:
        value = os.environ.get(f"WORKBENCH_{name.upper()}", "")
        if value:
            if value.lower() not in SWITCHES:
                raise Refusal(USAGE, f"WORKBENCH_{name.upper()}: needs on or off, not '{safe_text(value, 40)}'")
            values[name], sources[name] = SWITCHES[value.lower()], f"WORKBENCH_{name.upper()}"
    glyphs = os.environ.get("WORKBENCH_GLYPHS", "")
    if glyphs:
        if glyphs not in GLYPHS:
            raise Refusal(USAGE, f"WORKBENCH_GLYPHS: needs {', '.join(GLYPHS)}, not '{safe_text(glyphs, 40)}'")
        values["glyphs"], sources["glyphs"] = glyphs, "WORKBENCH_GLYPHS"
    load = os.environ.get("WORKBENCH_LOAD", "")
    if load:
        if not is_load(load):
            raise Refusal(USAGE, f"WORKBENCH_LOAD: needs {LOADS}, not '{safe_text(load, 40)}'")
        values["load"], sources["load"] = load, "WORKBENCH_LOAD"
    if named_theme():
        values["theme"], sources["theme"] = named_theme(), THEME_VARIABLE
    return Settings(**values, sources=sources, refused=tuple(refused))


def _text_of(path: Path) -> str | None:
    """What is in the file; None when there is none and nobody named it."""
    shown = safe_text(str(path), 200)
    try:
        content = read_ordinary(path, FILE_MAX, follow=True)
    except (FileNotFoundError, NotADirectoryError) as error:
        if not os.environ.get(VARIABLE):
            return None
        raise Refusal(ENVIRONMENT, f"{shown}: there is no such file; {VARIABLE} names the configuration") from error
    except StrangeFile as error:
        raise Refusal(BAD_DATA, f"{shown}: {error.strerror}; {VARIABLE} names the configuration") from error
    except OSError as error:
        raise Refusal(ENVIRONMENT, f"{shown}: cannot be read: {error.strerror or type(error).__name__}") from error
    if content.startswith(b"\xef\xbb\xbf"):
        raise Refusal(BAD_DATA, f"{shown}: begins with a byte order mark; save it as UTF-8 without one")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refusal(BAD_DATA, f"{shown}: must be UTF-8; byte {error.start} is not") from error


def _from_file(path: Path, text: str, refused: list[str]) -> dict[str, Any]:
    """What may be said; what may not is added to refused."""
    shown = safe_text(str(path), 200)
    try:
        table = tomllib.loads(text)
    except RecursionError as error:
        raise Refusal(BAD_DATA, f"{shown}: nested too deeply") from error
    except ValueError as error:
        raise Refusal(BAD_DATA, f"{shown}{_syntax(str(error), text)}") from error
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name not in KEYS:
            near = get_close_matches(name, KEYS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(KEYS)}"
            refused.append(_wrong(shown, text, name, f"unknown key '{safe_text(name, 60)}'; {hint}"))
        elif name == "keymap" and isinstance(value, dict):
            keymap, wrong = _keymap(value)
            values[name] = keymap
            refused += [_wrong(shown, text, error.name, str(error)) for error in wrong]
        else:
            try:
                values[name] = _value(name, value)
            except ValueError as error:
                refused.append(_wrong(shown, text, name, f"{name}: {error}, not {_seen(value)}"))
    return values


def _keymap(table: dict[str, Any]) -> tuple[Keymap, list[KeymapError]]:
    """Ids with the keys that they may have, and what is wrong with the others."""
    wrong: list[KeymapError] = []
    keymap: dict[str, tuple[str, ...]] = {}
    for own, value in _flat(table):
        keys = value if isinstance(value, list) else [value]
        if all(isinstance(key, str) for key in keys):
            keymap[own] = tuple(keys)
        else:
            what = f"{safe_text(own, 60)}: needs a key or several, as text, not {_seen(value)}"
            wrong.append(KeymapError(own, what))
    while True:  # keys that two ids have given each other are right together and wrong alone
        try:
            Keyboard(keymap)
        except KeymapError as error:
            wrong.append(error)
            del keymap[error.name]
        else:
            return keymap, wrong


def _value(name: str, value: object) -> Any:
    """The value when it is allowed. ValueError says what would be."""
    allowed = {"theme": tuple(THEMES), "glyphs": GLYPHS}.get(name)
    if allowed is not None:
        if value not in allowed:
            raise ValueError(f"needs {', '.join(allowed)}")
        return value
    if name in SWITCHED:
        if not isinstance(value, bool):
            raise ValueError("needs true or false")
        return value
    if name == "load":
        if not (isinstance(value, str) and is_load(value)):
            raise ValueError(f"needs {LOADS}")
        return value
    raise ValueError('needs a table: [keymap], then lines such as node.kill = "k"')


def _flat(table: dict[str, Any], before: str = "") -> list[tuple[str, Any]]:
    """Ids with dots are tables within tables to TOML, unless they stand in quotes."""
    pairs: list[tuple[str, Any]] = []
    for name, value in table.items():
        pairs += _flat(value, f"{before}{name}.") if isinstance(value, dict) else [(f"{before}{name}", value)]
    return pairs


def _seen(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{safe_text(value, 40)}'" if isinstance(value, str) else safe_text(repr(value), 40)


def _wrong(shown: str, text: str, name: str, what: str) -> str:
    line = line_of(text, name)
    return f"{shown}:{line}: {what}" if line else f"{shown}: {what}"


def line_of(text: str, name: str) -> int:
    """The first line, from 1, that gives the key a value or opens its table; 0 when it cannot be told."""
    endings = [name.split(".", part)[-1] for part in range(name.count(".") + 1)]
    for wanted in endings:
        for number, line in enumerate(text.splitlines(), start=1):
            plain = line.replace('"', "").replace("'", "").strip()
            if re.match(rf"\[{{0,2}}(?:keymap\.)?{re.escape(wanted)}\s*(=|\])", plain):
                return number
    return 0


def _syntax(told: str, text: str) -> str:
    """`:line:column: what is wrong`, then the line; of what is there twice both lines."""
    place = _PLACE.search(told)
    what = safe_text(_PLACE.sub("", told), 200)
    lines = text.splitlines()
    if place is None:
        return f": {what}"
    row, column = (int(place[1]), int(place[2])) if place[1] else (max(1, len(lines)), 1)
    seen = safe_text(lines[row - 1].strip(), 80) if 0 < row <= len(lines) else ""
    twice = ""
    if "overwrite" in what or "twice" in what:
        name = lines[row - 1].partition("=")[0].strip(" []\"'")
        first = line_of(text, name)
        twice = f"; it is there already in line {first}" if 0 < first < row else ""
    return f":{row}:{column}: {what}{twice}; the line: {seen}"
