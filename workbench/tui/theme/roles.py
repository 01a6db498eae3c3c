"""What each colour means, and what it is in each theme: the one table that the palette and the themes read.

A role is a letter's colour; a fill is a ground that says: this changed just now. Ratios are those of WCAG 2.1 against
the ground of the stage; a test computes them. Glyphs and words always say the same as a colour does.
"""

from __future__ import annotations

from typing import NamedTuple


class Colour(NamedTuple):
    """One meaning in the four themes."""

    dark: str
    light: str
    contrast: str
    terminal: str
    """A name of the terminal's own sixteen; `default` where these would vanish on a white or a black ground."""


GROUNDS = {
    "stage": Colour("#0d1117", "#fbfaf7", "#000000", "default"),
    "words": Colour("#10161d", "#f3f1ec", "#05090d", "default"),
    "raised": Colour("#17212b", "#e3e0d8", "#101a26", "default"),
    "pointed": Colour("#2c4a66", "#c9dff2", "#173a5c", "default"),
}
"""Grounds that say nothing: of pictures, of words, of the header and the keys, and of the row a speaker points at."""
ROLES = {
    "line": Colour("#2b3744", "#cfcabf", "#8b97a4", "bright_black"),
    "rail": Colour("#35424f", "#bdb7aa", "#9fabb8", "bright_black"),
    "faint": Colour("#73818f", "#726c5f", "#b4c0cc", "bright_black"),
    "dim": Colour("#8592a0", "#676155", "#d3dae2", "default"),
    "text": Colour("#b9c4cf", "#38342c", "#fafcff", "default"),
    "bright": Colour("#f4f7f9", "#000000", "#ffffff", "default"),
    "flow": Colour("#56b4e9", "#0b5e96", "#9bd4ff", "bright_cyan"),
    "flow_trail": Colour("#3b7fa8", "#3f82ad", "#7ab6e0", "cyan"),
    "ask": Colour("#f0ab3c", "#865900", "#ffd24a", "bright_yellow"),
    "ask_trail": Colour("#a5782d", "#a06f28", "#e0b53c", "yellow"),
    "yes": Colour("#3ecf9b", "#00694a", "#5dffb9", "bright_green"),
    "yes_trail": Colour("#2c8f6d", "#2f8a69", "#47d99a", "green"),
    "no": Colour("#ff5d5d", "#b3002d", "#ffa898", "bright_red"),
    "no_trail": Colour("#c24f52", "#c0506a", "#ff8a7a", "red"),
    "crown": Colour("#ffd866", "#7a5600", "#ffe98a", "bright_yellow"),
    "hw": Colour("#ff7fd0", "#a01a8a", "#ffa6de", "bright_magenta"),
    "task": Colour("#d3c8ff", "#5a3bab", "#ded5ff", "bright_blue"),
    "focus": Colour("#58a6e0", "#0b5e97", "#8fc9ff", "bright_blue"),
}
FILLS = {
    "no": Colour("#4c171b", "#fbd6da", "#5c0d12", "bright_red"),
    "ask": Colour("#3d2a06", "#fbe6bd", "#3d2b00", "bright_yellow"),
    "yes": Colour("#0e3d2f", "#cdeee0", "#003d26", "bright_green"),
    "crown": Colour("#4a3d0c", "#fbeaa6", "#3d3200", "bright_yellow"),
    "task": Colour("#2c2350", "#e6defa", "#241a4a", "bright_blue"),
    "selected": Colour("#182b3b", "#d6e6f2", "#12395c", "default"),
}
"""Grounds that say what the role of that name says; in sixteen colours they are that role in reverse video."""


class EpochColours(NamedTuple):
    """How committed records of an epoch look."""

    fill: Colour
    digit: Colour


EPOCHS = (
    EpochColours(
        Colour("#2d3947", "#dad6cb", "#333a42", "bright_black"), Colour("#cfd8e0", "#454035", "#f1f5f9", "default")
    ),
    EpochColours(Colour("#43330f", "#f5deb0", "#4a3200", "yellow"), Colour("#ecc587", "#5f4100", "#ffd591", "yellow")),
    EpochColours(Colour("#0e3d5c", "#cde2f4", "#083a60", "cyan"), Colour("#a3d3f5", "#0b466f", "#b5deff", "cyan")),
    EpochColours(Colour("#0c4437", "#c8e9dc", "#004330", "green"), Colour("#93e3c8", "#004f38", "#9df0d3", "green")),
    EpochColours(
        Colour("#47327a", "#e1d7f8", "#3b2575", "magenta"), Colour("#d8c8ff", "#4a2d94", "#e2d6ff", "magenta")
    ),
)
"""Of epoch 0, then of 1 to 4, then again from 1: half as bright as a sentence, since a full log is no alarm."""


def epoch_place(epoch: int) -> int:
    """Which of the five colours an epoch has."""
    return (epoch - 1) % (len(EPOCHS) - 1) + 1 if epoch > 0 else 0
