"""Rule L10: nodes that are left go on without those that died for good."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from cluster.model.identifiers import TRANSACTIONS_TOPIC
from tests.support.fault_events import fault_fields
from tests.support.traces.partitions import ALL
from tests.support.traces.timed import Timed
from tests.support.traces.traces import LAB


def killed(*nodes: int) -> Timed:
    """Everything was in order, then these were killed one after the other."""
    trace = Timed()
    trace.lead_quorum()
    trace.elect(1, 0)
    for number, node in enumerate(nodes, 1):
        trace.fault(number, "Kill", str(node))
        trace.exit(node)
    return trace


def settle(trace: Timed) -> None:
    """2 leads quorum and partition in what is left of both."""
    trace.role(102, "leader", 2, 102)
    trace.role(103, "follower", 2, 102)
    for broker in (2, 3):
        trace.level(broker)
    trace.decide(2, 1, 1, (2, 3))
    for broker in (2, 3):
        trace.apply(broker, 2, 1, 1, (2, 3))
    trace.lead(2, 1, 0, 0, (2, 3))


def test_a_core_that_goes_on_is_quiet() -> None:
    trace = killed(1, 101)
    trace.wait(0.5)
    settle(trace)
    trace.wait(5)
    trace.end()
    assert trace.holds("L10")


def test_a_core_that_was_in_order_all_along_is_quiet() -> None:
    trace = killed(103)
    trace.wait(10)
    trace.end()
    assert trace.holds("L10")


def test_a_core_without_a_quorum_leader_is_late() -> None:
    trace = killed(101)
    trace.wait(1.3)
    trace.end()
    assert "the core [1, 2, 3, 102, 103] has no quorum leader after 1300 ms; 1200 ms are allowed" in trace.sentence(
        "L10"
    )


def test_a_core_is_led_by_whom_a_majority_names_also_beside_one_that_has_yet_to_hear_of_its_end() -> None:
    trace = Timed()
    trace.lead_quorum()
    trace.role(103, "follower", 2, 102)
    trace.role(102, "leader", 2, 102)
    trace.fault(1, "Kill", "1")
    trace.exit(1)
    trace.wait(10)
    trace.end()
    assert trace.holds("L10")


@pytest.mark.parametrize(("heard", "verdict"), [(16, Verdict.EXPECTED), (2, Verdict.VIOLATED)])
def test_a_core_waits_for_an_epoch_that_went_with_a_disk_only_where_a_broker_has_heard_of_it(
    heard: int, verdict: Verdict
) -> None:
    trace = Timed()
    trace.lead_quorum(2)
    trace.role(103, "candidate", 16, -1)
    trace.role(3, "observer", heard, -1)
    trace.exit(103)
    trace.add(LAB, ev.FaultApplied(**fault_fields(1, "Wipe", "103")))
    trace.elect(1, 0)
    trace.fault(2, "Kill", "1")
    trace.exit(1)
    trace.wait(60)
    trace.end()
    assert trace.verdicts()["L10"].verdict is verdict


def test_a_core_in_which_a_dead_broker_leads_is_late() -> None:
    trace = killed(1)
    trace.wait(2.8)
    trace.end()
    assert "L10" not in trace.bad()
    trace.entries.pop()
    trace.wait(0.2)
    trace.end()
    assert "has orders-0 led from without or with the dead in sync after 3000 ms; 2900 ms" in trace.sentence("L10")


def test_a_core_that_keeps_the_dead_in_sync_is_late() -> None:
    trace = killed(3)
    trace.wait(3)
    trace.end()
    assert "with the dead in sync" in trace.sentence("L10")


def test_a_core_in_which_a_broker_lacks_the_metadata_is_late() -> None:
    trace = killed(101)
    trace.add(102, ev.LeaderElected(epoch=2, epoch_start_offset=0, votes=(102, 103)))
    trace.add(102, ev.MetadataHighWatermarkAdvanced(epoch=2, high_watermark=5, role="leader", log_end_offsets=()))
    trace.role(102, "leader", 2, 102)
    trace.role(103, "follower", 2, 102)
    trace.level(1, 5)
    trace.wait(2.5)
    trace.end()
    assert "a broker without the metadata below 5" in trace.sentence("L10")


def test_a_broker_that_heard_of_a_newer_epoch_from_the_dead_waits_for_it() -> None:
    for heard, is_late in ((7, False), (2, True)):
        trace = killed(101)
        trace.add(102, ev.LeaderElected(epoch=2, epoch_start_offset=0, votes=(102, 103)))
        trace.add(102, ev.MetadataHighWatermarkAdvanced(epoch=2, high_watermark=5, role="leader", log_end_offsets=()))
        trace.role(102, "leader", 2, 102)
        trace.role(103, "follower", 2, 102)
        trace.role(1, "observer", heard, -1)
        trace.level(2, 5)
        trace.level(3, 5)
        trace.wait(2.5)
        trace.end()
        assert ("L10" in trace.bad()) is is_late


def test_a_core_that_does_not_acknowledge_is_late() -> None:
    trace = killed(1, 101)
    settle(trace)
    operation = trace.invoke()
    trace.wait(4.1)
    trace.fail(operation, -1, sure=False)
    trace.end()
    assert "an acks=all produce took 4099" in trace.sentence("L10")


@pytest.mark.parametrize(("in_sync", "is_late"), [((2,), False), ((2, 3), True)])
def test_a_produce_in_a_transaction_needs_a_coordinator_that_can_write(in_sync: tuple[int, ...], is_late: bool) -> None:
    trace = killed(1, 101)
    settle(trace)
    state: dict[str, Any] = {"topic": TRANSACTIONS_TOPIC, "partition": 0, "leader_epoch": 0, "isr": in_sync}
    trace.add(2, ev.PartitionApplied(
        **state, leader=2, partition_epoch=0, elr=(), replicas=(2, 3), min_insync_replicas=2))  # fmt: skip
    trace.add(2, ev.BecameLeader(**state, epoch_start_offset=0, high_watermark=0))
    begun = trace.invoke("init_producer_id", "transactional id t0", client="x1")
    trace.succeed(begun, -1, function="init_producer_id", client="x1")
    operation = trace.invoke(client="x1")
    trace.wait(4.1)
    trace.fail(operation, -1, client="x1", sure=False)
    trace.end()
    assert ("L10" in trace.bad("L")) is is_late


def test_a_produce_that_needs_the_dead_proves_nothing() -> None:
    trace = killed(*ALL)
    operation = trace.invoke()
    trace.wait(4.1)
    trace.fail(operation, -1, sure=False)
    trace.end()
    assert "L10" not in trace.bad()


def test_what_is_left_without_a_majority_of_the_voters_is_no_core() -> None:
    trace = killed(101, 102)
    trace.wait(60)
    trace.end()
    assert trace.verdicts()["L10"].checks == 0


def test_a_cut_beside_the_dead_proves_nothing() -> None:
    trace = killed(101)
    trace.fault(9)
    trace.wait(60)
    trace.end()
    assert "L10" not in trace.bad()


def test_a_node_that_crashed_by_itself_is_as_dead_as_one_that_was_killed() -> None:
    trace = Timed()
    trace.lead_quorum()
    trace.exit(101, 70, expected=False)
    trace.wait(1.3)
    trace.add(LAB, ev.RunEnded(clean=True))
    assert "no quorum leader" in trace.sentence("L10")


def test_the_time_of_a_partition_that_is_made_in_the_core_counts_from_then() -> None:
    trace = killed(1, 101)
    trace.wait(0.5)
    settle(trace)
    trace.wait(8)
    applied, led = (replace(entry.event, topic="users") for entry in trace.entries[-2:])
    trace.add(3, applied)
    trace.wait(0.1)
    trace.add(2, led)
    trace.end()
    assert trace.holds("L10")


@pytest.mark.parametrize("first", [True, False])
def test_a_core_need_not_lead_what_was_deleted(first: bool) -> None:
    """Nothing brings a partition into order that is gone, whether it went before the nodes did or after."""
    trace = Timed()
    trace.lead_quorum()
    trace.elect(1, 0)
    if first:
        trace.delete_topic()
    trace.fault(1, "Kill", "1")
    trace.exit(1)
    if not first:
        trace.delete_topic()
    trace.wait(9)
    trace.end()
    assert "L10" not in trace.bad()


@pytest.mark.parametrize(("left", "broken"), [((2, 3), False), ((2,), True)])
def test_a_core_need_not_lead_what_was_moved_away_from_all_of_it(left: tuple[int, ...], broken: bool) -> None:
    trace = killed(1)
    for node in left:
        trace.add(node, ev.LogRemoved(topic="orders", partition=0, log_end_offset=0))
    trace.wait(9)
    trace.end()
    assert ("L10" in trace.bad()) is broken
