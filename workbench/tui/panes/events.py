"""Pane 6: the newest events up to the cursor, the selected one marked."""

from __future__ import annotations

from cluster.model.entry import Entry
from cluster.model.events import PredictionAnswered
from workbench.session.describe.sentences import describe, tone, who
from workbench.session.event_list import THIS_NODE
from workbench.tui.drawing.canvas import Area
from workbench.tui.theme.palette import DIM, INFO, SELECTED, TONES
from workbench.tui.ui_state import UiState


def draw_events(area: Area, ui: UiState) -> None:
    """One line per event: seconds, node, sentence."""
    recording = ui.recording
    if ui.events.filter == THIS_NODE and ui.events.node != ui.node:
        ui.events.set_filter(THIS_NODE, ui.node, ui.events.search)
    ui.events.update(recording)
    shown = ui.events.window(recording.cursor, area.height)
    if not shown:
        is_asked = ui.events.filter == THIS_NODE and not ui.node
        none = f'no {ui.events.filter} event says "{ui.events.search}"' if ui.events.search else ""
        none = none or "no event passes the filter yet"
        area.put(1, 0, "select a node: its events come here" if is_asked else none, DIM)
    for y, index in enumerate(shown):
        entry = recording.entries[index]
        area.spot(0, y, area.width, 1, "event", index)
        time = f"{recording.seconds(entry.t_ns):9.3f} "
        name = who(entry)[:6].ljust(6)
        sentence = sentence_of(ui, entry)
        room = area.width - len(time) - len(name) - 1
        if len(sentence) > room:
            sentence = sentence[: room - 1] + "\u2026"
        if index == ui.events.selected:
            area.put(0, y, f"\u25b6{time[1:]}{name} {sentence}".ljust(area.width), SELECTED)
        else:
            area.parts(0, y, (time, DIM), (name + " ", INFO), (sentence, TONES[tone(entry)]))
            at = sentence.lower().find(ui.events.search) if ui.events.search else -1
            if at >= 0:
                area.put(len(time) + len(name) + 1 + at, y, sentence[at : at + len(ui.events.search)], SELECTED)


def sentence_of(ui: UiState, entry: Entry) -> str:
    """What an event says; before a room an answer is not told."""
    is_secret = ui.presenting and not ui.answers_shown and isinstance(entry.event, PredictionAnswered)
    return ui.keyboard.said("an answer was given, {presenter.answers} shows it") if is_secret else describe(entry)
