"""Pane 2: nodes at fixed places, the links between them, what travels on these, and the workload below."""

from __future__ import annotations

from rich.style import Style

from cluster.model.identifiers import METADATA, NodeId
from workbench.session.story.headline import headline
from workbench.session.views.cluster import drawn_links, is_cut
from workbench.session.views.sides import Side, sides_of
from workbench.telling.words import fault_words, node_name
from workbench.tui.drawing.canvas import Area, first_of, wrap
from workbench.tui.panes.map_boxes import ASKING, draw_box
from workbench.tui.panes.map_flights import draw_flights
from workbench.tui.panes.map_links import broken_words, draw_bus, draw_caption, draw_lanes, draw_rails
from workbench.tui.panes.map_places import Places, groups_of, place
from workbench.tui.panes.map_zookeeper import seat_words
from workbench.tui.panes.workload import draw_workload
from workbench.tui.theme.palette import BAD, DIM, FAINT, GOOD, TEXT, WARN
from workbench.tui.ui_state import UiState

NODE_MAX = 1000
"""Clients have larger numbers."""
HALF_LEAST = 12
"""Rows below which only the half of the map that acts is drawn."""
FAULT_ROWS, FAULT_ROWS_TALL = 2, 4
"""Rows that are kept for faults, in force or not, so that none moves a node; the second in twice the rows of a half."""
NAMED_MAX = 5
"""Brokers that are told by name where they have one line; of more only those that do not run."""


def rows_of_nodes(ui: UiState) -> list[list[NodeId]]:
    """Controllers above brokers; combined nodes in one group. Each in the order of its places."""
    return groups_of(sorted(node for node in ui.view.nodes if 0 < node <= NODE_MAX))


def map_note(ui: UiState) -> str:
    """What the head of the pane says: the link that is chosen, or how to choose a node."""
    worded = ui.keyboard.said
    if ui.marked and ui.marked != ui.node:
        link = f"link {node_name(ui.marked)}\u2192{node_name(ui.node)}: "
        return link + worded("{net.cut.one} {net.cut.both} {net.delay}")
    return f"{node_name(ui.node)} selected" if ui.node else worded(f"{ui.how_to_select} select a node")


def draw_map(area: Area, ui: UiState) -> None:
    """All nodes, or the half that acts where there is no room for both."""
    groups = rows_of_nodes(ui)
    if not groups:
        text = "no cluster yet: the lesson's step starts one" if ui.lesson else "no node has been heard of yet"
        for y, line in enumerate(wrap(text, max(1, area.width - 4)), start=1):
            area.put(2, y, line, DIM)
        return
    other: list[NodeId] = []
    if len(groups) > 1 and area.height < HALF_LEAST:
        acting = _acting_half(ui)
        groups, other = [groups[acting]], groups[1 - acting]
    faults = _fault_lines(ui)
    sides = sides_of(ui.view)
    kept = FAULT_ROWS if area.height < 2 * HALF_LEAST else FAULT_ROWS_TALL
    if other:  # nothing stands below it
        kept = min(len(faults), kept) + len(sides) + 1
    places = place(groups, area.width, max(3, area.height - kept))
    if area.height - places.below <= len(sides):
        places = place(groups, area.width, max(3, area.height - len(sides) - 1))
    _draw_nodes(area, ui, places, sides)
    y = places.below
    if other:
        area.put(1, y, _in_one_line(ui, other)[: area.width - 2], DIM)
        y += 1
    top, y = y, y + len(sides)
    room = area.height - y
    room = min(2, room - min(len(faults), max(1, room - 1)))  # what is acknowledged or lost yields to one fault only
    if room > 0 and not other:
        draw_workload(area.part(0, y, area.width, room), ui, places)
        y += room
    for row, part in enumerate(sides, start=top):
        area.parts(1, row, *_told(part))
    if places.caption < 0 and (words := broken_words(ui.view, places)):
        faults.insert(0, (words, BAD if "\u2573" in words else WARN))
    for row, (text, look) in enumerate(first_of(faults, area.height - y, area.width - 2), start=y):
        area.put(1, row, text, look)


def _draw_nodes(area: Area, ui: UiState, places: Places, sides: tuple[Side, ...]) -> None:
    letters = {node: side.name for side in sides for node in side.nodes}
    for node, box in places.boxes.items():
        draw_box(area.part(*box), ui, ui.view.nodes[node], letters.get(node, ""))
        area.spot(*box, "node", node)
    draw_lanes(area, ui, places)
    draw_rails(area, ui, places)
    draw_caption(area, ui, places)
    draw_bus(area, ui, places)
    _draw_wall(area, places, letters)
    draw_flights(area, ui, places)


def _acting_half(ui: UiState) -> int:
    """0 controllers, 1 brokers: the quorum while it has no leader, or the one that the log in view belongs to.

    While the story is told slowly, the one that it tells of, whatever is selected: of a cut network what is parted.
    """
    view = ui.view
    if view.zookeeper.is_used:
        return 0 if ui.node > 100 else 1
    asks = any(node.quorum_role in ASKING for node in view.nodes.values())
    if view.leader_of_newest_epoch < 0 or asks:
        return 0
    if ui.cells is not None and (acting := _half_of_story(ui)) >= 0:
        return acting
    chosen = ui.node
    if chosen:
        return 0 if chosen > 100 else 1
    return 0 if ui.log == METADATA else 1


def _half_of_story(ui: UiState) -> int:
    """0 where voters are parted, or the headline is about one; 1 where only brokers are; -1 where nobody is named."""
    sides = {node: side.name for side in sides_of(ui.view) for node in side.nodes}
    if len(set(sides.values())) > 1:
        return int(len({name for node, name in sides.items() if node in ui.view.voters}) == 1)
    recording = ui.recording
    moment = headline(recording.story, ui.view, recording.cursor, ui.shown_ns).moment
    nodes = recording.story.incidents[moment.incident].nodes if moment is not None else set()
    return -1 if not nodes else int(nodes.isdisjoint(ui.view.voters))


def _in_one_line(ui: UiState, nodes: list[NodeId]) -> str:
    """The other half in words."""
    view = ui.view
    if nodes[0] > 100:
        if view.zookeeper.is_used:
            return f"ZooKeeper: {node_name(nodes[0])} {view.nodes[nodes[0]].process}   {seat_words(view)}"
        return "quorum: " + "  ".join(
            f"{node_name(node)} {view.nodes[node].quorum_role or view.nodes[node].process}" for node in nodes
        )
    if view.leader_of_newest_epoch < 0 and view.is_led and not view.zookeeper.is_used:
        return "brokers cannot reach a controller; what leads a partition leads on"
    if len(nodes) > NAMED_MAX:
        down = [node for node in nodes if not view.nodes[node].is_up]
        gone = f", {', '.join(map(node_name, down))} not" if down else ""
        return f"brokers: {len(nodes) - len(down)} of {len(nodes)} run{gone}"
    return "brokers: " + "  ".join(f"{node_name(node)} {view.nodes[node].process}" for node in nodes)


def _draw_wall(area: Area, places: Places, letters: dict[NodeId, str]) -> None:
    """Between two columns whose nodes are on different sides of a cut network."""
    for left, right in places.neighbours():
        if len({"", letters.get(left, ""), letters.get(right, "")}) > 2:
            one, other = places.boxes[left], places.boxes[right]
            x = (one.right + other.x) // 2
            for y in range(one.y, one.low + 1):
                area.put(x, y, "\u2573", BAD)


def _told(side: Side) -> tuple[tuple[str, Style], tuple[str, Style], tuple[str, Style]]:
    """How many voters a side has, whether they are enough, and who is on it."""
    word, look = ("majority", GOOD) if side.has_majority else ("no majority", BAD)
    count = f"\u2573 side {side.name}: {side.voters} of {side.voter_count} voters, "
    names, both = (
        " ".join(node_name(node) for node in sorted(nodes, key=lambda node: (node <= 100, node)))
        for nodes in (side.nodes, side.between)
    )
    return (count, TEXT), (f"{word}  ", look), (f"{names}, with {both} that no cut touches" if both else names, DIM)


def _fault_lines(ui: UiState) -> list[tuple[str, Style]]:
    """The faults in force, the newest first, each with its number; then frames that wait."""
    lines: list[tuple[str, Style]] = []
    for fault in reversed(ui.view.faults.values()):
        glyph = "\u2573" if is_cut(fault) else "\u2248" if drawn_links(fault) else "!"
        lines.append((f"{glyph} fault {fault.fault_id}: {fault_words(fault.kind, fault.arguments)}", BAD))
    held = sum(ui.view.held_frames.values())
    if held:
        links = ", ".join(f"{node_name(a)}\u2192{node_name(b)}" for a, b in sorted(ui.view.held_frames))
        lines.append((f"\u2573 {held} message{'s' * (held > 1)} held on {links}", WARN))
    return lines or [("no fault in force", FAINT)]
