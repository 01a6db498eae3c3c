"""Pane 2: one box per node, a line for every link that a fault touches, the faults in force."""

from __future__ import annotations

from rich.style import Style

from cluster.model.identifiers import NodeId
from cluster.picture.parts import NodeState
from workbench.session.describe.fault_words import fault_words
from workbench.session.describe.sentences import exit_word, node_name
from workbench.session.views.cluster import disk_word, drawn_links, is_cut, stops_percent
from workbench.session.views.sides import Side, sides_of
from workbench.support.safe_text import safe_text
from workbench.tui.drawing.canvas import Area, wrap
from workbench.tui.panes.link_lines import Ends, assign_lanes, broken_links, draw_heads, draw_lines
from workbench.tui.theme.palette import BAD, BRIGHT, DIM, FAINT, GOOD, INFO, SELECTED, TEXT, WARN
from workbench.tui.ui_state import UiState

BOX_HEIGHT, BOX_LEAST, BOX_WIDTH = 5, 3, 21
BOX_NARROW = 18
"""A box less wide shows its role below its name, in short words."""
LANES_MAX = 5
LEGEND = "\u2573 cut  \u2248 slow  \u25b2 \u25bc hears nothing or late  \u252c \u2534 hears well"
ROLE_WORDS = {
    "leader": "LEADER",
    "candidate": "CANDIDATE",
    "prospective": "pre-cand.",
    "follower": "follower",
    "observer": "broker",
    "unattached": "no leader",
    "resigned": "resigned",
}


def rows_of_nodes(ui: UiState) -> list[list[NodeId]]:
    """Controllers above brokers; combined nodes in one row. Sides of a network that is cut stand together."""
    view, side = ui.view, _side_of(sides_of(ui.view))
    nodes = sorted((node for node in view.nodes if 0 < node < 1001), key=lambda node: (side.get(node, 0), node))
    top = [node for node in nodes if node > 100]
    low = [node for node in nodes if node <= 100]
    return [row for row in (top, low) if row]


def _even(row: list[NodeId], most: int) -> list[list[NodeId]]:
    """The row in as few parts of at most so many as it takes, none much shorter than the others."""
    long = -(-len(row) // -(-len(row) // most))
    return [row[start : start + long] for start in range(0, len(row), long)]


def _side_of(sides: tuple[Side, ...]) -> dict[NodeId, int]:
    return {node: place for place, side in enumerate(sides) for node in side.nodes}


def draw_map(area: Area, ui: UiState) -> None:
    """Boxes as wide as fits, lanes for links below each row, faults in the rows left over."""
    rows = rows_of_nodes(ui)
    if not rows:
        text = "no cluster yet: the lesson's step starts one" if ui.lesson else "no node has been heard of yet"
        for y, line in enumerate(wrap(text, max(1, area.width - 4)), start=1):
            area.put(2, y, line, DIM)
        return
    most = max(1, min(max(len(row) for row in rows), area.width // 12))
    grid = [part for row in rows for part in _even(row, most)]
    per_row = max(len(row) for row in grid)
    sides = sides_of(ui.view)
    side = _side_of(sides)
    broken = [line for line in broken_links(ui.view) if side.get(line.first) == side.get(line.second)]
    lanes, lines = assign_lanes(broken, grid, LANES_MAX)
    tall = BOX_HEIGHT
    while tall > BOX_LEAST and tall * len(grid) + sum(lanes.values()) + _fault_rows(ui) + len(sides) > area.height:
        tall -= 1
    room = max(0, area.height - tall * len(grid) - 1)
    lanes = _cut_to(room, lanes)
    width = min(BOX_WIDTH, area.width // per_row - 1)
    places: dict[NodeId, tuple[int, int]] = {}
    y = 0
    for number, row in enumerate(grid):
        left = gap = (area.width - len(row) * width) // (len(row) + 1)
        if not gap:
            gap = 1  # boxes stay apart, and a wall has room between them
            left = (area.width - len(row) * (width + gap) + gap) // 2
        for place, node_id in enumerate(row):
            places[node_id] = (left + place * (width + gap), y)
        y += tall + lanes.get(number, 0)
    drawn = [line for line in lines if line.lane < lanes.get(line.band, 0)]
    tops = {number: places[row[0]][1] + tall for number, row in enumerate(grid)}
    boxes = {node: Ends(x, top, width, tall) for node, (x, top) in places.items()}
    draw_lines(area, drawn, boxes, tops)
    for node_id, (x, top) in places.items():
        name = sides[side[node_id]].name if sides else ""
        _box(area.part(x, top, width, tall), ui, ui.view.nodes[node_id], name)
        area.spot(x, top, width, tall, "node", node_id)
    draw_heads(area, drawn, boxes, tops)
    _walls(area, grid, side, boxes)
    for part in sides:
        area.parts(1, y, *_told(part))
        y += 1
    _faults(area, ui, y, len(lines) - len(drawn), has_lines=bool(drawn))


def _controllers_first(node: NodeId) -> tuple[bool, NodeId]:
    return node <= 100, node


def _walls(area: Area, grid: list[list[NodeId]], side: dict[NodeId, int], boxes: dict[NodeId, Ends]) -> None:
    """Between two boxes of a row that are on different sides, where there is room."""
    for row in grid:
        for left, right in zip(row, row[1:], strict=False):
            one, other = boxes[left], boxes[right]
            if side.get(left) != side.get(right) and other.x > one.x + one.width:
                for y in range(one.y, one.y + one.height):
                    area.put((one.x + one.width + other.x) // 2, y, "\u2573", BAD)


def _told(side: Side) -> tuple[tuple[str, Style], tuple[str, Style], tuple[str, Style]]:
    """How many voters a side has, whether they are enough, and who is on it."""
    word, look = ("majority", GOOD) if side.has_majority else ("no majority", BAD)
    count = f"\u2573 side {side.name}: {side.voters} of {side.voter_count} voters, "
    return (
        (count, TEXT),
        (f"{word}  ", look),
        (" ".join(map(node_name, sorted(side.nodes, key=_controllers_first))), DIM),
    )


def _cut_to(room: int, lanes: dict[int, int]) -> dict[int, int]:
    """Lanes that fit in the room left over, the last band giving way first."""
    kept = dict(lanes)
    for band in sorted(kept, reverse=True):
        kept[band] -= max(0, min(kept[band], sum(kept.values()) - room))
    return kept


def _fault_rows(ui: UiState) -> int:
    return min(4, max(1, len(ui.view.faults) + bool(ui.view.held_frames)))


def _looks(ui: UiState, node: NodeState) -> tuple[str, str, Style]:
    """(glyph, word, colour) of a node's head."""
    if node.process == "down":
        return "\u2717", "NO POWER" if node.power_lost else "DOWN", BAD
    if node.process == "paused":
        return "\u2016", "PAUSED", WARN
    if node.process == "starting":
        return "\u25d4", "starting", WARN
    if node.quorum_role == "leader" and ui.view.leader_of_newest_epoch == node.node_id:
        return "\u2605", "LEADER", GOOD
    if node.quorum_role == "leader":
        return "\u2606", f"stale e{node.quorum_epoch}", WARN
    if node.quorum_role in ("candidate", "prospective"):
        return "?", ROLE_WORDS[node.quorum_role], WARN
    unknown = "broker" if node.roles == ("broker",) else "up"
    return "\u25cf", ROLE_WORDS.get(node.quorum_role, safe_text(node.quorum_role, 20) or unknown), INFO


def _box(box: Area, ui: UiState, node: NodeState, letter: str) -> None:
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
        box.put(0, y, side + " " * (wide - 2) + side, edge)
    mark = "\u25c6" if ui.marked == node.node_id else ""
    narrow = wide < BOX_NARROW + 2 * bool(letter)
    head = f" {mark}{letter and letter + ' '}{node_name(node.node_id)} {glyph} " + ("" if narrow else f"{word} ")
    box.put(1, 0, head[: wide - 2], SELECTED if selected else look)
    facts = _facts(ui, node, narrow=narrow)
    hides_alarm = any(tone in (WARN, BAD) for _, tone in facts[max(0, last - 2) : last - 1])
    if narrow and not (look is INFO and hides_alarm):  # a healthy role gives way to what is wrong
        facts.insert(0, (word, look))
    for y, (text, tone) in enumerate(facts[: last - 1], start=1):
        box.put(2, y, text[: wide - 3], tone)


def _troubles(node: NodeState, *, narrow: bool) -> list[tuple[str, Style]]:
    """What its disk, its port and its process suffer from."""
    facts: list[tuple[str, Style]] = []
    if disk_word(node):
        facts.append((f"disk {disk_word(node)}", BAD))
    if node.is_up and (share := stops_percent(node)):
        facts.append((f"stops {share}%{'' if narrow else ' of time'}", WARN))
    if node.wanted_port and node.process == "down":
        facts.append((f"port {node.wanted_port}{'' if narrow else ' taken'}", WARN))
    return facts


def _facts(ui: UiState, node: NodeState, *, narrow: bool) -> list[tuple[str, Style]]:
    """The most telling first: a low box shows only that."""
    view, facts = ui.view, _troubles(node, narrow=narrow)
    if node.process == "down":
        gone_s = max(0, ui.shown_ns - node.since_ns) // 1_000_000_000
        ago = f"{gone_s}s ago" if gone_s < 100 else f"{gone_s // 60}m ago"
        how = "power lost" if node.power_lost else exit_word(node.exit_code)
        if narrow:  # the word above it says NO POWER
            return [*facts, (ago if node.power_lost else how, DIM)]
        return [*facts, (f"{how} {ago}", DIM)]
    if node.voted_for > 0 and view.leader_of_newest_epoch < 0:
        facts.append((f"vote{'' if narrow else 'd'} {node_name(node.voted_for)} e{node.quorum_epoch}", WARN))
    leads = view.leads(node.node_id)
    if node.broker_state or node.fenced is not None:
        if node.fenced is not False:
            facts.append(("FENCED", WARN))
        else:
            facts.append((f"leads {leads}" if leads else safe_text(node.broker_state, 30) or "running", TEXT))
    fault, clients = view.client_fault(node.node_id), view.clients_of(node.node_id)
    if fault:
        facts.append((fault.replace("clients", "cl.").replace("answers", "ans.") if narrow else fault, BAD))
    if clients:
        facts.append((f"{clients} client{'s' * (clients > 1)}", INFO))
    kept = [name for name, group in sorted(view.groups.items()) if group.coordinator == node.node_id]
    if kept:
        some = f"{len(kept)} group{'s' * (len(kept) > 1)}"
        facts.append((some if narrow else f"keeps {safe_text(kept[0], 20) if len(kept) == 1 else some}", INFO))
    if node.node_id in view.voters:
        active = view.active_controller == node.node_id
        if narrow:
            facts.append((f"e{node.quorum_epoch}{' active' if active else ''}", TEXT))
        else:
            facts.append((f"epoch {node.quorum_epoch}{', active' if active else ''}", TEXT))
        if node.voted_for > 0 and view.leader_of_newest_epoch > 0 and not narrow:
            facts.append((f"voted {node_name(node.voted_for)}", DIM))
    elif node.quorum_epoch:
        facts.append((f"e{node.quorum_epoch}" if narrow else f"knows epoch {node.quorum_epoch}", DIM))
    return facts


def _faults(area: Area, ui: UiState, y: int, hidden: int, *, has_lines: bool) -> None:
    """Frames that wait, links without a line, then the newest faults, each with its number."""
    lines: list[tuple[str, Style]] = []
    if hidden:
        lines.append((ui.keyboard.said(f"\u2573 {hidden} more links are touched: zoom with {{pane.2}}"), WARN))
    held = sum(ui.view.held_frames.values())
    if held:
        links = ", ".join(f"{node_name(a)}\u2192{node_name(b)}" for a, b in sorted(ui.view.held_frames))
        lines.append((f"\u2573 {held} frame{'s' * (held > 1)} held on {links}", WARN))
    for fault in reversed(ui.view.faults.values()):
        glyph = "\u2573" if is_cut(fault) else "\u2248" if drawn_links(fault) else "!"
        lines.append((f"{glyph} fault {fault.fault_id}: {fault_words(fault.kind, fault.arguments)}", BAD))
    if not lines:
        lines.append(("no fault in force", FAINT))
    if has_lines:
        lines.append((LEGEND, DIM))
    for text, look in lines[: max(0, area.height - y)]:
        if len(text) > area.width - 2:
            text = text[: area.width - 3] + "\u2026"
        area.put(1, y, text, look)
        y += 1
