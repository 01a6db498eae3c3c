from __future__ import annotations

import pytest
import story

from workbench.session import recording as module
from workbench.session.event_list import EventList
from workbench.session.recording import Recording
from workbench.session.views.cluster import ClusterView
from workbench.session.why import explain, root


@pytest.fixture
def recording(monkeypatch: pytest.MonkeyPatch) -> Recording:
    monkeypatch.setattr(module, "CHECKPOINT_EVERY", 10)
    made = Recording()
    made.extend(story.full_story())
    return made


def test_any_cursor_shows_what_a_fold_from_the_start_shows(recording: Recording) -> None:
    for cursor in (0, 5, 90, 33, 34, 10, 127, 60):
        recording.seek(cursor)
        fresh = ClusterView()
        for entry in recording.entries[:cursor]:
            fresh.apply(entry)
        assert (recording.view.lanes, recording.view.rows, recording.view.nodes) == (
            fresh.lanes,
            fresh.rows,
            fresh.nodes,
        )


def test_marks_are_visited_in_order_both_ways(recording: Recording) -> None:
    recording.seek(0)
    visited = []
    while recording.next_mark():
        visited.append(recording.cursor)
    assert visited == [mark.place + 1 for mark in recording.timeline.marks]
    assert recording.previous_mark() and recording.cursor == visited[-2]


def test_a_held_view_stays_while_entries_come() -> None:
    recording, entries = Recording(), story.full_story()
    recording.extend(entries[:50])
    recording.pause()
    recording.extend(entries[50:])
    assert (recording.cursor, recording.view.t_ns) == (50, entries[49].t_ns)
    recording.go_live()
    assert recording.view is recording.live


def test_why_leads_from_a_vote_to_the_timer(recording: Recording) -> None:
    index = next(i for i, entry in enumerate(recording.entries) if entry.event.name == "raft.leader_elected")
    chain = explain(recording, index)
    assert [link.entry.event.name for link in chain] == [
        "raft.leader_elected",
        "raft.vote_received",
        "raft.vote_granted",
        "raft.election_started",
    ]
    assert chain[2].rule == "grant_vote: yes, log is as complete" and chain[2].source == "KIP-595"
    assert root(recording, chain) == "a timer ran out: quorum.election"


def test_a_chain_ends_at_a_timer_and_names_what_was_broken_then(recording: Recording) -> None:
    index = next(i for i, entry in enumerate(recording.entries) if entry.trigger.startswith("timer") and entry.cause)
    chain = explain(recording, index)
    assert len(chain) == 1, "what set the timer is no cause"
    assert root(recording, chain).startswith("a timer ran out: quorum.election; in force then: kill 1 (")


def test_the_timeline_has_a_mark_for_each_turning_point(recording: Recording) -> None:
    glyphs = "".join(mark.glyph for mark in recording.timeline.marks)
    assert glyphs == "VEKVVVE-\u2702"


def test_a_second_run_starts_with_an_empty_event_list() -> None:
    recording, shown = Recording(), EventList()
    recording.extend(story.full_story())
    shown.update(recording)
    shown.selected = 5
    recording.reset()
    recording.extend(story.full_story()[:20])
    shown.update(recording)
    assert shown.selected is None and max(shown.matching) < 20
