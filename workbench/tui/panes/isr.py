"""Pane 5: ISR ribbon, size, marks and activity along time, with the time cursor."""

from __future__ import annotations

from itertools import pairwise

from rich.style import Style

from workbench.session.describe.sentences import node_name
from workbench.session.timeline import GAP, LOST, OWN, IsrChange
from workbench.session.views.isr_words import isr_words
from workbench.tui.drawing.canvas import Area
from workbench.tui.theme.palette import BAD, BRIGHT, DIM, FLOW_TRAIL, GOOD, TONES, WARN, filled
from workbench.tui.ui_state import UiState

LEFT = 10
SPARK = " \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
MARKS = (
    (LOST, "bad", "records lost"),
    (GAP, "warn", "resumed"),
    ("K", "bad", "kill"),
    ("P", "bad", "power loss"),
    ("F", "warn", "fault"),
    ("h", "good", "heal"),
    ("V", "info", "vote"),
    ("E", "warn", "epoch"),
    ("\u2702", "bad", "truncation"),
    ("-", "bad", "ISR"),
    ("+", "good", "ISR"),
    ("R", "info", "rebalance"),
    (OWN, "text", "your mark"),
)
MARK_TONES = {glyph: tone for glyph, tone, _ in MARKS}
WEIGHTS = {glyph: weight for weight, glyph in enumerate("RhVF+-E\u2702KP" + GAP + OWN + LOST)}
"""Which of two marks in one cell is seen."""
AXIS_GAP = 15
AXIS_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
RIBBON = (("\u2588", GOOD, "in ISR"), ("\u2593", WARN, "lagging"), ("\u2591", DIM, "out"), ("\u00d7", BAD, "down"))
SHORT_WORDS = {
    "in ISR": "in", "lagging": "lags", "records lost": "lost", "power loss": "power", "truncation": "cut",
    "rebalance": "group",
}  # fmt: skip
SHORT = filled("no", "bright")


def draw_isr(area: Area, ui: UiState) -> None:
    """Ribbon rows from the top; size, events and activity below them."""
    timeline = ui.recording.timeline
    columns = area.width - LEFT - 1
    span = max(1, timeline.end_ns - timeline.start_ns)
    times = [timeline.start_ns + span * (place + 1) // columns for place in range(columns)]
    tp = ui.partition
    area.spot(LEFT, 0, columns, area.height, "time")
    y = 0
    if tp is not None:
        changes = timeline.isr_along(tp, times)
        item = ui.view.partitions[tp]
        replicas = ui.recording.live.partitions.get(tp, item).replicas[: max(1, area.height - 3)]
        lags = item.lagging
        for node in replicas:
            x = area.put(1, y, node_name(node), BRIGHT)
            if lag := lags.get(node):
                area.put(x + 1, y, _seconds(lag.left_ms(ui.shown_ns)), WARN)
            draw_ribbon(area, y, timeline.down_along(node, times), node, changes)
            y += 1
        _size(area, y, changes)
        y += 1
    else:
        area.put(1, 0, "no topic: the ribbon shows who is in sync over time", DIM)
        y = 1
    _marks(area, y, ui, columns, span)
    _activity(area, y + 1, ui, columns, span)
    place = (ui.recording.t_ns - timeline.start_ns) * columns // span
    x = LEFT + max(0, min(columns - 1, place))
    look = BRIGHT
    for row in range(0 if tp is not None else 1, min(y + 2, area.height)):
        area.put(x, row, "\u2503", look)
    y += 2
    if y + 1 < area.height:
        _axis(area, y, ui, columns, span)
        y += 1
    if y < area.height:
        _legend(area, y, ui)


def headline(ui: UiState) -> str:
    """The partition; then who leaves its ISR unless it catches up, or else the newest change of it."""
    tp = ui.partition
    if tp is None:
        return ""
    item = ui.view.partitions[tp]
    parts = [str(tp)]
    lags = {node: lag for node, lag in sorted(item.lagging.items()) if lag is not None}
    for node, lag in lags.items():
        left_ms, limit = lag.left_ms(ui.shown_ns), _seconds(lag.limit_ms)
        out = f"{_seconds(left_ms)} left of {limit}" if left_ms else f"over {limit}: the leader's next look decides"
        parts.append(f"{node_name(node)} lags: {out}")
    if not lags and item.change is not None:
        parts.append(f"{ui.recording.seconds(item.change.t_ns):.1f}s: {isr_words(item.change)}")
    return "  ".join(parts)


def _seconds(span_ms: int) -> str:
    """Five characters at most."""
    return f"{span_ms / 1000:.1f}s" if span_ms < 99_950 else f"{min(9999, span_ms // 1000)}s"


def _axis(area: Area, y: int, ui: UiState, columns: int, span: int) -> None:
    """Seconds of the run at round numbers, about every fifteen columns."""
    area.put(1, y, "seconds", DIM)
    least = span / 1e9 * AXIS_GAP / columns
    step = next((step for step in AXIS_STEPS if step >= least), AXIS_STEPS[-1])
    decimals = len(str(step).partition(".")[2]) if step < 1 else 0
    for number in range(int(span / 1e9 / step) + 1):
        x = LEFT + int(number * step * 1e9 * columns // span)
        text = f"{number * step:.{decimals}f}"
        if x + len(text) < area.width:
            area.put(x, y, text, DIM)


def _legend(area: Area, y: int, ui: UiState) -> None:
    """What the ribbon's textures mean, then the marks that this run has; in short words where long ones do not fit,
    and in another row where there is one."""
    seen = ui.recording.timeline.glyphs
    found = [((glyph, look), word) for glyph, look, word in (RIBBON if ui.partition else ())]
    found += [((glyph, TONES[tone]), word) for glyph, tone, word in MARKS if glyph in seen]
    is_long = LEFT + sum(len(glyph) + len(word) + 3 for (glyph, _), word in found) > area.width
    x = 1 if is_long else LEFT
    for place, (glyph, word) in enumerate(found):
        following = found[place + 1][1] if place + 1 < len(found) else ""
        says = f" {word}  " if not is_long else " " if following == word else f" {SHORT_WORDS.get(word, word)} "
        if x + len(glyph[0] + says.rstrip()) > area.width:
            x, y = 1, y + 1
        x = area.parts(x, y, glyph, (says, DIM))


def draw_ribbon(area: Area, y: int, down: list[bool], node: int, changes: list[IsrChange | None]) -> None:
    """What one replica was at each time: in sync, behind, out, down."""
    cells: list[tuple[str, Style]] = []
    for change, is_down in zip(changes, down, strict=True):
        if change is None:
            cells.append((" ", DIM))
        elif is_down:
            cells.append(("\u00d7", BAD))
        elif node not in change.isr:
            cells.append(("\u2591", DIM))
        elif node in change.lagging:
            cells.append(("\u2593", WARN))
        else:
            cells.append(("\u2588", TONES["good"]))
    _run(area, y, cells)


def _run(area: Area, y: int, cells: list[tuple[str, Style]]) -> None:
    """Cells side by side, those of one look in one go."""
    text = "".join([glyph for glyph, _ in cells])
    start, look = 0, cells[0][1] if cells else DIM
    for end, (_, other) in enumerate(cells):
        if other is not look:
            area.put(LEFT + start, y, text[start:end], look)
            start, look = end, other
    area.put(LEFT + start, y, text[start:], look)


def _size(area: Area, y: int, changes: list[IsrChange | None]) -> None:
    area.put(1, y, "size", DIM)
    before = -1
    cells: list[tuple[str, Style]] = []
    for change in changes:
        size = len(change.isr) if change else -1
        look = SHORT if change and size < change.minimum else DIM
        cells.append((" " if size < 0 else str(size % 10) if size != before else "\u2500", look))
        before = size
    _run(area, y, cells)


def _marks(area: Area, y: int, ui: UiState, columns: int, span: int) -> None:
    area.put(1, y, "marks", DIM)
    timeline = ui.recording.timeline
    shown: dict[int, str] = {}
    for mark in (*timeline.marks[-2000:], *timeline.own):
        place = min(columns - 1, (mark.t_ns - timeline.start_ns) * columns // span)
        if WEIGHTS.get(mark.glyph, -1) >= WEIGHTS.get(shown.get(place, ""), -1):
            shown[place] = mark.glyph
    for place, glyph in shown.items():
        area.put(LEFT + place, y, glyph, TONES.get(MARK_TONES.get(glyph, "dim"), DIM))


def _activity(area: Area, y: int, ui: UiState, columns: int, span: int) -> None:
    area.put(1, y, "events", DIM)
    activity = ui.recording.timeline.activity
    if not activity:
        return
    # A short run has fewer buckets than columns, a long one many in each: then the slices do not overlap.
    if len(activity) < columns:
        counts = [0] * columns
        for bucket, count in enumerate(activity):
            counts[bucket * columns // len(activity)] += count
    else:
        edges = [place * len(activity) // columns for place in range(columns + 1)]
        counts = [sum(activity[start:end]) for start, end in pairwise(edges)]
    top = max(counts) or 1
    area.put(LEFT, y, "".join(SPARK[-(-count * 8 // top)] for count in counts), FLOW_TRAIL)
