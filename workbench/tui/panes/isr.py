"""Pane 5: who leads and who is in sync along time, acknowledged records, marks, with the time cursor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from rich.style import Style

from cluster.model.identifiers import METADATA, NodeId, TopicPartition
from cluster.picture.parts import PartitionState
from workbench.session.leadership import SECOND_NS, Stretch
from workbench.session.recording import Recording
from workbench.session.timeline import BUCKET_NS, LOST, OWN, IsrCell, Timeline
from workbench.telling.isr import isr_words
from workbench.telling.telling import ABORT, GAP, MOVE
from workbench.telling.words import node_name
from workbench.tui.drawing.canvas import Area
from workbench.tui.theme.palette import BAD, BRIGHT, CROWN, DIM, FAINT, FLOW, FLOW_TRAIL, TONES, WARN, filled, style
from workbench.tui.ui_state import UiState

LEFT = 11
SPARK = " \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
MARKS = (
    (LOST, "bad", "records lost"),
    (GAP, "warn", "resumed"),
    ("K", "bad", "kill"),
    ("P", "bad", "power loss"),
    ("F", "warn", "fault"),
    ("h", "good", "heal"),
    ("V", "info", "vote"),
    ("E", "warn", "leader"),
    ("\u2702", "bad", "truncation"),
    ("-", "bad", "ISR"),
    ("+", "good", "ISR"),
    ("R", "info", "rebalance"),
    (MOVE, "info", "move"),
    (ABORT, "warn", "abort"),
    (OWN, "text", "your mark"),
)
MARK_TONES = {glyph: tone for glyph, tone, _ in MARKS}
DRAWN_AS = {"E": "\u2605", "V": "\u25d4", LOST: "!", "K": "\u2717"}
"""What a mark looks like, where that is not its name in commands."""
WEIGHTS = {glyph: weight for weight, glyph in enumerate("R" + ABORT + "hVF+-" + MOVE + "E\u2702KP" + GAP + OWN + LOST)}
"""Which of two marks in one cell is seen."""
AXIS_GAP = 15
AXIS_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600)
LEADS, IN_SYNC = ("\u2501", FLOW), ("\u2500", FLOW_TRAIL)
LAGS, OUT, DOWN = ("\u254c", WARN), ("\u2508", FAINT), ("\u00d7", BAD)
RIBBON = ((LEADS, "leads"), (IN_SYNC, "in sync"), (LAGS, "lags"), (OUT, "out"), (DOWN, "down"))
SHORT_WORDS = {"records lost": "lost", "power loss": "power", "truncation": "cut", "rebalance": "group"}
SHORT = filled("no", "bright")
ACKED = style("yes_trail")
ACTIVITY = FLOW_TRAIL
NOBODY = style("no")
Cell = tuple[str, Style]


def draw_isr(area: Area, ui: UiState) -> None:
    """Leaders on top; what has least to say yields first where rows are few."""
    timeline = ui.recording.timeline
    columns = area.width - LEFT - 2
    span = max(1, ui.axis_end_ns - timeline.start_ns)
    times = [timeline.start_ns + span * (place + 1) // columns for place in range(columns)]
    area.spot(LEFT, 0, columns, area.height, "time")
    rows = _rows(ui, times, span, area.height)
    y = 0
    for draw in rows:
        draw(area, y)
        y += 1
    place = (ui.recording.t_ns - timeline.start_ns) * columns // span
    x = LEFT + max(0, min(columns, place))
    for row in range(min(y, area.height)):
        area.put(x, row, "\u2502", BRIGHT)
    if y + 1 < area.height or (y < area.height and not ui.recording.follows):
        _axis(area, y, columns, span, timeline)
        y += 1
    if y < area.height:
        _legend(area, y, ui)


def _rows(ui: UiState, times: Sequence[int], span: int, height: int) -> list[Callable[[Area, int], None]]:
    """The rows that there is room for, from the top."""
    tp, timeline, columns = ui.partition, ui.recording.timeline, len(times)
    candidates: list[tuple[int, Callable[[Area, int], None]]] = [
        (0, lambda area, y: draw_control_row(area, y, ui.recording, times))
    ]
    if tp is not None:
        changes, leaders = timeline.isr_along(tp, times), timeline.leadership.along(tp, times)
        item = ui.view.partitions[tp]
        for node in ui.recording.live.partitions.get(tp, item).replicas:
            candidates.append((1, _replica(ui, timeline, node, (times, changes, leaders))))
        candidates.append((5, lambda area, y: draw_size(area, y, changes)))
    else:
        candidates.append((1, lambda area, y: _words(area, y, "no topic yet: nobody is in sync with anybody")))
    if any(timeline.leadership.acked):
        candidates.append((3, lambda area, y: _acked(area, y, timeline, columns, span)))
    candidates.append((2, lambda area, y: _marks(area, y, ui, columns, span)))
    candidates.append((6, lambda area, y: _activity(area, y, timeline, columns, span)))
    room = max(1, height - (2 if height > 5 else 0))
    kept = sorted(range(len(candidates)), key=lambda place: candidates[place][0])[:room]
    return [candidates[place][1] for place in sorted(kept)]


def _words(area: Area, y: int, text: str) -> None:
    area.put(LEFT, y, text, DIM)


def headline(ui: UiState) -> str:
    """The partition; then who leaves its ISR unless it catches up, or else the newest change of it."""
    tp = ui.partition
    if tp is None:
        return ""
    item = ui.view.partitions[tp]
    if item.by_majority:
        return "  ".join((f"{tp}  {ui.which_partition}".rstrip(), *_majority(ui, tp, item)))
    isr = ",".join(map(str, item.isr)) or "empty"
    parts = [f"{tp}  {ui.which_partition}".rstrip(), f"ISR {isr}"]
    if item.elr:
        parts.append(f"ELR {','.join(map(str, item.elr))}")
    lags = {node: lag for node, lag in sorted(item.lagging.items()) if lag is not None}
    for node, lag in lags.items():
        left_ms, limit = lag.left_ms(ui.shown_ns), _seconds(lag.limit_ms)
        out = f"{_seconds(left_ms)} left of {limit}" if left_ms else f"over {limit}, the next look decides"
        parts.append(f"{node_name(node)} lags: {out}")
    if not lags and item.change is not None:
        parts.append(f"{ui.recording.seconds(item.change.t_ns):.1f}s: {isr_words(item.change)}")
    return "  ".join(parts)


def _majority(ui: UiState, tp: TopicPartition, item: PartitionState) -> list[str]:
    """Which rule commits, and who was counted at the newest commit."""
    commits = ui.view.commit_rules.partitions.get(tp)
    carriers = ",".join(map(str, sorted(commits.carriers))) if commits is not None else ""
    parts = [f"by majority, {len(item.replicas) // 2 + 1} of {','.join(map(str, item.replicas))}"]
    return [*parts, f"newest commit: {carriers} have it"] if carriers else parts


def _seconds(span_ms: int) -> str:
    """Five characters at most."""
    return f"{span_ms / 1000:.1f}s" if span_ms < 99_950 else f"{min(9999, span_ms // 1000)}s"


def _axis(area: Area, y: int, columns: int, span: int, timeline: Timeline) -> None:
    """Seconds of the run at round numbers, about every fifteen columns."""
    least = span / 1e9 * AXIS_GAP / columns
    step = next((step for step in AXIS_STEPS if step >= least), AXIS_STEPS[-1])
    decimals = len(str(step).partition(".")[2]) if step < 1 else 0
    for number in range(int(span / 1e9 / step) + 1):
        x = LEFT + int(number * step * 1e9 * columns // span)
        text = f"{number * step:.{decimals}f}" + (" s" if not number else "")
        if x + len(text) < area.width:
            area.put(x, y, text, FAINT)


def _legend(area: Area, y: int, ui: UiState) -> None:
    """What the lines mean, then the marks that this run has; in short words where long ones do not fit, and in
    another row where there is one."""
    seen = ui.recording.timeline.glyphs
    signs = [(look, word) for look, word in (RIBBON if ui.partition else ())]
    signs += [((DRAWN_AS.get(glyph, glyph), TONES[tone]), word) for glyph, tone, word in MARKS if glyph in seen]
    is_long = LEFT + sum(len(glyph) + len(word) + 3 for (glyph, _), word in signs) > area.width
    x = 1 if is_long else LEFT
    for place, (glyph, word) in enumerate(signs):
        following = signs[place + 1][1] if place + 1 < len(signs) else ""
        says = f" {word}  " if not is_long else " " if following == word else f" {SHORT_WORDS.get(word, word)} "
        if x + len(glyph[0] + says.rstrip()) > area.width:
            x, y = 1, y + 1
        x = area.parts(x, y, glyph, (says, FAINT))


def draw_control_row(area: Area, y: int, recording: Recording, times: Sequence[int]) -> None:
    """Who leads the quorum, or in zookeeper mode controls, by name where there is room for it."""
    has_quorum = not recording.live.zookeeper.is_used
    stretches = recording.timeline.leadership.along(METADATA, times)
    area.put(1, y, "quorum" if has_quorum else "control", DIM)
    nobody = " nobody leads " if has_quorum else " nobody controls "
    cells: list[Cell] = []
    names: list[tuple[int, str]] = []
    before: Stretch | None = None
    for x, stretch in enumerate(stretches):
        if stretch is None:
            cells.append((" ", DIM))
        elif stretch.leader < 0:
            cells.append(("\u254c", NOBODY))
        else:
            cells.append(("\u2501", CROWN))
        if stretch is not None and stretch != before and (before is None or stretch.leader != before.leader):
            names.append((x, f"\u2605 {node_name(stretch.leader)} e{stretch.epoch} " if stretch.leader > 0 else nobody))
        before = stretch
    _run(area, y, cells)
    for place, (x, name) in enumerate(names):
        end = names[place + 1][0] if place + 1 < len(names) else len(cells)
        if len(name) + 2 <= end - x:
            area.put(LEFT + x + (0 if name[0] != " " else 2), y, name, CROWN if name[0] != " " else NOBODY)
        elif end > x and name[0] != " ":
            area.put(LEFT + x, y, "\u2605", CROWN)


def _replica(
    ui: UiState,
    timeline: Timeline,
    node: NodeId,
    along: tuple[Sequence[int], list[IsrCell | None], list[Stretch | None]],
) -> Callable[[Area, int], None]:
    """The ribbon of one replica: what it was at each time."""
    times, changes, leaders = along
    tp = ui.partition
    item = ui.view.partitions[tp] if tp is not None else None

    def draw(area: Area, y: int) -> None:
        leads = item is not None and item.leader == node
        state = ui.view.nodes.get(node)
        look = BAD if state is not None and state.process == "down" else BRIGHT if leads else TONES["text"]
        area.put(0, y, "\u2605" if leads else " ", CROWN)
        x = area.put(1, y, node_name(node), look)
        lag = item.lagging.get(node) if item is not None else None
        if lag is not None:
            area.put(x + 1, y, _seconds(lag.left_ms(ui.shown_ns)), WARN)
        draw_ribbon(area, y, timeline.down_along(node, times), node, changes, leaders)

    return draw


def draw_ribbon(
    area: Area, y: int, down: list[bool], node: NodeId, changes: list[IsrCell | None], led: list[Stretch | None]
) -> None:
    """What one replica was at each time: it led, was in sync, behind, out, down."""
    along = zip(changes, led, down, strict=True)
    _run(area, y, [_state(node, change, leader, down=gone) for change, leader, gone in along])


def _state(node: NodeId, change: IsrCell | None, led: Stretch | None, *, down: bool) -> Cell:
    if change is None:
        return " ", DIM
    if down:
        return DOWN
    if node not in change.isr:
        return OUT
    if led is not None and led.leader == node:
        return LEADS
    return LAGS if node in change.lagging else IN_SYNC


def _run(area: Area, y: int, cells: list[Cell]) -> None:
    """Cells side by side, those of one look in one go."""
    text = "".join([glyph for glyph, _ in cells])
    start, look = 0, cells[0][1] if cells else DIM
    for end, (_, other) in enumerate(cells):
        if other is not look:
            area.put(LEFT + start, y, text[start:end], look)
            start, look = end, other
    area.put(LEFT + start, y, text[start:], look)


def draw_size(area: Area, y: int, changes: list[IsrCell | None]) -> None:
    """How many are in sync, where that changes."""
    area.put(1, y, "in sync", DIM)
    before = -1
    cells: list[Cell] = []
    for change in changes:
        size = change.size if change else -1
        look = SHORT if change and size < change.minimum else DIM if size != before else FAINT
        cells.append((" " if size < 0 else str(size % 10) if size != before else "\u2500", look))
        before = size
    _run(area, y, cells)


def _marks(area: Area, y: int, ui: UiState, columns: int, span: int) -> None:
    area.put(1, y, "marks", DIM)
    timeline = ui.recording.timeline
    shown: dict[int, str] = {}
    for mark in (*timeline.marks[-2000:], *timeline.own):
        if mark.t_ns > timeline.start_ns + span:
            continue
        place = min(columns - 1, (mark.t_ns - timeline.start_ns) * columns // span)
        if WEIGHTS.get(mark.glyph, -1) >= WEIGHTS.get(shown.get(place, ""), -1):
            shown[place] = mark.glyph
    for place, glyph in shown.items():
        area.put(LEFT + place, y, DRAWN_AS.get(glyph, glyph), TONES.get(MARK_TONES.get(glyph, "dim"), DIM))


def _acked(area: Area, y: int, timeline: Timeline, columns: int, span: int) -> None:
    """Records acknowledged a second; an underscore where there were none since the first."""
    area.put(1, y, "acked/s", DIM)
    counts = _along(timeline.leadership.acked, SECOND_NS, span, columns)
    top = max(counts) or 1
    first = next((place for place, count in enumerate(counts) if count), len(counts))
    text = "".join(
        SPARK[-(-count * 4 // top)] if count else " " if at < first else "_" for at, count in enumerate(counts)
    )
    area.put(LEFT, y, text, ACKED)


def _activity(area: Area, y: int, timeline: Timeline, columns: int, span: int) -> None:
    area.put(1, y, "events", DIM)
    counts = _along(timeline.activity, BUCKET_NS, span, columns)
    top = max(counts, default=0) or 1
    area.put(LEFT, y, "".join(SPARK[-(-count * 8 // top)] for count in counts), ACTIVITY)


def _along(buckets: Sequence[int], bucket_ns: int, span: int, columns: int) -> list[int]:
    """What is in the buckets at each column: the most of those that fall into it."""
    edges = [place * span // columns // bucket_ns for place in range(columns + 1)]
    return [max(buckets[start : max(end, start + 1)], default=0) for start, end in pairwise(edges)]
