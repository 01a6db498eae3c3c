from __future__ import annotations

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import TopicPartition
from tests.support.traces import story
from workbench.session.views.cluster import ClusterView, loss_words

ORDERS = TopicPartition("orders", 0)


def view_of(entries: list[Entry]) -> ClusterView:
    view = ClusterView()
    for entry in entries:
        view.apply(entry)
    return view


def test_two_candidates_without_a_winner_are_a_split_vote() -> None:
    view = view_of(story.full_story()[: story.split_vote_end()])
    assert view.is_split()
    assert [(item.candidate_id, item.granted_count, item.needed) for item in view.current_rounds()] == [
        (2, 2, 3),
        (4, 2, 3),
    ]


def test_a_truncated_tail_leaves_ghosts_and_the_committed_part_untouched() -> None:
    lane = view_of(story.full_story()).logs[1, ORDERS]
    assert (lane.log_end_offset, lane.high_watermark) == (7, 7)
    assert [offset for offset, _ in lane.ghosts] == [7, 8, 9]


def test_the_end_of_the_story_has_a_leader_and_a_smaller_isr() -> None:
    view = view_of(story.full_story())
    assert (view.leader_of_newest_epoch, view.newest_epoch, view.partitions[ORDERS].isr) == (3, 3, (2, 3))
    assert view.nodes[1].fenced is True and not view.is_split()


def test_a_copy_does_not_follow_its_original() -> None:
    entries = story.full_story()
    half = view_of(entries[:60])
    twin = half.copy()
    for entry in entries[60:]:
        half.apply(entry)
    assert twin.newest_epoch < half.newest_epoch
    for entry in entries[60:]:
        twin.apply(entry)
    assert twin.rows == half.rows and twin.logs == half.logs and twin.nodes == half.nodes


def test_what_was_not_durable_before_a_kill_is_not_durable_after_it() -> None:
    told = story.Story()
    told.begin()
    told.records(1, 0, 4, 0, 2, 4)
    recovered = ev.LogRecovered(topic="orders", partition=0, valid_bytes=9, dropped_bytes=0, log_end_offset=4,
                                high_watermark=0, batches=((0, 4, 0, ()),), why="scanned")  # fmt: skip
    told.say(1, recovered)
    lane = view_of(told.entries).logs[1, ORDERS]
    assert (lane.log_end_offset, lane.durable_offset, lane.claimed_offset) == (4, 2, 4)


def test_a_leader_that_is_gone_leads_no_more_whoever_still_names_it() -> None:
    told = story.Story()
    told.begin()
    told.win(1, 1, 0, (1, 2, 3))
    told.say(0, ev.ProcessExited(node_id=1, incarnation_number=0, exit_code=-9, expected=True))
    told.follow(2, 1, 1)
    assert view_of(told.entries).leader_of_newest_epoch == -1
    told.win(2, 2, 0, (2, 3, 4))
    assert view_of(told.entries).leader_of_newest_epoch == 2


def lying_disk(*, others: bool) -> ClusterView:
    told = story.Story()
    told.begin()
    told.records(1, 0, 4, 0, 1, 4)
    if others:
        told.records(2, 0, 4, 0, 4, 4)
    told.say(0, ev.PowerLost(node_id=1, files=()))
    return view_of(told.entries)


def test_a_power_loss_takes_what_was_not_durable_at_once() -> None:
    lane = lying_disk(others=True).logs[1, ORDERS]
    assert (lane.log_end_offset, lane.high_watermark, lane.newest_cut and lane.newest_cut.end_offset) == (1, 1, 1)
    assert [offset for offset, _ in lane.ghosts] == [1, 2, 3]


def test_what_a_disk_kept_beyond_what_was_durable_is_not_called_lost() -> None:
    told = story.Story()
    told.begin()
    told.records(1, 0, 4, 0, 1, 4)
    told.say(0, ev.PowerLost(node_id=1, files=(("orders-0/00000000000000000000.log", 400, 100, 100, 300),)))
    view = view_of(told.entries)
    assert (view.logs[1, ORDERS].log_end_offset, len(view.losses)) == (4, 0)
    recovered = ev.LogRecovered(
        topic="orders", partition=0, valid_bytes=300, dropped_bytes=0, log_end_offset=3, high_watermark=1,
        batches=(), why="scanned",
    )  # fmt: skip
    told.say(1, recovered)
    view = view_of(told.entries)
    assert view.logs[1, ORDERS].log_end_offset == 3
    assert [loss_words(loss) for loss in view.losses] == ["1 committed record of orders-0: n1 had the last copy"]


def test_a_committed_record_is_lost_only_when_no_replica_holds_it() -> None:
    assert not lying_disk(others=True).losses
    (loss,) = lying_disk(others=False).losses
    assert loss_words(loss) == "3 committed records of orders-0: n1 had the last copy"


def test_what_the_leader_had_committed_is_lost_with_the_copy_of_a_follower_that_had_not_heard_of_it() -> None:
    told = story.Story()
    told.begin()
    told.records(1, 0, 4, 0, 1, 4)
    told.records(2, 0, 4, 0, 1, 3)
    told.say(0, ev.PowerLost(node_id=1, files=()))
    told.say(0, ev.PowerLost(node_id=2, files=()))
    view = view_of(told.entries)
    assert sorted(ghost.offset for ghost in view.gone(ORDERS)) == [1, 2, 3]
    assert [loss_words(loss) for loss in view.losses] == ["3 committed records of orders-0: n2 had the last copy"]


def test_a_copy_fetched_again_is_no_ghost() -> None:
    told = story.Story()
    told.begin()
    told.records(1, 0, 4, 0, 1, 4)
    told.say(0, ev.PowerLost(node_id=1, files=()))
    told.records(1, 1, 3, 1, 3, 3)
    assert [offset for offset, _ in view_of(told.entries).logs[1, ORDERS].ghosts] == [3]


def test_what_a_controller_decided_without_its_majority_is_undone_by_its_successor() -> None:
    told = story.Story()
    told.begin()
    told.win(1, 1, 0, (1, 2, 3))
    told.metadata((1, 2), 0, 2, 1)
    told.say(1, ev.BrokerUnfenced(broker_id=4, broker_epoch=1))
    told.metadata((1, 2), 2, 3, 1)
    told.say(1, ev.BrokerFenced(broker_id=4, broker_epoch=1, why="session expired"))
    told.metadata((1,), 3, 4, 1, commit=False)
    assert view_of(told.entries).nodes[4].fenced is True
    told.win(2, 2, 3, (2, 3, 4))
    assert view_of(told.entries).nodes[4].fenced is False


def deleted(before: int, old: int = 0) -> ev.LogStartAdvanced:
    return ev.LogStartAdvanced(topic="orders", partition=0, log_start_offset=before, old_log_start_offset=old,
                               high_watermark=4, role="leader")  # fmt: skip


def test_what_is_deleted_from_the_front_of_a_log_is_no_longer_in_it() -> None:
    told = story.Story()
    told.begin()
    told.records(1, 0, 3, 0, 3, 3)
    told.records(1, 3, 6, 1, 6, 6)
    told.say(1, deleted(2))
    view = view_of(told.entries)
    lane = view.logs[1, ORDERS]
    assert (lane.log_start_offset, lane.log_end_offset, lane.epochs) == (2, 6, [(0, 2), (1, 3)])
    assert [lane.holds(offset, 0) for offset in (1, 2)] == [False, True]
    told.say(1, deleted(9, old=2))
    lane = view_of(told.entries).logs[1, ORDERS]
    assert (lane.log_start_offset, lane.log_end_offset, lane.epochs) == (9, 9, [])


def test_a_deleted_record_is_lost_to_nobody() -> None:
    told = story.Story()
    told.begin()
    told.records(1, 0, 4, 0, 4, 4)
    told.records(2, 0, 4, 0, 2, 4)
    for node in (1, 2):
        told.say(node, deleted(3))
    recovered = ev.LogRecovered(topic="orders", partition=0, valid_bytes=9, dropped_bytes=9, log_end_offset=3,
                                high_watermark=3, batches=(), why="torn tail", log_start_offset=3)  # fmt: skip
    told.say(1, recovered)
    view = view_of(told.entries)
    assert not view.losses
    assert (view.logs[1, ORDERS].log_start_offset, view.logs[1, ORDERS].log_end_offset) == (3, 3)
