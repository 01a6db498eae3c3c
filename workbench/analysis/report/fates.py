"""Figure: what became of every produce operation."""

from __future__ import annotations

from collections import Counter

from workbench.analysis.report.drawing import FAINT, LEFT, RIGHT, WIDTH, Drawing, TimeAxis
from workbench.analysis.report.fault_lines import fault_lines
from workbench.analysis.report.rows import Row, RunRows

FATES = {
    "visible": "#009e73",
    "in the log": "#56b4e9",
    "duplicated": "#cc79a7",
    "deleted": "#4a5560",
    "in doubt": "#e69f00",
    "refused": "#8a939c",
    "written though refused": "#7b5ea7",
    "lost": "#c62f2f",
    "not evaluated": "#c9ced4",
}
LANE, TOP, FOOT, BAR = 18, 66, 24, 22


def fate_counts(rows: list[Row]) -> dict[str, int]:
    """Records by fate, in the order of FATES; an operation without a count is one."""
    counted: Counter[str] = Counter()
    for row in rows:
        counted[row["fate"]] += row["count"] or 1
    return {fate: counted[fate] for fate in FATES if counted[fate]}


def record_fates(run: RunRows, topic: str, partition: int) -> str:
    """A bar of all records, and below it each operation at the time of its answer, one lane for each fate."""
    rows = run.of("record_fates", topic, partition)
    counts = fate_counts(rows)
    bottom = TOP + len(counts) * LANE
    drawing = Drawing(bottom + FOOT, f"Fates of the records of {topic}-{partition}")
    total, x = sum(counts.values()), float(LEFT)
    for fate, count in counts.items():
        width = (WIDTH - LEFT - RIGHT) * count / total
        drawing.box(x, 10, width, BAR, FATES[fate], title=f"{count} of {total}: {fate}")
        if width > 30:
            drawing.text(x + 6, 26, count, fill="#ffffff")
        x += width
    drawing.lane(26, f"{total} records")
    axis = TimeAxis(run.end_ms)
    axis.draw(drawing, TOP - 14, bottom)
    fault_lines(drawing, axis, run.tables["faults"], TOP - 14, bottom)
    for place, (fate, count) in enumerate(counts.items()):
        y = TOP + place * LANE
        drawing.lane(y + 4, f"{fate} {count}")
        for row in rows:
            if row["fate"] == fate:
                _mark(drawing, axis, row, y, FATES[fate])
    if not counts:
        drawing.text(LEFT, 26, "no built-in client produced to it", fill=FAINT)
    return str(drawing)


def _mark(drawing: Drawing, axis: TimeAxis, row: Row, y: float, colour: str) -> None:
    at = row["answered_ms"] if row["answered_ms"] is not None else row["invoked_ms"]
    acks = "all" if row["acks"] == -1 else row["acks"]
    where = f" at offset {row['base_offset']}" if row["base_offset"] is not None else ""
    title = f"{row['client_id']} produced {row['value']} with acks={acks}: {row['outcome']}{where}; {row['fate']}"
    drawing.box(axis.x(at) - 2.5, y - 6, 5, 12, colour, title=title, more='rx="2"')
