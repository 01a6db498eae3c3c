"""The `config` command: where the settings of the screen lie, and what they are, as a file to begin with."""

from __future__ import annotations

import json
from collections.abc import Sequence

from workbench.support.option_types import visible
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text
from workbench.tui.input.keyboard import Keyboard
from workbench.tui.input.keys import TABLE
from workbench.tui.settings import GLYPHS, Settings, config_path, read_settings
from workbench.tui.theme.themes import THEMES, chosen_theme

WIDTH = 34
"""Columns before a comment."""


def config(what: str) -> int:
    """Print the path, or every setting that is in force. Returns the exit code; Refusal for a file that is wrong."""
    if what == "path":
        print(safe_text(str(config_path()), 1000))
    elif what == "show":
        settings = read_settings()
        if settings.refused:
            raise Refusal(BAD_DATA, "\n".join(settings.refused))
        print("\n".join(shown(settings)))
    else:
        raise Refusal(USAGE, f"config: no '{visible(what)}'; choose path or show")
    return 0


def shown(settings: Settings) -> list[str]:
    """The settings as lines of TOML: kept as config.toml they change nothing."""
    path = config_path()
    state = "" if path.exists() else " (there is none)"
    theme = chosen_theme(asked=settings.theme)
    offered = "colours: " + ", ".join(THEMES)
    return [
        f"# What is in force. Flags win over the environment, that over {safe_text(str(path), 200)}{state}",
        _line("theme", theme, offered, settings.sources["theme"])
        if settings.theme
        else f"# {_line('theme', theme, offered, 'the last one chosen with a key')}",
        _line("mouse", settings.mouse, "", settings.sources.get("mouse", "")),
        _line("motion", settings.motion, "", settings.sources.get("motion", "")),
        _line("tour", settings.tour, "the first lab begins with a tour", settings.sources.get("tour", "")),
        _line("direct", settings.direct, "", settings.sources.get("direct", "")),
        _line(
            "plain", settings.plain, "sentences, line by line, instead of the screen", settings.sources.get("plain", "")
        ),
        _line("glyphs", settings.glyphs, ", ".join(GLYPHS), settings.sources.get("glyphs", "")),
        _line("load", settings.load, "records/s in a free lab, or off", settings.sources.get("load", "")),
        "",
        "# id = key, or [key, key]; a key is one character, or a name such as space, f5, ctrl+k, shift+left",
        "[keymap]",
        *_key_lines(settings.keyboard()),
    ]


def _line(name: str, value: object, says: str, source: str) -> str:
    comment = "; ".join(part for part in (says, f"from {source}" if source else "") if part)
    setting = f"{name} = {json.dumps(value, ensure_ascii=False)}"
    return f"{setting:<{WIDTH}}  # {comment}" if comment else setting


def _key_lines(keyboard: Keyboard) -> list[str]:
    by_id = keyboard.keys_by_id()
    lines = []
    for item in TABLE:
        for _, _, name in item.keys:
            keys: Sequence[str] = by_id[name]
            lines.append(_line(name, keys[0] if len(keys) == 1 else list(keys), item.long, ""))
    return lines
