"""Pane 2: one box per node, then links and faults in force."""

from __future__ import annotations

from rich.style import Style

from cluster.model.identifiers import NodeId
from workbench.session.describe import node_name
from workbench.session.node_view import NodeView
from workbench.tui.canvas import Area
from workbench.tui.palette import BAD, BRIGHT, DIM, FAINT, GOOD, INFO, SELECTED, TEXT, WARN
from workbench.tui.ui_state import UiState

BOX_HEIGHT = 5
ROLE_WORDS = {
    "leader": "LEADER",
    "candidate": "CAND.",
    "prospective": "pre-cand.",
    "follower": "follow",
    "observer": "observe",
    "unattached": "no leader",
    "resigned": "resigned",
}


def rows_of_nodes(ui: UiState) -> list[list[NodeId]]:
    """Controllers above brokers; combined nodes in one row."""
    view = ui.view
    nodes = sorted(node for node in view.nodes if 0 < node < 1001)
    top = [node for node in nodes if node > 100]
    low = [node for node in nodes if node <= 100]
    return [row for row in (top, low) if row]


def draw_map(area: Area, ui: UiState) -> None:
    """Boxes as wide as fits; the faults in the rows left over."""
    rows = rows_of_nodes(ui)
    if not rows:
        area.put(2, 1, "no node has been heard of yet", DIM)
        return
    per_row = max(1, min(max(len(row) for row in rows), area.width // 15))
    lines = [row[start : start + per_row] for row in rows for start in range(0, len(row), per_row)]
    width = min(21, area.width // per_row - 1)
    tight = len(lines) * BOX_HEIGHT > area.height
    height = BOX_HEIGHT if not tight else max(3, area.height // len(lines))
    for number, line in enumerate(lines):
        gap = (area.width - len(line) * width) // (len(line) + 1)
        for place, node_id in enumerate(line):
            x = gap + place * (width + gap)
            _box(area.part(x, number * height, width, height), ui, ui.view.nodes[node_id])
    _faults(area, ui, len(lines) * height)


def _looks(ui: UiState, node: NodeView) -> tuple[str, str, Style]:
    """(glyph, word, colour) of a node's head."""
    if node.process == "down":
        return "\u2717", "POWER LOST" if node.power_lost else "DOWN", BAD
    if node.process == "paused":
        return "\u2016", "PAUSED", WARN
    if node.process == "starting":
        return "\u25d4", "starting", WARN
    if node.role == "leader" and ui.view.leader_id == node.node_id:
        return "\u2605", "LEADER", GOOD
    if node.role == "leader":
        return "\u2606", f"stale e{node.epoch}", WARN
    if node.role in ("candidate", "prospective"):
        return "?", ROLE_WORDS[node.role], WARN
    return "\u25cf", ROLE_WORDS.get(node.role, node.role or "up"), INFO


def _box(box: Area, ui: UiState, node: NodeView) -> None:
    glyph, word, look = _looks(ui, node)
    wide, last = box.width, box.height - 1
    selected = ui.node == node.node_id
    corners = (
        tuple("\u2554\u2550\u2557\u2551\u255a\u255d") if selected else tuple("\u256d\u2500\u256e\u2502\u2570\u256f")
    )
    if node.process == "down" and not selected:
        corners = tuple("\u250c\u2504\u2510\u2506\u2514\u2518")
    left_top, flat, right_top, side, left_low, right_low = corners
    edge = BRIGHT if selected else look
    box.put(0, 0, left_top + flat * (wide - 2) + right_top, edge)
    box.put(0, last, left_low + flat * (wide - 2) + right_low, edge)
    for y in range(1, last):
        box.put(0, y, side, edge)
        box.put(wide - 1, y, side, edge)
    head = f" {node_name(node.node_id)} {glyph} {word} "[: wide - 2]
    box.put(1, 0, head, SELECTED if selected else look)
    for y, (text, tone) in enumerate(_facts(ui, node)[: last - 1], start=1):
        box.put(2, y, text[: wide - 3], tone)


def _facts(ui: UiState, node: NodeView) -> list[tuple[str, Style]]:
    facts: list[tuple[str, Style]] = []
    is_voter = node.node_id in ui.view.voters
    if node.process == "down":
        facts.append((f"exit {node.exit_code}", DIM))
        gone_s = (ui.recording.t_ns - node.since_ns) / 1e9
        facts.append((f"since {gone_s:.1f}s", DIM))
    else:
        kind = "ctl" if is_voter else "obs"
        active = " active" if ui.view.active_controller == node.node_id else ""
        facts.append((f"{kind} e{node.epoch}{active}", TEXT))
        if node.broker_state or node.fenced is not None:
            fenced = node.fenced is not False
            word = "FENCED" if fenced else node.broker_state or "running"
            facts.append((f"brk {word}", WARN if fenced else TEXT))
        if node.voted_for > 0 and ui.view.leader_id < 0:
            facts.insert(0, (f"voted {node_name(node.voted_for)} e{node.epoch}", WARN))
    if node.disk != "ok":
        facts.insert(0 if node.process != "down" else 1, (f"disk {node.disk}", BAD))
    return facts


def _faults(area: Area, ui: UiState, y: int) -> None:
    held = sum(ui.view.held.values())
    if held and y < area.height:
        links = ", ".join(f"{node_name(a)}>{node_name(b)}" for a, b in sorted(ui.view.held))
        area.put(1, y, f"\u2573 {held} frames wait on {links}"[: area.width - 2], WARN)
        y += 1
    for fault in list(ui.view.faults.values())[-max(0, area.height - y) :]:
        is_cut = f"{fault.kind} {fault.arguments}" in ui.view.cuts()
        glyph = "\u2573\u2573\u2573" if is_cut else "!"
        area.put(1, y, f"{glyph} fault {fault.fault_id}: {fault.kind} {fault.arguments}"[: area.width - 2], BAD)
        y += 1
    if not ui.view.faults and not held and y < area.height:
        area.put(1, y, "no fault in force", FAINT)
