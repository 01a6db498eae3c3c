"""What a class has said: a bar for each option of the question, and what the key does next."""

from __future__ import annotations

from workbench.classroom.votes import ROUNDS, Tally
from workbench.tui.input.keyboard import Keyboard

BAR = "\u2588"


def bars(tally: Tally, place: int, width: int) -> list[str]:
    """One line for each vote that is closed: how much of the class chose this option."""
    lines = []
    for number, counts in enumerate(tally.counted, start=1):
        of, room = max(1, sum(counts)), max(1, width - 12)
        bar = BAR * (counts[place] * room // of) or ("\u258f" if counts[place] else "")
        lines.append(f"    {f'{number} ' if len(tally.counted) > 1 else ''}{bar} {counts[place]}")
    return lines


def how_it_stands(tally: Tally, keyboard: Keyboard) -> str:
    """How many have answered, and what the key does next."""
    answers = f"{tally.answers} answer{'' if tally.answers == 1 else 's'}"
    if not tally.round:
        return "the class waits: nothing is asked here"
    if tally.is_open:
        return keyboard.said(f"vote {tally.round}: {answers}, {{class.votes}} closes it")
    if tally.round < ROUNDS:
        return keyboard.said(f"{answers}; {{class.votes}}: talk, and vote again")
    return f"both votes are counted, the second has {answers}"
