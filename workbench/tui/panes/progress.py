"""What is waited for while a cluster starts or ends: one line per node, from its events."""

from __future__ import annotations

from workbench.session.views.cluster import process_word
from workbench.telling.words import node_name
from workbench.tui.drawing.canvas import Area
from workbench.tui.theme.palette import BAD, BRIGHT, DIM, GOOD, WARN
from workbench.tui.ui_state import UiState

WORDS = {
    "up": ("\u2713", "ready", GOOD),
    "paused": ("\u2016", "paused", WARN),
    "starting": ("\u25d4", "starting", WARN),
    "down": ("\u2717", "ended", BAD),
}


def is_started(ui: UiState) -> bool:
    """Whether all nodes expected listen, and somebody decides for the cluster."""
    up, _ = ui.view.up_count()
    return 0 < ui.expected <= up and _who_decides(ui)[0]


def _who_decides(ui: UiState) -> tuple[bool, str]:
    """Whether the quorum has a leader, or the race for /controller a winner; and the words for it."""
    view = ui.view
    if view.zookeeper.is_used:
        winner = view.zookeeper.controller
        if winner <= 0:
            return False, "waiting for a broker to create /controller ..."
        return True, f"controller: {node_name(winner)}, controller epoch {view.zookeeper.controller_epoch}"
    if view.leader_of_newest_epoch <= 0:
        return False, "waiting for the quorum to elect a leader ..."
    return True, f"leader elected: {node_name(view.leader_of_newest_epoch)}, epoch {view.newest_epoch}"


def draw_start(area: Area, ui: UiState) -> None:
    """Nodes, how many are ready, the election."""
    view = ui.view
    up, heard_of = view.up_count()
    total = max(ui.expected, heard_of)
    y = _nodes(area, ui, 1)
    area.put(2, y + 1, f"ready {up} of {total}" if total else "starting the lab ...", BRIGHT)
    is_decided, words = _who_decides(ui)
    if is_decided or up:
        area.put(2, y + 2, words, GOOD if is_decided else WARN)
    if ui.answer.text:
        area.put(2, y + 4, ui.answer.text[: area.width - 4], BAD)
    area.put(2, area.height - 1, ui.keyboard.said("{enter} shows the workbench at once, {quit} quits"), DIM)


def draw_loading(area: Area, ui: UiState, how_far: str) -> None:
    """What is read, and how far."""
    area.put(2, 1, ui.title[: area.width - 4], BRIGHT)
    area.put(2, 3, how_far[: area.width - 4], WARN)
    area.put(2, area.height - 1, ui.keyboard.said("{quit} quits"), DIM)


def draw_end(area: Area, ui: UiState, what: str) -> None:
    """Nodes as they go."""
    y = _nodes(area, ui, 1, ended="\u2713")
    area.put(2, y + 1, what[: area.width - 4], BRIGHT)
    if ui.silent_s:
        area.put(2, y + 2, f"nothing heard from the lab for {ui.silent_s} s", BAD)
    soon = "leave by force, which takes up to 15 s" if ui.silent_s else "at once"
    area.put(2, area.height - 1, ui.keyboard.said(f"{{quit}} again: {soon}"), DIM)


def _nodes(area: Area, ui: UiState, y: int, ended: str = "\u2717") -> int:
    rows = max(1, area.height - 7)
    nodes = sorted((node for node in ui.view.nodes.values() if 0 < node.node_id < 1001), key=lambda node: node.node_id)
    for place, node in enumerate(nodes):
        glyph, word, look = WORDS.get(process_word(node), ("\u00b7", node.process, DIM))
        if node.process == "down":
            glyph, word, look = ended, f"ended, exit {node.exit_code}", GOOD if ended == "\u2713" else BAD
        roles = "+".join(node.roles)
        area.put(
            2 + place // rows * 38, y + place % rows, f"{glyph} {node_name(node.node_id):<5}{roles:<12}{word}", look
        )
    return y + min(rows, len(nodes))
