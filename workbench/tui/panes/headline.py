"""The second row: what happened last, in one sentence. Nothing else has to be read to follow the play."""

from __future__ import annotations

from typing import NamedTuple

from rich.style import Style

from cluster.model.identifiers import METADATA, NO_NODE
from workbench.session.describe.sentences import describe, node_name, tone, who
from workbench.tui.drawing.canvas import Area
from workbench.tui.panes.presenter import event_in_view
from workbench.tui.theme.palette import FILL_OF, RAISED, style
from workbench.tui.theme.roles import FILLS
from workbench.tui.ui_state import UiState

FRESH_NS = 1_000_000_000
"""How long, on the clock of the screen, a headline is filled."""
QUIET_NS = 8_000_000_000
"""After so long without news a cluster in which nothing is wrong is told to be well."""
ROLE_OF = {"good": "yes", "bad": "no", "warn": "ask", "info": "bright", "dim": "dim", "text": "bright"}


class Headline(NamedTuple):
    """One sentence for the whole screen."""

    text: str
    """The first sentence is what it is about; the others say what it meant."""
    tone: str
    t_ns: int = 0
    """When it came true; 0 for what holds all along."""
    place: int = -1
    """Of its event in the recording; -1 without one."""


def headline_of(ui: UiState) -> Headline:
    """What is told now: the newest news, or how the cluster is when there were none for a while."""
    index = event_in_view(ui)
    if index is None:
        return Headline("Nothing has happened yet.", "dim")
    entry = ui.recording.entries[index]
    is_old = ui.recording.follows and ui.shown_ns - entry.t_ns > QUIET_NS
    if is_old and (well := _all_is_well(ui)):
        return Headline(well, "good")
    return Headline(f"{who(entry)}: {describe(entry)}", tone(entry), entry.t_ns, index)


def _all_is_well(ui: UiState) -> str:
    """How things are, when nothing is wrong; empty when something is."""
    view = ui.view
    up, known = view.up_count()
    leader = view.leader_of_newest_epoch
    if leader == NO_NODE or up < known or view.faults:
        return ""
    text = f"\u2713 All is well.  \u2605 {node_name(leader)} leads the quorum in e{view.newest_epoch}."
    tp = ui.partition
    item = view.facts(tp) if tp is not None and tp != METADATA else None
    if item is None or tp is None:
        return text
    if item.leader == NO_NODE or len(item.isr) < len(item.replicas):
        return ""
    count = len(item.replicas)
    in_sync = f"all {count} replicas in sync" if count > 1 else "its only replica"
    acked = view.acked_count(tp)
    told = f"  {acked:,} records acknowledged, none lost." if acked and view.lost(tp) == [] else ""
    return f"{text}  \u2605 {node_name(item.leader)} leads {tp}, {in_sync}.{told}"


def draw_headline(area: Area, ui: UiState) -> None:
    """Filled while it is news, then bold."""
    told = headline_of(ui)
    is_fresh = bool(told.t_ns) and ui.shown_ns - told.t_ns <= FRESH_NS
    ground = FILLS[FILL_OF.get(told.tone, "selected")].dark if is_fresh else RAISED
    role = ROLE_OF.get(told.tone, "bright")
    area.clear(style("text", ground))
    first, rest = _parts(told.text)
    strong: Style = style(role, ground, bold=True)
    room = area.width - 2
    x = area.put(1, 0, _cut(first, room), strong)
    if rest and room - x > 4:
        area.put(x + 2, 0, _cut(rest, area.width - x - 3), style("bright" if is_fresh else "text", ground))
    if told.place >= 0:
        area.spot(0, 0, area.width, 1, "event", told.place)


def _parts(text: str) -> tuple[str, str]:
    """The first sentence and what follows it."""
    for sign in (".  ", ": ", ". "):
        first, found, rest = text.partition(sign)
        if found:
            return first + sign.rstrip(), rest.lstrip()
    return text, ""


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(0, room - 1)] + "\u2026"
