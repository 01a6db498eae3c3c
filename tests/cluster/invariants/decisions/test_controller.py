"""Decisions of the controller that do not follow from their numbers."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from cluster.model.ruling import Decision, Numbers
from tests.support.traces.decided import Case, cases, is_wrong, judged
from tests.support.traces.traces import Trace

BROKER = {"broker_id": 2, "metadata_offset": 9, "registration_offset": 9, "partitions_led": 0}


def decided(leader: int, *, isr: tuple[int, ...] = (1, 2), unclean: bool = False) -> ev.PartitionDecided:
    """A state of a partition with replicas 1, 2 and 3."""
    return ev.PartitionDecided(
        topic="orders",
        partition=0,
        leader=leader,
        leader_epoch=0,
        partition_epoch=0,
        isr=isr,
        elr=(),
        replicas=(1, 2, 3),
        min_insync_replicas=1,
        why="",
        unclean=unclean,
    )


def election(**changes: Any) -> dict[str, Any]:
    """Of a partition that leader 1 led, who is not in service any more."""
    usual = {"election": "online", "leader_before": 1, "leader": 2, "assignment": [1, 2, 3]}
    return {**usual, "isr": [2, 3], "elr": [], "eligible": [2, 3], **changes}


@cases(
    Case("next_broker_state", ev.BrokerUnfenced(broker_id=2, broker_epoch=9), BROKER, ({"metadata_offset": 8},)),
    Case(
        "next_broker_state",
        ev.BrokerFenced(broker_id=2, broker_epoch=9, why="asked"),
        BROKER | {"shutdown_offset": 30, "lowest_active_offset": 30},
        ({"lowest_active_offset": 29}, {"partitions_led": 1}),
        ({"lowest_active_offset": 31},),
    ),
    Case("next_broker_state", ev.BrokerFenced(broker_id=2, broker_epoch=9, why="asked"), BROKER,
         ({"partitions_led": 1},), ({"shutdown_offset": 30}, {"partitions_led": 1, "asks to be fenced": 1})),
    Case(
        "next_broker_state",
        ev.ControlledShutdownBegun(broker_id=2),
        BROKER | {"partitions_led": 1},
        ({"partitions_led": 0},),
    ),
    Case(
        "session_expired",
        ev.BrokerFenced(broker_id=2, broker_epoch=9, why="expired"),
        {"silence_ms": 101, "session_timeout_ms": 100},
        ({"silence_ms": 100},),
    ),
    Case(
        "may_register",
        ev.BrokerFenced(broker_id=2, broker_epoch=9, why="expired"),
        {"silence_ms": 101, "session_timeout_ms": 100},
        ({"silence_ms": 100},),
    ),
    Case(
        "may_register",
        ev.BrokerFenced(broker_id=2, broker_epoch=9, why="restarted"),
        {"shuts down": 1},
        ({"shuts down": 0, "silence_ms": 100, "session_timeout_ms": 100},),
    ),
    Case(
        "may_register",
        ev.RegistrationRefused(broker_id=2, error=101),
        {"silence_ms": 100, "session_timeout_ms": 100},
        ({"silence_ms": 101}, {"shuts down": 1}),
        ({"shuts down": 0},),
        granted=False,
    ),
    Case(
        "allocate_producer_ids",
        ev.ProducerIdsAllocated(broker_id=2, producer_id_start=1_000, producer_id_count=1_000),
        {"broker_epoch": 9, "registered_broker_epoch": 9, "next_producer_id": 1_000},
        ({"registered_broker_epoch": 10}, {"next_producer_id": 999}),
    ),
    Case(
        "alter_partition",
        decided(1),
        {
            "broker_id": 1, "partition_leader": 1, "leader_epoch": 4, "known_leader_epoch": 4, "partition_epoch": 5,
            "known_partition_epoch": 5,
        },
        ({"partition_leader": 2}, {"known_leader_epoch": 5}, {"partition_epoch": 4}),
    ),
    Case(
        "create_topic",
        ev.TopicCreated(topic="orders", topic_id=7, partitions=2, min_insync_replicas=1),
        {"partitions": 2, "replication_factor": 1},
        ({"partitions": 1}, {"replication_factor": 0}),
    ),
    Case(
        "first_state",
        decided(2, isr=(2, 3)),
        {"assignment": [1, 2, 3], "eligible": [2, 3], "leader": 2},
        ({"eligible": [1, 2, 3]}, {"eligible": [3]}),
    ),
    Case(
        "complete_reassignment",
        ev.ReassignmentEnded(topic="orders", partition=0, how="completed", replicas=(2, 4), left=(1,)),
        {"target": [2, 4], "isr": [1, 2, 4], "adding": [4], "removing": [1]},
        ({"isr": [1, 2]}, {"target": [2]}, {"adding": [], "removing": []}, {"removing": [2]}),
        ({"isr": [2, 4]},),
    ),
    Case(
        "elect_leader",
        decided(2, isr=(2, 3)),
        election(),
        (
            {"isr": [2]},
            {"eligible": [3]},
            {"leader_before": 3},
            {"eligible": [1, 2, 3], "isr": [1, 2, 3]},
            {"election": "preferred", "assignment": [3, 2, 1]},
            {"leader": 3},
            {"isr": [], "elr": [2]},
        ),
        ({"leader_before": 2, "isr": [2, 3, 9]}, {"election": "unclean"}),
    ),
    Case("elect_leader", decided(2, isr=(2,)), election(isr=[], elr=[2]), ({"isr": [2, 3]}, {"elr": [3]})),
    Case("elect_leader", decided(-1), election(leader=-1, eligible=[]), ({"eligible": [3]},), granted=False),
    Case("elect_leader", decided(-1, isr=()), election(leader=-1, isr=[], last_known_leader=1),
         ({"last_known_leader": 2},), granted=False),
    Case("elect_leader", decided(2, isr=(2,), unclean=True), election(isr=[], last_known_leader=2),
         ({"last_known_leader": 3},), ({"last_known_leader": 3, "election": "unclean"},)),
    Case(
        "elect_leader",
        decided(3, isr=(3,), unclean=True),
        election(leader=3, isr=[], eligible=[3]),
        ({"isr": [1]}, {"elr": [3]}, {"eligible": [2]}),
        ({"isr": [1], "election": "unclean"},),
    ),
    Case(
        "elect_by_majority",
        decided(2),
        {
            "replicas": 3, "have_told": 2, "needed": 2, "log_end_offset of 2": 5, "adopted_epoch of 2": 1,
            "log_end_offset of 3": 9, "adopted_epoch of 3": 0,
        },
        ({"adopted_epoch of 3": 1}, {"replicas": 4}),
        ({"adopted_epoch of 3": 1, "log_end_offset of 3": 5},),
    ),
    Case(
        "leads_on",
        decided(-1),
        {"leader": 1, "leaving": 2, "replicas": 3, "in_service": 1, "needed": 2},
        ({"in_service": 2}, {"replicas": 1}),
        ({"in_service": 2, "leaving": 1},),
        granted=False,
    ),
    Case(
        "next_lifecycle_state",
        ev.BrokerStateChanged(state="recovery", broker_epoch=9),
        {"state": "starting"},
        ({"state": "running"},),
    ),
)  # fmt: skip
def test_a_decision_of_the_controller_follows_from_its_numbers(case: Case) -> None:
    judged("P41", case)


def test_who_was_out_of_the_isr_when_a_reassignment_was_cancelled_leads_uncleanly() -> None:
    """Found by the swarm, seed 40965 with all parts. Who was in the ISR, as a broker has applied it, does not."""
    numbers = election(leader_before=2, leader=3, isr=[3], eligible=[3])
    case = Case("elect_leader", decided(3, isr=(3,), unclean=True), numbers, ({"leader": 2}, {"elr": [3]}))
    judged("P41", case)
    known = Trace()
    known.add(
        3,
        ev.PartitionApplied(
            topic="orders", partition=0, leader=2, leader_epoch=0, partition_epoch=0, isr=(2, 3), elr=(),
            replicas=(1, 2, 3), min_insync_replicas=1,
        ),
    )  # fmt: skip
    known.add(7, case.event)
    known.entries[-1].decision = Decision("elect_leader", True, "why", "where", numbers)
    assert [found.sentence for found in known.violations("P41")] == [
        "node 7: 3 is elected, with ISR [3], where 3 may lead without loss"
    ]


def not_altered(error: ErrorCode) -> ev.AlterPartitionRefused:
    return ev.AlterPartitionRefused(topic="orders", partition=0, broker_id=1, error=error)


EPOCHS = {"leader_epoch": 3, "known_leader_epoch": 3, "partition_epoch": 5, "known_partition_epoch": 5}
OURS = {**EPOCHS, "broker_id": 1, "partition_leader": 1}


@cases(
    Case("alter_partition", not_altered(ErrorCode.FENCED_LEADER_EPOCH), {**OURS, "known_leader_epoch": 4},
         (OURS, {"partition_epoch": 6}), ({"partition_leader": 2},), granted=False),
    Case("alter_partition", not_altered(ErrorCode.STALE_BROKER_EPOCH),
         {"broker_epoch": 9, "registered_broker_epoch": -1}, ({"broker_epoch": -1},), granted=False),
    Case("alter_partition", not_altered(ErrorCode.UNKNOWN_TOPIC_ID), {"topic_id": 9, "known_topic_id": 8},
         ({"known_topic_id": 9},), granted=False),
    Case("alter_partition", not_altered(ErrorCode.NOT_CONTROLLER), {**OURS, "leader_epoch": 4}, (OURS,),
         ({**OURS, "partition_epoch": 6},), granted=False),
    Case("alter_partition", not_altered(ErrorCode.INVALID_UPDATE_VERSION), {**OURS, "known_partition_epoch": 6},
         (OURS, {"partition_leader": 2}), granted=False),
    Case("alter_partition", not_altered(ErrorCode.INVALID_REQUEST), {**OURS, "partition_leader": 2},
         ({"known_leader_epoch": 4},), (OURS, {"known_partition_epoch": 6}), granted=False),
    Case("alter_partition", not_altered(ErrorCode.INELIGIBLE_REPLICA), OURS, ({"partition_leader": 2},), granted=False),
    Case("may_register", ev.BrokerRegistered(broker_id=2, incarnation_id="", broker_epoch=9),
         {"known_broker_epoch": 4, "silence_ms": 101, "session_timeout_ms": 100},
         ({"silence_ms": 100}, {"known_broker_epoch": 10}), ({"known_broker_epoch": 9},)),
    Case("begin_reassignment", ev.ReassignmentBegun(topic="orders", partition=0, replicas=(2, 3),
         adding_replicas=(3,), removing_replicas=(1,)), {"replicas": [1, 2], "target": [2, 3], "adding": [3],
         "removing": [1]},
         ({"target": [3, 2]}, {"adding": []}, {"removing": []}, {"replicas": [1, 2, 4]}, {"replicas": [1, 2, 3, 4]}),
         ({"replicas": [1, 2]},)),
    Case("revert_reassignment", ev.ReassignmentEnded(topic="orders", partition=0, how="cancelled", replicas=(1, 2),
         left=(3,)), {"isr": [1], "adding": [3], "replicas": [1, 2]}, ({"adding": [2]},)),
    Case("revert_reassignment", ev.ReassignmentEnded(topic="orders", partition=0, how="cancelled", replicas=(1, 2),
         left=(3,)), {"isr": [3], "adding": [3], "replicas": [1, 2]}, ({"adding": [2]},), granted=False),
)  # fmt: skip
def test_a_refusal_a_registration_and_a_move_follow_from_their_numbers(case: Case) -> None:
    judged("P41", case)


@pytest.mark.parametrize(("elr", "is_found"), [((), True), ((3,), False)])
def test_who_leaves_an_isr_that_falls_below_its_minimum_stays_eligible(elr: tuple[int, ...], is_found: bool) -> None:
    numbers: Numbers = {"broker_id": 2, "partition_leader": 2, "isr": [2, 3], "new_isr": [2], **EPOCHS}
    event = replace(decided(2, isr=(2,)), min_insync_replicas=2, elr=elr)
    trace = Trace()
    trace.run(elr=True)
    trace.add(7, event)
    trace.entries[-1].decision = Decision("alter_partition", True, "why", "where", numbers)
    assert bool(trace.violations("P41")) is is_found


@pytest.mark.parametrize(("isr", "is_found"), [((1, 2), True), ((1, 3), False)])
def test_a_move_does_not_go_on_once_all_of_the_target_are_in_sync(isr: tuple[int, ...], is_found: bool) -> None:
    """Of replicas 1, 2 and 3 the last one is to leave."""
    event = replace(decided(1, isr=isr), removing_replicas=(3,))
    numbers: Numbers = {**OURS, "isr": [1, 3], "new_isr": list(isr)}
    trace = Trace()
    trace.add(7, event)
    trace.entries[-1].decision = Decision("alter_partition", True, "why", "where", numbers)
    assert bool(trace.violations("P41")) is is_found


@pytest.mark.parametrize(("factor", "partition", "is_found"), [(3, 0, False), (2, 0, True), (2, 1, False)])
def test_a_new_partition_has_as_many_replicas_as_its_topic(factor: int, partition: int, is_found: bool) -> None:
    """Those that are added later have as many as the first one has then."""
    trace = Trace()
    trace.add(7, ev.TopicCreated(topic="orders", topic_id=7, partitions=1, min_insync_replicas=1))
    asked: Numbers = {"partitions": 1, "replication_factor": factor}
    trace.entries[-1].decision = Decision("create_topic", True, "why", "where", asked)
    trace.add(7, replace(decided(2, isr=(2, 3)), partition=partition))
    chosen: Numbers = {"assignment": [1, 2, 3], "eligible": [2, 3], "leader": 2}
    trace.entries[-1].decision = Decision("first_state", True, "why", "where", chosen)
    assert bool(trace.violations("P41")) is is_found


def test_a_move_that_was_not_under_way_does_not_end() -> None:
    ended = ev.ReassignmentEnded(topic="orders", partition=0, how="completed", replicas=(1,), left=())
    is_wrong("P41", Case("complete_reassignment", ended, {}, ()))


def test_no_broker_is_named_twice_in_a_new_partition() -> None:
    event = replace(decided(2, isr=(2,)), replicas=(2, 2), leader_epoch=0)
    is_wrong("P41", Case("first_state", event, {"assignment": [2, 2], "eligible": [2]}, ()))
