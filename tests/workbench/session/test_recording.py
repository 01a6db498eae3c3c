from __future__ import annotations

import pytest

from cluster.model import events as ev
from cluster.model.ruling import Decision
from tests.support.fault_events import fault_fields
from tests.support.traces import story
from workbench.session.event_list import EventList
from workbench.session.recording import Recording
from workbench.session.views.cluster import ClusterView
from workbench.session.why import explain, root


@pytest.fixture
def recording() -> Recording:
    made = Recording(page_size=10)
    made.extend(story.full_story())
    return made


def test_any_cursor_shows_what_a_fold_from_the_start_shows(recording: Recording) -> None:
    for cursor in (0, 5, 90, 33, 34, 10, 127, 60):
        recording.seek(cursor)
        fresh = ClusterView()
        for entry in recording.entries[:cursor]:
            fresh.apply(entry)
        assert (recording.view.logs, recording.view.rows, recording.view.nodes) == (
            fresh.logs,
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
    shown.set_filter("all", 0)
    recording.extend(story.full_story())
    shown.update(recording)
    shown.selected = 5
    recording.reset()
    recording.extend(story.full_story()[:20])
    shown.update(recording)
    assert shown.selected is None and max(shown.window(100, 100)) < 20


def silence(*faults: tuple[int, str, str, int], silent_ms: int = 1500) -> str:
    """The root of a fencing after a silence of broker 2; faults are (begin, kind, arguments, end or 0), in ms."""
    told = story.Story()
    told.begin()
    happens: list[tuple[int, ev.Event]] = []
    for number, (begin_ms, kind, arguments, end_ms) in enumerate(faults, start=1):
        happens.append((begin_ms, ev.FaultApplied(**fault_fields(number, kind, arguments))))
        if end_ms:
            happens.append((end_ms, ev.FaultReverted(**fault_fields(number, kind, arguments))))
    for at_ms, event in sorted(happens, key=lambda item: item[0]):
        told.say(0, event, wait_ms=at_ms - told.now_ms)
    numbers: dict[str, int | str | list[int]] = {"broker_id": 2, "silence_ms": silent_ms}
    told.say(101, ev.BrokerFenced(broker_id=2, broker_epoch=5, why="session expired"), wait_ms=5000 - told.now_ms,
             decision=Decision("session_expired", True, "silent", "KIP-631", numbers),
             trigger="timer controller.session_check")  # fmt: skip
    recording = Recording()
    recording.extend(told.entries)
    return root(recording, explain(recording, len(recording.entries) - 1))


def test_a_silence_is_traced_to_the_fault_that_began_it_although_that_is_over() -> None:
    told = silence((3600, "Kill", "2", 3900), (4000, "FsyncLie", "3", 0))
    assert "in force meanwhile: kill 2 (" in told and " to " in told and "fsync" not in told


def test_faults_that_were_over_before_the_silence_and_those_after_it_are_no_reason() -> None:
    assert "in force" not in silence((1000, "Kill", "2", 3400))


def test_where_no_fault_names_the_silent_node_all_of_that_time_are_told() -> None:
    assert "in force meanwhile: kill 101 (" in silence((4000, "Kill", "101", 0), (4100, "Delay", "1-3 200ms", 0))


def test_the_delay_of_a_link_is_no_node() -> None:
    assert "delay" not in silence((3600, "Kill", "2", 3900), (4100, "Delay", "1-3 2ms", 0))
