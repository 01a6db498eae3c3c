"""The way of the newest record, from the events alone."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.model.identifiers import TopicPartition
from tests.support.traces import story
from tests.support.traces.played import passes, ready
from workbench.session.record_way import CLIENTS, way_of_newest
from workbench.session.recording import Recording

ORDERS = TopicPartition("orders", 0)


def written(answer: bool = True) -> Recording:
    run = story.Story()
    run.begin()
    run.partition((1, 2, 3), 1, 0, 0, (1, 2, 3))
    asked = ev.OperationInvoked(client_id="p", operation_id=1, function="produce", topic="orders", partition=0, acks=-1,
                                value="x")  # fmt: skip
    run.say(9001, asked)
    for node in (1, 2):
        run.records(node, 0, 1, 0, 1, 0)
    told = ev.FollowerProgress(topic="orders", partition=0, replica_id=2, log_end_offset=1, leader_log_end_offset=1)
    run.say(1, told)
    run.say(1, ev.HighWatermarkAdvanced(topic="orders", partition=0, high_watermark=1, leader_epoch=0, role="leader",
                                        log_end_offsets=()))  # fmt: skip
    if answer:
        run.say(9001, ev.OperationSucceeded(client_id="p", operation_id=1, function="produce", topic="orders",
                                            partition=0, base_offset=0, count=1, values=("0",)))  # fmt: skip
    recording = Recording()
    recording.extend(run.entries)
    return recording


def test_each_step_of_the_way_is_there_in_its_order() -> None:
    way = way_of_newest(written(), ORDERS)
    assert way is not None and way.is_whole and way.nodes == (1, 2, 3)
    assert [(step.source, step.target, step.text) for step in way.steps] == [
        (CLIENTS, 1, "0"),
        (1, 1, "\u25a0 LEO 1"),
        (1, 2, "0"),
        (2, 1, "1?"),
        (1, 1, "\u258c HW 1"),
        (1, CLIENTS, "\u2713 0"),
    ]


def test_nothing_is_told_of_a_step_that_no_event_told() -> None:
    way = way_of_newest(written(answer=False), ORDERS)
    assert way is not None and not any(CLIENTS in (step.source, step.target) for step in way.steps)
    assert way_of_newest(Recording(), ORDERS) is None


def test_a_record_has_been_sent_by_who_wrote_it_as_leader_whoever_leads_now() -> None:
    """At a failover the way of the last record was drawn once more, as if the new leader had sent it."""
    world = ready(seed=1)
    world.do("produce orders 1 acks=all")
    passes(world, 1.0)
    recording = Recording()
    recording.extend(world.entries)
    before = way_of_newest(recording, ORDERS)
    assert before is not None and before.is_whole and before.nodes == (1, 2, 3)
    world.do("kill 1")
    world.until(lambda: world.cluster().leader_of(ORDERS) == 2)
    recording.extend(world.entries[len(recording.entries) :])
    assert recording.view.partitions[ORDERS].leader == 2 and way_of_newest(recording, ORDERS) == before
    appended = [(item.node, item.event) for item in world.entries if isinstance(item.event, ev.ReplicaAppended)]
    writers = [node for node, event in appended if event.role == "leader" and event.end_offset == before.offset + 1]
    ends = {step.source if step.target == CLIENTS else step.target for step in before.steps if CLIENTS in step[1:3]}
    assert writers == [1] and ends == {1}


def test_of_two_records_at_one_offset_the_way_of_the_cut_one_is_no_part_of_the_other() -> None:
    world = ready(seed=0)
    world.do("partition 1|101,102,103")
    world.until(lambda: world.cluster().leader_of(ORDERS) == 2)
    world.do("produce orders 1 acks=1 retries=no", "heal")
    world.until(lambda: world.cluster().log(1, ORDERS).log_end_offset == 3)
    world.do("produce orders 1 acks=all")
    passes(world, 0.2)
    recording = Recording()
    recording.extend(world.entries)
    way = way_of_newest(recording, ORDERS)
    assert way is not None and way.offset == 3 and way.nodes[0] == 2
    assert {step.source for step in way.steps if step.role == "flow" and step.target == 1} == {2}
