"""Pane 4: the replicas of one log as lanes of cells, where they differ and what is lost; below them another log."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from rich.style import Style

from cluster.model.identifiers import METADATA, NodeId, Offset, TopicPartition
from cluster.picture.asked import AckedRange
from cluster.picture.logs import Ghost, LogState
from workbench.session.story.cells import Cells
from workbench.support.safe_text import safe_text
from workbench.telling import words
from workbench.telling.words import node_name
from workbench.tui.drawing.canvas import Area
from workbench.tui.panes.log_cells import BAR, GHOST, GHOST_LOST
from workbench.tui.panes.map_zookeeper import draw_sessions
from workbench.tui.theme.palette import (
    BAD,
    BRIGHT,
    CROWN,
    DIM,
    FAINT,
    HW,
    SELECTED,
    TEXT,
    WARN,
    committed_cell,
    filled,
    style,
    uncommitted_cell,
)
from workbench.tui.ui_state import UiState

ASKS = {"candidate": "asks", "prospective": "asks", "unattached": "waits"}
PROCESS = {"down": "\u2717", "paused": "\u2016"}
"""What a lane says of its node before anything else."""
FATES = {"open": "o", "aborted": "a", "commit": "C", "abort": "A"}
"""What stands in place of the epoch's digit: a record of an open or an aborted transaction, a marker that ends one."""
LABEL, ENDS = 14, 16
BEFORE = 3
"""Offsets before those of a headline, so that one sees after what they stand."""
VALUE_MAX = 12
"""Columns of the longest record value that stands in a cell."""
WIDE, NARROW = 90, 50
NUMBERS = (("disk", "all before it is on disk"), ("LEO", "end of the log"))
"""What the numbers beside wide lanes are."""
ALARM = filled("no", "bright")


class Frame(NamedTuple):
    """Which offsets are drawn, and where."""

    first: Offset
    cells: int
    step: int
    """Columns of a cell."""
    ends: int
    """Columns at the right for high watermark and log end."""
    values: Mapping[tuple[NodeId, Offset], str] = MappingProxyType({})
    """What stands in cells beside the epoch: the records' values, while all cells of the log have room for them."""


def logs_note(ui: UiState) -> str:
    """Which log of how many, and what holds for it."""
    item = ui.view.partitions.get(ui.log)
    logs = ui.view.shown_logs()
    if not logs:
        return "no topic yet"
    parts = [str(ui.log) if ui.log != METADATA else METADATA.topic]
    if len(logs) > 1:
        parts.append(f"{ui.log_place + 1} of {len(logs)}, {ui.keyboard.said('{log.next}')} next")
    if item is not None:
        leader = f"e{item.leader_epoch}" if item.leader > 0 else f"no leader e{item.leader_epoch}"
        isr = f"ISR {len(item.isr)}/{len(item.replicas)} min {item.min_insync_replicas}"
        parts.append(f"{leader} {f'majority of {len(item.replicas)}' if item.by_majority else isr}")
    return "  ".join(parts)


def draw_logs(area: Area, ui: UiState) -> None:
    """The log in view with its ruler, then what is to be said of it, another log where there is room, the legend."""
    view = ui.view
    if not view.shown_logs():
        area.put(1, 0, "no topic yet: no log is written, metadata stands in znodes"[: area.width - 1], DIM)
        draw_sessions(area.part(0, 1, area.width, area.height - 1), ui)
        return
    nodes = view.owners_of(ui.log)
    legend = area.height > 5 and len(nodes) != area.height - 1  # the last lane has its row where all have one then
    rows = area.height - legend
    frame = _frame(ui, area.width, ui.log, back=True)
    _ruler(area, ui, frame)
    y = _lanes(area.part(0, 1, area.width, rows - 1), ui, ui.log, frame) + 1
    sentences = _said(ui, nodes)
    for parts in sentences[: max(0, rows - y)]:
        whole = sum(len(text) for text, _ in parts) < area.width
        area.parts(1, y, *(parts if whole or len(parts) < 2 or parts[0][1] != ALARM else parts[:1]))
        y += 1
    other = _other_log(ui)
    if other is not None and rows - y >= 2 + len(_owners(ui, other)):
        y += 1
        area.put(1, y, str(other) if other != METADATA else METADATA.topic, DIM)
        low = area.part(0, y + 1, area.width, rows - y - 1)
        _lanes(low, ui, other, _frame(ui, area.width, other, back=False))
    if legend:
        _legend(area, area.height - 1, ui)


def _owners(ui: UiState, tp: TopicPartition) -> list[NodeId]:
    """Whose lanes the second log has: of the metadata log only those of the voters."""
    return list(ui.view.voters) if tp == METADATA else ui.view.owners_of(tp)


def _other_log(ui: UiState) -> TopicPartition | None:
    """The metadata log beside a partition, the first partition beside the metadata log."""
    logs = ui.view.shown_logs()
    if ui.log != METADATA:
        return METADATA if METADATA in logs and any(tp == METADATA for _, tp in ui.view.logs) else None
    return logs[1] if len(logs) > 1 else None


def _frame(ui: UiState, width: int, tp: TopicPartition, *, back: bool) -> Frame:
    view = ui.view
    step = 3 if width >= WIDE else 2
    if ui.presenting and width >= NARROW:  # to be read from the last row of a room
        step += 1
    nodes = view.owners_of(tp)
    longest = max((view.logs[node, tp].log_end_offset for node in nodes if (node, tp) in view.logs), default=0)
    digits = len(str(longest))
    ends = 2 * digits + 8 if width < NARROW else ENDS + 2 * max(0, digits - 3) + (10 if width >= WIDE else 0)
    cells = max(4, (width - LABEL - ends) // step)
    cuts = [log.newest_cut for node in nodes if (log := view.logs.get((node, tp))) is not None and log.ghosts]
    cut = max((last_cut.old_end_offset for last_cut in cuts if last_cut is not None), default=0)
    values = _values(ui, tp, nodes) if max(longest, cut) <= cells else {}
    wide = 3 + max(map(len, values.values()), default=VALUE_MAX + 1)
    if wide <= 3 + VALUE_MAX and max(longest, cut) * wide <= width - LABEL - ends - 1:
        ui.log_back = 0 if back else ui.log_back
        return Frame(0, (width - LABEL - ends - 1) // wide, wide, ends, values)
    newest = max(0, max(longest, cut) + 1 - cells)
    newest += -newest % 5 if newest and cells > 10 else 0
    headline = _headline(ui, tp)
    if back:
        ui.log_back = min(ui.log_back, newest)
        newest -= ui.log_back
    if headline is not None and not ui.log_back and headline.first < newest:
        newest = max(0, headline.first - BEFORE)
        newest -= newest % 5
    return Frame(newest, cells, step, ends)


def _headline(ui: UiState, tp: TopicPartition) -> Cells | None:
    """What the headline says of offsets of this log; None when it says nothing of them."""
    cells = ui.cells
    return cells if cells is not None and cells.log == tp and cells.end > cells.first else None


def _values(ui: UiState, tp: TopicPartition, nodes: list[NodeId]) -> dict[tuple[NodeId, Offset], str]:
    """Of each replica's records, as far as the events tell them."""
    view = ui.view
    values: dict[tuple[NodeId, Offset], str] = {}
    for node in nodes:
        lane = view.logs.get((node, tp))
        if lane is None:
            continue
        for offset in range(lane.log_start_offset, lane.log_end_offset):
            cell = lane.cell_at(offset)
            if cell is not None and (value := safe_text(view.written.value(tp, cell, offset), VALUE_MAX + 1)):
                values[node, offset] = value
    return values


def _ruler(area: Area, ui: UiState, frame: Frame) -> None:
    for offset in range(frame.first - frame.first % 5, frame.first + frame.cells, 5):
        if offset >= frame.first:
            area.put(LABEL + (offset - frame.first) * frame.step + 1, 0, str(offset), FAINT)
    if ui.log_back:
        area.right(0, f"{ui.log_back} newer \u25b8 ", WARN)


def _lanes(area: Area, ui: UiState, tp: TopicPartition, frame: Frame) -> int:
    """One row for each replica, two before a room. Returns how many rows are used."""
    view = ui.view
    nodes = view.owners_of(tp) if tp == ui.log else _owners(ui, tp)
    air = ui.presenting and area.height > 2 * len(nodes) + 2
    hidden = len(nodes) - area.height + 1 if len(nodes) > area.height else 0
    if hidden:
        area.put(1, area.height - 1, ui.keyboard.said(f"\u2193 {hidden} more, {{pane.4}} shows all"), WARN)
    y, lost, headline = 0, view.gone(tp), _headline(ui, tp)
    for node in nodes[: max(0, area.height - bool(hidden))]:
        _label(area, y, ui, tp, node)
        area.spot(0, y, LABEL, 1, "node", node)
        lane = view.logs.get((node, tp))
        if lane is not None:
            strip = area.part(LABEL, y, frame.cells * frame.step + 1, 1)
            _lane(strip, lane, frame, node, lost=lost, plain=ui.glyphs != "full")
            if air:
                _shadow(area.part(LABEL, y + 1, frame.cells * frame.step + 1, 1), lane, frame)
            last = max(lane.log_end_offset, *(ghost.offset + 1 for ghost in lane.ghosts), 0)
            if frame.first and last <= frame.first:
                strip.put(1, 0, f"\u25c2 ends at {lane.log_end_offset}", DIM)
            _ends(area, y, lane, up=node in view.nodes and view.nodes[node].is_up)
            if headline is not None and node in headline.nodes and y + 1 < area.height:
                y += _struck(area, y + 1, lane, headline, frame)
        y += 1 + air
    return min(area.height, y + bool(hidden))


def _struck(area: Area, y: int, lane: LogState, headline: Cells, frame: Frame) -> int:
    """Below a lane what was cut from it and is written over by now; how many rows that takes."""
    over = [ghost for ghost in lane.struck if headline.first <= ghost.offset < min(headline.end, lane.log_end_offset)]
    if not over:
        return 0
    area.put(2, y, f"cut {headline.end} to {headline.first}"[: LABEL - 3], DIM)
    for ghost in over:
        if frame.first <= ghost.offset < frame.first + frame.cells:
            area.put(LABEL + (ghost.offset - frame.first) * frame.step + 1, y, f"{ghost.epoch % 10}", GHOST)
    return 1


def _ends(area: Area, y: int, lane: LogState, *, up: bool) -> None:
    """High watermark and log end at the right; what is durable, where there is room."""
    look, mark = (TEXT, style("hw")) if up else (DIM, DIM)
    watermark, end = str(max(lane.high_watermark, 0)), str(lane.log_end_offset)
    if area.width < NARROW:
        x = area.width - len(watermark) - len(end) - 7
        area.parts(x, y, ("HW", mark), (f"{watermark} ", look), ("LEO", DIM), (end, look))
        return
    watermark, end = watermark.rjust(3), end.rjust(3)
    x = area.width - len(watermark) - len(end) - 9
    if area.width >= WIDE and lane.durable_offset < lane.log_end_offset:
        area.put(x - 10, y, f"disk {lane.durable_offset}", DIM)
    area.parts(x, y, ("HW ", mark), (watermark, look), (" LEO ", DIM), (end, look))


def _said(ui: UiState, nodes: list[NodeId]) -> list[list[tuple[str, Style]]]:
    """What is lost, where replicas differ, and which epochs they know."""
    view, tp = ui.view, ui.log
    sentences: list[list[tuple[str, Style]]] = []
    lost = sorted(ghost.offset for ghost in view.gone(tp))
    if lost:
        sentences.append([(f" COMMITTED AND LOST {_span(lost[0], lost[-1])} ", ALARM), (" nobody holds them now", DIM)])
    missing = view.missing(tp)
    if missing.lost and not lost:
        sentences.append(
            [(f" ACKNOWLEDGED AND LOST {_span_of(missing.lost)} ", ALARM), (" nobody holds them now", DIM)]
        )
    if missing.kept:
        only = f" ONLY ON {words.nodes(missing.keepers)} {_span_of(missing.kept)} "
        sentences.append([(only, ALARM), (" acknowledged, and not in the leader's log", DIM)])
    cut = next((lane.newest_cut for node in nodes if (lane := view.logs.get((node, tp))) is not None
                and lane.newest_cut is not None and lane.ghosts), None)  # fmt: skip
    if cut is not None:
        sentences.append(
            [("\u2702 ", BAD), (f"{node_name(cut.node)} cut {cut.old_end_offset} to {cut.end_offset}", TEXT)]
        )
    differs = ui.recording.agreement.divergence(view, tp)
    if differs is not None:
        sentences.append([("\u2260 DIFFERS", BAD), (f" at {differs}: another record", TEXT)])
    item = view.partitions.get(tp)
    leader = view.leader_of_newest_epoch if tp == METADATA else item.leader if item else -1
    lane = view.logs.get((leader, tp))
    if lane is not None and lane.transactions is not None:
        signs = "o open, a aborted, C and A markers that commit and abort"
        stops = f"  stable to {lane.stable_offset}" if lane.stable_offset < lane.high_watermark else ""
        sentences.append([("transactions ", DIM), (f"{signs}{stops}", WARN if stops else TEXT)])
    if lane is not None:
        epochs = list(lane.epochs)
        if lane.begun is not None and (not epochs or lane.begun[0] > epochs[-1][0]):
            epochs.append(lane.begun)
        runs = "  ".join(f"e{epoch} from {start}" for epoch, start in epochs[-8:])
        sentences.append([(f"{node_name(leader)} knows  ", DIM), (runs, TEXT)])
    return sentences


def _span_of(batches: list[AckedRange]) -> str:
    last = max(item.base_offset + item.record_count - 1 for item in batches)
    return _span(min(item.base_offset for item in batches), last)


def _span(first: Offset, last: Offset) -> str:
    return f"{first}" if first == last else f"{first}-{last}"


def _legend(area: Area, y: int, ui: UiState) -> None:
    tp = ui.log
    item = ui.view.partitions.get(tp)
    epoch = ui.view.newest_epoch if item is None else max(item.leader_epoch, 0)
    digit = str(epoch % 10)
    keys: tuple[tuple[str, Style, str, str], ...] = (
        (digit, committed_cell(epoch), "committed", "committed"),
        (digit, uncommitted_cell(epoch), "not yet", "not yet"),
        (digit, uncommitted_cell(epoch, underline=True), "not on disk", "no disk"),
        ("x" if ui.glyphs != "full" else digit, GHOST, "cut off", "cut"),
        (BAR, HW, "high watermark", "HW"),
    )
    wide = area.width >= sum(len(key) + len(word) + 3 for key, _, word, _ in keys) - 1
    x = 1
    if not wide and area.width < sum(len(key) + len(word) + 2 for key, _, _, word in keys):
        keys = (*keys[:3], keys[-1])  # a cut has its sign in the lane
    for key, look, word, short_word in keys:
        x = area.parts(x, y, (key, look), (f" {word}  " if wide else f" {short_word} ", FAINT))
    for key, word in NUMBERS if area.width >= WIDE else ():
        if x + len(key) + len(word) + 1 < area.width:
            x = area.parts(x, y, (key, DIM), (f" {word}  ", FAINT))


def _label(area: Area, y: int, ui: UiState, tp: TopicPartition, node: NodeId) -> None:
    view = ui.view
    state = view.nodes.get(node)
    item = view.partitions.get(tp)
    leader = view.leader_of_newest_epoch if tp == METADATA else item.leader if item else -1
    down = state is not None and state.process in PROCESS
    still = view.zombie_epoch(tp, node)
    mark = "\u2605" if node == leader else " " if still is None else "\u2606"
    glyph = PROCESS.get(state.process if state else "", mark)
    look = BAD if down else SELECTED if ui.node == node else BRIGHT
    if down and state is not None:
        word, tone = state.process, BAD
    elif still is not None:
        word, tone = f"still e{still}", WARN
    elif tp == METADATA:
        role = state.quorum_role if state else ""
        votes = node in view.voters and role != "observer"  # another disk under a voter's number does not vote
        word, tone = ASKS.get(role, "voter" if votes else safe_text(role, 20)), DIM
        tone = WARN if word == "asks" else DIM
    elif item and node in item.isr:
        word, tone = ("lags", WARN) if node in item.lagging else (item.member_word, DIM)
    else:
        word, tone = "out", WARN
    name = node_name(node)
    x = 1 if glyph == " " and 3 + len(name) + len(word) > LABEL else 2  # a long word takes the place of the sign
    area.put(0, y, f"{glyph} "[:x], BAD if down else CROWN)
    if ui.node == node:
        area.parts(0, y, ("\u25b8", BRIGHT), (glyph[: x - 1], BAD if down else CROWN))
    x = area.put(x, y, name, look)
    area.put(x + 1, y, word[: max(0, LABEL - x - 1)], tone)


def _lane(area: Area, lane: LogState, frame: Frame, node: NodeId, *, lost: set[Ghost], plain: bool) -> None:
    """plain: a removed cell is an x, for terminals where striking out may not show."""
    ghosts = dict(lane.ghosts)
    first, cells, step = frame.first, frame.cells, frame.step
    transactions = lane.transactions
    fates = {} if transactions is None else transactions.fates(first, min(first + cells, lane.log_end_offset))
    for place in range(cells):
        offset = first + place
        x = place * step
        if offset == lane.high_watermark and offset <= lane.log_end_offset:
            area.put(x, 0, BAR, HW)
        if offset < lane.log_start_offset:
            area.put(x + 1, 0, "\u00b7", DIM)
        elif offset < lane.log_end_offset:
            epoch = lane.epoch_at(offset)
            soft = offset >= lane.durable_offset
            committed = offset < lane.high_watermark
            look = committed_cell(epoch, underline=soft) if committed else uncommitted_cell(epoch, underline=soft)
            sign = FATES.get(fates.get(offset, ""), f"{epoch % 10}")
            if frame.values:
                text = f"{sign} {frame.values.get((node, offset), '')}".rstrip()
            else:
                text = sign.center(step - 1) if step > 3 else sign
            if committed:  # one ground up to the bar
                text = text.ljust(step - 1 + (offset + 1 < lane.high_watermark))
            area.put(x + 1, 0, text, look)
        elif offset in ghosts:
            look = GHOST_LOST if Ghost(offset, ghosts[offset]) in lost else GHOST
            area.put(x + 1, 0, "x" if plain else f"{ghosts[offset] % 10}", look)
    if frame.values and lane.high_watermark == first + cells <= lane.log_end_offset:
        area.put(cells * step, 0, BAR, HW)
    if lane.ghosts and lane.log_end_offset < first + cells and lane.newest_cut is not None:
        end = (max(ghosts) + 1 - first) * step + 1
        to = lane.newest_cut.end_offset
        forms = (text for text in (f"\u2702 to {to}", f"\u2702 {to}", "\u2702") if len(text) <= area.width - end)
        area.put(end, 0, next(forms, ""), BAD)


def _shadow(area: Area, lane: LogState, frame: Frame) -> None:
    """The second row of a lane before a room: committed cells and the bar are as high as both."""
    for place in range(frame.cells):
        offset = frame.first + place
        if offset == lane.high_watermark and offset <= lane.log_end_offset:
            area.put(place * frame.step, 0, BAR, HW)
        if lane.log_start_offset <= offset < min(lane.high_watermark, lane.log_end_offset):
            width = frame.step - 1 + (offset + 1 < lane.high_watermark)
            area.put(place * frame.step + 1, 0, " " * width, committed_cell(lane.epoch_at(offset)))
