"""Pane 3: vote tallies and the sequence of votes, with reasons."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE
from cluster.picture.parts import VoteRound
from workbench.session.describe.sentences import node_name
from workbench.session.views.votes import SequenceRow
from workbench.tui.drawing.canvas import Area
from workbench.tui.panes.sequence import draw_arrow
from workbench.tui.theme.palette import BRIGHT, DIM, FAINT, GOOD, TONES, WARN, WINNER
from workbench.tui.ui_state import UiState

GAP_NS = 3_000_000_000
LABEL = 9
VERDICT_LEAST = 4
"""Room for the shortest verdict of a tally."""
WORDS_WIDTH = 8
"""Columns between two nodes in which an arrow can say something."""
TIMED_WIDTH = 40
"""A chart less wide leaves the times out."""


def headline(ui: UiState) -> str:
    """Epoch, leader or split vote, majority."""
    view = ui.view
    if not view.voters:
        return "no voter heard of yet"
    if view.is_split():
        state = "SPLIT VOTE"
    elif view.leader_of_newest_epoch == NO_NODE:
        state = "NO LEADER"
    else:
        state = f"\u2605 {node_name(view.leader_of_newest_epoch)}"
    majority = len(view.voters) // 2 + 1
    return f"epoch {view.newest_epoch} {state}  majority {majority}/{len(view.voters)}"


def draw_quorum(area: Area, ui: UiState) -> None:
    """Tallies on top, the chart below."""
    view = ui.view
    rounds = view.current_rounds()[-max(1, area.height // 3) :]
    for row, item in enumerate(rounds):
        draw_tally(area, row, item)
    if not rounds:
        area.put(1, 0, "no vote yet", DIM)
    y = max(1, len(rounds))
    _chart(area.part(0, y, area.width, area.height - y), ui)


def draw_tally(area: Area, y: int, item: VoteRound) -> None:
    """One round in a line: who asks, what each voter said, how it ended. Names go where room is short."""
    x = area.put(1, y, f" {node_name(item.candidate_id)} ", WINNER if item.won else WARN)
    x = area.put(x, y, f"{'pre-vote' if item.pre_vote else 'vote'} e{item.epoch} ", DIM)
    short = item.needed - item.granted_count
    names = [f"{node_name(voter)} " for voter in item.voters]
    if x + sum(1 + len(name) for name in names) + VERDICT_LEAST > area.width:
        names = [""] * (len(names) - 1) + [" "]  # the chart below has their order
    for voter, name in zip(item.voters, names, strict=True):
        answer = item.answers.get(voter)
        glyph, look = {True: ("\u25a0", GOOD), False: ("\u2717", TONES["bad"]), None: ("\u25a1", DIM)}[answer]
        x = area.put(x, y, f"{glyph}{name}", look)
    verdict = "WON" if item.won else "enough" if short <= 0 else f"short by {short}"
    look = GOOD if short <= 0 else WARN
    share = f"{item.granted_count}/{item.needed}"
    texts = (f"{share} {verdict}", share) if short > 0 else (
        f"{item.granted_count} yes, needs {item.needed}: {verdict}",
        f"{item.granted_count} yes: {verdict}",
        verdict,
    )  # fmt: skip
    area.put(x + 1, y, next((text for text in texts if x + 1 + len(text) <= area.width), texts[-1]), look)


def _recent(rows: list[SequenceRow], count: int) -> list[SequenceRow]:
    shown = rows[-count:] if count > 0 else []
    for index in range(len(shown) - 1, 0, -1):
        if shown[index].t_ns - shown[index - 1].t_ns > GAP_NS:
            return shown[index:]
    return shown


def _chart(area: Area, ui: UiState) -> None:
    nodes = list(ui.view.voters)
    known = ui.view.rows
    ui.rows_back = max(0, min(ui.rows_back, len(known) - 1))
    rows = _recent(known[: len(known) - ui.rows_back], area.height - 1)
    named = {node for row in rows for node in (row.source, row.target) if 0 < node < 1001}
    nodes += sorted(named.difference(nodes))
    if not nodes or area.height < 2:
        return
    label = LABEL if area.width >= TIMED_WIDTH else 0
    if (area.width - label - 4) // len(nodes) < WORDS_WIDTH and named:  # room for words rather than for who is silent
        nodes = [node for node in nodes if node in named or len(nodes) == len(ui.view.voters)]
    gap = max(4, (area.width - label - 4) // max(1, len(nodes)))
    columns = {node: label + 2 + place * gap for place, node in enumerate(nodes)}
    for node, x in columns.items():
        name = node_name(node)
        name = name if len(name) < gap else name.removeprefix("n")
        down = node in ui.view.nodes and ui.view.nodes[node].process == "down"
        area.spot(x - len(name) // 2, 0, len(name), 1, "node", node)
        area.put(x - len(name) // 2, 0, name + ("\u2717" if down else ""), TONES["bad"] if down else BRIGHT)
    if ui.rows_back:
        area.right(0, f"\u2193 {ui.rows_back} newer ", WARN)
    for y, row in enumerate(rows, start=1):
        for node, x in columns.items():
            area.put(x, y, "\u2506" if ui.recording.timeline.is_down(node, row.t_ns) else "\u2502", FAINT)
        if label:
            area.put(1, y, f"+{(row.t_ns - rows[0].t_ns) / 1e6:.0f}ms".rjust(7), DIM)
        draw_arrow(area, y, (row.source, row.target), row.text, row.tone, columns)
