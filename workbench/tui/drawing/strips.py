"""A row on its way to the terminal that is gone as soon as nobody shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.strip import Strip


class RowStrip(Strip):
    """A strip that keeps no ring to itself.

    Textual remembers in each strip what it was cut into: one that was not cut then holds itself. Such a ring of some
    thirty objects a row is only found by a full collection, and a screen has none: it would stop for too long.
    """

    __slots__ = ()

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        """Pieces that end at these cells; the strip itself where it is one piece."""
        kept = [cut for cut in cuts if cut <= self.cell_length]
        return [self] if kept == [self.cell_length] else super().divide(kept)


def row_of(strip: Strip) -> RowStrip:
    """The same cells as a row; what a filter of Textual's makes is none."""
    return strip if isinstance(strip, RowStrip) else RowStrip(strip, strip.cell_length)
