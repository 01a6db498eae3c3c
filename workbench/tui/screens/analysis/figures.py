"""The figures of the analysis in characters: the same rows as on the page."""

from __future__ import annotations

from collections.abc import Callable

from rich.style import Style

from workbench.analysis.report.fates import fate_counts
from workbench.analysis.report.rows import METADATA_TOPIC, Row, RunRows
from workbench.support.safe_text import safe_text
from workbench.tui.drawing.canvas import Area
from workbench.tui.theme.palette import (
    BAD,
    BRIGHT,
    DIM,
    FAINT,
    GOOD,
    GROUND,
    INFO,
    TEXT,
    WARN,
    committed_cell,
    style,
    uncommitted_cell,
)
from workbench.tui.theme.roles import ROLES

LABEL = 13
BLOCKS = " \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
FATE_LOOKS = {
    "visible": GOOD,
    "in the log": INFO,
    "duplicated": WARN,
    "deleted": DIM,
    "in doubt": WARN,
    "refused": DIM,
    "written though refused": WARN,
    "lost": BAD,
    "not evaluated": FAINT,
}
TICKS = 6


class Axis:
    """Milliseconds of the run to columns of an area, after the labels."""

    def __init__(self, area: Area, end_ms: float) -> None:
        self.width = max(10, area.width - LABEL - 2)
        self.end_ms = max(end_ms, 1.0)

    def x(self, t_ms: float) -> int:
        """Column of a moment."""
        return LABEL + min(self.width - 1, max(0, int(t_ms / self.end_ms * self.width)))

    def span(self, row: Row) -> range:
        """Columns of an interval, at least one."""
        first = self.x(row["from_ms"])
        return range(first, max(first + 1, self.x(row["until_ms"])))

    def draw(self, area: Area, y: int) -> None:
        """A line with times below the lanes."""
        area.put(LABEL, y, "\u2500" * self.width, FAINT)
        for tick in range(TICKS + 1):
            at = self.end_ms * tick / TICKS
            text = f"{at / 1000:.1f}s"
            area.put(min(self.x(at), LABEL + self.width - len(text)), y + 1, text, DIM)


def leaders(area: Area, run: RunRows, _log: tuple[str, int]) -> int:
    """Who led the quorum and each partition; the digit and the colour are the epoch's. Returns the rows used."""
    axis = Axis(area, run.end_ms)
    y = _faults(area, axis, run)
    quorum = run.of("leaderships", METADATA_TOPIC, 0)
    voters = sorted({row["leader"] for row in quorum} | {row["candidate"] for row in run.tables["vote_rounds"]})
    gaps = [row for row in run.of("outages", METADATA_TOPIC, 0) if row["kind"] == "leaderless"]
    for voter in voters:
        area.put(0, y, f"quorum {voter}"[:LABEL], TEXT)
        _gaps(area, axis, gaps, y)
        for row in quorum:
            if row["leader"] == voter:
                _office(area, axis, row, y)
        for row in run.tables["vote_rounds"]:
            if row["candidate"] == voter and not row["pre_vote"]:
                look = BRIGHT if row["outcome"] in ("won", "beaten") else BAD
                x = axis.x(row["started_ms"])
                area.put(x - 1 if row["outcome"] == "won" else x, y, "V" if row["outcome"] == "won" else "\u2717", look)
        y += 1
    for topic, partition in run.partitions:
        area.put(0, y, safe_text(f"{topic}-{partition}", LABEL - 1), TEXT)
        for row in run.of("leaderships", topic, partition):
            _office(area, axis, row, y, f"n{row['leader']}")
        served = ("leaderless", "leader down", "leader paused")
        _gaps(area, axis, [row for row in run.of("outages", topic, partition) if row["kind"] in served], y)
        y += 1
    axis.draw(area, y)
    area.put(
        LABEL,
        y + 2,
        "digit and colour: epoch   \u2592 no leader that serves   V won   \u2717 not won   \u25bc fault",
        DIM,
    )
    return y + 3


def _office(area: Area, axis: Axis, row: Row, y: int, name: str = "") -> None:
    columns = axis.span(row)
    text = f"{row['epoch'] % 10}{' ' + name if name else ''}"
    shown = text.ljust(len(columns), str(row["epoch"] % 10) if len(columns) < len(text) else " ")[: len(columns)]
    area.put(columns.start, y, shown, committed_cell(row["epoch"]))


def _gaps(area: Area, axis: Axis, rows: list[Row], y: int) -> None:
    for row in rows:
        columns = axis.span(row)
        area.put(columns.start, y, "\u2592" * len(columns), BAD)


def _faults(area: Area, axis: Axis, run: RunRows, top: int = 0) -> int:
    """Marks of the faults, and their commands above them where there is room. Returns the row after."""
    free = [0, 0]
    for row in run.tables["faults"]:
        at = row["applied_ms"] if row["applied_ms"] is not None else row["injected_ms"]
        if at is None:
            continue
        x, text = axis.x(at), safe_text(str(row["command"] or row["kind"]), 24)
        area.put(x, top + 2, "\u25bc", WARN)
        start = max(LABEL, min(x, LABEL + axis.width - len(text)))
        level = next((level for level, taken in enumerate(free) if start >= taken), None)
        if level is not None:
            area.put(start, top + 1 - level, text, WARN)
            free[level] = start + len(text) + 1
    return top + 3


def ribbon(area: Area, run: RunRows, log: tuple[str, int]) -> int:
    """Who was in the ISR of one partition. Returns the rows used."""
    axis = Axis(area, run.end_ms)
    y = _faults(area, axis, run)
    states = run.of("isr_history", *log)
    for broker in sorted({node for row in states for node in row["isr"]}):
        area.put(0, y, f"broker {broker}", TEXT)
        for row in states:
            columns = axis.span(row)
            glyph, look = "\u00b7", FAINT
            if broker in row["isr"]:
                is_leader = broker == row["leader"]
                glyph, look = ("\u2588", GOOD) if is_leader else ("\u2593", style("yes"))
            area.put(columns.start, y, glyph * len(columns), look)
        y += 1
    area.put(0, y, "size", TEXT)
    for row in states:
        columns = axis.span(row)
        look = BAD if row["under_min_isr"] else DIM
        area.put(columns.start, y, str(len(row["isr"])).ljust(len(columns), "\u2500")[: len(columns)], look)
    axis.draw(area, y + 1)
    area.put(
        LABEL,
        y + 3,
        "\u2588 leader   \u2593 in the ISR   \u00b7 out   size in red: fewer than min.insync.replicas",
        DIM,
    )
    return y + 4


def positions(area: Area, run: RunRows, log: tuple[str, int]) -> int:
    """Log end offset and high watermark of each replica as steps. Returns the rows used."""
    axis = Axis(area, run.end_ms)
    rows = run.of("log_positions", *log)
    highest = max((row["log_end_offset"] for row in rows), default=0) or 1
    y = _faults(area, axis, run)
    for place, node in enumerate(sorted({row["node"] for row in rows})):
        mine = [row for row in rows if row["node"] == node]
        look = uncommitted_cell(place)
        for name, text, shade in (("log_end_offset", "end", look), ("high_watermark", "hw", TEXT)):
            area.put(0, y, f"n{node} {text}", look)
            last = _steps(area, axis, mine, name, highest, y, shade)
            area.put(LABEL + axis.width - len(last), y, last, BRIGHT)
            y += 1
    axis.draw(area, y)
    area.put(LABEL, y + 2, f"heights from 0 to {highest}; both are exclusive; the number is the last value", DIM)
    return y + 3


def _steps(area: Area, axis: Axis, rows: list[Row], name: str, highest: int, y: int, look: Style) -> str:
    """One lane; the value holds until the next change. Returns the last value."""
    value, place, ordered = None, 0, sorted(rows, key=lambda row: row["t_ms"])
    for column in range(axis.width):
        until = (column + 1) / axis.width * axis.end_ms
        while place < len(ordered) and ordered[place]["t_ms"] <= until:
            value, place = ordered[place][name], place + 1
        if value is not None:
            level = 0 if value <= 0 else max(1, min(8, round(8 * value / highest)))
            area.put(LABEL + column, y, BLOCKS[level] if level else "_", look)
    return "" if value is None else f" {value}"


def fates(area: Area, run: RunRows, log: tuple[str, int]) -> int:
    """What became of each record of one partition. Returns the rows used."""
    axis = Axis(area, run.end_ms)
    rows = run.of("record_fates", *log)
    counts = fate_counts(rows)
    total = sum(counts.values())
    area.put(0, 0, f"{total} records", TEXT)
    if not total:
        area.put(LABEL, 0, "no built-in client produced to it", DIM)
        return 1
    x = LABEL
    for number, (fate, count) in enumerate(counts.items(), start=1):
        so_far = sum(list(counts.values())[:number])
        end = LABEL + round(axis.width * so_far / total)
        area.put(x, 0, f" {count} ".ljust(max(end - x, 1), " ")[: max(end - x, 1)], _inverse(FATE_LOOKS[fate]))
        x = max(end, x + 1)
    y = _faults(area, axis, run, 1)
    for fate, count in counts.items():
        area.put(0, y, f"{fate} {count}"[: LABEL - 1], FATE_LOOKS[fate])
        for row in rows:
            if row["fate"] == fate:
                at = row["answered_ms"] if row["answered_ms"] is not None else row["invoked_ms"]
                area.put(axis.x(at), y, "\u25cf", FATE_LOOKS[fate])
        y += 1
    axis.draw(area, y)
    area.put(LABEL, y + 2, "each operation at the time of its answer, judged by the last leader's log", DIM)
    return y + 3


def _inverse(look: Style) -> Style:
    colour = look.color.name if look.color is not None else ROLES["text"].dark
    return style(GROUND, colour, bold=True)


FIGURES: dict[str, Callable[[Area, RunRows, tuple[str, int]], int]] = {
    "Leaders": leaders,
    "ISR": ribbon,
    "Log ends": positions,
    "Records": fates,
}
"""By the name of the view; each draws into an area and returns how many rows it used."""
