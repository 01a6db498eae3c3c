"""The banner of presenter mode: the event in view in large, and what it follows from."""

from __future__ import annotations

from dataclasses import replace

from workbench.session.describe.sentences import describe, tone, who
from workbench.session.describe.tones import DIM, INFO
from workbench.session.lesson.page import LessonPage
from workbench.session.why import explain
from workbench.tui.drawing.canvas import Area
from workbench.tui.theme.palette import FILL_OF, style
from workbench.tui.theme.roles import FILLS
from workbench.tui.ui_state import UiState

ROWS = 3
QUIET = (DIM, INFO)
"""Tones of events that follow from others: a room is shown what they follow from."""
LOOK_BACK = 2000
"""Events before the one in view among which the last that matters is sought; beyond them the last mark is."""


def event_in_view(ui: UiState) -> int | None:
    """Index of the selected event, else of the last one up to the cursor that matters."""
    recording = ui.recording
    if ui.events.selected is not None and ui.events.selected < len(recording.entries):
        return ui.events.selected
    for index in range(recording.cursor - 1, max(-1, recording.cursor - 1 - LOOK_BACK), -1):
        if tone(recording.entries[index]) not in QUIET:
            return index
    mark = recording.timeline.previous_mark(recording.cursor)
    return mark.place if mark is not None else None


def draw_banner(area: Area, ui: UiState) -> None:
    """A blank row for air, the sentence, its cause."""
    index = event_in_view(ui)
    fill = "selected" if index is None else FILL_OF.get(tone(ui.recording.entries[index]), "selected")
    ground = FILLS[fill].dark
    area.clear(style("bright", ground))
    if index is None:
        area.put(2, 1, "nothing has happened yet", style("text", ground))
        return
    entry = ui.recording.entries[index]
    time = f"{ui.recording.seconds(entry.t_ns):.3f} s"
    x = area.put(2, 0, time, style("text", ground))
    area.put(x + 3, 0, who(entry), style("bright", ground, bold=True))
    sentence = describe(entry)
    area.put(2, 1, _cut(sentence, area.width - 4), style("bright", ground, bold=True))
    because = explain(ui.recording, index)[1:2]
    if because:
        area.put(2, 2, _cut(f"because {because[0].sentence}", area.width - 4), style("text", ground))
    area.spot(0, 0, area.width, ROWS, "event", index)


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1] + "\u2026"


def page_for_class(page: LessonPage, shows: str = "A") -> LessonPage:
    """The lesson's page without what was predicted and what is right; `shows` is the key that shows it."""
    if page.is_open and not page.answered:
        keys = " ".join("1234"[: len(page.choices)])
        page = replace(page, button=f"predict first: {keys}  (b blanks the screen)")
    hint = f"{shows} shows the answer" if page.right else page.status
    return replace(page, answered="", right="", verdict="", reveal="", status=hint)
