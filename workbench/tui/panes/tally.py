"""One round of votes in a line."""

from __future__ import annotations

from cluster.picture.parts import VoteRound
from workbench.telling.words import node_name
from workbench.tui.drawing.canvas import Area
from workbench.tui.theme.palette import DIM, GOOD, TONES, WARN, WINNER

VERDICT_LEAST = 7
"""Room for the shortest verdict of a tally."""


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
    look = GOOD if short <= 0 else WARN
    count = f"{item.granted_count} of {len(item.voters)}"
    texts = [f"{count}, needs {item.needed}", count]
    if item.won or short <= 0:
        verdict = "WON" if item.won else "enough"
        texts = [f"{texts[0]}: {verdict}", f"{count}: {verdict}", verdict]
    area.put(x + 1, y, next((text for text in texts if x + 1 + len(text) <= area.width), texts[-1]), look)
