"""What the controller makes of AlterPartitionReassignments, as Kafka's ReplicationControlManager does."""

from __future__ import annotations

import pytest

from cluster.controller.image_records import image_records, rebuild_image
from cluster.controller.reassignment import BY_MAJORITY
from cluster.model.errors import ErrorCode
from cluster.model.events import PartitionDecided, ReassignmentBegun, ReassignmentEnded
from cluster.model.messages import DeleteTopicRequest, ReassignPartitionRequest
from cluster.model.metadata_records import PartitionRecord
from cluster.model.settings import Settings
from tests.support.worlds.controller_driver import ORDERS, ControllerDriver, three_brokers

WITH_ELR = Settings(elr=True)


def six_brokers(settings: Settings | None = None, minimum: int = 1) -> ControllerDriver:
    """Brokers 1 to 6, orders-0 on the first three."""
    driver = three_brokers(settings, minimum)
    driver.join(4, 5, 6)
    return driver


def test_a_replica_is_added_in_the_same_leader_epoch_and_outside_of_the_isr() -> None:
    driver = six_brokers()
    assert driver.reassign(1, 2, 3, 4) == 0
    assert driver.moving == ((1, 2, 3, 4), (4,), ())
    assert driver.shown == (1, 0, 1, (1, 2, 3))
    assert driver.alter(1, 1, 2, 3, 4).error == 0
    assert driver.moving == ((1, 2, 3, 4), (), ())
    assert driver.shown == (1, 0, 2, (1, 2, 3, 4)), "nobody left, so the leader epoch stays"


def test_all_of_the_target_have_to_be_in_the_isr_before_the_old_ones_leave() -> None:
    driver = six_brokers()
    driver.reassign(4, 5, 6)
    assert driver.moving == ((4, 5, 6, 1, 2, 3), (4, 5, 6), (1, 2, 3))
    for isr in ((1, 2, 3, 4), (1, 2, 3, 4, 5)):
        assert driver.alter(1, *isr).error == 0
        assert driver.partition.removing_replicas == (1, 2, 3)
    answer = driver.alter(1, 1, 2, 3, 4, 5, 6)
    assert answer.error == ErrorCode.NEW_LEADER_ELECTED, "the leader is not in the target"
    assert driver.moving == ((4, 5, 6), (), ())
    assert driver.shown == (4, 1, 4, (4, 5, 6))
    assert driver.events(PartitionDecided)[-1].why == "ISR expansion by leader 1, which completes the reassignment"


def test_a_leader_that_stays_gets_a_new_epoch_when_replicas_leave() -> None:
    driver = six_brokers()
    driver.reassign(1, 2, 4)
    assert driver.alter(1, 1, 2, 3, 4).error == 0
    assert (driver.moving[0], driver.shown) == ((1, 2, 4), (1, 1, 2, (1, 2, 4)))


def test_events_tell_of_beginning_and_end_before_the_partition() -> None:
    driver = six_brokers()
    driver.reassign(1, 2, 4)
    driver.alter(1, 1, 2, 3, 4)
    (begun,), (ended,) = driver.events(ReassignmentBegun), driver.events(ReassignmentEnded)
    assert (begun.replicas, begun.adding_replicas, begun.removing_replicas) == ((1, 2, 4), (4,), (3,))
    assert (ended.how, ended.replicas, ended.left) == ("completed", (1, 2, 4), (3,))
    kinds = [type(emit.event) for emit in driver.emitted]
    assert kinds[-4:] == [ReassignmentBegun, PartitionDecided, ReassignmentEnded, PartitionDecided]
    rules = [emit.decision.rule for emit in driver.emitted[-4:] if emit.decision is not None]
    assert rules == ["begin_reassignment", "elect_leader", "complete_reassignment", "alter_partition"]


def test_what_is_in_sync_already_is_done_at_once_with_one_record() -> None:
    driver = six_brokers()
    before = driver.next_offset
    assert driver.reassign(3, 2, 1) == 0
    assert (driver.moving, driver.shown) == (((3, 2, 1), (), ()), (1, 0, 1, (1, 2, 3))), "only the order is another"
    assert driver.reassign(2, 3) == 0
    assert (driver.moving, driver.shown) == (((2, 3), (), ()), (2, 1, 2, (2, 3)))
    assert driver.next_offset == before + 2


def test_the_same_assignment_again_writes_nothing() -> None:
    driver = six_brokers()
    before = driver.next_offset
    assert driver.reassign(1, 2, 3) == 0
    driver.reassign(1, 2, 4)
    assert driver.reassign(1, 2, 4) == 0
    assert driver.next_offset == before + 1


def test_a_shrunken_isr_of_old_replicas_does_not_complete() -> None:
    driver = six_brokers()
    driver.alter(1, 1)
    assert driver.reassign(1, 2) == 0
    assert driver.moving == ((1, 2, 3), (), (3,))
    assert driver.alter(1, 1, 3).error == 0
    assert driver.partition.removing_replicas == (3,)
    assert driver.alter(1, 1, 2, 3).error == 0
    assert driver.shown[3] == (1, 2)


def test_a_dead_target_is_taken_and_waited_for() -> None:
    driver = six_brokers()
    driver.kill(4)
    assert driver.reassign(1, 2, 4) == 0
    assert driver.alter(1, 1, 2, 4).error == ErrorCode.INELIGIBLE_REPLICA
    assert driver.partition.is_reassigning
    driver.join(4)
    assert driver.alter(1, 1, 2, 4).error == 0
    assert driver.moving == ((1, 2, 4), (), ())


def test_a_cancelled_one_goes_back_and_takes_the_added_out_of_the_isr() -> None:
    driver = six_brokers()
    driver.reassign(4, 5, 6)
    driver.alter(1, 1, 2, 4)
    assert driver.cancel() == 0
    assert driver.moving == ((1, 2, 3), (), ())
    assert driver.shown == (1, 1, 3, (1, 2))
    ended = driver.events(ReassignmentEnded)[-1]
    assert (ended.how, ended.replicas, ended.left) == ("cancelled", (1, 2, 3), (4, 5, 6))
    assert driver.cancel() == ErrorCode.NO_REASSIGNMENT_IN_PROGRESS


def test_a_cancelled_one_moves_the_leadership_off_an_added_replica() -> None:
    driver = six_brokers()
    driver.reassign(4, 5, 6)
    driver.alter(1, 1, 2, 3, 4)
    driver.kill(1)
    assert driver.shown[0] == 4, "the first of the target"
    assert driver.cancel() == 0
    assert (driver.shown[0], driver.shown[3]) == (2, (2, 3))


@pytest.mark.parametrize("unclean", [False, True])
def test_to_go_back_to_nobody_in_sync_needs_an_unclean_election(unclean: bool) -> None:
    driver = six_brokers(Settings(elr=False, unclean_leader_election=unclean))
    driver.reassign(4, 5)
    driver.alter(1, 1, 4)
    driver.kill(1)
    assert driver.shown[3] == (4,)
    if not unclean:
        assert driver.cancel() == ErrorCode.INVALID_REPLICA_ASSIGNMENT
        assert driver.partition.is_reassigning
        return
    assert driver.cancel() == 0
    decided = driver.events(PartitionDecided)[-1]
    assert (decided.isr, decided.leader, decided.unclean) == ((2,), 2, True), "1 is out of service"
    assert driver.partition.recovering


def test_an_unclean_way_back_to_a_living_replica_is_told_as_unclean() -> None:
    driver = six_brokers(Settings(elr=False, unclean_leader_election=True))
    driver.reassign(4, 5)
    driver.alter(1, 1, 4)
    driver.kill(1)
    driver.join(1)
    assert driver.cancel() == 0
    decided = driver.events(PartitionDecided)[-1]
    assert (decided.isr, decided.leader, decided.unclean) == ((1,), 1, True)
    assert not driver.partition.recovering, "as in Kafka: only an election marks it"


def test_a_newer_target_takes_the_place_of_the_older_one() -> None:
    driver = six_brokers()
    driver.reassign(1, 2, 4)
    assert driver.reassign(1, 2, 5) == 0
    assert driver.moving == ((1, 2, 5, 3, 4), (5,), (3, 4))
    assert driver.cancel() == 0
    assert driver.moving[0] == (1, 2, 3, 4), "as in Kafka: only who was added last goes again"


def test_as_in_kafka_a_set_that_would_be_empty_stays_the_older_one() -> None:
    driver = six_brokers()
    driver.reassign(1, 2, 4)
    assert driver.moving == ((1, 2, 4, 3), (4,), (3,))
    assert driver.reassign(1, 2, 3, 4) == 0
    assert driver.moving == ((1, 2, 3, 4), (4,), (3,))


def test_the_least_isr_follows_the_number_of_replicas() -> None:
    driver = six_brokers(minimum=3)
    assert driver.reassign(1, 2) == 0
    assert (driver.partition.min_insync_replicas, driver.moving[0]) == (2, (1, 2))
    driver.reassign(1, 2, 4, 5)
    assert driver.partition.min_insync_replicas == 3


def test_who_left_is_in_no_elr() -> None:
    driver = six_brokers(WITH_ELR, minimum=2)
    driver.reassign(4, 5)
    driver.alter(1, 1, 4)
    driver.kill(1)
    assert (driver.shown[3], driver.partition.elr) == ((4,), (1,))
    driver.alter(4, 4, 5)
    assert (driver.moving[0], driver.shown[3], driver.partition.elr) == ((4, 5), (4, 5), ())


def test_an_added_replica_of_the_elr_is_gone_from_it_after_a_cancel() -> None:
    driver = six_brokers(WITH_ELR, minimum=3)
    driver.reassign(1, 2, 3, 4)
    driver.alter(1, 1, 2, 4)
    for broker in (4, 2):
        driver.kill(broker)
    assert (driver.shown[3], driver.partition.elr) == ((1,), (2, 4))
    assert driver.cancel() == 0
    assert (driver.shown[3], driver.partition.elr) == ((1,), (2,))


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ((), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ((1, 1), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ((1, 9), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        ((1, -3), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
    ],
)
def test_a_target_that_cannot_be_is_refused_and_nothing_is_written(target: tuple[int, ...], error: ErrorCode) -> None:
    driver = six_brokers()
    before = driver.next_offset
    assert driver.reassign(*target) == error
    assert driver.next_offset == before


def test_a_factor_that_was_not_to_change_is_refused() -> None:
    driver = six_brokers()
    assert driver.reassign(1, 2, may_change_factor=False) == ErrorCode.INVALID_REPLICATION_FACTOR
    driver.reassign(4, 5, 6)
    assert driver.reassign(1, 2, 4, 5, may_change_factor=False) == ErrorCode.INVALID_REPLICATION_FACTOR
    assert driver.reassign(1, 2, 4, may_change_factor=False) == 0, "six are replicas, but three stay"


def test_a_partition_that_is_not_there_and_one_of_a_majority_are_refused() -> None:
    driver = six_brokers(Settings(commit_rule="majority"))
    unknown = ReassignPartitionRequest(topic="orders", partition=9, replicas=(1,))
    assert driver.ask(1001, unknown).error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    moved = driver.ask(1001, ReassignPartitionRequest(topic="orders", partition=0, replicas=(4,)))
    assert (moved.error, moved.reason) == (ErrorCode.INVALID_REQUEST, BY_MAJORITY)


def test_a_deleted_topic_takes_its_move_with_it() -> None:
    driver = six_brokers()
    driver.reassign(4, 5, 6)
    assert driver.ask(1001, DeleteTopicRequest(topic="orders")).error == 0
    driver.topic()
    assert driver.moving == ((1, 2, 3), (), ())


def test_the_move_is_in_the_metadata_log_and_in_snapshots_of_it() -> None:
    driver = six_brokers()
    driver.reassign(4, 5, 6)
    record = driver.records[-1]
    assert isinstance(record, PartitionRecord)
    assert (record.state, record.why) == (driver.partition, "reassigned to 4,5,6")
    again = rebuild_image(image_records(driver.image), driver.next_offset)
    assert again.partitions[ORDERS] == driver.partition
