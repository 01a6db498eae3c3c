"""The newest records of the metadata log, as leaders wrote them."""

from __future__ import annotations

from cluster.model import events as ev
from tests.support.traces import story
from workbench.session.metadata_rows import MetadataRow, newest_rows, rows_of
from workbench.session.recording import Recording


def appended(base: int, *words: str, kind: str = "TopicRecord", role: str = "leader") -> ev.MetadataAppended:
    return ev.MetadataAppended(
        base_offset=base,
        end_offset=base + len(words),
        epochs=((1, base),),
        kinds=tuple(kind for _ in words),
        role=role,
        words=words if role == "leader" else (),
    )


def told(*events: ev.MetadataAppended) -> story.Story:
    run = story.Story()
    for event in events:
        run.say(101, event)
    return run


def test_the_newest_come_last_and_no_more_than_asked_for() -> None:
    entries = told(appended(0, "a", "b"), appended(2, "c")).entries
    assert rows_of(entries, 3, 2) == (MetadataRow(1, "Topic", "b"), MetadataRow(2, "Topic", "c"))


def test_what_was_cut_is_not_told_and_what_took_its_place_is() -> None:
    entries = told(appended(0, "a", "b", "c"), appended(1, "new")).entries
    assert [row.words for row in rows_of(entries, 2, 9)] == ["a", "new"]


def test_copies_are_not_told_again() -> None:
    entries = told(appended(0, "a"), appended(0, "a", role="follower")).entries
    assert [row.words for row in rows_of(entries, 1, 9)] == ["a"]


def test_idle_records_one_after_the_other_are_one_row() -> None:
    idle = [appended(base, "nothing", kind="NoOpRecord") for base in (1, 2, 3)]
    entries = told(appended(0, "a"), *idle, appended(4, "b")).entries
    assert [(row.offset, row.times) for row in rows_of(entries, 5, 9)] == [(0, 1), (3, 3), (4, 1)]


def test_words_that_a_trace_does_not_have_are_empty() -> None:
    old = ev.MetadataAppended(base_offset=0, end_offset=1, epochs=((1, 0),), kinds=("TopicRecord",), role="leader")
    assert rows_of(told(old).entries, 1, 9) == (MetadataRow(0, "Topic", ""),)


def test_of_a_recording_it_is_the_log_of_who_leads_up_to_the_cursor() -> None:
    recording = Recording()
    assert newest_rows(recording, 9) == ()
    recording.extend(story.full_story())
    last = newest_rows(recording, 9)
    assert last
    recording.seek(recording.cursor // 2)
    assert newest_rows(recording, 9) != last
