"""A new coordinator knows what the old one had told, and nothing else."""

from __future__ import annotations

from cluster.groups.group_state import GroupState
from cluster.groups.loading import Loading
from cluster.groups.records import offset_record
from cluster.groups.state import CommittedOffset
from cluster.model.errors import ErrorCode
from cluster.model.events import CoordinatorLoaded, CoordinatorResigned
from cluster.model.events.group import LOADED_TOLD_MAX
from cluster.model.messages import OffsetFetchRequest
from tests.support.worlds.group_world import WHERE, GroupWorld, Person, committed, part, share, stable


def test_a_new_coordinator_goes_on_with_generation_members_and_offsets() -> None:
    world = GroupWorld()
    world.lead()
    a, b = Person(world, "a"), Person(world, "b", instance_id="shelf-1")
    stable(world, a, b)
    a.commit(0, 7)
    a.commit(0, 9)
    world.start()
    world.lead(leader_epoch=1)
    assert world.group().state is GroupState.STABLE
    assert a.heartbeat() == b.heartbeat() == ErrorCode.NONE
    synced = b.sync()
    assert synced and synced.assignment == part(1)
    assert committed(world, 0) == 9
    loaded = world.told(CoordinatorLoaded)[-1]
    assert (loaded.groups, loaded.offsets) == ((("g", 1),), (("g", "orders", 0, 9),))


def test_a_generation_without_a_committed_assignment_is_forgotten() -> None:
    world = GroupWorld()
    world.lead()
    a, b = Person(world, "a"), Person(world, "b")
    stable(world, a)
    b.join()
    a.join()
    assert a.generation == 2
    world.start()
    world.lead(leader_epoch=1)
    assert world.group().generation == 1
    assert a.heartbeat() == ErrorCode.ILLEGAL_GENERATION


def test_nothing_is_told_before_all_that_was_read_is_committed() -> None:
    world = GroupWorld()
    world.lead()
    a = Person(world, "a")
    stable(world, a)
    world.commits = False
    a.commit(0, 7)
    world.start()
    world.lead(leader_epoch=1)
    assert world.ask(OffsetFetchRequest(group="g")).error == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert a.heartbeat() == ErrorCode.NONE, "a heartbeat is not worth an error"
    world.commit_all()
    assert committed(world, 0) == 7


def test_who_resigns_forgets_everything_and_sends_members_away() -> None:
    world = GroupWorld()
    world.lead()
    a, b = Person(world, "a"), Person(world, "b")
    stable(world, a)
    b.join()
    world.commits = False
    asked = world.counter + 1
    a.commit(0, 7)
    world.resign()
    response = b.joined()
    assert response and response.error == ErrorCode.NOT_COORDINATOR
    assert world.answers[asked].error == ErrorCode.NOT_COORDINATOR
    assert a.heartbeat() == ErrorCode.NOT_COORDINATOR
    assert [event.groups for event in world.told(CoordinatorResigned)] == [1]
    assert [name for name in world.timers if not name.startswith("groups.expire")] == []


def test_who_coordinates_a_second_time_goes_by_the_log_and_not_by_what_it_knew() -> None:
    world = GroupWorld()
    world.lead()
    a, b = Person(world, "a"), Person(world, "b")
    stable(world, a)
    a.commit(0, 7)
    end_offset = world.log.log.log_end_offset
    world.commits = False
    a.commit(0, 9)
    b.join()
    world.resign()
    world.log.store.truncate(WHERE, end_offset)  # the next leader had not copied it
    world.commits = True
    world.lead(leader_epoch=2)
    assert committed(world, 0) == 7
    assert list(world.group().members) == [a.member_id]
    assert a.heartbeat() == ErrorCode.NONE


def test_members_begin_a_session_anew_with_a_new_coordinator() -> None:
    world = GroupWorld()
    world.lead()
    a, b = Person(world, "a"), Person(world, "b")
    stable(world, a, b)
    world.pass_ms(9_000)
    world.start()
    world.lead(leader_epoch=1)
    world.pass_ms(9_000)
    a.heartbeat()
    assert len(world.group().members) == 2
    world.pass_ms(1_000)
    assert list(world.group().members) == [a.member_id]


def test_a_forgotten_group_stays_forgotten() -> None:
    world = GroupWorld(offsets_retention_ms=50_000, offsets_retention_check_interval_ms=10_000)
    world.lead()
    a = Person(world, "a")
    stable(world, a)
    a.commit(0, 7)
    a.leave()
    world.pass_ms(70_000)
    world.start()
    world.lead(leader_epoch=1)
    assert world.coordinator.group("g") is None
    assert committed(world, 0) == -1


def test_a_rebalance_after_a_takeover_goes_on_counting() -> None:
    world = GroupWorld()
    world.lead()
    a, b = Person(world, "a"), Person(world, "b")
    stable(world, a)
    world.start()
    world.lead(leader_epoch=1)
    b.join()
    a.join()
    assert (a.generation, b.joined() and b.generation) == (2, 2)
    share(a, b)


def test_a_coordinator_of_very_many_offsets_tells_of_some() -> None:
    world = GroupWorld()
    world.lead()
    for number in range(LOADED_TOLD_MAX + 5):
        Person(world, "simple", group=f"g{number}").commit(0, number)
    world.start()
    world.lead(leader_epoch=1)
    loaded = world.told(CoordinatorLoaded)[-1]
    assert len(loaded.groups) == len(loaded.offsets) == LOADED_TOLD_MAX
    assert committed(world, 0, "g2004") == 2004


def test_a_group_that_everybody_left_is_empty_for_the_next_coordinator() -> None:
    world = GroupWorld()
    world.lead()
    a = Person(world, "a")
    stable(world, a)
    a.commit(0, 7)
    assert a.leave() == ErrorCode.NONE
    world.pass_ms(100)
    world.start()
    world.lead(leader_epoch=1)
    assert world.group().state is GroupState.EMPTY


def test_an_offset_that_was_written_later_counts_though_a_transaction_ends_after_it() -> None:
    older, newer = [offset_record("g", WHERE, CommittedOffset(offset=offset)) for offset in (20, 30)]
    loading = Loading(pending={5: [(7, older)]})
    loading.take(newer, 8)
    loading.decide(5, committed=True)
    assert loading.offsets["g", WHERE].offset == 30
