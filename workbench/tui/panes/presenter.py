"""The banner of presenter mode: the headline in large, or the event that is selected; the link of a class."""

from __future__ import annotations

from dataclasses import replace

from workbench.session.explanation import explanation
from workbench.session.lesson.page import LessonPage
from workbench.telling.reasons import fact_of
from workbench.telling.tell import tone
from workbench.tui.drawing.canvas import Area, whole
from workbench.tui.panes.headline import told_now
from workbench.tui.theme.palette import FILL_OF, style
from workbench.tui.theme.roles import FILLS
from workbench.tui.ui_state import UiState

ROWS = 3


def draw_banner(area: Area, ui: UiState) -> None:
    """When, the sentence, and what it belongs to: of the selected event, else the headline."""
    recording, chosen = ui.recording, ui.events.selected
    if chosen is not None and chosen < len(recording.entries):
        entry = recording.entries[chosen]
        t_ns, look, text = entry.t_ns, tone(entry), fact_of(entry)
        below = explanation(recording, chosen).sentence
        place = chosen
    else:
        headline = told_now(ui)
        t_ns, look, text = ui.shown_ns, headline.tone, f"{headline.glyph} {headline.text}".lstrip()
        below, place = "", recording.cursor - 1
        if headline.moment is not None:
            incident = recording.story.incidents[headline.moment.incident]
            t_ns, place = headline.moment.t_ns, headline.moment.place
            head = incident.head.at(recording.cursor)
            costs = incident.costs_at(recording.cursor, ui.shown_ns)
            heads = [head.text] if head is not None and head.text.rstrip(".") not in text else []
            below = ", ".join((*heads, *costs))
    ground = FILLS[FILL_OF.get(look, "selected")].dark
    area.clear(style("bright", ground))
    area.put(2, 0, f"{recording.seconds(t_ns):.3f} s" if recording.entries else "", style("text", ground))
    if ui.room is not None:
        area.right(0, f"{ui.room.link}  ", style("bright", ground, bold=True))
    area.put(2, 1, whole(text, area.width - 4), style("bright", ground, bold=True))
    area.put(2, 2, whole(below, area.width - 4), style("text", ground))
    if place >= 0:
        area.spot(0, 0, area.width, ROWS, "event", place, -1)


def page_for_class(page: LessonPage, shows: str = "A") -> LessonPage:
    """The lesson's page without what was predicted and what is right; `shows` is the key that shows it."""
    hint = f"{shows} shows the answer" if page.right else page.status
    return replace(page, answered="", right="", verdict="", whys=(), after=(), status=hint)
