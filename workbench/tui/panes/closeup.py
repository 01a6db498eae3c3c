"""Pane 3, the close-up: the exchange that matters now. An election, a cut, the way of a record, what metadata says."""

from __future__ import annotations

from typing import NamedTuple

from rich.style import Style

from cluster.model.identifiers import METADATA, NO_NODE, NodeId, Offset
from workbench.session.record_way import CLIENTS, RecordWay, way_of_newest
from workbench.session.story.cells import CUT, VOTES
from workbench.session.views.votes import SequenceRow
from workbench.telling.words import node_name
from workbench.tui.drawing.canvas import Area, wrap
from workbench.tui.panes.map_zookeeper import draw_sessions, seat_words
from workbench.tui.panes.metadata import draw_metadata
from workbench.tui.panes.sequence import draw_arrow
from workbench.tui.panes.tally import draw_tally
from workbench.tui.theme.palette import (
    BAD,
    BRIGHT,
    CROWN,
    DIM,
    FAINT,
    FILL_OF,
    LINE,
    TEXT,
    WARN,
    on_ground,
    style,
)
from workbench.tui.theme.roles import FILLS
from workbench.tui.ui_state import UiState

RECORD, METADATA_ROWS = "record", "metadata"
"""What is shown besides the exchanges of a headline."""
NEWS_NS = 5_000_000_000
"""After so long without a new row a vote or a cut is no news any more."""
INCIDENT_NS = 10_000_000_000
"""Rows further apart belong to different incidents."""
SILENCE_NS = 60_000_000
"""A silence of at least so long has a row of its own, with its length."""
NOW_NS = 5_000_000
"""The times of rows so near to the newest are bright."""
OTHERS_WAIT = ": the timers of the others run down"
TIMES = 9
"""Columns of the times."""
CUT_SIGN = "\u2702"


class Row(NamedTuple):
    """One row of the diagram."""

    t_ns: int
    source: NodeId
    target: NodeId
    text: str
    tone: str
    few: tuple[str, ...] = ()
    """The same in ever fewer letters."""
    times: int = 1
    """How often it came, one after the other."""


def mode_of(ui: UiState) -> str:
    """What is shown: what is news, else the way of a record; while the quorum has no leader, its votes.

    Of a metadata log that was chosen its records.
    In zookeeper mode nobody votes: while /controller is free or many take themselves for the controller, that is it.
    """
    view = ui.view
    newest = view.rows[-1] if view.rows else None
    zookeeper = view.zookeeper
    if zookeeper.is_used and (zookeeper.controller == NO_NODE or len(zookeeper.acting) != 1):
        return VOTES
    if view.voters and view.leader_of_newest_epoch == NO_NODE and view.rounds:
        return VOTES
    if ui.log_index == 0 and not zookeeper.is_used:  # the metadata log comes first among all, where there is one
        return METADATA_ROWS
    cells = ui.cells
    since_ns = ui.told_ns if cells is not None and cells.exchange else ui.shown_ns  # it stays as long as its headline
    if newest is not None and since_ns - newest.t_ns < NEWS_NS:
        return _rows_tell(ui)
    way = _way(ui)
    return RECORD if way is not None and way.is_whole else VOTES


def _way(ui: UiState) -> RecordWay | None:
    return way_of_newest(ui.recording, ui.partition) if ui.partition is not None else None


def _rows_tell(ui: UiState) -> str:
    """Of a cut or of votes."""
    rows = _incident(ui.view.rows)[-6:]
    return CUT if any(CUT_SIGN in row.text or "ends" in row.text for row in rows) else VOTES


def _over_for_ns(ui: UiState) -> int:
    """How old the rows are that are shown for want of anything newer; 0 while they are news, or were looked up."""
    newest = ui.view.rows[-1] if ui.view.rows and not ui.rows_back else None
    is_led = ui.view.leader_of_newest_epoch != NO_NODE
    age_ns = ui.shown_ns - newest.t_ns if newest is not None and is_led else 0
    return age_ns if age_ns >= NEWS_NS else 0


def closeup_note(ui: UiState) -> str:
    """What the head of the pane says."""
    view, mode, tp, way = ui.view, mode_of(ui), ui.partition, _way(ui)
    if mode == RECORD and tp is not None and way is not None:
        which = f" of {tp}  {ui.which_partition}" if ui.which_partition else ""
        then = "" if way.nodes[0] == view.partitions[tp].leader else f", when {node_name(way.nodes[0])} led"
        return f"record {way.offset}{which}  from producer to all{then}"
    if mode == METADATA_ROWS:
        return "what the metadata log says"
    if mode == CUT:
        return "the cut, and how it came"
    if view.zookeeper.is_used:
        return seat_words(view)
    if not view.voters:
        return "no voter heard of yet"
    majority = f"majority is {len(view.voters) // 2 + 1} of {len(view.voters)}"
    if view.is_split() and view.runs(view.voters):
        return f"SPLIT VOTE e{view.newest_epoch}  {majority}"
    if view.leader_of_newest_epoch == NO_NODE:
        return f"NO LEADER e{view.newest_epoch}  {majority}"
    leads = f"\u2605 {node_name(view.leader_of_newest_epoch)} leads e{view.newest_epoch}"
    since_ns = _over_for_ns(ui)
    last = "last cut" if _rows_tell(ui) == CUT else "last vote"
    return f"{last} {int(since_ns / 1e9)} s ago  {leads}" if since_ns else f"{leads}  {majority}"


def draw_closeup(area: Area, ui: UiState) -> None:
    """The newest rows that fit; what is happening now is filled."""
    mode, tp, way = mode_of(ui), ui.partition, _way(ui)
    if mode == RECORD and tp is not None and way is not None:
        _draw_record(area, ui, way, ui.view.partitions[tp].leader)
        return
    if mode == METADATA_ROWS:
        draw_metadata(area, ui)
        return
    if mode == VOTES and ui.view.zookeeper.is_used:
        draw_sessions(area, ui)
        return
    since_ns = _leaderless_since(ui)
    fresh = (item for item in ui.view.current_rounds() if item.t_ns >= since_ns)
    newest = {(item.candidate_id, item.epoch, item.pre_vote): item for item in fresh}  # who asks again has one line
    rounds = list(newest.values())[-2:] if mode == VOTES else []
    if not rounds and not any(row.t_ns >= since_ns for row in ui.view.rows):
        text = "nobody has asked for a vote yet" + OTHERS_WAIT * (since_ns > 0 and ui.view.runs(ui.view.voters))
        for y, line in enumerate(wrap(text, area.width - 2)):
            area.put(1, y, line, DIM)
        return
    foot = len(rounds) if area.height > 6 and not _over_for_ns(ui) else 0
    _draw_rows(area.part(0, 0, area.width, area.height - foot), ui)
    for place, item in enumerate(rounds[: foot or 0]):
        draw_tally(area, area.height - foot + place, item)


def _leaderless_since(ui: UiState) -> int:
    """When the quorum lost its leader, while it has none; 0 else. Votes before that are over."""
    if ui.view.leader_of_newest_epoch != NO_NODE:
        return 0
    stretch = ui.recording.timeline.leadership.along(METADATA, [ui.recording.t_ns])[0]
    stretches = [item for item in ui.recording.timeline.leadership.stretches.get(METADATA, ()) if item.leader > 0]
    led = [item.t_ns for item in stretches if item.t_ns <= ui.recording.t_ns]
    if stretch is None or not led:
        return 0
    after = (item.t_ns for item in ui.recording.timeline.leadership.stretches[METADATA] if item.t_ns > led[-1])
    return next(after, 0)


def _incident(rows: list[SequenceRow]) -> list[SequenceRow]:
    """The newest rows, back to the last long pause."""
    for index in range(len(rows) - 1, 0, -1):
        if rows[index].t_ns - rows[index - 1].t_ns > INCIDENT_NS:
            return rows[index:]
    return rows


def folded(rows: list[SequenceRow]) -> list[Row]:
    """Equal rows one after the other are one row, with how often."""
    rows_folded: list[Row] = []
    for row in rows:
        before = rows_folded[-1] if rows_folded else None
        if before is not None and before[1:5] == (row.source, row.target, row.text, row.tone):
            rows_folded[-1] = before._replace(times=before.times + 1)
        else:
            rows_folded.append(Row(*row))
    return rows_folded


def _promised(ui: UiState) -> list[Row]:
    """What clients were told of the records that the newest cut of a partition took: the first one and the last."""
    cuts = (cut for cut in reversed(ui.view.cuts) if cut.topic_partition != METADATA)
    cut = next((cut for cut in cuts if cut.end_offset < cut.old_end_offset), None)
    if cut is None:
        return []
    timeline, cursor = ui.recording.timeline, ui.recording.cursor
    writes = [
        write
        for write in ui.recording.story.losses.writes.get(cut.topic_partition, ())
        if cut.end_offset < write.end_offset <= cut.old_end_offset and write.place < cursor and write.t_ns < cut.t_ns
    ]
    promises = []
    for write in writes:
        led = timeline.leadership.along(cut.topic_partition, [write.t_ns])[0]
        if led is not None and led.leader == cut.node:  # others may have written at the same offsets since
            promises.append(Row(write.t_ns, cut.node, CLIENTS, f"\u2713 {write.end_offset - 1}", "good"))
    return promises if len(promises) < 3 else [promises[0], promises[-1]]


def _columns(area: Area, ui: UiState, nodes: list[NodeId], leader: NodeId) -> dict[NodeId, int]:
    """Where each node's line runs; its name on top, red when it is down."""
    left = TIMES if area.width >= 36 else 0
    gap = max(4, (area.width - left - 8) // max(1, len(nodes) - 1)) if len(nodes) > 1 else 0
    columns = {node: left + 4 + place * gap for place, node in enumerate(nodes)}
    for node, x in columns.items():
        state = ui.view.nodes.get(node)
        down = state is not None and state.process == "down"
        name = "clients" if node == CLIENTS else node_name(node)
        mark = "\u2605" if node == leader else ""
        start = max(0, x - len(name) // 2)
        if node == CLIENTS and len(name) + 2 >= gap > 0:
            start = max(0, x + gap - 3 - len(name))  # left of it nothing stands
        elif len(name) + 2 >= gap > 0:
            name = name.removeprefix("n")[: max(1, gap - 1)]
            start = max(0, x - len(name) // 2)
        if mark:
            area.put(start - 1, 0, mark, CROWN)
        area.put(start, 0, name + ("\u2717" if down else ""), BAD if down else DIM if node == CLIENTS else BRIGHT)
        if node != CLIENTS:
            area.spot(start, 0, len(name), 1, "node", node)
    return columns


def _draw_rows(area: Area, ui: UiState) -> None:
    view = ui.view
    all_rows = view.rows
    ui.rows_back = max(0, min(ui.rows_back, len(all_rows) - 1))
    since_ns = _leaderless_since(ui)
    shown = [row for row in all_rows[: len(all_rows) - ui.rows_back] if row.t_ns >= since_ns or ui.rows_back]
    rows = folded(_incident(shown))
    if not rows:
        return
    promised = _promised(ui) if mode_of(ui) == CUT and not ui.rows_back else []
    rows = [row for row in rows if not promised or row.t_ns >= promised[0].t_ns]
    named = {node for row in rows for node in (row.source, row.target) if 0 < node < 1001}
    voters = [node for node in view.voters if node in named or any(other in view.voters for other in named)]
    nodes = [*voters, *sorted(named.difference(voters))]
    if len(nodes) > 3 and (area.width - TIMES) // len(nodes) < 9:
        nodes = [node for node in nodes if node in named]
    if promised:
        nodes = [CLIENTS, *(node for node in nodes if node in named)]
    columns = _columns(area, ui, nodes, view.leader_of_newest_epoch)
    if ui.rows_back:
        area.right(0, f"\u2193 {ui.rows_back} newer ", WARN)
    before = _with_silence([*promised, *rows[:1]])[:-1] if promised else []
    lines = [*before, *_with_silence(rows)[-(area.height - 1 - len(before)) :]]
    start, newest = (promised or rows)[0].t_ns, rows[-1].t_ns
    is_news, now_ns, is_over = ui.shown_ns - newest < 1_000_000_000, _now_ns(ui, newest), bool(_over_for_ns(ui))
    for y, line in enumerate(lines, start=1):
        if isinstance(line, str):
            area.put(2, y, line, DIM)
            continue
        _draw_rails(area, ui, y, columns, line.t_ns)
        if columns and min(columns.values()) > TIMES:
            text = f"+{(line.t_ns - start) / 1e6:.0f}" if line.t_ns > start else "0 ms"
            area.put(0, y, text.rjust(TIMES - 2), BRIGHT if is_news and newest - line.t_ns < NOW_NS else FAINT)
        times = f" \u00d7{line.times}" if line.times > 1 else ""
        forms = [f"{form}{times}" for form in (line.text, *line.few)]
        draw_arrow(area, y, (line.source, line.target), forms, "dim" if is_over else line.tone, columns)
        if is_news and line.t_ns >= now_ns:
            _fill(area, y, FILLS[FILL_OF.get(line.tone, "ask")].dark)


def _now_ns(ui: UiState, newest_ns: int) -> int:
    """From when on a row is what is on now: that of the step in view, else the newest one."""
    steps, step = ui.recording.steps.all, ui.director.step
    return steps[step].t_ns if ui.director.is_on and step < len(steps) else newest_ns


def _draw_rails(area: Area, ui: UiState, y: int, columns: dict[NodeId, int], t_ns: int) -> None:
    for node, x in columns.items():
        down = node != CLIENTS and ui.recording.timeline.is_down(node, t_ns)
        area.put(x, y, "\u2506" if down else "\u2502", style("no_trail") if down else LINE)


def _fill(area: Area, y: int, ground: str) -> None:
    row = area.canvas.styles[area.rect.y + y]
    first = area.rect.x
    row[first : first + area.width] = [on_ground(look, ground) for look in row[first : first + area.width]]


def _with_silence(rows: list[Row]) -> list[Row | str]:
    """Rows, and between those that are far apart how long nothing was said."""
    lines: list[Row | str] = []
    before: Row | None = None
    for row in rows:
        if before is not None and row.t_ns - before.t_ns >= SILENCE_NS:
            silence = (row.t_ns - before.t_ns) / 1e6
            length = f"{silence:.0f} ms" if silence < 1000 else f"{silence / 1000:.2f} s"
            lines.append(f"\u22ef {length} \u22ef")
        lines.append(row)
        before = row
    return lines


def _draw_record(area: Area, ui: UiState, way: RecordWay, leader: NodeId) -> None:
    columns = _columns(area, ui, [CLIENTS, *way.nodes], leader)
    start = way.steps[0].t_ns
    meaning = said_of(way.offset, area.width)
    rows = area.height - 1 - (area.height > 9)
    for y, step in enumerate(way.steps[:rows], start=1):
        _draw_rails(area, ui, y, columns, step.t_ns)
        if min(columns.values()) > TIMES:
            text = f"{(step.t_ns - start) / 1e6:.1f}" + (" ms" if y == 1 else "")
            area.put(0, y, text.rjust(TIMES - 1), BRIGHT if step.role == "yes" else FAINT)
        look = TEXT if step.role == "text" else style(step.role)
        _draw_step(area, y, columns, (step.source, step.target), step.text, look)
    if area.height > 9 and any(step.text.endswith("?") for step in way.steps):
        area.put(1, area.height - 1, meaning[: area.width - 1], DIM)


def said_of(offset: Offset, width: int) -> str:
    """What a follower says of the record at offset when it asks for the next one, in less than width columns."""
    meaning = f"To ask for {offset + 1} is to say: I have {offset}."
    return meaning if len(meaning) < width else f"{offset + 1}? says: I have {offset}."


def _draw_step(
    area: Area, y: int, columns: dict[NodeId, int], ends: tuple[NodeId, NodeId], text: str, look: Style
) -> None:
    """An arrow with its label in the middle, or words beside a line."""
    start, end = (columns.get(node) for node in ends)
    if start is None or end is None:
        return
    if start == end:
        area.put(start, y, text, look)
        return
    left, right = min(start, end) + 1, max(start, end) - 1
    middle = f" {text} ".center(right - left, "\u2500")
    area.put(left, y, f"{middle}\u25b8" if end > start else f"\u25c2{middle}", look)
