"""Which rows are listed, and which one is selected."""

from __future__ import annotations

import pytest

from tests.support.traces import story
from workbench.session.event_list import ALL, FILTERS, EventList
from workbench.session.recording import Recording


@pytest.fixture
def recording() -> Recording:
    made = Recording()
    made.extend(story.full_story())
    return made


def rows_of(shown: EventList, recording: Recording) -> list[tuple[str, str]]:
    return [(row.kind, row.text) for row in shown.rows(recording.cursor, recording.t_ns)]


def test_the_story_comes_first_and_events_follow() -> None:
    assert FILTERS[:3] == ("story", "details", ALL)


def test_the_newest_incident_is_open_and_others_where_they_are_opened(recording: Recording) -> None:
    shown = EventList()
    shown.update(recording)
    found = rows_of(shown, recording)
    assert found[0][0] == "head" and found[1][0] == "step"
    heads = [text for kind, text in found if kind == "head"]
    while not shown.selected or not any(
        shown.is_selected(row) and row.text == heads[1] for row in shown.rows(recording.cursor, 0)
    ):
        shown.move(recording.cursor, 1)
    before = len(found)
    assert shown.turn(1) and len(rows_of(shown, recording)) > before
    assert shown.turn(-1) and len(rows_of(shown, recording)) == before


def test_up_from_the_newest_row_follows_again(recording: Recording) -> None:
    shown = EventList()
    shown.update(recording)
    shown.move(recording.cursor, 1)
    shown.move(recording.cursor, 1)
    assert shown.selected is not None
    shown.move(recording.cursor, -1)
    assert shown.selected is not None
    shown.move(recording.cursor, -1)
    assert shown.selected is None and not shown.turn(1)


def test_of_the_story_the_newest_headline_is_asked_why(recording: Recording) -> None:
    shown = EventList()
    shown.update(recording)
    assert shown.window(recording.cursor, 1) == [recording.story.moments[-1].place]
    assert shown.window(0, 1) == []


def test_no_node_has_no_events(recording: Recording) -> None:
    shown = EventList()
    shown.set_filter("this node", 0)
    shown.update(recording)
    assert shown.matching == []


def test_what_is_searched_for_is_searched_in_events(recording: Recording) -> None:
    shown = EventList()
    shown.set_filter("story", 0, "diverges")
    shown.update(recording)
    assert not shown.is_story
    assert {recording.entries[index].event.name for index in shown.matching} == {"rep.diverged"}
