"""Colours and styles. Okabe-Ito hues; every meaning also has a glyph or a word."""

from __future__ import annotations

from functools import lru_cache

from rich.style import Style

GROUND = "#0f141c"
RAISED = "#1b2735"
POINTED = "#2c4a66"
EPOCHS = ("#bbbbbb", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#cc79a7", "#d55e00", "#0072b2", "#9ad0c2", "#b9a0e8")
"""Background of a committed cell, by epoch mod 10."""
COLOURS = {
    "text": "#d5dbe3",
    "bright": "#ffffff",
    "dim": "#7d8896",
    "faint": "#3b4a5c",
    "good": "#3fc79a",
    "bad": "#ff8a65",
    "warn": "#f0b429",
    "info": "#7cc4f0",
    "title": "#56b4e9",
    "cursor": "#ffffff",
}


@lru_cache(maxsize=512)
def style(
    colour: str = "text",
    ground: str = GROUND,
    *,
    bold: bool = False,
    underline: bool = False,
    strike: bool = False,
    reverse: bool = False,
) -> Style:
    """One style, always with a background so that no hole shows."""
    return Style(
        color=COLOURS.get(colour, colour),
        bgcolor=ground,
        bold=bold,
        underline=underline,
        strike=strike,
        reverse=reverse,
    )


@lru_cache(maxsize=64)
def committed_cell(epoch: int, *, underline: bool = False) -> Style:
    """Dark digit on the epoch's colour."""
    return style("#10151d", EPOCHS[epoch % 10], bold=True, underline=underline)


@lru_cache(maxsize=64)
def uncommitted_cell(epoch: int, *, underline: bool = False) -> Style:
    """Coloured digit on the ground."""
    return style(EPOCHS[epoch % 10], bold=True, underline=underline)


@lru_cache(maxsize=1024)
def without_colour(look: Style) -> Style:
    """The style with reverse video where its background carried a meaning."""
    ground = look.bgcolor.name if look.bgcolor else GROUND
    return Style(
        bold=look.bold,
        underline=look.underline,
        strike=look.strike,
        reverse=ground not in (GROUND, RAISED),
    )


@lru_cache(maxsize=1024)
def pointed(look: Style) -> Style:
    """The style on the ground of the row that a speaker points at; a background with a meaning stays."""
    ground = look.bgcolor.name if look.bgcolor else GROUND
    return look + Style(bgcolor=POINTED) if ground in (GROUND, RAISED) else look


TEXT = style()
BRIGHT = style("bright", bold=True)
DIM = style("dim")
FAINT = style("faint")
GOOD = style("good", bold=True)
BAD = style("bad", bold=True)
WARN = style("warn", bold=True)
INFO = style("info")
TITLE = style("title", bold=True)
BAR = style("text", RAISED)
BAR_BRIGHT = style("bright", RAISED, bold=True)
BAR_KEY = style("warn", RAISED, bold=True)
INPUT = style("bright", "#24507a")
CARET = style("#10151d", "#d5dbe3", bold=True)
BAD_BAR = style("bad", RAISED, bold=True)
WINNER = style("#06110c", "#3fc79a", bold=True)
SELECTED = style("#0b0f14", "#f0e442", bold=True)
TONES = {"good": style("good"), "bad": BAD, "warn": style("warn"), "info": INFO, "dim": DIM, "text": TEXT}
