"""Overlay: all keys and the command grammar."""

from __future__ import annotations

from workbench.tui.canvas import Area
from workbench.tui.palette import BRIGHT, TEXT, TITLE, WARN
from workbench.tui.ui_state import UiState

KEYS = (
    ("View", ""), ("space", "hold or follow the view"), ("Z", "freeze or thaw the cluster"),
    (". ,", "one event on, back"),
    ("[ ]", "previous, next mark"), ("\u2190 \u2192", "scrub 1 % (shift 10 %)"), ("home end", "start, newest"),
    ("1-6", "zoom a pane, again for all"), ("v", "next view when small"), ("t T", "next, previous log"),
    ("tab", "nodes or events"),
    ("\u2191 \u2193", "select node or event"), ("enter", "why, or do the step"), ("f /", "filter, search events"),
    ("Nodes", ""), ("k", "kill"), ("r", "restart"), ("z", "pause or resume"), ("K", "power loss"),
    ("p", "cut the network"), ("s", "disk fault"), ("h", "heal all"), ("u", "undo last fault"), ("w", "write a record"),
    ("Lesson", ""), ("l", "lesson"), ("n b", "next, back"), ("a-d", "predict"),
    ("Other", ""), (":", "command bar"), ("ctrl+s", "save a picture (SVG)"), ("q", "quit"),
)  # fmt: skip
GRAMMAR = (
    "kill N|leader   restart N   pause N   resume N",
    "power-loss N[,M]   stop N   start N",
    "partition 1,2|3   cut 1>2   cut 1-2   isolate N",
    "delay 1-2 200ms   slow-link 1-2 64KiB   reset 1-2",
    "fsync lie N   fsync slow N 500ms   fsync ok N",
    "disk-full N   disk-ok N   heal   undo",
    "topic NAME replicas=3 min-isr=2",
    "produce NAME 10 acks=all|1|0   consume NAME",
    "elect NAME-0 [unclean]   freeze   thaw",
)


def draw_help(area: Area, ui: UiState) -> None:
    """Keys in columns of area height, then the grammar; up and down turn by a column when it is too wide."""
    width = 36
    x, y = 2 - width * min(ui.overlay_scroll, 2) * (area.width < 3 * width), 0
    for key, what in KEYS:
        if y >= area.height:
            x, y = x + width, 0
        if not what:
            area.put(x, y, key, TITLE)
        else:
            area.put(x, y, key, WARN)
            area.put(x + 9, y, what, TEXT)
        y += 1
    y += 1
    if y + len(GRAMMAR) + 1 > area.height:
        x, y = x + width, 0
    area.put(x, y, "Commands", TITLE)
    for number, line in enumerate(GRAMMAR, start=1):
        area.put(x, y + number, line, BRIGHT)
