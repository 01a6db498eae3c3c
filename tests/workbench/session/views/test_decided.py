from __future__ import annotations

from typing import Any

from cluster.model import events as ev
from cluster.model.identifiers import TopicPartition
from tests.support.traces import story
from workbench.session.recording import Recording

ORDERS = TopicPartition("orders", 0)
LEFT: dict[str, Any] = {
    "topic": "orders", "partition": 0, "leader": -1, "leader_epoch": 1, "partition_epoch": 1, "isr": (), "elr": (1,),
    "replicas": (1, 2, 3), "min_insync_replicas": 2, "unclean": False, "why": "broker 1 fenced",
}  # fmt: skip


def led() -> story.Story:
    """101 leads the quorum, and has decided that nobody leads orders-0 any more."""
    run = story.Story()
    run.partition((1,), 1, 0, 0, (1, 2))
    run.win(101, 1, 0, (101, 102))
    run.say(101, ev.PartitionDecided(**LEFT))
    return run


def high_watermark(run: story.Story, node: int, offset: int) -> None:
    run.say(node, ev.MetadataHighWatermarkAdvanced(epoch=1, high_watermark=offset, role="leader", log_end_offsets=()))


def append(run: story.Story, node: int, end: int) -> None:
    run.say(node, ev.MetadataAppended(base_offset=end - 1, end_offset=end, epochs=((1, end - 1),), kinds=("x",),
                                      role="leader"))  # fmt: skip


def shown(run: story.Story) -> tuple[int, tuple[int, ...]]:
    """Leader and ISR, of which the ribbon shows the same."""
    recording = Recording()
    recording.extend(run.entries)
    item = recording.live.partition(ORDERS)
    (change,) = recording.timeline.isr_along(ORDERS, [recording.timeline.end_ns])
    assert change is not None and change.isr == item.isr
    return item.leader, item.isr


def test_what_is_committed_is_shown_although_no_broker_is_left_to_apply_it() -> None:
    run = led()
    append(run, 101, 7)
    high_watermark(run, 101, 7)
    assert shown(run) == (-1, ())
    recording = Recording()
    recording.extend(run.entries)
    (mark,) = [mark for mark in recording.timeline.marks if mark.glyph == "-"]
    assert mark.place == len(run.entries) - 1 and mark.text.startswith("Nobody leads orders-0")


def test_what_is_decided_or_written_is_not_yet_so() -> None:
    run = led()
    high_watermark(run, 101, 7)
    assert shown(run) == (1, (1, 2)), "not in the log"
    append(run, 101, 8)
    high_watermark(run, 101, 7)
    assert shown(run) == (1, (1, 2)), "not below the high watermark"


def test_what_a_controller_decided_goes_with_its_office() -> None:
    run = led()
    append(run, 101, 7)
    run.win(102, 2, 6, (102, 103))
    high_watermark(run, 101, 9)
    assert shown(run) == (1, (1, 2))


def test_another_node_s_high_watermark_commits_nothing() -> None:
    run = led()
    append(run, 101, 7)
    high_watermark(run, 102, 9)
    assert shown(run) == (1, (1, 2))


def test_a_seek_back_sees_what_was_committed_then() -> None:
    run = led()
    append(run, 101, 7)
    high_watermark(run, 101, 7)
    recording = Recording()
    recording.extend(run.entries)
    recording.seek(len(run.entries) - 1)
    assert recording.view.partition(ORDERS).leader == 1
    recording.step(1)
    assert recording.view.partition(ORDERS).leader == -1
