"""Who led along time, and what was acknowledged."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.model.identifiers import METADATA, TopicPartition
from tests.support.traces import story
from tests.support.traces.watched import Watched
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
    found = leadership.along(ORDERS, [timeline.start_ns - 1, timeline.end_ns - 1, timeline.end_ns])
    assert found[0] is None and found[2] is not None and found[2].leader == 2


def test_a_moment_without_a_leader_is_seen_however_few_times_are_asked_for() -> None:
    recording = Recording()
    recording.extend(story.full_story())
    timeline = recording.timeline
    first, gap, last = [item for item in timeline.leadership.stretches[METADATA] if item.t_ns >= timeline.start_ns][-3:]
    assert gap.leader < 0 < last.leader, "the story has such a moment"
    found = timeline.leadership.along(METADATA, [first.t_ns, timeline.end_ns])
    assert found[1] == gap


def test_a_leader_that_reaches_no_majority_leads_nobody() -> None:
    world = Watched(seed=3, controllers=3, brokers=3)
    world.until(lambda: world.cluster().quorum_leader > 0)
    world.run_until(lambda: False, 2.0)
    led = world.cluster().quorum_leader
    world.do(f"isolate {led}")
    world.run_until(lambda: False, 10.0)
    recording = Recording()
    recording.extend(world.entries)
    cut_ns = next(entry.t_ns for entry in world.entries if isinstance(entry.event, ev.FaultApplied))
    since = [item for item in recording.timeline.leadership.stretches[METADATA] if item.t_ns >= cut_ns]
    assert since[0].t_ns == cut_ns and since[0].leader < 0, "from the cut on, though it does not know yet"
    new = next(item for item in since if item.leader > 0)
    assert new.leader != led and 0.1 < (new.t_ns - cut_ns) / 1e9 < 2


def test_acknowledged_records_are_counted_by_the_second_and_reads_are_not() -> None:
    run = story.Story()
    run.begin()
    for at, function in enumerate(("produce", "produce", "consume")):
        done = ev.OperationSucceeded(client_id="p", operation_id=at, function=function, topic="orders", partition=0,
                                     base_offset=at, count=4, values=())  # fmt: skip
        run.say(9001, done, 1100)
    assert sum(told(run).timeline.leadership.acked) == 8
    assert max(told(run).timeline.leadership.acked) == 4
