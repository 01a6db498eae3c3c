"""Themes: the palette's colours said again for a bright room, for sharp contrast, and in a terminal's own colours.

Panes draw with the palette, whose colours are those of the dark theme. What goes to the terminal is dressed here,
colour by colour: one of letters and the same colour as a ground may become two.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rich.style import Style
from textual.theme import BUILTIN_THEMES
from textual.theme import Theme as TextualTheme

from workbench.support.refusal import USAGE, Refusal
from workbench.support.safe_text import safe_text
from workbench.support.state_files import read_state, state_folder, write_state
from workbench.tui.theme.palette import GROUND
from workbench.tui.theme.roles import EPOCHS, FILLS, GROUNDS, ROLES

VARIABLE = "WORKBENCH_THEME"
FILE = "screen.json"
TERMINAL = "terminal"


class Theme(NamedTuple):
    """One set of colours; what is not named stays as it is in the palette."""

    name: str
    says: str
    inks: dict[str, str]
    """Of letters, by the palette's colour."""
    grounds: dict[str, str]
    dark: bool = True


def _theme(name: str, says: str, *, dark: bool = True) -> Theme:
    """The colours of the dark theme, each with what it is in this one."""
    every = (*ROLES.values(), *(colours.digit for colours in EPOCHS))
    grounds = (*GROUNDS.values(), *FILLS.values(), *(colours.fill for colours in EPOCHS), *ROLES.values())
    inks = {colour.dark: getattr(colour, name) for colour in (*every, GROUNDS["stage"])}
    return Theme(name, says, inks, {colour.dark: getattr(colour, name) for colour in grounds}, dark)


DARK = Theme("dark", "light letters on a dark ground", {}, {})
LIGHT = _theme("light", "dark letters on a light ground, for a bright room", dark=False)
CONTRAST = _theme("contrast", "white and strong colours on black")
OF_TERMINAL = _theme(TERMINAL, "the sixteen colours and the ground of the terminal itself")
REVERSED = {
    colour.dark: colour.terminal for colour in (*FILLS.values(), *(colours.fill for colours in EPOCHS), *ROLES.values())
}
"""Grounds that sixteen colours show as reverse video of what they mean."""
THEMES = {theme.name: theme for theme in (DARK, LIGHT, CONTRAST, OF_TERMINAL)}


@lru_cache(maxsize=4096)
def dressed(look: Style, name: str) -> Style:
    """The palette's style in a theme."""
    theme = THEMES[name]
    ink = look.color.name if look.color else None
    ground = look.bgcolor.name if look.bgcolor else None
    if theme is DARK or ink is None and ground is None:
        return look
    if theme is OF_TERMINAL and ground in REVERSED:
        return Style(color=REVERSED[ground], bgcolor="default", bold=look.bold, underline=look.underline,
                     strike=look.strike, reverse=True)  # fmt: skip
    return Style(
        color=theme.inks.get(ink, ink) if ink else None,
        bgcolor=theme.grounds.get(ground, ground) if ground else None,
        bold=look.bold,
        underline=look.underline,
        strike=look.strike,
        reverse=look.reverse,
    )


def textual_themes() -> list[TextualTheme]:
    """What Textual has to know of them: the ground behind everything, and whether colours are the terminal's own."""
    return [
        replace(BUILTIN_THEMES["ansi-dark"], name=theme.name)
        if theme is OF_TERMINAL
        else TextualTheme(
            name=theme.name,
            primary=theme.inks.get(ROLES["focus"].dark, ROLES["focus"].dark),
            background=theme.grounds.get(GROUND, GROUND),
            dark=theme.dark,
        )
        for theme in THEMES.values()
    ]


def after(name: str) -> str:
    """The theme that comes next."""
    names = list(THEMES)
    return names[(names.index(name) + 1) % len(names)]


def chosen_theme(folder: Path | None = None, asked: str = "") -> str:
    """What WORKBENCH_THEME says, else what was asked for, chosen last, or dark. Refusal for a name that is none."""
    if named_theme() or asked:
        return named_theme() or asked
    kept = read_state((folder or state_folder()) / FILE).get("theme")
    return kept if isinstance(kept, str) and kept in THEMES else DARK.name


def named_theme() -> str:
    """What WORKBENCH_THEME says; empty when it is not set. Refusal for a name that is none."""
    named = os.environ.get(VARIABLE, "")
    if named and named not in THEMES:
        raise Refusal(USAGE, f"{VARIABLE} or --theme: no theme '{safe_text(named, 40)}'; choose {', '.join(THEMES)}")
    return named


def keep_theme(name: str, folder: Path | None = None) -> None:
    """Remember it for the next screen. OSError when that cannot be written."""
    path = (folder or state_folder()) / FILE
    write_state(path, read_state(path) | {"theme": name})
