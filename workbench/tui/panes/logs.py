"""Pane 4: one lane per replica. Cell = offset, digit = epoch mod 10, bar = high watermark."""

from __future__ import annotations

from cluster.model.identifiers import METADATA, NodeId, TopicPartition
from cluster.picture.logs import Ghost, LogState
from workbench.session.describe.sentences import node_name
from workbench.support.safe_text import safe_text
from workbench.tui.drawing.canvas import Area
from workbench.tui.theme.palette import (
    BAD,
    BRIGHT,
    DIM,
    GOOD,
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

BAR_STYLE = HW
ROLES = {"candidate": "candid.", "prospective": "pre-cand", "unattached": "unattach"}
PROCESS = {"down": "\u2717", "paused": "\u2016"}
"""What a lane says of its node before anything else."""
GHOST = style("no", strike=True)
GHOST_LOST = filled("no", "bright", strike=True)


def draw_logs(area: Area, ui: UiState) -> None:
    """Legend, ruler, lanes, and the leader's epoch cache when there is room."""
    tp, view = ui.log, ui.view
    nodes = view.owners_of(tp)
    wide = area.width >= 90
    step, left, right = (3, 18, 26) if wide else (2, 16, 16)
    if ui.presenting:  # to be read from the last row of a room
        step = 4 if wide else 3
    cells = max(4, (area.width - left - right) // step)
    longest = max((view.logs[node, tp].log_end_offset for node in nodes if (node, tp) in view.logs), default=0)
    cuts = [log.newest_cut for node in nodes if (log := view.logs.get((node, tp))) is not None and log.ghosts]
    cut = max((cut.old_end_offset for cut in cuts if cut is not None), default=0)
    newest = max(0, max(longest, cut) + 1 - cells)
    newest += -newest % 5 if newest else 0
    ui.log_back = min(ui.log_back, newest)
    first = newest - ui.log_back
    _legend(area, ui, tp)
    for offset in range(first - first % 5, first + cells, 5):
        if offset >= first:
            area.put(left + (offset - first) * step + 1, 1, str(offset), DIM)
    if ui.log_back:
        area.right(1, f"{ui.log_back} newer \u25b6 ", WARN)
    y = 2
    rows = area.height - 2
    air = ui.presenting and rows > 2 * len(nodes)
    hidden = len(nodes) - rows + 1 if len(nodes) > rows else 0
    if hidden:
        area.put(1, area.height - 1, ui.keyboard.said(f"\u2193 {hidden} more, {{pane.4}} shows all"), WARN)
    for node in nodes[: rows - bool(hidden)]:
        _label(area, y, ui, tp, node, wide)
        area.spot(0, y, left, 1, "node", node)
        lane = view.logs.get((node, tp))
        if lane is not None:
            committed = lane.newest_cut.high_watermark if lane.newest_cut is not None else 0
            lost = {ghost for ghost in lane.ghosts if ghost.offset < committed and not view.holders(tp, *ghost)}
            strip = area.part(left, y, cells * step + 1, 1)
            _lane(strip, lane, first, cells, step, lost=lost, plain=ui.glyphs != "full")
            if air:
                _shadow(area.part(left, y + 1, cells * step + 1, 1), lane, first, cells, step)
            if first and lane.log_end_offset <= first and not lane.ghosts:
                area.put(left + 1, y, f"\u25c0 ends at {lane.log_end_offset}", DIM)
            text = f"HW {max(lane.high_watermark, 0):>3} LEO {lane.log_end_offset:>3}"
            if wide and lane.durable_offset < lane.log_end_offset:
                text = f"disk {lane.durable_offset}  {text}"
            area.right(y, text + " ", TEXT if view.nodes.get(node) and view.nodes[node].is_up else DIM)
        y += 1 + air
    if not hidden:
        _epoch_cache(area, ui, tp, y, left)


def _legend(area: Area, ui: UiState, tp: TopicPartition) -> None:
    item = ui.view.partitions.get(tp)
    facts = ""
    if item is not None:
        leader = node_name(item.leader) if item.leader > 0 else "no leader"
        facts = f"{leader} e{item.leader_epoch} ISR {len(item.isr)}/{len(item.replicas)} min {item.min_insync_replicas}"
    short = item is not None and len(item.isr) < item.min_insync_replicas
    x = area.put(1, 0, facts + ("  " if facts else ""), BAD if short else BRIGHT)
    epoch = ui.view.newest_epoch if item is None else max(item.leader_epoch, 0)
    digit = str(epoch % 10)
    cut = "x" if ui.glyphs != "full" else digit
    keys = (
        (digit + " ", committed_cell(epoch), "committed", "committed"),
        (digit, uncommitted_cell(epoch), "not yet", "not yet"),
        (digit, uncommitted_cell(epoch, underline=True), "not on disk", "not on disk"),
        (cut, GHOST, "cut off", "cut"),
        ("\u258c", BAR_STYLE, "high watermark", "HW"),
    )
    wide = area.width - x >= sum(len(key) + len(word) + 3 for key, _, word, _ in keys) - 2
    for key, look, word, short_word in keys:
        x = area.parts(x, 0, (key, look), (f" {word}  " if wide else f" {short_word} ", DIM))


def _label(area: Area, y: int, ui: UiState, tp: TopicPartition, node: NodeId, wide: bool) -> None:
    view = ui.view
    known = view.nodes.get(node)
    item = view.partitions.get(tp)
    leader = view.leader_of_newest_epoch if tp == METADATA else item.leader if item else -1
    glyph = PROCESS.get(known.process if known else "", "\u2605" if node == leader else " ")
    look = SELECTED if ui.node == node else BRIGHT
    x = area.put(1, y, f"{node_name(node)} {glyph}"[:6].ljust(6), look)
    if tp == METADATA:
        role = known.quorum_role if known else ""
        word, tone = ROLES.get(role, safe_text(role, 20)), DIM
        if node in view.voters and not word:
            word = "voter"
    elif item and node in item.isr:
        word, tone = ("lagging", WARN) if node in item.lagging else ("in ISR", GOOD)
    else:
        word, tone = "out", BAD
    area.put(x + 1, y, word[: 10 if wide else 8], tone)


def _lane(area: Area, lane: LogState, first: int, cells: int, step: int, *, lost: set[Ghost], plain: bool) -> None:
    """lost: removed records that were committed and that nobody holds. plain: a removed cell is an x, for terminals
    where striking out may not show."""
    ghosts = dict(lane.ghosts)
    for place in range(cells):
        offset = first + place
        x = place * step
        if offset == lane.high_watermark and offset <= lane.log_end_offset:
            area.put(x, 0, "\u258c", BAR_STYLE)
        if offset < lane.log_start_offset:
            area.put(x + 1, 0, "\u00b7", DIM)
        elif offset < lane.log_end_offset:
            epoch = lane.epoch_at(offset)
            soft = offset >= lane.durable_offset
            committed = offset < lane.high_watermark
            look = committed_cell(epoch, underline=soft) if committed else uncommitted_cell(epoch, underline=soft)
            text = f"{epoch % 10}".center(step - 1) if step > 3 else f"{epoch % 10}"
            area.put(x + 1, 0, text.ljust(step - 1) if step > 2 and committed else text, look)
        elif offset in ghosts:
            look = GHOST_LOST if Ghost(offset, ghosts[offset]) in lost else GHOST
            area.put(x + 1, 0, "x" if plain else f"{ghosts[offset] % 10}", look)
    if lane.ghosts and lane.log_end_offset < first + cells:
        end = (max(ghosts) + 1 - first) * step + 1
        cut_to = lane.newest_cut.end_offset if lane.newest_cut is not None else 0
        word = f"COMMITTED AND LOST {_span(lost)}" if lost else f"\u2702 to {cut_to}"
        area.put(end, 0, word, BAD)


def _span(lost: set[Ghost]) -> str:
    """First and last of the offsets."""
    first, last = min(lost)[0], max(lost)[0]
    return f"{first}" if first == last else f"{first}-{last}"


def _shadow(area: Area, lane: LogState, first: int, cells: int, step: int) -> None:
    """The second row of a lane before a room: committed cells and the bar are as high as both."""
    for place in range(cells):
        offset = first + place
        if offset == lane.high_watermark and offset <= lane.log_end_offset:
            area.put(place * step, 0, "\u258c", BAR_STYLE)
        if lane.log_start_offset <= offset < min(lane.high_watermark, lane.log_end_offset):
            area.put(place * step + 1, 0, " " * (step - 1), committed_cell(lane.epoch_at(offset)))


def _epoch_cache(area: Area, ui: UiState, tp: TopicPartition, y: int, left: int) -> None:
    item = ui.view.partitions.get(tp)
    leader = ui.view.leader_of_newest_epoch if tp == METADATA else item.leader if item else -1
    lane = ui.view.logs.get((leader, tp))
    if lane is None or y >= area.height:
        return
    known = list(lane.epochs)
    if lane.begun is not None and (not known or lane.begun[0] > known[-1][0]):
        known.append(lane.begun)
    runs = "  ".join(f"e{epoch}\u2192{start}" for epoch, start in known[-8:])
    area.put(left, y, f"epoch cache of {node_name(leader)}:  {runs}"[: area.width - left], DIM)
