"""Overlay: five stops over a free lab. What is told of stays lit, all else steps back."""

from __future__ import annotations

from typing import NamedTuple

from workbench.tui.drawing.canvas import Canvas, Rect, panel, wrap
from workbench.tui.modes import Tour
from workbench.tui.theme.palette import BRIGHT, DIM, TEXT
from workbench.tui.ui_state import UiState

WIDTH = 46
"""Columns of the words."""


class Stop(NamedTuple):
    """One thing to look at."""

    places: tuple[str, ...]
    """Where it lies: the first of these that is on screen."""
    title: str
    text: str
    """Keys by their ids in braces."""
    instead: str = ""
    """Said where the first of the places is not on screen."""
    with_zookeeper: str = ""
    """Said in zookeeper mode, wherever it lies; empty where the text is true there."""


STOPS = (
    Stop(
        ("map",),
        "A living cluster",
        "Above the controllers, below the brokers: each box is a node. The one with \u2605 in the heavy frame leads "
        "the quorum. What moves on the lines are the messages that they send each other. After the tour {left} "
        "and {right} select a node.",
        with_zookeeper="Each box is a node. The broker that says CONTROLLER decides for all: it was the first to "
        "create /controller in ZooKeeper, for which one process stands. What moves on the lines are the messages "
        "that they send each other. After the tour {left} and {right} select a node.",
    ),
    Stop(
        ("headline",),
        "One sentence",
        "What happened last, and what it means. Nothing else has to be read to follow the play.",
    ),
    Stop(
        ("logs", "quorum"),
        "The records",
        "A row for each replica, a cell for each record; its digit is the epoch in which it was written. Left of the "
        "bar it is committed: all replicas in sync have it, and readers may see it.",
        "Time goes down: the way of the newest record from its producer to all replicas, or who votes for whom while "
        "there is no leader. {view.next} shows the next pane: the records themselves, the timeline, the missions.",
        with_zookeeper="The way of the newest record, or its cells: a row for each replica, a digit for the epoch. "
        "Left of the bar it is committed. While nobody controls, this pane shows whose session ZooKeeper keeps. "
        "{view.next} shows the next pane.",
    ),
    Stop(
        ("events", "isr"),
        "The story",
        "Everything that happens is written down as a cause and what followed. {focus.swap} gives this pane the keys, "
        "{right} opens a line, {enter} tells why. {view.pause} holds the view, {scrub.mark.previous} goes back.",
    ),
    Stop(
        ("lesson", "keys"),
        "Now break it",
        "Select the node with the star and press {node.kill}: it dies, and you see step by step how the others find a "
        "new leader. The missions tell what to try. {palette} finds any command, {help} explains the pane in focus.",
        with_zookeeper="Select the broker that says CONTROLLER and press {node.kill}: it dies, and once its session is "
        "over another one takes its place. The missions tell what to try. {palette} finds any command, {help} explains "
        "the pane in focus.",
    ),
)


def draw_tour(canvas: Canvas, places: dict[str, Rect], ui: UiState, tour: Tour) -> None:
    """The stop that is told of, and its words where they cover least of it."""
    stop = STOPS[min(tour.stop, len(STOPS) - 1)]
    lit = next((places[name] for name in stop.places if name in places), places["keys"])
    canvas.step_back(lit)
    width = min(WIDTH, canvas.width - 2)
    text = stop.text if stop.places[0] in places else stop.instead or stop.text
    if ui.view.zookeeper.is_used:
        text = stop.with_zookeeper or text
    lines = wrap(ui.keyboard.said(text), width - 4)
    box = _beside(lit, Rect(0, 0, width, len(lines) + 4), canvas)
    canvas.area(box).clear()
    inside = panel(canvas, box, stop.title, f"{tour.stop + 1} of {len(STOPS)}", focused=True)
    for y, line in enumerate(lines):
        inside.put(1, y, line, TEXT)
    last = tour.stop + 1 == len(STOPS)
    then = "begins" if last else "goes on"
    inside.parts(1, len(lines) + 1, ("enter", BRIGHT), (f" {then}   ", DIM), ("esc", BRIGHT), (" ends the tour", DIM))


def _beside(lit: Rect, box: Rect, canvas: Canvas) -> Rect:
    """Below it, above it, to its right or its left; else in the middle of the screen."""
    x = max(0, min(lit.x + (lit.width - box.width) // 2, canvas.width - box.width))
    y = max(1, min(lit.y + (lit.height - box.height) // 2, canvas.height - box.height - 1))
    ways = (
        box._replace(x=x, y=lit.y + lit.height + 1),
        box._replace(x=x, y=lit.y - box.height - 1),
        box._replace(x=lit.x + lit.width + 1, y=y),
        box._replace(x=lit.x - box.width - 1, y=y),
    )
    fitting = (
        way for way in ways
        if way.x >= 0 and way.y >= 0 and way.x + way.width <= canvas.width and way.y + way.height <= canvas.height
    )  # fmt: skip
    return next(fitting, box._replace(x=x, y=max(1, canvas.height - box.height - 1)))
