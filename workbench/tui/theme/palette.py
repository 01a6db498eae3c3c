"""Styles that panes draw with, in the colours of the dark theme; every meaning also has a glyph or a word."""

from __future__ import annotations

from functools import lru_cache

from rich.style import Style

from workbench.tui.theme.roles import EPOCHS, FILLS, GROUNDS, ROLES, epoch_place

GROUND, WORDS, RAISED, POINTED = (GROUNDS[name].dark for name in ("stage", "words", "raised", "pointed"))
PLAIN_GROUNDS = frozenset((GROUND, WORDS, RAISED, POINTED))
"""They carry no meaning."""


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
    """A role or a colour on a ground, always with a background so that no hole shows."""
    return Style(
        color=ROLES[colour].dark if colour in ROLES else colour,
        bgcolor=ground,
        bold=bold,
        underline=underline,
        strike=strike,
        reverse=reverse,
    )


@lru_cache(maxsize=128)
def filled(fill: str, colour: str = "", *, bold: bool = True, strike: bool = False) -> Style:
    """A role on its fill: what changed within the last second. colour: another role on the same fill."""
    ink = colour or ("bright" if fill == "selected" else fill)
    return style(ink, FILLS[fill].dark, bold=bold, strike=strike)


@lru_cache(maxsize=64)
def committed_cell(epoch: int, *, underline: bool = False) -> Style:
    """A digit on its epoch's fill."""
    colours = EPOCHS[epoch_place(epoch)]
    return style(colours.digit.dark, colours.fill.dark, underline=underline)


@lru_cache(maxsize=64)
def uncommitted_cell(epoch: int, *, underline: bool = False) -> Style:
    """A digit alone, on the ground."""
    return style(EPOCHS[epoch_place(epoch)].digit.dark, bold=True, underline=underline)


@lru_cache(maxsize=1024)
def without_colour(look: Style) -> Style:
    """The style with reverse video where its background carried a meaning."""
    ground = look.bgcolor.name if look.bgcolor else GROUND
    is_filled = ground not in PLAIN_GROUNDS or ground == POINTED
    return Style(bold=look.bold, underline=look.underline, strike=look.strike, reverse=is_filled)


@lru_cache(maxsize=1024)
def on_ground(look: Style, ground: str) -> Style:
    """The style on another plain ground; a background with a meaning stays."""
    own = look.bgcolor.name if look.bgcolor else GROUND
    return look + Style(bgcolor=ground) if own in PLAIN_GROUNDS else look


@lru_cache(maxsize=1024)
def stepped_back(look: Style) -> Style:
    """What is behind an overlay: two greys, without fills."""
    ink = look.color.name if look.color else ROLES["text"].dark
    strong = look.bold or ink in (ROLES["text"].dark, ROLES["bright"].dark)
    own = look.bgcolor.name if look.bgcolor else GROUND
    ground = own if own in PLAIN_GROUNDS else GROUND
    line = ink in (ROLES["line"].dark, ROLES["rail"].dark)
    return style("line" if line else "faint" if strong else "rail", ground, strike=bool(look.strike))


TEXT = style()
BRIGHT = style("bright", bold=True)
DIM = style("dim")
FAINT = style("faint")
LINE = style("line")
RAIL = style("rail")
FLOW = style("flow", bold=True)
FLOW_TRAIL = style("flow_trail")
CROWN = style("crown", bold=True)
HW = style("hw", bold=True)
TASK = style("task")
GOOD = style("yes", bold=True)
BAD = style("no", bold=True)
WARN = style("ask", bold=True)
INFO = style("flow")
TITLE = style("bright", bold=True)
FOCUS = style("focus", bold=True)
BAR = style("dim", RAISED)
BAR_TEXT = style("text", RAISED)
BAR_BRIGHT = style("bright", RAISED, bold=True)
BAR_KEY = BAR_BRIGHT
INPUT = filled("selected")
CARET = style(GROUND, ROLES["bright"].dark, bold=True)
BAD_BAR = style("no", RAISED, bold=True)
WINNER = filled("yes")
SELECTED = filled("selected")
TONES = {"good": style("yes"), "bad": BAD, "warn": style("ask"), "info": INFO, "dim": DIM, "text": TEXT}
FILL_OF = {"good": "yes", "bad": "no", "warn": "ask", "info": "selected", "dim": "selected", "text": "selected"}
"""Fill of each tone of an event."""
