"""The cells of a pane, kept from one frame to the next: what changes slowly is drawn less often than the rest."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import NamedTuple

from workbench.tui.drawing.canvas import Canvas, Cells, Rect
from workbench.tui.drawing.spots import Spot


class _Pane(NamedTuple):
    shows: Hashable
    at_ns: int
    cells: Cells
    spots: list[Spot]


@dataclass(slots=True)
class Kept:
    """Of each pane the cells that were drawn last."""

    _panes: dict[str, _Pane] = field(default_factory=dict)

    def draw(
        self,
        canvas: Canvas,
        name: str,
        rect: Rect,
        draw: Callable[[], None],
        *,
        shows: Hashable,
        age_ns: int,
        now_ns: int,
    ) -> None:
        """Put the pane on the canvas: drawn anew when it is to show something else, or its cells are too old.

        Args:
            shows: what must be the same for the same cells to be good.
            age_ns: how old they may become, on the clock of the run.
        """
        pane = self._panes.get(name)
        if pane is not None and pane.shows == (rect, shows) and 0 <= now_ns - pane.at_ns < age_ns:
            canvas.paste(rect, pane.cells)
            canvas.spots += pane.spots
            return
        before = len(canvas.spots)
        draw()
        self._panes[name] = _Pane((rect, shows), now_ns, canvas.cells(rect), canvas.spots[before:])
