"""Pane 5: ISR ribbon, size, marks and activity along time, with the time cursor."""

from __future__ import annotations

from rich.style import Style

from workbench.session.describe import node_name
from workbench.tui.canvas import Area
from workbench.tui.palette import BAD, BRIGHT, DIM, GOOD, TONES, WARN, style
from workbench.tui.ui_state import UiState

LEFT = 10
SPARK = " \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
MARKS = (
    ("K", "bad", "kill"),
    ("P", "bad", "power loss"),
    ("F", "warn", "fault"),
    ("h", "good", "heal"),
    ("V", "info", "vote"),
    ("E", "warn", "epoch"),
    ("\u2702", "bad", "truncation"),
    ("-", "bad", "ISR"),
    ("+", "good", "ISR"),
)
MARK_TONES = {glyph: tone for glyph, tone, _ in MARKS}
RIBBON = (("\u2588", GOOD, "in ISR"), ("\u2593", WARN, "lagging"), ("\u2591", DIM, "out"), ("\u00d7", BAD, "down"))
SHORT = style("bright", "#8c2f1c", bold=True)


def draw_isr(area: Area, ui: UiState) -> None:
    """Ribbon rows from the top; size, events and activity below them."""
    timeline = ui.recording.timeline
    columns = area.width - LEFT - 1
    span = max(1, timeline.end_ns - timeline.start_ns)
    times = [timeline.start_ns + span * (place + 1) // columns for place in range(columns)]
    tp = ui.partition
    y = 0
    if tp is not None:
        replicas = ui.recording.live.partition(tp).replicas[: max(1, area.height - 3)]
        for node in replicas:
            area.put(1, y, node_name(node), BRIGHT)
            _ribbon(area, y, ui, node, times)
            y += 1
        _size(area, y, ui, times)
        y += 1
    else:
        area.put(1, 0, "no topic yet: the ribbon shows who is in sync over time", DIM)
        y = 1
    _marks(area, y, ui, columns, span)
    _activity(area, y + 1, ui, columns, span)
    place = (ui.recording.t_ns - timeline.start_ns) * columns // span
    x = LEFT + max(0, min(columns - 1, place))
    look = style("cursor", bold=True)
    for row in range(0 if tp is not None else 1, min(y + 2, area.height)):
        area.put(x, row, "\u2503", look)
    if y + 2 < area.height:
        legend = (*RIBBON, *((glyph, TONES[tone], word) for glyph, tone, word in MARKS))
        x = LEFT
        for glyph, tone, word in legend:
            if x + len(glyph) + len(word) + 3 < area.width:
                x = area.parts(x, y + 2, (glyph, tone), (f" {word}  ", DIM))


def _ribbon(area: Area, y: int, ui: UiState, node: int, times: list[int]) -> None:
    timeline, tp = ui.recording.timeline, ui.partition
    cells: list[tuple[str, Style]] = []
    for t_ns in times:
        change = timeline.isr_at(tp, t_ns) if tp else None
        if change is None:
            cells.append((" ", DIM))
        elif timeline.is_down(node, t_ns):
            cells.append(("\u00d7", BAD))
        elif node not in change.isr:
            cells.append(("\u2591", DIM))
        elif node in change.lagging:
            cells.append(("\u2593", WARN))
        else:
            cells.append(("\u2588", TONES["good"]))
    _run(area, y, cells)


def _run(area: Area, y: int, cells: list[tuple[str, Style]]) -> None:
    start = 0
    for end in range(1, len(cells) + 1):
        if end == len(cells) or cells[end][1] is not cells[start][1]:
            area.put(LEFT + start, y, "".join(glyph for glyph, _ in cells[start:end]), cells[start][1])
            start = end


def _size(area: Area, y: int, ui: UiState, times: list[int]) -> None:
    area.put(1, y, "size", DIM)
    before = -1
    cells: list[tuple[str, Style]] = []
    for t_ns in times:
        change = ui.recording.timeline.isr_at(ui.partition, t_ns) if ui.partition else None
        size = len(change.isr) if change else -1
        look = SHORT if change and size < change.minimum else DIM
        cells.append((" " if size < 0 else str(size % 10) if size != before else "\u2500", look))
        before = size
    _run(area, y, cells)


def _marks(area: Area, y: int, ui: UiState, columns: int, span: int) -> None:
    area.put(1, y, "marks", DIM)
    timeline = ui.recording.timeline
    for mark in timeline.marks[-2000:]:
        place = min(columns - 1, (mark.t_ns - timeline.start_ns) * columns // span)
        area.put(LEFT + place, y, mark.glyph, TONES.get(MARK_TONES.get(mark.glyph, "dim"), DIM))


def _activity(area: Area, y: int, ui: UiState, columns: int, span: int) -> None:
    area.put(1, y, "events", DIM)
    activity = ui.recording.timeline.activity
    if not activity:
        return
    counts = [0] * columns
    for bucket, count in enumerate(activity):
        counts[min(columns - 1, bucket * columns // len(activity))] += count
    top = max(counts) or 1
    area.put(LEFT, y, "".join(SPARK[-(-count * 8 // top)] for count in counts), style("#4a78a8"))
