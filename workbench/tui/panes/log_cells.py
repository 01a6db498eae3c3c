"""The end of a log in few columns: cells with their epoch, the high watermark, what was cut."""

from __future__ import annotations

from rich.style import Style

from cluster.picture.logs import LogState
from workbench.tui.theme.palette import HW, committed_cell, filled, style, uncommitted_cell

BAR = "\u258c"
"""Stands in front of the high watermark's offset: all left of it may be read."""
GHOST = style("no", strike=True)
GHOST_LOST = filled("no", "bright", strike=True)
Part = tuple[str, Style]


def few_cells(lane: LogState, room: int, rows_back: int = 0) -> list[Part]:
    """The newest records that fit, each with a digit for its epoch; committed ones have a ground.

    rows_back: so many rows older ones, of which there may be none.
    """
    ghosts = dict(lane.ghosts)
    count = max(1, (room - 2) // 2)
    end = max(lane.log_end_offset, max(ghosts, default=-1) + 1) - rows_back * count
    first = max(lane.log_start_offset, end - count)
    parts: list[Part] = []
    for offset in range(first, end + 1):
        if offset == lane.high_watermark and not (rows_back and offset == end):
            parts.append((BAR, HW))
        if offset == end:
            break
        is_ghost = offset >= lane.log_end_offset
        epoch = ghosts.get(offset, 0) if is_ghost else lane.epoch_at(offset)
        soft = offset >= lane.durable_offset
        if is_ghost:
            look = GHOST
        elif offset < lane.high_watermark:
            look = committed_cell(epoch, underline=soft)
        else:
            look = uncommitted_cell(epoch, underline=soft)
        is_ended = offset + 1 in (lane.high_watermark, end)
        parts.append((f"{epoch % 10}", look))
        parts.append(("" if offset + 1 == lane.high_watermark else " ", style() if is_ended else look))
    return parts
