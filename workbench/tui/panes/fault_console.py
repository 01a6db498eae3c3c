"""Overlay: every node with what is wrong with it, every link as a cell, what is in force and what was."""

from __future__ import annotations

from collections.abc import Set

from rich.style import Style

from cluster.model.identifiers import NodeId
from cluster.picture.parts import FaultState, NodeState
from workbench.session.views.cluster import LinkView, disk_word, drawn_links, process_word, stops_percent
from workbench.telling.words import fault_words, node_name
from workbench.tui.drawing.canvas import Area, first_of, wrap
from workbench.tui.theme.palette import BAD, BRIGHT, DIM, FAINT, GOOD, SELECTED, TEXT, TITLE, WARN
from workbench.tui.ui_state import UiState

CELL = 6
"""Columns of one cell: a name of four letters, brackets, a blank."""
LEFT = 29
LEFT_NARROW = 17
HISTORY_ROWS = 4
PROCESS = {
    "up": ("\u2713 up", GOOD),
    "paused": ("\u2016 paused", WARN),
    "starting": ("\u25d4 starting", WARN),
    "down": ("\u2717 down", BAD),
}
STUTTERS = "\u2248 stutters"
FREE, CUT, SLOW, STAGED = "\u2713", "\u2573", "\u2248", "+\u2573"


def nodes_of_console(ui: UiState) -> list[NodeId]:
    """Rows and columns of the table: controllers, then brokers."""
    nodes = [node for node in ui.view.nodes if 0 < node < 1001]
    return sorted(nodes, key=lambda node: (node < 100, node))


def fault_on(ui: UiState, source: NodeId, target: NodeId) -> FaultState | None:
    """The newest fault in force that touches the frames from source to target."""
    for fault in reversed(ui.view.faults.values()):
        if (source, target) in drawn_links(fault):
            return fault
    return None


def staged_command(staged: Set[tuple[NodeId, NodeId]]) -> str:
    """One command for all staged links; a link staged both ways is written once."""
    words = []
    for source, target in sorted(staged):
        if (target, source) not in staged:
            words.append(f"{source}>{target}")
        elif source < target:
            words.append(f"{source}-{target}")
    return f"cut {','.join(words)}"


def draw_console(area: Area, ui: UiState) -> None:
    """The table on top, what the cursor is on below it, then the faults."""
    nodes = nodes_of_console(ui)
    if not nodes:
        area.put(1, 1, "no node has been heard of yet", DIM)
        return
    ui.cell = min(ui.cell[0], len(nodes) - 1), min(ui.cell[1], len(nodes) - 1)
    left = LEFT if area.width >= LEFT + 6 + CELL * len(nodes) else LEFT_NARROW
    columns = max(1, (area.width - left - 7) // CELL)
    rows = max(1, min(len(nodes), area.height - HISTORY_ROWS - 6))
    first_column, first_row = _window(ui.cell[1], columns, len(nodes)), _window(ui.cell[0], rows, len(nodes))
    shown = nodes[first_column : first_column + columns]
    _headings(area, ui, nodes, shown, left)
    links = ui.view.links()
    for y, source in enumerate(nodes[first_row : first_row + rows], start=2):
        _node(area, y, ui, ui.view.nodes[source], with_disk=left == LEFT)
        row = nodes.index(source)
        area.put(left, y, node_name(source), BRIGHT if row == ui.cell[0] else DIM)
        for place, target in enumerate(shown):
            column = first_column + place
            x = left + 5 + place * CELL
            _cell(area, x, y, _state(ui, (source, target), links), is_chosen=(row, column) == ui.cell)
            area.spot(x, y, CELL - 1, 1, "cell", row, column)
    if len(nodes) > rows:
        area.put(1, rows + 2, f"{first_row + 1} to {first_row + rows} of {len(nodes)} nodes", WARN)
    _below(area, rows + 3, ui, nodes)


def _headings(area: Area, ui: UiState, nodes: list[NodeId], shown: list[NodeId], left: int) -> None:
    area.put(1, 1, "node   process" + ("     disk" if left == LEFT else ""), DIM)
    area.put(left, 1, "from", DIM)
    before, after = shown[0] != nodes[0], shown[-1] != nodes[-1]
    area.put(left + 6, 0, f"{chr(0x25C0) + ' ' if before else ''}to{' ' + chr(0x25B6) if after else ''}", DIM)
    for place, node in enumerate(shown):
        area.put(left + 6 + place * CELL, 1, node_name(node), BRIGHT if nodes.index(node) == ui.cell[1] else DIM)


def _window(place: int, room: int, count: int) -> int:
    """First one shown, so that the chosen one is in sight."""
    return max(0, min(place - room // 2, count - room))


def _node(area: Area, y: int, ui: UiState, node: NodeState, *, with_disk: bool) -> None:
    is_chosen = ui.node == node.node_id
    area.put(1, y, node_name(node.node_id).ljust(6), SELECTED if is_chosen else BRIGHT)
    word, look = PROCESS.get(process_word(node), (node.process, DIM))
    if node.is_up and stops_percent(node):
        word, look = STUTTERS, WARN
    area.put(8, y, word, look)
    if with_disk:
        area.put(20, y, disk_word(node) or "ok", BAD if disk_word(node) else DIM)
    area.spot(1, y, LEFT_NARROW - 2, 1, "node", node.node_id)


def _cell(area: Area, x: int, y: int, state: tuple[str, Style], *, is_chosen: bool) -> None:
    text, look = state
    shown = f"[{text}]" if is_chosen else f" {text} "
    area.put(x - (len(text) > 1), y, shown, SELECTED if is_chosen else look)


def _state(ui: UiState, link: tuple[NodeId, NodeId], links: dict[tuple[NodeId, NodeId], LinkView]) -> tuple[str, Style]:
    source, target = link
    if source == target:
        return "\u00b7", FAINT
    if link in ui.staged:
        return STAGED, WARN
    state = links.get(link)
    if state is None:
        return FREE, DIM
    return (CUT, BAD) if state.is_cut else (SLOW, WARN)


def _below(area: Area, y: int, ui: UiState, nodes: list[NodeId]) -> None:
    for text, look in (_about_cell(ui, nodes), _about_stage(ui)):
        area.put(1, y, text[: area.width - 2], look)
        y += 1
    y += area.height - y > HISTORY_ROWS
    lines: list[tuple[str, Style]] = []
    for fault in ui.view.faults.values():
        words = fault_words(fault.kind, fault.arguments)
        since = ui.recording.seconds(fault.t_ns)
        lines.append((f"{fault.fault_id:>3}  {words}  since {since:.1f} s", BAD))
    over = _history(ui)
    if lines:
        area.put(1, y, "in force" if area.height > y else "", TITLE)
        y += 1
    lines = first_of(lines or [("no fault in force", DIM)], area.height - y, area.width - 2)
    if over:
        lines += [(text, DIM) for text in wrap(f"before: {over}", area.width - 3)]
    for row, (text, look) in enumerate(lines[: max(0, area.height - y)], start=y):
        area.put(1, row, text[: area.width - 2], look)


def _about_cell(ui: UiState, nodes: list[NodeId]) -> tuple[str, Style]:
    source, target = nodes[ui.cell[0]], nodes[ui.cell[1]]
    way = f"{node_name(source)}\u2192{node_name(target)}"
    if source == target:
        return f"{node_name(source)} itself", DIM
    fault = fault_on(ui, source, target)
    if (source, target) in ui.staged:
        return f"{way}: staged, enter takes it back", WARN
    if fault is not None:
        words = fault_words(fault.kind, fault.arguments)
        return f"{way}: fault {fault.fault_id}, {words}; enter heals the whole of it", BAD
    return f"{way}: free, enter stages a cut", TEXT


def _about_stage(ui: UiState) -> tuple[str, Style]:
    if not ui.staged:
        return "", DIM
    command = staged_command(ui.staged)
    count = len(ui.staged)
    return f"space cuts {count} link{'s' * (count > 1)} as one fault:  {command}", WARN


def _history(ui: UiState) -> str:
    """Faults that are over, the newest first."""
    recording = ui.recording
    over = [
        (begun, end, words)
        for begun, end, words, _ in recording.timeline.faults.values()
        if begun <= recording.t_ns and end <= recording.t_ns
    ]
    seconds = recording.seconds
    return " \u00b7 ".join(
        f"{words} {seconds(begun):.1f}-{seconds(end):.1f} s" for begun, end, words in sorted(over)[::-1]
    )
