"""The command bar: the line being typed, then suggestions, the form of the command or what is wrong with it."""

from __future__ import annotations

from workbench.support.safe_text import safe_text
from workbench.tui.drawing.canvas import Area, fit, wrap
from workbench.tui.input.line_editor import LineEditor, lines_of
from workbench.tui.input.suggest import usage
from workbench.tui.modes import Typing
from workbench.tui.theme.palette import BAD_BAR, BAR, BAR_BRIGHT, BAR_KEY, CARET, INPUT

ERROR_ROWS = 5


def bar_rows(bar: Typing, width: int) -> int:
    """Rows below the line: one of suggestions, or as many as the mistake takes."""
    return len(_error_lines(bar, width)) if bar.wrong else 1


def _error_lines(bar: Typing, width: int) -> list[str]:
    return wrap(safe_text(bar.wrong, 1000), max(1, width - 2))[:ERROR_ROWS]


def draw_bar(area: Area, line: LineEditor) -> None:
    """Prompt, text, caret; scrolled so that the caret is in sight."""
    area.clear(INPUT)
    text = line.text
    prompt = "" if text.startswith("/") else ":"
    x = area.put(1, 0, prompt, CARET if not prompt else INPUT)
    room = max(1, area.width - x - 2)
    first = max(0, line.caret - room)
    area.put(x, 0, safe_text(text[first : first + room]), INPUT)
    at = x + line.caret - first
    under = text[line.caret] if line.caret < len(text) else " "
    area.put(at, 0, under, CARET)


def draw_suggestions(area: Area, bar: Typing, text: str) -> None:
    """As many next words as fit; the mistake instead, once there is one."""
    area.clear(BAR)
    if bar.wrong:
        for y, line in enumerate(_error_lines(bar, area.width)):
            area.put(1, y, line, BAD_BAR)
        return
    lines = lines_of(text)
    does = f"runs {len(lines)} lines one after the other" if len(lines) > 1 else ""
    if does or text.startswith("/"):
        does = does or "searches the events"
        area.parts(1, 0, ("enter", BAR_KEY), (f" {does}  ", BAR), ("esc", BAR_KEY), (" closes", BAR))
        return
    if not bar.suggestions:
        form = safe_text(usage(text), 1000) or "enter sends, esc closes"
        area.put(1, 0, fit(form, area.width - 2), BAR)
        return
    x = area.put(1, 0, "tab ", BAR_KEY)
    for number, suggestion in enumerate(bar.suggestions):
        word = safe_text(suggestion.rpartition(" ")[2], 60)
        if x + len(word) + 2 > area.width:
            area.put(x, 0, "\u2026", BAR)
            return
        x = area.put(x, 0, f" {word} ", BAR_BRIGHT if number == (bar.chosen or 0) else BAR)
    form = usage(text)
    if form and x + 3 + len(form) < area.width:
        area.right(0, form + " ", BAR)
