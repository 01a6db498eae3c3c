"""Overlay: how the pane in focus is read, the keys of this kind of run, the command grammar, the other panes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.style import Style

from cluster.faults.grammar import known_commands
from workbench.tui.drawing.canvas import Area, wrap
from workbench.tui.input.keyboard import Keyboard
from workbench.tui.input.keys import REPLAY, TABLE, Key, keys_of
from workbench.tui.input.words import words_of
from workbench.tui.modes import Help
from workbench.tui.panes.reading import READING, reading
from workbench.tui.theme.palette import BRIGHT, DIM, TEXT, TITLE, WARN
from workbench.tui.ui_state import UiState

KEY_WIDTH = 11
Line = tuple[str, Style, str, Style]


def key_lines(kind: str, width: int, *, simulated: bool = False, table: tuple[Key, ...] = TABLE) -> list[Line]:
    """Headings and keys of such a run, wrapped."""
    lines: list[Line] = []
    groups: dict[str, list[Line]] = {}
    for item in keys_of(kind, simulated=simulated, table=table):
        if not item.text:
            continue
        group = groups.setdefault(item.group, [])
        if len(item.text) >= KEY_WIDTH:
            group.append((item.text, WARN, "", TEXT))
        keys = item.text if len(item.text) < KEY_WIDTH else ""
        for text in wrap(item.long, width - KEY_WIDTH):
            group.append((keys, WARN, text, TEXT))
            keys = ""
    for name, lines_of_group in groups.items():
        lines += [(name, TITLE, "", TEXT), *lines_of_group]
    return lines


def grammar_lines(width: int) -> list[Line]:
    """Each command: its form, then one sentence."""
    lines: list[Line] = [("Commands", TITLE, "", TEXT)]
    for item in known_commands():
        lines += [(text, BRIGHT, "", TEXT) for text in wrap(item.usage, width)]
        lines += [(f"  {text}", DIM, "", TEXT) for text in wrap(item.help, width - 2)]
    return lines


def word_lines(width: int, *, simulated: bool, kind: str) -> list[Line]:
    """Each word of the screen itself."""
    lines: list[Line] = [("Words of the screen", TITLE, "", TEXT)]
    for item in words_of(simulated=simulated, kind=kind):
        lines += [(text, BRIGHT, "", TEXT) for text in wrap(item.usage, width)]
        lines += [(f"  {text}", DIM, "", TEXT) for text in wrap(item.help, width - 2)]
    return lines


def pane_lines(
    width: int,
    names: Iterable[str],
    keyboard: Keyboard | None = None,
    panes: Mapping[str, tuple[str, str]] = READING,
) -> list[Line]:
    """How each of the panes is read."""
    lines: list[Line] = []
    for name in names:
        title, text = panes[name][0], (keyboard or Keyboard()).said(panes[name][1])
        lines += [(title, TITLE, "", TEXT), *((line, TEXT, "", TEXT) for line in wrap(text, width))]
    return lines


def draw_help(area: Area, ui: UiState) -> None:
    """Two columns when wide, else one; up and down scroll."""
    wide = area.width >= 90
    width = (area.width - 4) // 2 if wide else area.width - 4
    current = (ui.overlay.pane if isinstance(ui.overlay, Help) else "") or ui.zoom or ui.focus
    panes = reading(zookeeper=ui.view.zookeeper.is_used, missions=ui.shows_missions)
    others = pane_lines(width, (name for name in panes if name != current), ui.keyboard, panes)
    columns = [key_lines(ui.kind, width, simulated=ui.seed is not None, table=ui.keyboard.table)]
    words = word_lines(width, simulated=ui.seed is not None, kind=ui.kind)
    columns.append([*(grammar_lines(width) if ui.kind != REPLAY else ()), *words, *others])
    # Beside the keys where there is room; else before them.
    columns[int(wide)] = [*pane_lines(width, [current], ui.keyboard, panes), *columns[int(wide)]]
    if not wide:
        columns = [[line for column in columns for line in column]]
    longest = max(len(column) for column in columns)
    ui.overlay_scroll = max(0, min(ui.overlay_scroll, longest - area.height))
    for number, column in enumerate(columns):
        x = 2 + number * (width + 2)
        shown = column[ui.overlay_scroll : ui.overlay_scroll + area.height]
        for y, (key, look, text, tone) in enumerate(shown):
            area.put(x, y, key[:width], look)
            area.put(x + KEY_WIDTH, y, text, tone)
    if longest > ui.overlay_scroll + area.height:
        area.right(area.height - 1, "\u2193 more ", WARN)
