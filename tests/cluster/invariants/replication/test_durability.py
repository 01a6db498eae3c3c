"""Rule P21: what disks promised."""

from __future__ import annotations

import pytest

from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces.partitions import Partition
from tests.support.traces.traces import recovered


def flushed(*, durable: int | None = None) -> Partition:
    """One record on all, flushed by broker 3, which then loses power."""
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    trace.flush(3, 1, durable=durable)
    trace.power_loss(3)
    trace.start(3, "broker")
    return trace


def promise_and_break(trace: Partition) -> None:
    """Broker 3 flushes the record anew and has lost it after its next start."""
    trace.copy(3, 0, "aa")
    trace.flush(3, 1)
    trace.exit(3)
    trace.start(3, "broker")
    trace.recover(3)


def test_claimed_records_that_survive_are_quiet() -> None:
    trace = flushed()
    trace.recover(3, "aa")
    assert trace.holds("P21")


def test_an_honest_claim_that_is_lost_is_caught() -> None:
    trace = flushed()
    trace.recover(3)
    assert "claimed offsets below 1 durable and did not lie" in trace.sentence("P21")


def test_a_log_that_its_broker_removed_is_promised_no_more() -> None:
    """It was that of an older topic of the same name."""
    trace = flushed()
    trace.recover(3, "aa")
    trace.add(3, ev.LogRemoved(topic="orders", partition=0, log_end_offset=1))
    trace.recover(3)
    assert "P21" not in trace.bad()
    promise_and_break(trace)
    assert "did not lie" in trace.sentence("P21")


def test_a_damaged_disk_promised_nothing_until_the_log_is_opened_again() -> None:
    trace = flushed()
    trace.exit(3)
    trace.add(0, ev.FaultApplied(**fault_fields(1, "Wipe", "3")))
    for _ in range(2):  # its first life after that ends before it hears of the partition
        trace.start(3, "broker")
        trace.exit(3)
    trace.start(3, "broker")
    trace.recover(3)
    assert "P21" not in trace.bad()
    promise_and_break(trace)
    assert "did not lie" in trace.sentence("P21")


def test_a_flipped_bit_that_no_clean_start_looks_for_is_still_the_labs_doing() -> None:
    trace = flushed()
    trace.exit(3)
    trace.add(0, ev.FaultApplied(**fault_fields(1, "Rot", "3 orders-0 0")))
    trace.start(3, "broker")
    trace.recover(3, "aa", why="clean")
    trace.exit(3)
    trace.start(3, "broker")
    trace.recover(3)
    assert "P21" not in trace.bad()


def test_one_lying_disk_breaks_no_promise() -> None:
    trace = flushed(durable=0)
    trace.recover(3)
    assert trace.holds("P21")


def test_lies_on_too_many_disks_are_expected_to_show() -> None:
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    for node in (2, 3):
        trace.flush(node, 1, durable=0)
        trace.power_loss(node)
        trace.start(node, "broker")
        trace.recover(node)
    assert trace.excuse("P21") == "A2"
    assert trace.verdicts()["P21"].violation_count == 2


def test_records_that_were_never_claimed_may_go() -> None:
    trace = Partition()
    trace.begin()
    trace.flush(3, 0)
    trace.replicate(0, "aa")
    trace.power_loss(3)
    trace.start(3, "broker")
    trace.recover(3)
    assert trace.holds("P21")


def test_flush_before_acknowledge_means_it() -> None:
    trace = Partition(flush_partitions=True)
    trace.begin()
    trace.replicate(0, "aa")
    trace.flush(1, 1)
    trace.answer(1, 0)
    assert trace.holds("P21")
    trace.replicate(1, "bb")
    trace.answer(1, 1)
    assert "acknowledges offset 1; its disk has claimed only what is below 1" in trace.sentence("P21")


@pytest.mark.parametrize("claimed", [1, 0])
def test_a_disk_may_have_claimed_what_the_process_died_before_telling(claimed: int) -> None:
    """Found by the swarm, seed 31957: killed in a slow fsync, it came back with a log that its disk calls durable."""
    trace = Partition(flush_partitions=True)
    trace.begin()
    trace.append(1, 0, "aa")
    trace.exit(1)
    trace.start(1, "broker")
    trace.add(1, recovered(1, ((0, 1, 0, ("aa",)),), topic="orders", claimed=claimed))
    trace.lead(1, 1, 1)
    trace.answer(1, 0)
    assert ("P21" in trace.bad()) is (claimed == 0)
