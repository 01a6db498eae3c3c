"""Pane 1 of a free lab: its missions, the one to explain with its steps and what to do."""

from __future__ import annotations

from rich.style import Style

from workbench.session.missions.board import Board
from workbench.session.missions.mission import Mission
from workbench.tui.drawing.canvas import Area, fit, wrap
from workbench.tui.drawing.prose import hanging
from workbench.tui.theme.palette import BRIGHT, DIM, FAINT, GOOD, TEXT, TITLE, WARN, filled
from workbench.tui.ui_state import UiState

DONE, OPEN, HERE = "\u2713", "\u00b7", "\u25b8"
FRESH_NS = 10_000_000_000
"""So long a mission was done just now, and its last step is filled; it stays open below it."""
HELP = "{cmd} any command, {fault.console} all faults, {help} explains the pane in focus"
HELP_SIMULATED = "{time.halt} halts time, {branch} branches at the event in view"
Row = tuple[str, Style, str, Style]
"""Text, and what stands at the right edge."""


def headline(board: Board) -> str:
    """How far one is."""
    return f"{board.done_count} of {len(board.missions)} done"


def draw_missions(area: Area, ui: UiState) -> None:
    """All of them, in order; what does not fit scrolls with up and down."""
    board, width = ui.missions, max(1, area.width - 2)
    if board is None:
        return
    rows, help_lines = _rows(board, ui, width), _help_lines(ui, width)
    height = area.height - len(help_lines)
    last, ui.page_rows = max(0, len(rows) - height), height
    ui.page_scroll = last if ui.page_scroll < 0 else min(ui.page_scroll, last)
    for y, (text, look, right, right_look) in enumerate(rows[ui.page_scroll : ui.page_scroll + height]):
        area.put(1, y, text, look)
        area.put(area.width - 1 - len(right), y, right, right_look)
    for y, line in enumerate(help_lines, start=area.height - len(help_lines)):
        area.put(1, y, line, FAINT)
    if last:
        arrows = ("\u2191" if ui.page_scroll else " ") + ("\u2193" if ui.page_scroll < last else " ")
        area.right(area.height - 1, f"{arrows} ", WARN)


def _help_lines(ui: UiState, width: int) -> list[str]:
    return wrap(ui.keyboard.said(HELP_SIMULATED if ui.pace is not None else HELP), width)


def mission_rows(ui: UiState, columns: int) -> int:
    """Rows of the pane, its head included, in which none of them is cut."""
    width = max(1, columns - 2)
    return 1 + len(_rows(ui.missions, ui, width)) + len(_help_lines(ui, width)) if ui.missions is not None else 0


def draw_task_line(area: Area, ui: UiState) -> None:
    """The mission to do in one row: what came about of it, and what is to come."""
    board = ui.missions
    mission = board.current if board is not None else None
    if board is None or mission is None:
        area.put(1, 0, "\u2713 all missions are done", GOOD)
        return
    x = area.parts(1, 0, (f"{HERE} ", TITLE), (mission.title, TITLE))
    steps = mission.progress()
    first = max(0, len(mission.ticks) - 1)
    for step in steps[first:]:
        text = f"  {DONE if step.is_done else OPEN} {step.text}"
        if x + len(text) >= area.width:
            area.put(x, 0, f"{text[: area.width - x - 2]}\u2026", DIM)
            return
        x = area.put(x, 0, text, GOOD if step.is_done else DIM)


def _rows(board: Board, ui: UiState, width: int) -> list[Row]:
    rows: list[Row] = []
    for mission in board.missions:
        is_here = mission is board.current
        result = board.results.get(mission.name)
        mark = DONE if result is not None else HERE if is_here else OPEN
        right = mission.price if result is None else "just now" if _is_fresh(mission, board, ui) else result
        is_explained = is_here or mission.name == board.newest
        look = TITLE if is_explained else DIM if result is not None else TEXT
        right_look = GOOD if result is not None else FAINT
        lines = wrap(mission.title, max(1, width - 2)) if is_explained else [mission.title]
        rows.append(_titled(f"{mark} {lines[0]}", look, right, right_look, width))
        rows += [_plain(f"  {line}", look) for line in lines[1:]]
        if is_explained:
            rows += [*_explained(mission, board, ui, width), _plain("", TEXT)]
    if board.current is None:
        rows += [_plain("", TEXT), _plain(f"{board.title}: all done.", GOOD)]
    return rows


def _is_fresh(mission: Mission, board: Board, ui: UiState) -> bool:
    return mission.name == board.newest and 0 <= ui.shown_ns - board.newest_ns < FRESH_NS


def _titled(text: str, look: Style, right: str, right_look: Style, width: int) -> Row:
    """What stands at the right goes before the title is cut."""
    if len(text) + len(right) + 1 > width:
        right = ""
    shown = fit(text, width)
    return shown, look, right, right_look


def _plain(text: str, look: Style) -> Row:
    return text, look, "", look


def _explained(mission: Mission, board: Board, ui: UiState, width: int) -> list[Row]:
    """Its steps once one of them came about, why the attempt cannot count, and what to do."""
    room, rows = max(1, width - 2), []
    if mission.ticks:
        newest = len(mission.ticks) - 1
        for number, step in enumerate(mission.progress()):
            mark, look = (DONE, GOOD) if step.is_done else (OPEN, DIM)
            look = filled("yes") if number == newest and _is_fresh(mission, board, ui) else look
            first, *others = wrap(step.text, max(1, room - 2)) or [""]
            rows += [_plain(f"  {mark} {first}", look), *(_plain(f"    {line}", look) for line in others)]
    if mission.too_much and not mission.attempt.is_over:
        too_much = ui.keyboard.said(f"{mission.too_much}. {{net.heal}} heals all; start what is down, then begin anew.")
        rows += [_plain(f"  {line}", WARN) for line in wrap(too_much, room)]
    words = mission.afterwards if mission.name in board.results else mission.hint(ui.view)
    if words:
        rows += [_plain("", TEXT)] if mission.ticks else []
        rows += [_plain(f"  {line}", BRIGHT if not mission.ticks else TEXT)
                 for line in hanging(ui.keyboard.said(words), room)]  # fmt: skip
    return rows
