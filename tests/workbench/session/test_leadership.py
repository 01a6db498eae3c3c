"""Who led along time, and what was acknowledged."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.model.identifiers import METADATA, TopicPartition
from tests.support.traces import story
from workbench.session.recording import Recording

ORDERS = TopicPartition("orders", 0)


def told(run: story.Story) -> Recording:
    recording = Recording()
    recording.extend(run.entries)
    return recording


def test_a_stretch_ends_when_the_leader_dies_and_begins_when_another_says_that_it_leads() -> None:
    recording = Recording()
    recording.extend(story.full_story())
    found = recording.timeline.leadership.stretches[METADATA]
    assert [(stretch.leader, stretch.epoch) for stretch in found if stretch.leader > 0] == [(1, 1), (3, 3)]
    first, last = [stretch for stretch in found if stretch.leader > 0]
    killed = next(entry.t_ns for entry in recording.entries if isinstance(entry.event, ev.ProcessExited))
    between = [stretch for stretch in found if first.t_ns < stretch.t_ns < last.t_ns]
    assert between and between[0] == (killed, -1, between[0].epoch)


def test_along_gives_the_leader_of_each_time_and_none_before_the_first() -> None:
    recording = Recording()
    recording.extend(story.full_story())
    leadership, timeline = recording.timeline.leadership, recording.timeline
    found = leadership.along(ORDERS, [timeline.start_ns - 1, timeline.end_ns])
    assert found[0] is None and found[1] is not None and found[1].leader == 2


def test_acknowledged_records_are_counted_by_the_second_and_reads_are_not() -> None:
    run = story.Story()
    run.begin()
    for at, function in enumerate(("produce", "produce", "consume")):
        done = ev.OperationSucceeded(client_id="p", operation_id=at, function=function, topic="orders", partition=0,
                                     base_offset=at, count=4, values=())  # fmt: skip
        run.say(9001, done, 1100)
    assert sum(told(run).timeline.leadership.acked) == 8
    assert max(told(run).timeline.leadership.acked) == 4
