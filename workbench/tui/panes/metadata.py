"""The newest records of the metadata log, each with what it says, for the close-up."""

from __future__ import annotations

from cluster.model.identifiers import METADATA
from workbench.session.metadata_rows import MetadataRow, newest_rows
from workbench.support.safe_text import safe_text
from workbench.tui.drawing.canvas import Area, wrap
from workbench.tui.theme.palette import BRIGHT, DIM, FAINT, TEXT, WARN
from workbench.tui.ui_state import UiState

OFFSET = 7
"""Columns of an offset and of the sign before it."""
WIDE, KIND = 80, 27
"""Columns from which on the kind of a record stands beside what it says, and how many it takes."""
WORDS_MAX = 200
"""Characters of one record."""
OPEN = "\u25cb"
"""Before a record that the leader does not know to be committed."""


def draw_metadata(area: Area, ui: UiState) -> None:
    """One record below the other, the newest last. Said is what is not committed yet, and what is deleted."""
    log = ui.view.logs.get((ui.view.leader_of_newest_epoch, METADATA))
    rows = newest_rows(ui.recording, area.height)
    if not rows or log is None:
        area.put(1, 0, "nobody leads, or nothing has been written yet", DIM)
        return
    legend = f"{OPEN} not committed" if rows[-1].offset >= log.high_watermark else ""
    if log.log_start_offset:
        legend = f"below {log.log_start_offset}: deleted, a snapshot has it  {legend}"
    height = area.height - bool(legend)
    blocks: list[list[str]] = []
    shown: list[MetadataRow] = []
    for row in reversed(rows):
        lines = _lines(row, area.width)
        if sum(map(len, blocks)) + len(lines) > height:
            break
        blocks.append(lines)
        shown.append(row)
    y = 0
    for row, lines in zip(reversed(shown), reversed(blocks), strict=True):
        is_open, is_deleted = row.offset >= log.high_watermark, row.offset < log.log_start_offset
        look = FAINT if is_deleted else WARN if is_open else TEXT
        area.put(0, y, OPEN if is_open else " ", WARN)
        area.put(1, y, f"{row.offset}".rjust(OFFSET - 2), FAINT if is_deleted else BRIGHT)
        for line in lines:
            area.put(OFFSET, y, line, look)
            y += 1
    area.put(1, area.height - 1, legend, DIM)


def _lines(row: MetadataRow, width: int) -> list[str]:
    """What stands beside the offset: the kind where there is room, the words, how often."""
    words = safe_text(row.words, WORDS_MAX) or "not told"
    words += f" \u00d7{row.times}" if row.times > 1 else ""
    if width < WIDE:
        return wrap(words, max(1, width - OFFSET))
    kind = safe_text(row.kind, KIND)
    first, *more = wrap(words, width - OFFSET - KIND)
    return [kind[: KIND - 1].ljust(KIND) + first, *(" " * KIND + line for line in more)]
