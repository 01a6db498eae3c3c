"""The list of events: what is chosen in it is written out."""

from __future__ import annotations

from tests.workbench.tui.panes.test_panes import state
from workbench.session.describe.sentences import describe
from workbench.session.lesson.page import LessonPage
from workbench.tui.compose import draw_screen


def test_the_chosen_event_is_whole_in_a_narrow_pane() -> None:
    ui = state()
    ui.lesson = True
    ui.page = LessonPage("t", step=1, steps=2, heading="h", look="Read it.", look_at="events", held="1 of 1")
    ui.events.set_filter("all", ui.node)
    entries = ui.recording.entries
    index = max(range(len(entries)), key=lambda place: len(describe(entries[place])))
    ui.recording.seek(index + 1)
    ui.events.choose(index)
    rows = draw_screen(120, 40, ui).text_rows()
    top, left = next((y, row.index("[6] Events")) for y, row in enumerate(rows) if "[6] Events" in row)
    right = rows[top].index("\u2513", left)
    pane = [row[left - 2 : right] for row in rows[top + 1 :]]
    sentence = describe(entries[index])
    assert not any(sentence in row for row in pane), "it does not fit into one row"
    assert sentence in " ".join(" ".join(row.strip(" \u2503") for row in pane).split())
