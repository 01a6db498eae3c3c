"""Draws the analysis screen: progress, refusal, or one of its views."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbench.analysis.report.html import shown
from workbench.analysis.report.rows import Row, RunRows
from workbench.analysis.report.sections import SECTIONS, overview_row, verdict_counts
from workbench.support.safe_text import safe_text
from workbench.tui.drawing.canvas import Area, Canvas, Rect, panel, wrap
from workbench.tui.drawing.layout import LEAST_HEIGHT, LEAST_WIDTH, fits
from workbench.tui.screens.analysis.figures import FIGURES
from workbench.tui.screens.analysis.job import Analysis
from workbench.tui.theme.palette import BAD, BAR, BAR_KEY, BRIGHT, DIM, GOOD, SELECTED, TEXT, TITLE, WARN

TABLES = {
    "Rules": "Rules that were broken",
    "Faults": "Faults, and what came before the next one",
    "Elections": "Elections of the quorum",
    "Outages": "Availability",
    "Cuts": "Logs that became shorter",
    "ISR history": "ISR history",
    "Rebalances": "Rebalances",
    "Answers": "Predictions",
}
"""Name of a view to the table of the page that it shows."""
VIEWS = ("Summary", *FIGURES, *TABLES)
COLUMN_MAX = 34
GAP = 2


@dataclass(slots=True)
class Chosen:
    """What the reader of the screen has chosen."""

    view: int = 0
    log: int = 0
    """Which partition the figures are of."""
    scroll: int = 0
    across: int = 0
    """First column of a table shown."""


def draw_analysis(width: int, height: int, job: Analysis, chosen: Chosen, glyphs: str) -> Canvas:
    """The whole screen."""
    canvas = Canvas(width, height)
    if not fits(width, height):
        canvas.put(0, 0, f"needs {LEAST_WIDTH} x {LEAST_HEIGHT}", WARN)
        return canvas
    inside = panel(canvas, Rect(0, 0, width, height - 1), "Analysis", _note(job), focused=True)
    if job.refused:
        _refusal(inside, job)
    elif job.rows is None:
        _progress(inside, job)
    else:
        _tabs(inside, chosen)
        try:
            _view(inside.part(1, 2, inside.width - 2, inside.height - 2), job, job.rows, chosen)
        except KeyError as missing:
            if job.is_whole or missing.args[0] in job.tables:
                raise
            inside.put(1, 3, f"{missing.args[0]}: this table comes soon; {job.done} of {job.total}, {job.told}", DIM)
    keys = canvas.area(Rect(0, height - 1, width, 1))
    keys.clear(BAR)
    _keys(keys, job)
    canvas.reduce(glyphs)
    return canvas


def _note(job: Analysis) -> str:
    state = "the run goes on: this is how it stood" if job.in_progress else ""
    return "  ".join(part for part in (safe_text(job.folder.name, 60), state) if part)


def _keys(area: Area, job: Analysis) -> None:
    parts = [("esc", " back  ")]
    if job.rows is not None:
        parts = [("\u2190 \u2192", " views  "), ("t T", " partition  "), ("\u2191 \u2193", " scroll  ")]
        parts += [("< >", " columns  "), ("r", " make again  "), ("esc", " back")]
    x = 1
    for key, text in parts:
        x = area.parts(x, 0, (key, BAR_KEY), (text, BAR))


def _progress(area: Area, job: Analysis) -> None:
    """What the pipeline is at, a bar, and how long it takes."""
    top = max(1, area.height // 2 - 3)
    wide = min(60, area.width - 8)
    left = (area.width - wide) // 2
    area.put(left, top, "Spark reads the events of this run and makes tables of them.", BRIGHT)
    share = job.done / job.total if job.total > 1 else 0.0
    full = round(wide * share)
    area.put(left, top + 2, "\u2588" * full, GOOD)
    area.put(left + full, top + 2, "\u2591" * (wide - full), DIM)
    counted = f"{job.done} of {job.total}   " if job.total > 1 else ""
    area.put(left, top + 3, f"{counted}{job.told}"[:wide], TEXT)
    area.put(left, top + 4, f"{job.seconds:.0f} s; the first run takes longest: Spark starts, and stays", DIM)


def _refusal(area: Area, job: Analysis) -> None:
    """Why there is nothing, and what to do about it."""
    wide = min(90, area.width - 6)
    lines = wrap(job.refused, wide)
    top = max(1, (area.height - len(lines)) // 2 - 1)
    area.put(3, top - 1, "No analysis", BAD)
    for y, line in enumerate(lines, start=top + 1):
        area.put(3, y, line, TEXT)
    area.put(3, top + len(lines) + 2, "Nothing else needs it. r tries again, esc goes back.", DIM)


def _tabs(area: Area, chosen: Chosen) -> None:
    """Names of the views in one row, moved so that the chosen one is in sight."""
    names = [f" {name} " for name in VIEWS]
    ends = [sum(map(len, names[: place + 1])) for place in range(len(names))]
    shift = max(0, ends[chosen.view] - (area.width - 4))
    x = 1 - shift
    for place, name in enumerate(names):
        if x >= 1:
            area.put(x, 0, name, SELECTED if place == chosen.view else TITLE)
            area.spot(x, 0, len(name), 1, "tab", place)
        x += len(name)
    area.right(0, " \u2192" if ends[-1] - shift > area.width - 2 else "  ", WARN)


def _view(area: Area, job: Analysis, run: RunRows, chosen: Chosen) -> None:
    name = VIEWS[chosen.view]
    if name == "Summary":
        _summary(area, job, run)
        return
    if name in TABLES:
        _table(area, SECTIONS[TABLES[name]](run), TABLES[name], chosen)
        return
    logs = run.partitions
    chosen.log %= max(1, len(logs))
    log = logs[chosen.log] if logs else ("", 0)
    if name != "Leaders":
        named = f"{safe_text(log[0], 60)}-{log[1]}" if logs else "no partition"
        area.put(0, 0, f"{named}   (t: {chosen.log + 1} of {len(logs)})" if len(logs) > 1 else named, BRIGHT)
        if not logs:
            return
    body = area.part(0, 2, area.width, area.height - 2)
    draw = FIGURES[name]
    needed = draw(Canvas(area.width, 400).area(Rect(0, 0, area.width, 400)), run, log)
    chosen.scroll = max(0, min(chosen.scroll, needed - body.height))
    tall = Canvas(area.width, max(needed, 1))
    draw(tall.area(Rect(0, 0, area.width, tall.height)), run, log)
    for y in range(min(body.height, needed - chosen.scroll)):
        for x in range(area.width):
            body.put(x, y, tall.chars[y + chosen.scroll][x], tall.styles[y + chosen.scroll][x])


def _summary(area: Area, job: Analysis, run: RunRows) -> None:
    """The numbers that one asks for first."""
    area.put(0, 0, safe_text(str(run.run["title"] or "untitled"), area.width), BRIGHT)
    y = 2
    for bad in run.run["bad_files"]:
        area.put(0, y, f"not whole: {safe_text(str(bad), 200)}", BAD)
        y += 1
    verdicts = verdict_counts(run)
    rows: list[tuple[str, Any, bool]] = []
    for name, value in overview_row(run).items():
        if name not in ("run", "title", "rules violated", "rules excused"):
            rows.append((name, value, name == "lost" and value > 0 or value == "NO"))
    named = {
        "HOLDS": "rules hold",
        "VIOLATED": "rules violated",
        "EXPECTED": "rules broken as a fault allows",
        "NOT EVALUATED": "rules not evaluated",
    }
    rows += [(text, verdicts[name], name == "VIOLATED" and verdicts[name] > 0) for name, text in named.items()]
    room = max(1, area.height - y - 3)
    for place, (name, value, is_bad) in enumerate(rows):
        column, line = divmod(place, room)
        x = column * 42
        area.put(x, y + line, f"{name:<32}"[:32], DIM)
        area.put(x + 30, y + line, f"{shown(value):>9}", BAD if is_bad else TEXT)
    if job.page:
        area.put(0, area.height - 1, f"as a page: {safe_text(job.page, 200)}   ({job.seconds:.0f} s)", DIM)


def _table(area: Area, rows: list[Row], title: str, chosen: Chosen) -> None:
    """Rows below their names; what does not fit is reached by scrolling both ways."""
    area.put(0, 0, f"{title}: {len(rows)}" if rows else f"{title}: none in this run", BRIGHT)
    if not rows:
        return
    names = list(rows[0])
    chosen.across = max(0, min(chosen.across, len(names) - 1))
    chosen.scroll = max(0, min(chosen.scroll, len(rows) - (area.height - 4)))
    cells = [[safe_text(shown(row[name]), 400) for name in names] for row in rows]
    heads = [name.replace("_", " ") for name in names]
    x = 0
    for place in range(chosen.across, len(names)):
        column = [line[place] for line in cells]
        wide = max(len(heads[place]), *map(len, column))
        room = area.width - x
        wide = min(wide, room if place == chosen.across else COLUMN_MAX)
        if wide > room:
            area.right(0, " > more columns", WARN)
            break
        number = any(isinstance(row[names[place]], int | float) for row in rows)
        area.put(x, 2, _fitted(heads[place], wide, right=number), TITLE)
        for y, text in enumerate(column[chosen.scroll : chosen.scroll + area.height - 3], start=3):
            look = BAD if text == "VIOLATED" else WARN if text == "EXPECTED" else TEXT
            area.put(x, y, _fitted(text, wide, right=number), look)
        x += wide + GAP


def _fitted(text: str, width: int, *, right: bool) -> str:
    if len(text) > width:
        return text[: width - 1] + "\u2026"
    return text.rjust(width) if right else text.ljust(width)
