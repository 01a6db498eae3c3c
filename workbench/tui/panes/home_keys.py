"""Keys of the first screen: the last row, and what ? tells."""

from __future__ import annotations

from workbench.tui.drawing.canvas import Area, wrap
from workbench.tui.theme.palette import BAR, BAR_KEY, BRIGHT, TEXT

EVERYWHERE = (("?", "help"), ("q", "quit"))
WITH_ROOM = (("/", "search"), ("I", "colours"))
"""Told where there is room for them and for what works everywhere."""
ON_A_RUN = (("r", "resume"), ("c", "compare"), ("e", "export"), ("d", "delete"))
ELSEWHERE = (("tab", "next part"),)
HELP = (
    ("\u2191 \u2193", "choose a line; pgup, pgdn, home and end go farther"),
    ("tab", "the next part of the list; shift+tab the one before"),
    ("enter", "open it: a lesson, a lab, a recorded run to be played, a run that is up"),
    ("/", "search: the first line that says what you type; enter or esc ends the search"),
    ("r", "a recorded run: go on with it, the same nodes on their files"),
    ("c", "a recorded run: compare it with another; c here, then c there"),
    ("c", "elsewhere: go to the challenges"),
    ("e", "a recorded run: pack it into one file, which others can replay"),
    ("d", "a recorded run: delete it; the second d does it"),
    ("I", "other colours; kept"),
    ("q", "quit"),
)


def draw_home_keys(area: Area, verb: str) -> None:
    """What works on the line that is chosen."""
    area.clear(BAR)
    x = area.parts(1, 0, ("\u2191 \u2193", BAR_KEY), (" choose  ", BAR), ("enter", BAR_KEY))
    x = area.put(x, 0, " inspect  " if verb == "replay" else " open  ", BAR)
    keys = [*(ON_A_RUN if verb == "replay" else ELSEWHERE), *WITH_ROOM]
    while keys and x + sum(len(key) + len(says) + 3 for key, says in (*keys, *EVERYWHERE)) > area.width + 2:
        keys.pop()
    for key, says in (*keys, *EVERYWHERE):
        x = area.parts(x, 0, (key, BAR_KEY), (f" {says}  ", BAR))


def draw_home_help(area: Area) -> None:
    """Each key in a sentence."""
    y = 0
    for key, says in HELP:
        area.put(1, y, key, BRIGHT)
        for line in wrap(says, max(1, area.width - 10)):
            area.put(8, y, line, TEXT)
            y += 1
    area.put(1, y + 1, "? closes this", TEXT)
