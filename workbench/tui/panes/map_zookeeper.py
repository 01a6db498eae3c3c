"""What boxes of the map say in zookeeper mode: the coordinator's znodes and sessions, and who controls."""

from __future__ import annotations

from rich.style import Style

from cluster.model.identifiers import NodeId
from workbench.session.describe.sentences import node_name
from workbench.tui.theme.palette import CROWN, DIM, TEXT, WARN
from workbench.tui.ui_state import UiState

Part = tuple[str, Style]


def rows_of_coordinator(ui: UiState) -> list[list[Part]]:
    """Who has /controller and in which epoch, the newest transaction, and whose sessions are open."""
    zookeeper = ui.view.zookeeper
    has, epoch = zookeeper.controller > 0, zookeeper.controller_epoch
    seat: Part = (f"{node_name(zookeeper.controller)} e{epoch}", CROWN) if has else ("not there", WARN)
    clients = sorted({session.client for session in zookeeper.sessions.values()})
    return [
        [("/controller ", DIM), seat],
        [("sessions ", DIM), (",".join(map(node_name, clients)) or "none", TEXT)],
        [(f"zxid {zookeeper.zxid} znodes {zookeeper.znode_count}", DIM)],
    ]


def row_of_controller(ui: UiState, node: NodeId) -> list[Part]:
    """A broker that takes itself for the controller: a zombie is one that /controller no longer names."""
    zookeeper = ui.view.zookeeper
    epoch = zookeeper.acting[node]
    if zookeeper.controller == node:
        return [(f"CONTROLLER e{epoch}", CROWN)]
    return [(f"zombie controller e{epoch}", WARN)]
