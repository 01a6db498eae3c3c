"""The header row, the answer rows and the key row."""

from __future__ import annotations

from rich.style import Style

from workbench.session.describe.sentences import describe
from workbench.session.score import ahead_words
from workbench.session.views.cluster import loss_words
from workbench.tui.answer import Answer, bad, dim, warn
from workbench.tui.drawing.canvas import Area, wrap
from workbench.tui.input.keys import ALWAYS_SHOWN, Key, footer_of
from workbench.tui.modes import AskingToLeave
from workbench.tui.theme.palette import BAR, BAR_BRIGHT, BAR_KEY, RAISED, TONES, style
from workbench.tui.ui_state import UiState

LIVE = style("yes", RAISED, bold=True)
PAUSED = style("ask", RAISED, bold=True)
SILENT = style("no", RAISED, bold=True)
FROZEN = style("flow", RAISED, bold=True)
SIMULATED = style("task", RAISED, bold=True)
BRAND = BAR_BRIGHT
ANSWER_ROWS = 3
NARROW = 120
TITLE_LEAST = 10
"""Columns of the title that badges leave free when they can."""


def clock(seconds: float) -> str:
    """mm:ss.mmm since the start of the run."""
    minutes, rest = divmod(max(0.0, seconds), 60)
    return f"{int(minutes):02d}:{rest:06.3f}"


def badges(ui: UiState, *, short: bool = False, shortest: bool = False) -> list[tuple[str, Style]]:
    """Which world this is, what runs and what stands still: the view and the cluster apart."""
    found: list[tuple[str, Style]] = []
    if ui.seed is not None:
        found.append((f" SIM {ui.seed} " if shortest else f" SIMULATED seed {ui.seed} ", SIMULATED))
    if ui.pace is not None:
        halted = " \u2016 HALTED " if short else " \u2016 TIME HALTED "
        found.append((halted, FROZEN) if ui.pace.is_halted else (f" {ui.pace.shown} ", BAR_BRIGHT))
    if ui.break_point.kinds and ui.recording.follows:
        found.append((" \u25a0 BREAK " if short else f" \u25a0 at {','.join(ui.break_point.kinds)} ", BAR_KEY))
    if ui.view.is_frozen:
        found.append((" \u2016 FROZEN " if short else " \u2016 CLUSTER FROZEN ", FROZEN))
    if ui.replay:
        found.append((f" \u25c0 REPLAY \u2026 {ui.reading} " if ui.reading else " \u25c0 REPLAY ", PAUSED))
    elif ui.ended:
        found.append((" \u2717 LAB ENDED ", PAUSED))
    elif ui.error:
        found.append((" \u2717 NO MORE EVENTS ", SILENT))
    elif not ui.recording.entries:
        found.append((" \u25cb NOTHING YET ", PAUSED))
    elif ui.director.is_playing:
        ahead = ahead_words(ui.director, ui.present_ns)
        found.append((" \u25b8 DIRECTED " if short else f" \u25b8 DIRECTED, {ahead} ", PAUSED))
    elif ui.recording.follows and ui.behind:
        found.append((" \u2026 BEHIND " if short else f" \u2026 {ui.behind:,} EVENTS BEHIND ", PAUSED))
    elif ui.recording.follows and ui.silent_s:
        found.append(_silent(ui, short=short))
    elif ui.recording.follows:
        found.append((" \u25cf LIVE ", LIVE))
    else:
        found.append((" \u2016 VIEW " if short else " \u2016 VIEW PAUSED ", PAUSED))
        if ui.silent_s:
            found.append(_silent(ui, short=short))
    return found


def _silent(ui: UiState, *, short: bool) -> tuple[str, Style]:
    """Nothing is heard from the lab: what nodes write is still shown, but nobody carries out commands."""
    return (f" ? SILENT {ui.silent_s} s " if short else f" ? LAB SILENT {ui.silent_s} s "), SILENT


def draw_header(area: Area, ui: UiState) -> None:
    """Brand, title, nodes up, badges, time."""
    area.clear(BAR)
    x = area.put(0, 0, " workbench ", BRAND)
    recording = ui.recording
    up, known = ui.view.up_count()
    right = f" {clock(recording.seconds(ui.shown_ns))} "
    if not recording.follows and recording.entries:
        right = f" {recording.cursor}/{len(recording.entries)}{right}"
    nodes = f"nodes {up}/{known}  " + (f"fps {ui.fps} (slow terminal)  " if ui.fps < 15 else "")
    for least, short, shortest in (
        (TITLE_LEAST, False, False),
        (TITLE_LEAST, True, False),
        (0, True, False),
        (0, True, True),
    ):
        marks = badges(ui, short=short, shortest=shortest)
        width = len(nodes) + sum(len(text) for text, _ in marks) + len(right)
        if x + least + width <= area.width:
            break
    room = max(0, area.width - width - x - 4)
    title = ui.title if len(ui.title) <= room else ui.title[: max(0, room - 1)] + "\u2026"
    x = area.put(x + 2, 0, title if room > 1 else "", BAR_BRIGHT)
    if x + 4 + len(ui.view.timing) <= area.width - width:
        area.put(x + 2, 0, ui.view.timing, BAR)
    x = area.put(area.width - width, 0, nodes, BAR)
    for text, look in marks:
        x = area.put(x, 0, text, look)
    area.put(x, 0, right, BAR_BRIGHT)


def answer_of(ui: UiState) -> Answer:
    """The question before leaving, trace trouble, the last command's answer, what clients did last."""
    if isinstance(ui.mode, AskingToLeave):
        stays = "" if ui.lesson else "y leaves it running, "
        return warn(f"{ui.keyboard.sign('quit')} again ends the cluster; {stays}any other key stays here")
    if ui.error:
        return bad(ui.error)
    if not ui.answer.text and ui.view.losses:
        return bad(f"COMMITTED AND LOST: {loss_words(ui.view.losses[-1])}")
    if not ui.answer.text and ui.view.newest_answer:
        return dim(describe(ui.view.newest_answer))
    return ui.answer


def verdict_of(ui: UiState, width: int) -> tuple[str, str]:
    """(text, tone): records that nobody holds any more, then the checker's line; in fewer words on a narrow screen."""
    text, tone = ui.verdicts.line if ui.verdicts is not None else ("", "dim")
    if width < NARROW:
        text = text.replace("broken as expected", "expected").replace("events to judge", "to judge")
    if ui.view.losses:
        what = "records" if width < NARROW else loss_words(ui.view.losses[-1]).partition(":")[0]
        text, tone = f"\u2717 {what} LOST  {text}".rstrip(), "bad"
    most = width // 2
    return text if len(text) <= most else text[: most - 1] + "\u2026", tone


def answer_lines(ui: UiState, width: int) -> list[str]:
    """The answer in at most three rows; the verdicts stand in the last of them, and it leaves room for them there."""
    room = max(1, width - len(verdict_of(ui, width)[0]) - 3)
    text = " ".join(answer_of(ui).text.split())
    lines = [text] if len(text) <= room else wrap(text, max(1, width - 2))
    if len(lines[-1]) > room:
        lines.append("")
    if len(lines) > ANSWER_ROWS:
        lines = [*lines[: ANSWER_ROWS - 1], lines[ANSWER_ROWS - 1][: max(0, room - 1)] + "\u2026"]
    return lines


def draw_answer(area: Area, ui: UiState) -> None:
    """As many rows as answer_lines has; the area is that high."""
    look = TONES.get(answer_of(ui).tone, TONES["text"])
    for y, line in enumerate(answer_lines(ui, area.width)):
        area.put(1, y, line.ljust(area.width - 1), look)
    text, tone = verdict_of(ui, area.width)
    area.right(area.height - 1, f"{text} ", TONES.get(tone, TONES["text"]))


def draw_keys(area: Area, ui: UiState) -> None:
    """Keys that work now; the most needed ones stand at the right at every width."""
    area.clear(BAR)
    listed = footer_of(ui.kind, simulated=ui.seed is not None, presenting=ui.presenting, table=ui.keyboard.table)
    named = [_as_it_is(item, ui) for item in listed]
    last = [item for item in named if item.shown in ALWAYS_SHOWN]
    end = area.width - sum(len(item.text) + len(item.short) + 3 for item in last)
    x = 1
    for item in named:
        if item not in last and x + len(item.text) + len(item.short) + 3 <= end:
            x = _key(area, x, item)
    x = end
    for item in last:
        x = _key(area, x, item)


def _what_space_does(ui: UiState) -> str:
    if ui.director.is_on or ui.replay:
        return "stop" if ui.director.is_playing else "play"
    return "hold view" if ui.recording.follows else "follow"


def _as_it_is(item: Key, ui: UiState) -> Key:
    """A key that turns something on and off says which of the two it does now."""
    names = {name for _, _, name in item.keys}
    if "view.pause" in names:
        return item._replace(short=_what_space_does(ui))
    if "time.halt" in names and ui.pace is not None and ui.pace.is_halted:
        return item._replace(short="let time go")
    return item


def _key(area: Area, x: int, item: Key) -> int:
    end = area.parts(x, 0, (item.text, BAR_KEY), (f" {item.short}  ", BAR))
    area.spot(x, 0, end - x - 2, 1, "key", item.keys[0][0].partition(",")[0] if item.keys else "enter")
    return end
