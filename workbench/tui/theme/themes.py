"""Themes: the palette's colours said again for a bright room, for sharp contrast, and in a terminal's own colours.

Panes draw with the palette, whose colours are those of the dark theme. What goes to the terminal is dressed here,
colour by colour: one of letters and the same colour as a ground may become two.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
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
from workbench.tui.theme.palette import COLOURS, EPOCHS, GROUND, RAISED

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


def _again(colours: Iterable[str], said: str) -> dict[str, str]:
    """The colours, each with what is said for it."""
    return dict(zip(colours, said.split(), strict=True))


DARK = Theme("dark", "light letters on a dark ground", {}, {})
LIGHT = Theme(
    "light",
    "dark letters on a light ground, for a bright room",
    {
        **_again(COLOURS.values(), """
            #1f2933 #000000 #56616e #aab4bf #00694a
            #ac3500 #7d5200 #0b5789 #0a5590 #000000
        """),
        **_again(EPOCHS, """
            #5f6368 #8a5700 #136aa0 #00694a #6d6200
            #99396f #a34500 #00598c #2a6b5d #6440b5
        """),
        "#4a78a8": "#2f6aa3", "#ff5d8f": "#c2185b",
    },
    {
        GROUND: "#fcfcfd", RAISED: "#e3eaf1", "#2c4a66": "#c9dff2", "#24507a": "#c3dcf3", "#d5dbe3": "#8fb8dd",
        "#8c2f1c": "#ffc2b0",
        "#10402f": "#c9f0df", "#5c2013": "#ffd3c4", "#4b3705": "#ffe7a8", "#12344e": "#cfe6fa",
    },
    dark=False,
)  # fmt: skip
CONTRAST = Theme(
    "contrast",
    "white and strong colours on black",
    {
        **_again(COLOURS.values(), """
            #ffffff #ffffff #d3dae2 #9fabb8 #5dffb9
            #ffab91 #ffd24a #b3e0ff #9bd4ff #ffffff
        """),
        **_again(EPOCHS, """
            #e0e0e0 #ffb93d #8fd0ff #3fe0ad #fff35c
            #f0a6cf #ff9a57 #79bfff #b5ecdd #d3c0ff
        """),
        "#4a78a8": "#8fc4ff", "#ff5d8f": "#ff8db0",
        "#10151d": "#000000", "#0b0f14": "#000000", "#06110c": "#000000", "#06121c": "#000000", "#140f02": "#000000",
        "#140a14": "#000000",
    },
    {
        **_again(EPOCHS, """
            #d0d0d0 #ffb93d #7cc8ff #2fd39f #fff35c
            #f0a0cb #ff8f47 #63b3ff #a8e6d6 #cbb5ff
        """),
        GROUND: "#000000", RAISED: "#101a26", "#2c4a66": "#173a5c", "#24507a": "#0f3c66", "#d5dbe3": "#ffffff",
        "#3fc79a": "#5dffb9", "#7cc4f0": "#b3e0ff", "#8c2f1c": "#7a1500",
        "#10402f": "#00331f", "#5c2013": "#4a1206", "#4b3705": "#3d2b00", "#12344e": "#062b47",
    },
)  # fmt: skip
OF_TERMINAL = Theme(
    TERMINAL,
    "the sixteen colours and the ground of the terminal itself",
    {
        **_again(COLOURS.values(), """
            default default default bright_black green
            red yellow cyan blue default
        """),
        **_again(EPOCHS, """
            default yellow cyan green bright_yellow
            magenta red blue bright_cyan bright_magenta
        """),
        "#4a78a8": "blue", "#ff5d8f": "bright_red",
        **dict.fromkeys(("#10151d", "#0b0f14", "#06110c", "#06121c", "#140f02", "#140a14"), "black"),
    },
    {
        **_again(EPOCHS, """
            white yellow bright_cyan green bright_yellow
            magenta red bright_blue cyan bright_magenta
        """),
        **dict.fromkeys((GROUND, RAISED, "#2c4a66", "#24507a", "#8c2f1c"), "default"),
        **dict.fromkeys(("#10402f", "#5c2013", "#4b3705", "#12344e"), "default"),
        "#d5dbe3": "white", "#3fc79a": "bright_green", "#7cc4f0": "bright_cyan", "#f0b429": "yellow",
    },
)  # fmt: skip
THEMES = {theme.name: theme for theme in (DARK, LIGHT, CONTRAST, OF_TERMINAL)}


@lru_cache(maxsize=4096)
def dressed(look: Style, name: str) -> Style:
    """The palette's style in a theme."""
    theme = THEMES[name]
    ink = look.color.name if look.color else None
    ground = look.bgcolor.name if look.bgcolor else None
    if theme is DARK or ink is None and ground is None:
        return look
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
            primary=theme.inks.get(COLOURS["title"], COLOURS["title"]),
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
