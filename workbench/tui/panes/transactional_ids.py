"""Part of pane 7: transactional ids, how each stands, who has it, what it writes to, and which broker keeps it."""

from __future__ import annotations

from rich.style import Style

from cluster.model.identifiers import NO_NODE
from cluster.picture.transactions import PREPARED, TransactionState
from workbench.session.views.cluster import ClusterView
from workbench.session.views.group_rows import short_parts
from workbench.support.safe_text import safe_text
from workbench.telling.words import node_name
from workbench.tui.drawing.canvas import Area, fit
from workbench.tui.theme.palette import BAD, BRIGHT, DIM, GOOD, INFO, TEXT, WARN
from workbench.tui.ui_state import UiState

OPEN = "Ongoing"
NAME_MOST, STATE_WIDTH = 20, 14
LOOKS = {OPEN: INFO, "PrepareCommit": WARN, "PrepareAbort": WARN, "CompleteCommit": GOOD, "CompleteAbort": DIM}
NUMBER_WIDTH = 10
NOTHING = "nothing open"
KEPT_WIDTH, PARTS_LEAST = 100, 8
"""A pane less wide leaves out the words before the broker; less room than that is none for partitions."""


def in_order(view: ClusterView) -> list[TransactionState]:
    """Those with a transaction first, then those that changed last."""
    newest_first = sorted(view.transactions.values(), key=lambda item: (-item.since_ns, item.transactional_id))
    return sorted(newest_first, key=lambda item: item.state not in (OPEN, *PREPARED))


def rows_wanted(view: ClusterView) -> int:
    """Rows for all of them under their headline; 0 when there are none."""
    return len(view.transactions) + 1 if view.transactions else 0


def draw_transactional_ids(area: Area, ui: UiState) -> None:
    """A headline, then one row for each; what does not fit is counted."""
    transactions = in_order(ui.view)
    if not transactions or area.height < 1:
        return
    wide = max(8, min(NAME_MOST, area.width // 4))
    x = area.put(1, 0, fit("transactional id" if wide >= NAME_MOST else "id", wide).ljust(wide), DIM)
    area.put(x + 1, 0, f"{'state'.ljust(STATE_WIDTH)} {'id epoch'.ljust(NUMBER_WIDTH)}", DIM)
    room = area.height - 1
    shown = transactions if len(transactions) <= room else transactions[: max(0, room - 1)]
    for y, item in enumerate(shown, start=1):
        _row(area, y, ui, item, wide)
    if len(transactions) > len(shown) and room > 0:
        area.put(1, len(shown) + 1, f"and {len(transactions) - len(shown)} more transactional ids", WARN)


def _row(area: Area, y: int, ui: UiState, item: TransactionState, wide: int) -> None:
    x = area.put(1, y, fit(safe_text(item.transactional_id, 60) or "no name", wide).ljust(wide), BRIGHT)
    x = area.put(x + 1, y, safe_text(item.state, STATE_WIDTH).ljust(STATE_WIDTH), LOOKS.get(item.state, TEXT))
    x = area.put(x + 1, y, f"{item.producer_id} e{item.producer_epoch}".ljust(NUMBER_WIDTH), TEXT)
    keeper, look = _keeper(ui.view, item)
    ends = f"{'kept by ' if area.width >= KEPT_WIDTH else ''}{keeper} "
    room = area.width - x - len(ends) - 2
    if room >= PARTS_LEAST:
        none = NOTHING if room >= len(NOTHING) else "none"
        parts, shown = (short_parts(item.partitions), TEXT) if item.partitions else (none, DIM)
        area.put(x + 1, y, fit(parts, room), shown)
    area.right(y, ends, look)


def _keeper(view: ClusterView, item: TransactionState) -> tuple[str, Style]:
    node = view.nodes.get(item.coordinator)
    if item.coordinator == NO_NODE or node is None:
        return "nobody", BAD
    is_down = node.process == "down"
    return node_name(item.coordinator) + ("\u2717" if is_down else ""), BAD if is_down else DIM
