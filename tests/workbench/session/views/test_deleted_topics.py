from __future__ import annotations

from collections.abc import Iterable

from cluster.model import events as ev
from cluster.model.identifiers import TopicPartition
from tests.support.traces import story
from workbench.session.recording import Recording

ORDERS = TopicPartition("orders", 0)
DECIDED_AT, END = 6, 7
"""Where the metadata log ended before the deletion of orders was written, and after it."""


def deleting() -> story.Story:
    """Broker 1 holds a record of orders-0; 101 leads the quorum, and has written that the topic goes."""
    run = story.Story()
    applied(run, 1, epoch=0, at=4)
    run.records(1, 0, 1, 0, 0, 1)
    run.win(101, 1, 0, (101, 102))
    run.say(101, ev.TopicDeleted(topic="orders", topic_id=5, partitions=1))
    run.say(101, ev.MetadataAppended(base_offset=DECIDED_AT, end_offset=END, epochs=((1, DECIDED_AT),), kinds=("x",),
                                     role="leader"))  # fmt: skip
    return run


def applied(run: story.Story, node: int, *, epoch: int, at: int, isr: tuple[int, ...] = (1, 2)) -> None:
    run.say(node, ev.PartitionApplied(topic="orders", partition=0, leader=1, leader_epoch=0, partition_epoch=epoch,
                                      isr=isr, elr=(), replicas=(1, 2), min_insync_replicas=1,
                                      metadata_offset=at))  # fmt: skip


def committed(run: story.Story, node: int = 101) -> None:
    run.say(node, ev.MetadataHighWatermarkAdvanced(epoch=1, high_watermark=END, role="leader", log_end_offsets=()))


def removed(run: story.Story, node: int) -> None:
    run.say(node, ev.LogRemoved(topic="orders", partition=0, log_end_offset=1))


def seen(run: story.Story) -> Recording:
    recording = Recording()
    recording.extend(run.entries)
    return recording


def logs(recording: Recording) -> Iterable[TopicPartition]:
    return recording.live.shown_logs()[1:]


def isr_now(recording: Recording) -> tuple[int, ...] | None:
    """As the ribbon shows it."""
    (change,) = recording.timeline.isr_along(ORDERS, [recording.timeline.end_ns])
    return None if change is None else change.isr


def test_a_topic_is_there_until_its_end_is_committed() -> None:
    recording = seen(deleting())
    assert list(logs(recording)) == [ORDERS] and isr_now(recording) == (1, 2)


def test_a_deleted_topic_is_gone_with_its_partitions_and_logs() -> None:
    run = deleting()
    committed(run)
    recording = seen(run)
    assert list(logs(recording)) == [] and isr_now(recording) is None
    assert not [where for _, where in recording.live.logs if where == ORDERS]
    before = recording.timeline.isr_along(ORDERS, [run.entries[0].t_ns])
    assert before[0] is not None and before[0].isr == (1, 2), "what was stays in the history"


def test_who_has_not_heard_of_the_end_brings_nothing_back() -> None:
    run = deleting()
    committed(run)
    applied(run, 2, epoch=3, at=5)
    run.say(1, ev.ReplicaLagging(topic="orders", partition=0, replica_id=2, lagging=True))
    run.say(1, ev.IsrCommitted(topic="orders", partition=0, isr=(1,), partition_epoch=9))
    recording = seen(run)
    assert list(logs(recording)) == [] and isr_now(recording) is None


def test_a_new_topic_of_that_name_begins_with_its_own_epochs() -> None:
    run = deleting()
    for epoch in (1, 2, 3):
        applied(run, 1, epoch=epoch, at=5)
    committed(run)
    applied(run, 1, epoch=0, at=9, isr=(2,))
    recording = seen(run)
    item = recording.live.partitions[ORDERS]
    assert (item.partition_epoch, item.isr) == (0, (2,)) and isr_now(recording) == (2,)
    assert not [mark for mark in recording.timeline.marks if mark.glyph in "+-"], "another topic, no change of an ISR"


def test_a_log_that_is_dropped_late_leaves_the_new_topic_alone() -> None:
    run = deleting()
    committed(run)
    applied(run, 1, epoch=0, at=9)
    for node in (1, 2):
        run.say(node, ev.BecameFollower(topic="orders", partition=0, leader=1, leader_epoch=0, log_end_offset=0,
                                        high_watermark=0))  # fmt: skip
    removed(run, 2)
    recording = seen(run)
    assert list(logs(recording)) == [ORDERS]
    assert [node for node, where in recording.live.logs if where == ORDERS] == [1]


def test_an_end_that_outlives_its_controller_is_committed_by_the_next_that_has_it() -> None:
    run = deleting()
    run.say(102, ev.MetadataAppended(base_offset=DECIDED_AT, end_offset=END, epochs=((1, DECIDED_AT),), kinds=("x",),
                                     role="follower"))  # fmt: skip
    run.win(102, 2, END, (102, 103))
    assert list(logs(seen(run))) == [ORDERS]
    committed(run, 102)
    assert list(logs(seen(run))) == []


def test_an_end_that_the_next_controller_lacks_is_undone() -> None:
    run = deleting()
    run.win(102, 2, DECIDED_AT, (102, 103))
    run.say(102, ev.MetadataAppended(base_offset=DECIDED_AT, end_offset=END, epochs=((2, DECIDED_AT),), kinds=("x",),
                                     role="leader"))  # fmt: skip
    committed(run, 102)
    assert list(logs(seen(run))) == [ORDERS]


def test_an_end_that_was_never_written_goes_with_its_controller() -> None:
    run = story.Story()
    applied(run, 1, epoch=0, at=4)
    run.win(101, 1, 0, (101, 102))
    run.say(101, ev.TopicDeleted(topic="orders", topic_id=5, partitions=1))
    run.win(102, 2, DECIDED_AT, (102, 103))
    committed(run, 102)
    assert list(logs(seen(run))) == [ORDERS]


def test_a_moment_before_the_end_shows_the_topic_again() -> None:
    run = deleting()
    count = len(run.entries)
    committed(run)
    recording = seen(run)
    recording.seek(count)
    assert list(recording.view.shown_logs())[1:] == [ORDERS]
    recording.seek(len(run.entries))
    assert list(recording.view.shown_logs())[1:] == []
