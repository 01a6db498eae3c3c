"""The header row, the answer row and the key row."""

from __future__ import annotations

from workbench.tui.canvas import Area
from workbench.tui.palette import BAR, BAR_BRIGHT, BAR_KEY, RAISED, TONES, style
from workbench.tui.ui_state import UiState

LIVE = style("#06110c", "#3fc79a", bold=True)
PAUSED = style("#140f02", "#f0b429", bold=True)
FROZEN = style("#06121c", "#7cc4f0", bold=True)
BRAND = style("#06121c", "#56b4e9", bold=True)
LIVE_KEYS = (
    ("space", "hold view"), ("[ ]", "marks"), (". ,", "step"), ("k", "kill"), ("r", "restart"), ("z", "pause"),
    ("enter", "why"), ("t", "log"), ("v", "views"), (":", "command"), ("?", "help"), ("q", "quit"),
)  # fmt: skip
REPLAY_KEYS = (
    ("[ ]", "marks"), (". ,", "step"), ("\u2190 \u2192", "scrub"), ("home end", ""), ("\u2191 \u2193", "select"),
    ("enter", "why"), ("t", "log"), ("f", "filter"), ("v", "views"), ("1-6", "zoom"), ("?", "help"), ("q", "quit"),
)  # fmt: skip


def clock(seconds: float) -> str:
    """mm:ss.mmm since the start of the run."""
    minutes, rest = divmod(max(0.0, seconds), 60)
    return f"{int(minutes):02d}:{rest:06.3f}"


def badges(ui: UiState) -> list[tuple[str, object]]:
    """What runs and what stands still: the view and the cluster apart."""
    found: list[tuple[str, object]] = []
    if ui.view.frozen:
        found.append((" \u2744 CLUSTER FROZEN ", FROZEN))
    if ui.replay:
        found.append((" \u25c0 REPLAY ", PAUSED))
    elif ui.recording.follows:
        found.append((" \u25cf LIVE ", LIVE))
    else:
        found.append((" \u2016 VIEW PAUSED ", PAUSED))
    return found


def draw_header(area: Area, ui: UiState) -> None:
    """Brand, title, nodes up, badges, time."""
    area.clear(BAR)
    x = area.put(0, 0, " workbench ", BRAND)
    recording = ui.recording
    up, known = ui.view.up_count()
    right = f" {clock(recording.seconds(recording.t_ns))} "
    if not recording.follows and recording.entries:
        right = f" {recording.cursor}/{len(recording.entries)}{right}"
    marks = badges(ui)
    nodes = f"nodes {up}/{known}  " + (f"fps {ui.fps} (slow terminal)  " if ui.fps < 15 else "")
    width = len(nodes) + sum(len(text) for text, _ in marks) + len(right)
    area.put(x + 2, 0, (ui.title)[: max(0, area.width - width - x - 4)], BAR_BRIGHT)
    x = area.put(area.width - width, 0, nodes, BAR)
    for text, look in marks:
        x = area.put(x, 0, text, look)  # type: ignore[arg-type]  # a rich Style
    area.put(x, 0, right, BAR_BRIGHT)


def draw_answer(area: Area, ui: UiState) -> None:
    """The answer to the last command, the newest verdict or the trace's trouble."""
    text, tone = ui.answer
    if ui.error:
        text, tone = ui.error, "bad"
    elif not text and ui.view.acked_lost:
        text, tone = f"COMMITTED AND LOST: {ui.view.acked_lost[-1]}", "bad"
    elif not text and ui.view.last_operation:
        text, tone = ui.view.last_operation, "dim"
    area.put(1, 0, text[: area.width - 2], TONES.get(tone, TONES["text"]))


def draw_keys(area: Area, ui: UiState) -> None:
    """Keys that work now."""
    area.clear(BAR)
    if ui.asks_quit:
        area.parts(0, 0, (" Stop the cluster and leave?  ", BAR_BRIGHT), ("y", BAR_KEY), (" yes  ", BAR),
                   ("n", BAR_KEY), (" no, stay", BAR))  # fmt: skip
        return
    x = 1
    for key, what in REPLAY_KEYS if ui.replay else LIVE_KEYS:
        if x + len(key) + len(what) + 1 > area.width:
            break
        x = area.put(x, 0, key, BAR_KEY)
        x = area.put(x, 0, f" {what}  " if what else "  ", style("text", RAISED))
