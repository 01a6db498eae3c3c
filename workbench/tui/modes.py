"""What the screen is busy with: one tagged union, of which exactly one holds.

A new mode or overlay is a class here and a member of the union. mypy then names each `match` that must say what it does
there: which keys it takes (`commands/dispatch.py`), what escape does (`commands/view.py`), and how it is drawn
(`compose.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from cluster.model.identifiers import NodeId
from cluster.picture.flights import Flight
from workbench.session.explanation import Explanation


@dataclass(frozen=True, slots=True)
class Watching:
    """All panes are seen, and keys act on them."""


@dataclass(frozen=True, slots=True)
class Typing:
    """The command bar is open; its line stands in `UiState.line`."""

    suggestions: tuple[str, ...] = ()
    wrong: str = ""
    """What the grammar has against the line; empty until enter."""
    chosen: int | None = None
    """Which suggestion tab has put into the line; None before."""


@dataclass(frozen=True, slots=True)
class Starting:
    """Progress is shown until all nodes are ready and a leader is known."""


@dataclass(frozen=True, slots=True)
class Loading:
    """A recording is read."""

    how_far: str


@dataclass(frozen=True, slots=True)
class Ending:
    """The cluster ends."""

    what: str
    """What is waited for."""


@dataclass(frozen=True, slots=True)
class Help:
    """Overlay: how a pane is read, keys, commands."""

    pane: str = ""
    """Which pane; empty for the one in focus."""


class Choice(NamedTuple):
    """One thing of the palette."""

    group: str
    text: str
    """What it does or is, as a sentence."""
    line: str
    """As it is typed in the command bar, or its name."""
    key: str
    """The key that does the same; empty for none."""
    name: str
    """Of the command that enter runs."""
    arguments: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Palette:
    """Overlay: everything that can be found by its name."""

    query: str = ""
    found: tuple[Choice, ...] = ()
    count: int = 0
    """Of all choices there are."""


@dataclass(frozen=True, slots=True)
class Why:
    """Overlay: why an event happened."""

    explained: Explanation
    chosen: int = -1
    """Step of the picture that the view was turned to; -1 for none."""
    is_open: bool = False
    """Whether the whole chain is shown below."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Overlay: what the checker says of each invariant."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Overlay: two runs on one time axis."""

    at_ns: int = -1
    """The moment in view, since the beginning of both; -1 for the end of each."""


@dataclass(frozen=True, slots=True)
class Tour:
    """Overlay: what there is on the screen, stop by stop."""

    stop: int = 0


@dataclass(frozen=True, slots=True)
class Jump:
    """Overlay: all marks as a list."""


@dataclass(frozen=True, slots=True)
class Faults:
    """Overlay: the fault console."""

    staged: frozenset[tuple[NodeId, NodeId]] = frozenset()
    """Links that are to be cut as one fault, source and target each."""
    is_warned: bool = False
    """Whether it was said that closing drops them."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Overlay: the terms of the lesson's step."""


@dataclass(frozen=True, slots=True)
class Touch:
    """Overlay: one message on its way."""

    flight: Flight
    """As it was when it was chosen."""


Overlay: TypeAlias = Help | Palette | Why | Verdicts | Comparison | Tour | Jump | Faults | Terms | Touch
"""Lies over the panes. A key that leaves it open is in `OVERLAY_ACTIONS` of `input/keys.py`; others close it first."""


@dataclass(frozen=True, slots=True)
class Blank:
    """Nothing is shown, until the next key."""

    behind: Watching | Overlay


@dataclass(frozen=True, slots=True)
class AskingToLeave:
    """Whether to end the cluster is asked: the next key answers."""

    behind: Watching | Typing | Overlay | Blank


Mode: TypeAlias = Watching | Typing | Starting | Loading | Ending | Overlay | Blank | AskingToLeave


def seen(mode: Mode) -> Mode:
    """What is drawn: while a question is asked, what it was asked over."""
    return mode.behind if isinstance(mode, AskingToLeave) else mode
