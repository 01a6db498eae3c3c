"""Pane 6: the story of the run up to the cursor, or its events that pass a filter, one line each."""

from __future__ import annotations

from rich.style import Style

from cluster.model.entry import Entry
from cluster.model.events import ExpectationChecked, PredictionAnswered
from workbench.session.event_list import LEVELS, THIS_NODE
from workbench.session.story.headline import now_words
from workbench.session.story.rows import Row
from workbench.telling.tell import describe, tone, who
from workbench.telling.words import node_name
from workbench.tui.drawing.canvas import Area, fit, wrap
from workbench.tui.theme.palette import BRIGHT, DIM, INFO, SELECTED, TEXT, TONES
from workbench.tui.ui_state import UiState

TEXT_AT = 11
"""Column at which the text of a step begins: its time stands before."""
WIDE = 80
"""Columns from which the costs of an incident stand beside its head."""
WHEN_AND_WHO = 17
"""Columns in front of the sentence of an event."""
NARROW = 60
"""Columns below which an event may take two rows: one holds two or three of its words."""
NOW_ROWS = 6
"""Rows from which the last ones tell what clients got done."""


def title_of_events(ui: UiState) -> tuple[str, str]:
    """(title with its key, note) of the pane."""
    worded, chosen = ui.keyboard.said, ui.events
    held = worded("  {close}: newest") if chosen.selected is not None else ""
    if chosen.is_story:
        return "6 Story", " \u00b7 ".join((*LEVELS, "all")) + f"  {worded('{filter}')}: {chosen.filter}{held}"
    search = f' "{chosen.search}"' if chosen.search else ""
    node = f", {node_name(ui.node)}" if chosen.filter == THIS_NODE and ui.node else ""
    return "[6] Events", f"{worded('{filter}')}: {chosen.filter}{node}{search}  {worded('{enter}')}: why?{held}"


def draw_events(area: Area, ui: UiState) -> None:
    """Incidents, the newest first and open; or a line for each event."""
    if ui.events.filter == THIS_NODE and ui.events.node != ui.node:
        ui.events.set_filter(THIS_NODE, ui.node, ui.events.search)
    ui.events.update(ui.recording)
    if ui.events.is_story:
        _draw_story(area, ui)
    else:
        _draw_list(area, ui)


def _draw_story(area: Area, ui: UiState) -> None:
    cursor, now_ns = ui.recording.cursor, ui.shown_ns
    lines = [line for row in joined(ui.events.rows(cursor, now_ns), area.width) for line in _lines(row, area.width)]
    room = area.height
    if room >= NOW_ROWS:
        room -= _draw_now(area, ui, cursor, now_ns)
    if not lines:
        area.put(1, 0, "nothing has happened yet", DIM)
    chosen = next((y for y, (row, _, _) in enumerate(lines) if ui.events.is_selected(row)), -1)
    if chosen < 0:
        lines = _newest(lines, room)
    first = max(0, min(chosen - room // 2, len(lines) - room))
    for y, (row, text, x) in enumerate(lines[first : first + room]):
        area.spot(0, y, area.width, 1, "event", row.place, row.incident)
        if ui.events.is_selected(row):
            area.put(0, y, (" " * x + text).ljust(area.width), SELECTED)
        else:
            area.put(x, y, text, _look(row))


def _newest(lines: list[tuple[Row, str, int]], room: int) -> list[tuple[Row, str, int]]:
    """Of an incident that is longer than the pane its head and its end: what is new stands there."""
    end = next((y for y, (row, _, _) in enumerate(lines) if row.incident != lines[0][0].incident), len(lines))
    head = next((y for y, (row, _, _) in enumerate(lines) if row is not lines[0][0]), len(lines))
    if end <= room:
        return lines
    last = lines[end - room + head : end]
    while last and last[0][2]:  # the rest of a sentence that began above
        last = last[1:]
    return [*lines[:head], *last][:room]


def joined(rows: list[Row], width: int) -> list[Row]:
    """Where there is room the costs stand beside the head of an incident that is closed."""
    rows_joined: list[Row] = []
    for row in rows:
        before = rows_joined[-1] if rows_joined else None
        if row.kind == "cost" and width >= WIDE and before is not None and before.kind == "head":
            rows_joined[-1] = before._replace(text=f"{before.text} \u00b7 {row.text}")
        else:
            rows_joined.append(row)
    return rows_joined


def _lines(row: Row, width: int) -> list[tuple[Row, str, int]]:
    """(row, text, column) of each line that it takes."""
    if row.kind == "head":
        mark = "\u25be" if row.is_open else "\u25b8"
        before = f"{mark}{row.time:>6}  {row.glyph or ' '} "
        if not row.is_open:
            return [(row, fit(before + row.text, width), 0)]
        first, *others = wrap(row.text, max(10, width - len(before)))
        return [(row, before + first, 0), *((row, part, len(before)) for part in others)]
    parts = wrap(row.text, max(10, width - TEXT_AT))
    first = f"{row.time:>{TEXT_AT - 2}}  {parts[0]}" if row.time else " " * TEXT_AT + parts[0]
    return [(row, first, 0), *((row, part, TEXT_AT) for part in parts[1:])]


def _look(row: Row) -> Style:
    if row.kind == "head":
        return BRIGHT if row.is_open else TEXT
    return DIM if row.kind in ("cost", "meanwhile") else TONES[row.tone]


def _draw_now(area: Area, ui: UiState, cursor: int, now_ns: int) -> int:
    """What clients got done so far, in the last rows. Returns how many."""
    parts = now_words(ui.recording.story, ui.view, cursor, now_ns)
    room = max(10, area.width - len("    now  "))
    joined = ", ".join(parts)
    rows = [joined] if joined and len(joined) <= room else [line for part in parts for line in at_commas(part, room)]
    top = area.height - len(rows)
    for y, text in enumerate(rows, start=top):
        area.put(0, y, f"{'now' if y == top else '':>7}  {text}", INFO if y == top else DIM)
    return len(rows)


def at_commas(text: str, room: int) -> list[str]:
    """In one line, or in one for each of its parts: no number stands without its unit."""
    parts = [text] if len(text) <= room else text.split(", ")
    return [line for part in parts for line in wrap(part, room)]


def _written_out(area: Area, ui: UiState) -> tuple[int, list[str]]:
    """(index, lines) of the event that is chosen, or at which a lesson holds the view: none of it is cut."""
    index, entries = ui.events.selected, ui.recording.entries
    if index is None and ui.page.look_at == "events":
        index = ui.recording.cursor - 1
    if index is None or not 0 <= index < len(entries):
        return -1, [""]
    return index, wrap(sentence_of(ui, entries[index]), max(10, area.width - WHEN_AND_WHO))[: max(1, area.height // 2)]


def _draw_list(area: Area, ui: UiState) -> None:
    """Seconds, node, sentence; in a narrow pane a sentence takes up to two rows."""
    recording, room = ui.recording, max(1, area.width - WHEN_AND_WHO)
    whole, lines = _written_out(area, ui)
    shown = ui.events.window(recording.cursor, max(1, area.height - len(lines) + 1))
    if not shown:
        is_asked = ui.events.filter == THIS_NODE and not ui.node
        none = f'no {ui.events.filter} event says "{ui.events.search}"' if ui.events.search else ""
        none = none or "no event passes the filter yet"
        for y, text in enumerate(wrap("select a node: its events come here" if is_asked else none, area.width - 2)):
            area.put(1, y, text, DIM)
    rows_each = 2 if area.width < NARROW else 1
    entries = [(index, lines if index == whole else _in_rows(ui, index, room, rows_each)) for index in shown]
    y = 0
    for index, texts in _that_fit(entries, whole, area.height):
        area.spot(0, y, area.width, len(texts), "event", index, -1)
        for line, text in enumerate(texts):
            _draw_row(area, y + line, ui, index, text, is_first=not line, is_whole=index == whole)
        y += len(texts)


def _in_rows(ui: UiState, index: int, room: int, rows: int) -> list[str]:
    """The sentence of an event in so many rows at most; the last one is cut."""
    first, *others = wrap(sentence_of(ui, ui.recording.entries[index]), room) or [""]
    if rows == 1 or not others:
        return [fit(" ".join((first, *others)), room)]
    return [first, fit(" ".join(others), room)]


def _that_fit(found: list[tuple[int, list[str]]], whole: int, height: int) -> list[tuple[int, list[str]]]:
    """The newest that have room; where one is written out, those around it."""
    first, last = 0, len(found)
    at = next((place for place, (index, _) in enumerate(found) if index == whole), len(found))
    while sum(len(texts) for _, texts in found[first:last]) > height and last - first > 1:
        if at - first >= last - at:
            first += 1
        else:
            last -= 1
    return found[first:last]


def _draw_row(area: Area, y: int, ui: UiState, index: int, text: str, *, is_first: bool, is_whole: bool) -> None:
    """One row of an event: when and who stand in its first."""
    entry = ui.recording.entries[index]
    time = f"{ui.recording.seconds(entry.t_ns):9.3f} " if is_first else " " * 10
    name = (who(entry) if is_first else "")[:6].ljust(6)
    look = TONES[tone(entry)]
    if is_whole:
        mark, look = ("\u25b8", SELECTED) if index == ui.events.selected else (" ", look)
        area.put(0, y, f"{mark if is_first else ' '}{time[1:]}{name} {text}".ljust(area.width), look)
        return
    area.parts(0, y, (time, DIM), (f"{name} ", INFO), (text, look))
    at = text.lower().find(ui.events.search) if ui.events.search else -1
    if at >= 0:
        area.put(len(time) + len(name) + 1 + at, y, text[at : at + len(ui.events.search)], SELECTED)


def sentence_of(ui: UiState, entry: Entry) -> str:
    """What an event says; before a class no answer is told, nor what a lesson expects, which is the answer."""
    is_secret = ui.presenting and not ui.answers_shown
    is_secret = is_secret and isinstance(entry.event, PredictionAnswered | ExpectationChecked)
    return ui.keyboard.said("an answer was given, {presenter.answers} shows it") if is_secret else describe(entry)
