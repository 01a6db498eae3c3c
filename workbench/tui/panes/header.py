"""The top row: who and where on the left, how many nodes live and whose time it is on the right."""

from __future__ import annotations

from itertools import chain

from rich.style import Style

from workbench.session.score import ahead_words
from workbench.telling.words import node_name
from workbench.tui.drawing.canvas import Area, fit
from workbench.tui.drawing.layout import is_small
from workbench.tui.theme.palette import BAR, BAR_BRIGHT, BAR_TEXT, RAISED, style
from workbench.tui.ui_state import UiState

LIVE = style("yes", RAISED, bold=True)
HELD = style("ask", RAISED, bold=True)
LOST = style("no", RAISED, bold=True)
FROZEN = style("flow", RAISED, bold=True)
CROWN = style("crown", RAISED, bold=True)
HW = style("hw", RAISED)
TITLE_LEAST = 45
"""Columns that brand and title have before the right side uses fewer words."""
NAME_LEAST = 24
"""Columns that the title has on a small screen before the strip of the cluster gives way."""
Part = tuple[str, Style]


def clock(seconds: float) -> str:
    """mm:ss.mmm since the start of the run."""
    minutes, rest = divmod(max(0.0, seconds), 60)
    return f"{int(minutes):02d}:{rest:06.3f}"


def whose_time(ui: UiState) -> tuple[str, str, Style]:
    """(sign with its word, what the cluster does meanwhile, colour): one state, never two of them."""
    if ui.replay:
        return "\u25c2 REPLAY", f"\u2026 {ui.reading} READ" if ui.reading else "", HELD
    if ui.error:
        return "\u2717 NO MORE EVENTS", "", LOST
    if ui.reading:
        return f"\u2026 READING {ui.reading}", "this is past", HELD
    if ui.ended:
        return "\u2717 LAB ENDED", "", HELD
    if not ui.recording.entries or ui.page.awaits_cluster:
        return "\u25cb NOTHING YET", "", HELD
    if ui.director.is_playing:
        return "\u25b8 DIRECTED", ahead_words(ui.director, ui.present_ns), HELD
    if ui.silent_s:
        return f"? LAB SILENT {ui.silent_s} s", "", LOST
    if (stands := _standing(ui)) is not None:
        return stands
    if ui.behind:
        return f"\u2026 {ui.behind:,} EVENTS BEHIND", "", HELD
    return "\u25cf LIVE", "", LIVE


def _standing(ui: UiState) -> tuple[str, str, Style] | None:
    """What stands, the view or time; None while both go on at their pace."""
    is_halted = ui.pace is not None and ui.pace.is_halted
    if ui.pace is not None and ui.pace.runs_to:
        return "\u25b8 RUNNING", f"on to {ui.pace.runs_to}", LIVE
    if not ui.recording.follows:
        goes_on = "the cluster runs on" if ui.seed is None else "virtual time runs on"
        stands = "every node is frozen" if ui.view.is_frozen else goes_on
        return "\u2016 HELD", "the cluster waits with you" if is_halted else stands, HELD
    if is_halted:
        return "\u2016 HALTED", "virtual time stands still", FROZEN
    return ("\u2016 FROZEN", "every node stands still", FROZEN) if ui.view.is_frozen else None


def facts_of(ui: UiState) -> list[str]:
    """What kind of world this is, most telling first."""
    facts = []
    if ui.seed is not None:
        facts.append(f"simulated, seed {ui.seed}")
    if ui.pace is not None and not ui.pace.is_halted:
        facts.append(ui.pace.shown)
    if ui.view.timing:
        facts.append(ui.view.timing)
    if ui.break_point.kinds and ui.recording.follows:
        facts.append(f"holds at {', '.join(ui.break_point.kinds)}")
    return facts


def draw_header(area: Area, ui: UiState) -> None:
    """The title gives way to the time, and facts give way to the title."""
    area.clear(BAR)
    small = is_small(area.width, area.canvas.height)
    right, width = _fitting(ui, area.width, small=small)
    x, end = 1, area.width - width - 1
    if not small:
        x = area.parts(x, 0, ("KRaft Workbench", BAR_BRIGHT), ("  \u2502  ", BAR))
    strip = _strip(ui) if small else []
    if small and ui.seed is not None:
        strip = [[(f" SIM {ui.seed}", BAR)], *strip]
    room = max(min(len(ui.title), NAME_LEAST), end - x - _width(strip))
    title = fit(ui.title, min(room, end - x))
    x = area.put(x, 0, title, BAR_TEXT if not small else BAR_BRIGHT)
    while strip and x + _width(strip) > end:
        strip.pop()
    x = area.parts(x, 0, *chain.from_iterable(strip))
    for place, fact in enumerate(facts_of(ui) if not small else []):
        text = f", {fact}" if place else f"  {fact}"
        if x + len(text) > end:
            break
        x = area.put(x, 0, text, BAR)
    area.parts(end + 1, 0, *right)


def _width(strip: list[list[Part]]) -> int:
    return sum(len(text) for group in strip for text, _ in group)


def _fitting(ui: UiState, columns: int, *, small: bool) -> tuple[list[Part], int]:
    """What stands at the right, and how wide it is: in fewer words where the title would have no room."""
    for words in ("full", "fewer", "few")[2 if small else 0 :]:
        parts = _right(ui, words)
        width = sum(len(text) for text, _ in parts)
        if width + (12 if small else TITLE_LEAST) <= columns:
            break
    return parts, width


def _right(ui: UiState, words: str) -> list[Part]:
    """Nodes up, whose time it is, the clock. words: full, fewer (not what the cluster does meanwhile) or few."""
    few = words == "few"
    if ui.page.awaits_cluster:  # what is known is of the cluster before
        sign, _, look = whose_time(ui)
        return [(f"{sign} ", look)]
    up, total = ui.view.up_count()
    parts: list[Part] = []
    if total and not (few and ui.lesson and up == total):  # its columns are those of the lesson's name
        look = LOST if up < total else BAR
        parts.append((f"{up}/{total} up " if few else f"{up} of {total} node{'s' * (total > 1)} up   ", look))
    if ui.slow_because and words != "fewer":
        parts.append((f"{ui.fps} f/s " if few else f"{ui.fps} frames/s, {ui.slow_because}   ", HELD))
    sign, meanwhile, look = whose_time(ui)
    parts.append((sign, look))
    if meanwhile and words == "full":
        parts.append((f", {meanwhile}", BAR))
    recording = ui.recording
    if not recording.follows and recording.entries:
        parts.append((f"  {recording.cursor}/{len(recording.entries)}", BAR))
    parts.append((f"{' ' if few else '  '}{clock(recording.seconds(ui.shown_ns))} ", BAR_BRIGHT))
    return parts


def _strip(ui: UiState) -> list[list[Part]]:
    """The whole cluster in a few words, for a screen without room for all of it: groups that are whole or not there."""
    view = ui.view
    if not view.voters or ui.page.awaits_cluster:
        return []
    leader = view.leader_of_newest_epoch
    if leader > 0:
        led: list[Part] = [
            (" \u2502 ", BAR),
            ("\u2605", CROWN),
            (f"{node_name(leader)} e{view.newest_epoch}", BAR_TEXT),
        ]
    else:
        led = [(" \u2502 ", BAR), (f"no leader e{view.newest_epoch}", LOST)]
    tp = ui.partition
    item = view.partitions.get(tp) if tp is not None else None
    if tp is None or item is None:
        return [led]
    replicas: list[Part] = [(" \u2502", BAR)]
    for node in item.replicas:
        gone = node in view.nodes and view.nodes[node].process == "down"
        look = LOST if gone else BAR_TEXT if node in item.isr else BAR
        replicas += [(" \u2605" if node == item.leader else " ", CROWN), (node_name(node) + "\u2717" * gone, look)]
    short = len(item.isr) < item.min_insync_replicas
    counts = f" MAJ {len(item.isr) // 2 + 1}" if item.by_majority else f" ISR {len(item.isr)}"
    groups = [led, replicas, [(f"{counts}/{len(item.replicas)}", LOST if short else BAR_TEXT)]]
    log = view.logs.get((item.leader, tp))
    if log is not None and log.high_watermark >= 0:
        groups.append([(" HW", HW), (f" {log.high_watermark}", BAR_TEXT)])
    return groups
