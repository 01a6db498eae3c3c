"""Invariants C1, C3, C5, C10, C14 and C16: what producers saw."""

from __future__ import annotations

import pytest

from cluster.invariants.clients.producers import texts_of
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import Partition
from tests.support.traces.traces import recovered


def written(*crcs: str, **settings: object) -> Partition:
    """Records on all three brokers."""
    trace = Partition(**settings)
    trace.begin()
    for offset, crc in enumerate(crcs):
        trace.replicate(offset, crc)
    return trace


def test_produces_one_after_the_other_are_quiet() -> None:
    trace = written("aa", "bb")
    trace.acknowledge(0, "aa")
    trace.acknowledge(1, "bb")
    assert trace.holds("C1", "C10", "C14", "C16")


def test_an_acknowledged_record_that_the_last_leader_lacks_is_lost() -> None:
    trace = written("aa")
    trace.acknowledge(0, "aa")
    trace.truncate(2, 0, 1)
    trace.elect(2, 1, (2,))
    found = trace.violations("C1")
    assert "a produce with acks=all was acknowledged at offset 0" in found[0].sentence
    assert found[0].broken is None


@pytest.mark.parametrize("isr", [(2,), ()])
def test_the_log_of_a_leader_from_which_its_partition_was_moved_away_is_not_asked(isr: tuple[int, ...]) -> None:
    trace = written("aa")
    trace.acknowledge(0, "aa")
    trace.apply(2, 2, 1, 1, isr)
    trace.add(1, ev.LogRemoved(topic="orders", partition=0, log_end_offset=1))
    trace.add(1, recovered(0, topic="orders"))
    assert "C1" not in trace.bad()


def test_acks_one_that_is_lost_was_never_promised() -> None:
    trace = written("aa")
    trace.append(1, 1, "bb")
    trace.acknowledge(1, "bb", acks=1)
    trace.elect(2, 1, (2, 3), start=1)
    assert trace.excuse("C1") == "A5"
    assert set(trace.bad()) == {"C1"}


def test_acks_one_of_another_record_excuses_no_loss_of_acks_all() -> None:
    trace = written("aa")
    trace.acknowledge(0, "aa")
    trace.append(1, 1, "bb")
    trace.acknowledge(1, "bb", acks=1)
    trace.truncate(2, 0, 1)
    trace.elect(2, 1, (2,))
    assert "acks=all" in trace.sentence("C1")


def test_a_dead_leader_is_no_proof_of_a_loss_while_a_replica_holds_the_record() -> None:
    trace = written("aa")
    trace.acknowledge(0, "aa")
    trace.power_loss(1)
    trace.start(1, "broker")
    trace.recover(1)
    assert trace.holds("C1")


@pytest.mark.parametrize(
    ("error", "acks"),
    [
        (ErrorCode.REQUEST_TIMED_OUT, -1),
        (ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND, -1),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, -1),
        (-1, 1),
    ],
)
def test_a_failure_after_an_attempt_that_may_have_been_written_is_caught(error: int, acks: int) -> None:
    trace = written()
    trace.fail(trace.invoke(acks=acks), error)
    assert f"after error {int(error)} of one attempt" in trace.sentence("C3")
    retried = written()
    operation = retried.invoke(acks=acks)
    retried.retry(operation, error)
    retried.fail(operation, ErrorCode.NOT_ENOUGH_REPLICAS)
    assert "may be in the log" in retried.sentence("C3")


def test_a_refusal_before_the_append_is_certain() -> None:
    trace = written()
    trace.fail(trace.invoke(), ErrorCode.NOT_ENOUGH_REPLICAS)
    trace.fail(trace.invoke(acks=1), ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert trace.holds("C3")


def test_what_nobody_knows_may_appear_later_or_never() -> None:
    trace = written("aa", "bb")
    trace.fail(trace.invoke(value="x-1"), -1, sure=False)
    trace.fail(trace.invoke(value="x-2"), ErrorCode.REQUEST_TIMED_OUT, sure=False)
    trace.replicate(2, "cc")
    trace.read(0, "a", "b", "x-1")
    assert not trace.bad()


def sent_twice(trigger: str = "ProduceRequest from 1002") -> Partition:
    trace = written()
    for offset, sender in enumerate(("ProduceRequest from 1002", trigger)):
        trace.append(1, offset, "aa")
        trace.entries[-1].trigger = sender
    return trace


def test_the_same_batch_of_one_client_twice_is_a_duplicate() -> None:
    trace = sent_twice()
    assert trace.excuse("C5") == "A6"
    assert trace.violations("C5")[0].record == "orders-0 offset 1"


def test_a_marker_that_its_coordinator_sends_again_is_none() -> None:
    trace = sent_twice("WriteTxnMarkersRequest from 2")
    for offset, entry in enumerate(trace.entries[-2:]):
        assert isinstance(entry.event, ev.ReplicaAppended)
        entry.trigger = "WriteTxnMarkersRequest from 2"
        entry.event.transactional = ((offset, 7, 0, "commit"),)
    assert "C5" not in trace.bad()


def test_equal_batches_of_two_clients_are_none() -> None:
    assert sent_twice("ProduceRequest from 1003").holds("C5")


def test_a_batch_that_was_cut_and_written_again_a_little_earlier_is_none() -> None:
    """The new writing reaches over the place where the old one began."""
    trace = written()
    trace.append(1, 0, "bb")
    for node, base, epoch in ((1, 1, 0), (2, 0, 1)):
        batches = ((base, 3, epoch, "aa"),)
        trace.add(
            node,
            ev.ReplicaAppended(
                **WHERE, base_offset=base, count=3, end_offset=base + 3, leader_epoch=epoch, batches=batches,
                role="leader", size_bytes=1,
            ),
        )  # fmt: skip
        trace.entries[-1].trigger = "ProduceRequest from 1002"
        if node == 1:
            trace.elect(2, 1, (2, 3))
    assert not trace.violations("C5")


def test_a_duplicate_of_an_idempotent_producer_is_excused_by_nothing() -> None:
    trace = written()
    for sequence in (0, 1):
        trace.append(1, sequence, "aa")
        appended = trace.entries[-1]
        appended.trigger = "ProduceRequest from 1002"
        assert isinstance(appended.event, ev.ReplicaAppended)
        appended.event.sequences = ((sequence, 4, 0, 0),)
    assert trace.verdicts()["C5"].verdict is Verdict.VIOLATED


def test_a_duplicate_whose_first_copy_was_cut_away_is_none() -> None:
    trace = written()
    trace.append(1, 0, "aa")
    trace.entries[-1].trigger = "ProduceRequest from 1002"
    trace.elect(2, 1, (2, 3))
    trace.append(2, 0, "bb", 1)
    trace.append(2, 1, "aa", 1)
    trace.entries[-1].trigger = "ProduceRequest from 1002"
    assert trace.holds("C5")


def test_a_client_whose_offsets_fall_is_caught() -> None:
    trace = written("aa", "bb")
    trace.acknowledge(1, "bb", acks=1)
    trace.acknowledge(0, "aa", acks=1)
    assert trace.excuse("C10") == "A5"
    strict = written("aa", "bb")
    strict.acknowledge(1, "bb")
    strict.acknowledge(0, "aa")
    assert "got offset 0 after its earlier one got 1" in strict.sentence("C10")


def test_produces_in_flight_together_may_land_in_any_order() -> None:
    trace = written("aa", "bb")
    first, second = trace.invoke(value="x-1"), trace.invoke(value="x-2")
    trace.succeed(first, 1, "bb")
    trace.succeed(second, 0, "aa")
    assert trace.holds("C14")
    assert "C10" not in trace.bad()


def test_acknowledged_before_begun_means_a_lower_offset() -> None:
    trace = written("aa", "bb")
    first = trace.invoke(value="x-1")
    trace.succeed(first, 1, "bb")
    second = trace.invoke(value="y-1", client="producer-2")
    trace.succeed(second, 0, "aa", client="producer-2")
    assert "got offset 0; before it began offset 1 was acknowledged" in trace.sentence("C14")


def test_offsets_after_a_loss_may_be_given_again() -> None:
    trace = written("aa", "bb")
    trace.acknowledge(0, "aa")
    trace.acknowledge(1, "bb")
    waiting = trace.invoke(value="z-1")
    trace.truncate(2, 1, 2)
    trace.elect(2, 1, (2,), start=1, minimum=1, unclean=True)
    trace.append(2, 1, "cc", 1)
    trace.advance(2, 2, 1, ((2, 2),))
    trace.succeed(waiting, 1, "cc")
    assert "C14" not in trace.bad()


def late(milliseconds: int) -> Partition:
    trace = written("aa", request_timeout_ms=1000)
    operation = trace.invoke()
    trace.succeed(operation, 0, "aa")
    trace.entries[-1].t_ns += milliseconds * 1_000_000
    return trace


def test_an_operation_that_ends_after_its_delivery_timeout_is_caught() -> None:
    assert late(4_900).holds("C16")
    assert "5000 ms are allowed" in late(5_100).sentence("C16")


def test_an_operation_that_never_ends_is_caught() -> None:
    trace = written()
    trace.invoke()
    trace.add(0, ev.RunEnded(clean=True))
    assert "C16" not in trace.bad()
    trace.entries[-1].t_ns += 6_000_000_000
    assert "is open after" in trace.sentence("C16")


@pytest.mark.parametrize(
    ("shown", "texts"),
    [
        ("a-1", ("a-1",)),
        ("a-1 to a-3", ("a-1", "a-2", "a-3")),
        ("a to b-1 to a to b-2", ("a to b-1", "a to b-2")),
        ("a-1, a-4, a-7", ("a-1", "a-4", "a-7")),
        ("a-1, b-4", ("a-1, b-4",)),
        ("x" * 200, ()),
    ],
)
def test_the_values_of_a_produce_from_what_its_begin_shows(shown: str, texts: tuple[str, ...]) -> None:
    invoked = ev.OperationInvoked(
        client_id="p", operation_id=1, function="produce", topic="t", partition=0, acks=-1, value=shown
    )
    assert texts_of(invoked) == texts


def test_a_duplicate_whose_first_copy_was_deleted_is_none() -> None:
    trace = sent_twice()
    trace.add(1, ev.LogStartAdvanced(
        **WHERE, log_start_offset=1, old_log_start_offset=0, high_watermark=2, role="leader"))  # fmt: skip
    assert not trace.violations("C5")
