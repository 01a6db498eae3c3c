"""Consumer groups as a fold of what coordinators and members tell."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.picture.asked import GroupState
from tests.support.traces import group_story, story
from tests.support.traces.group_story import GROUP, PARTS
from workbench.session.event_list import EventList
from workbench.session.recording import Recording
from workbench.session.views.group_rows import GroupRow, name_of, phase_of, short_parts
from workbench.telling.tell import tone


def group_of(until: str) -> GroupState:
    return story.view_of(group_story.group_story(until=until)).groups[GROUP]


def rows_of(told: story.Story) -> list[GroupRow]:
    return story.view_of(told).group_rows[GROUP]


def test_a_member_joins_and_gets_everything() -> None:
    group = group_of("one")
    assert (group.coordinator, phase_of(group.state), group.generation, group.protocol, group.leader) == (
        2, "STABLE", 1, "range", "a-1",
    )  # fmt: skip
    assert group.members["a-1"].assigned == PARTS
    said = [(row.source, row.target, row.text) for row in rows_of(group_story.group_story(until="one"))]
    assert ("a-1", "", "join") in said
    assert ("", "a-1", "generation 1, you lead") in said
    assert ("", "a-1", "0,1,2,3") in said
    notes = [text.partition(":")[0] for source, target, text in said if source == target == ""]
    assert notes == ["JOIN", "SYNC", "STABLE"]


def test_a_second_member_splits_it_and_the_first_hears_of_it_at_its_heartbeat() -> None:
    group = group_of("two")
    assert {key: member.assigned for key, member in group.members.items()} == {"a-1": PARTS[:2], "b-1": PARTS[2:]}
    rows = rows_of(group_story.group_story(until="two"))
    assert ("", "a-1", "heartbeat: REBALANCE_IN_PROGRESS") in [row[1:4] for row in rows]


def test_another_coordinator_knows_the_group_and_its_offsets_from_its_log() -> None:
    group = group_of("moved")
    assert (group.coordinator, group.generation) == (3, 2)
    assert group.committed == {("orders", 0): 6}
    assert rows_of(group_story.group_story(until="moved"))[-1].text == "n3 coordinates, read from its log"


def test_a_member_that_is_out_is_gone_and_keeps_its_name_in_the_chart() -> None:
    group = group_of("end")
    assert list(group.members) == ["b-1"] and group.members["b-1"].assigned == PARTS
    assert "a is out: session expired" in [row.text for row in rows_of(group_story.group_story())]
    assert name_of(group, "a-1") == "a"


def test_lag_is_what_is_committed_in_the_log_and_not_in_the_group() -> None:
    view = story.view_of(group_story.group_story(until="one"))
    group = view.groups[GROUP]
    assert view.lag(group, PARTS) == 2, "high watermark 7, committed offset 5; the other partitions have no offset"
    assert view.lag(group, PARTS[1:]) is None


def test_a_coordinator_that_resigns_keeps_no_group_of_that_partition() -> None:
    told = group_story.group_story(until="one")
    view = story.view_of(told)
    for partition in range(50):
        told.say(2, ev.CoordinatorResigned(partition=partition, leader_epoch=0, groups=1))
        view.apply(told.entries[-1])
    assert view.groups[GROUP].coordinator == -1
    assert [row.text for row in view.group_rows[GROUP]].count("n2 coordinates no more") == 1


def test_two_members_of_one_name_are_told_apart() -> None:
    told = group_story.group_story(until="one")
    group_story.joins(told, 2, "x-1111", 1, client="same")
    group_story.joins(told, 2, "y-2222", 1, client="same")
    group = story.view_of(told).groups[GROUP]
    assert {name_of(group, "x-1111"), name_of(group, "y-2222")} == {"same~1111", "same~2222"}
    group_story.changed(told, 2, "Stable", "PreparingRebalance", 1, ("a-1", "x-1111"), "y is out")
    assert name_of(story.view_of(told).groups[GROUP], "x-1111") == "same"


def test_what_a_member_owns_is_its_own_word() -> None:
    told = group_story.group_story(until="two")
    told.say(1001, ev.ConsumerAssigned(client_id="a", group=GROUP, member_id="a-1", generation=2, added=(),
                                       owned=PARTS))  # fmt: skip
    told.say(1001, ev.ConsumerRevoked(client_id="a", group=GROUP, member_id="a-1", generation=2, revoked=PARTS[2:],
                                      is_lost=False))  # fmt: skip
    group = story.view_of(told).groups[GROUP]
    assert group.members["a-1"].owned == PARTS[:2]
    assert rows_of(told)[-1].text == "gives up 2,3"


def test_a_view_in_the_past_is_not_touched_by_what_comes_later() -> None:
    recording = Recording()
    recording.extend(group_story.group_story().entries)
    end = len(recording.entries)
    recording.seek(end - 4)
    before = recording.view.copy()
    recording.seek(end)
    assert before.groups[GROUP].members.keys() == {"b-1"} and phase_of(before.groups[GROUP].state) == "JOIN"
    assert phase_of(recording.view.groups[GROUP].state) == "STABLE"


def test_the_partitions_of_the_offsets_topic_do_not_drown_the_others() -> None:
    told = story.Story()
    told.begin()
    for number in range(50):
        told.say(1, ev.PartitionApplied(topic="__consumer_offsets", partition=number, leader=1, leader_epoch=0,
                                        partition_epoch=0, isr=(1,), elr=(), replicas=(1,),
                                        min_insync_replicas=1))  # fmt: skip
        told.say(1, ev.BecameLeader(topic="__consumer_offsets", partition=number, leader_epoch=0,
                                    epoch_start_offset=0, high_watermark=0, isr=(1,)))  # fmt: skip
        assert tone(told.entries[-1]) == "dim"
    view = story.view_of(told)
    assert [tp.topic for tp in view.shown_logs()] == ["__cluster_metadata"]
    assert view.leads(1) == 0


def test_parts_are_told_shortly() -> None:
    assert short_parts(()) == "nothing"
    assert short_parts((("orders", 2), ("orders", 0))) == "0,2"
    assert short_parts((("orders", 0), ("users", 1))) == "orders-0 users-1"


def test_each_generation_is_a_mark_to_jump_to() -> None:
    recording = Recording()
    recording.extend(group_story.group_story().entries)
    marks = [mark.text for mark in recording.timeline.marks if mark.glyph == "R"]
    assert [text.partition("generation ")[2][0] for text in marks] == ["1", "2", "3"]


def test_each_target_of_a_group_of_the_newer_protocol_is_a_mark_too() -> None:
    recording, told = Recording(), story.Story()
    told.begin()
    targeted = ev.ConsumerGroupTargeted(
        group="g", group_epoch=1, assignor="uniform", offset=0, members=("a",), subscriptions=(), assignments=()
    )
    told.say(1, targeted)
    recording.extend(told.entries)
    assert [mark.glyph for mark in recording.timeline.marks] == ["R"]


def test_one_filter_shows_what_clients_and_groups_do_and_nothing_else() -> None:
    recording, events = Recording(), EventList()
    recording.extend(group_story.group_story().entries)
    events.set_filter("clients and groups", 0)
    events.update(recording)
    names = {str(recording.entries[index].event.name) for index in events.window(1000, 1000)}
    assert "group.assigned" in names and "group.member_joined" in names
    assert all(name.split(".")[0] in ("group", "client", "consumer", "op", "producer") for name in names)


def test_members_of_the_newer_protocol_have_epochs_and_a_target_that_is_not_what_they_have() -> None:
    group = story.view_of(group_story.consumer_story()).groups[GROUP]
    assert (group.is_consumer, group.generation, group.protocol) == (True, 2, "uniform")
    assert phase_of(group.state) == "RECONCILE"
    a, b = group.members["a-1"], group.members["b-1"]
    assert (a.epoch, a.assigned, a.revoking, a.target) == (1, PARTS[:2], PARTS[2:], PARTS[:2])
    assert (b.epoch, b.assigned, b.target) == (2, (), PARTS[2:])
    assert ("", "a-1", "epoch 1: 0,1, give up 2,3") in [row[1:4] for row in rows_of(group_story.consumer_story())]


def test_a_new_coordinator_tells_the_epochs_that_it_has_read() -> None:
    told = group_story.consumer_story()
    told.say(3, ev.CoordinatorLoaded(partition=0, leader_epoch=1, end_offset=9, groups=((GROUP, 2),), offsets=()))
    told.say(3, ev.ConsumerGroupLoaded(group=GROUP, group_epoch=2, target_epoch=2, end_offset=9,
                                       members=(("a-1", "a", 2), ("b-1", "b", 2)), held=()))  # fmt: skip
    group = story.view_of(told).groups[GROUP]
    assert group.coordinator == 3 and {member.epoch for member in group.members.values()} == {2}
