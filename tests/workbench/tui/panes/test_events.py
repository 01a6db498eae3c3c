"""The list of events: what is chosen in it is written out."""

from __future__ import annotations

from tests.workbench.tui.panes.test_panes import state
from workbench.session.event_list import THIS_NODE
from workbench.session.lesson.page import LessonPage
from workbench.session.story.rows import Row
from workbench.telling.tell import describe
from workbench.tui.compose import draw_screen
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.events import TEXT_AT, at_commas, draw_events, joined


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


def test_the_newest_headline_is_whole_in_a_narrow_pane() -> None:
    canvas = Canvas(33, 20)
    draw_events(canvas.area(Rect(0, 0, 33, 20)), state())
    rows = canvas.text_rows()
    head = next(y for y, row in enumerate(rows) if row.startswith("\u25be"))
    assert "\u2026" not in rows[head] and rows[head + 1].startswith(" " * TEXT_AT)


def test_what_clients_got_done_is_cut_between_its_parts_and_no_number_loses_its_unit() -> None:
    assert at_commas("typical 3 ms, slowest 135 ms", 25) == ["typical 3 ms", "slowest 135 ms"]
    assert at_commas("typical 3 ms, slowest 135 ms", 28) == ["typical 3 ms, slowest 135 ms"]
    assert at_commas("18 records acknowledged, none lost", 25) == ["18 records acknowledged", "none lost"]


def listed(width: int, selected: int | None = None) -> list[str]:
    ui = state()
    ui.events.set_filter("all", ui.node)
    ui.events.update(ui.recording)
    if selected is not None:
        ui.events.choose(selected)
    canvas = Canvas(width, 12)
    draw_events(canvas.area(Rect(0, 0, width, 12)), ui)
    return [row.rstrip() for row in canvas.text_rows()]


def test_in_a_narrow_pane_an_event_takes_two_rows_and_the_newest_stays() -> None:
    narrow, wide = listed(34), listed(120)
    assert all(row[:10].strip() for row in wide) and sum(not row[:10].strip() for row in narrow) > 3
    last = max(y for y, row in enumerate(narrow) if row[:10].strip())
    assert narrow[last].split()[:2] == wide[-1].split()[:2]


def test_what_is_selected_stays_in_view_among_events_of_two_rows() -> None:
    count = len(state().recording.entries)
    for index in range(0, count, 7):
        assert any(row.startswith("\u25b8") for row in listed(34, index)), index


def test_what_an_incident_cost_stands_apart_from_its_head() -> None:
    head = Row(0, 0, "head", "16.8", "\u2717", "bad", "You killed n101, the leader", is_open=True)
    cost = Row(0, 0, "cost", "", "", "dim", "no leader for 0.007 s so far")
    wide, narrow = joined([head, cost], 100), joined([head, cost], 40)
    assert [row.text for row in wide] == ["You killed n101, the leader \u00b7 no leader for 0.007 s so far"]
    assert narrow == [head, cost]


def test_the_end_of_a_long_incident_begins_with_a_whole_sentence() -> None:
    ui = state()
    heads = [incident.head.at(ui.recording.cursor) for incident in ui.recording.story.incidents]
    for height in range(6, 16):
        canvas = Canvas(33, height)
        draw_events(canvas.area(Rect(0, 0, 33, height)), ui)
        rows = [row.rstrip() for row in canvas.text_rows()]
        head = next(y for y, row in enumerate(rows) if row.startswith("\u25be"))
        step = next((y for y, row in enumerate(rows) if y > head and "+" in row[:TEXT_AT]), None)
        if step is not None:
            title = " ".join(row[TEXT_AT:].strip() for row in rows[head:step])
            assert title in [told.text for told in heads if told is not None], height


def test_why_a_list_is_empty_is_said_whole_in_a_narrow_pane() -> None:
    ui = state()
    ui.node = 0
    ui.events.set_filter(THIS_NODE, 0)
    canvas = Canvas(34, 12)
    draw_events(canvas.area(Rect(0, 0, 34, 12)), ui)
    assert " ".join(" ".join(canvas.text_rows()).split()) == "select a node: its events come here"
