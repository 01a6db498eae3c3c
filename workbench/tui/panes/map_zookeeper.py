"""What boxes of the map say in zookeeper mode: the coordinator's znodes and sessions, and who controls."""

from __future__ import annotations

from rich.style import Style

from cluster.model.identifiers import METADATA, NodeId
from workbench.session.views.cluster import ClusterView
from workbench.telling.words import node_name
from workbench.tui.drawing.canvas import Area
from workbench.tui.theme.palette import BAD, BRIGHT, CROWN, DIM, TEXT, WARN
from workbench.tui.ui_state import UiState

Part = tuple[str, Style]


def rows_of_coordinator(ui: UiState) -> list[list[Part]]:
    """Who has /controller and in which epoch, the newest transaction, and whose sessions are open."""
    zookeeper = ui.view.zookeeper
    has = zookeeper.controller > 0
    seat: Part = (node_name(zookeeper.controller), CROWN) if has else ("free", WARN)
    clients = sorted({session.client for session in zookeeper.sessions.values()})
    return [
        [("/controller ", DIM), seat],
        [("epoch ", DIM), (str(zookeeper.controller_epoch), TEXT), (f"  zxid {zookeeper.zxid}", DIM)],
        [("sessions ", DIM), (",".join(map(str, clients)) or "none", TEXT)],
    ]


def seat_words(view: ClusterView) -> str:
    """Who has /controller, in one line."""
    zookeeper = view.zookeeper
    if zookeeper.controller <= 0:
        return "/controller is free"
    return f"/controller {node_name(zookeeper.controller)}, controller epoch {zookeeper.controller_epoch}"


def draw_sessions(area: Area, ui: UiState) -> None:
    """A row for each broker: its session, whom it obeys, and whether it takes itself for the controller."""
    view = ui.view
    sessions = {session.client: number for number, session in sorted(view.zookeeper.sessions.items())}
    brokers = [node for node in sorted(view.nodes) if "broker" in view.nodes[node].roles]
    for y, node in enumerate(brokers[: area.height]):
        heard = view.zookeeper.heard_epochs.get(node, 0)
        is_kept = node in sessions
        parts: list[Part] = [
            (f"{node_name(node):<3} ", BRIGHT),
            (f"session {sessions[node]:<3}" if is_kept else "no session ", TEXT if is_kept else WARN),
            (f" heard e{heard:<2}" if heard else "          ", DIM),
        ]
        if view.nodes[node].process == "down":
            parts.append((" down", BAD))
        elif node in view.zookeeper.acting:
            is_zombie = view.zombie_epoch(METADATA, node) is not None
            parts.append((" zombie", WARN) if is_zombie else (" controls", CROWN))
        area.parts(1, y, *parts)


def row_of_controller(ui: UiState, node: NodeId) -> list[Part]:
    """A broker that takes itself for the controller: a zombie is one that /controller no longer names."""
    epoch = ui.view.zombie_epoch(METADATA, node)
    return [(f"CONTROLLER e{ui.view.zookeeper.acting[node]}", CROWN) if epoch is None else (f"zombie e{epoch}", WARN)]
