"""What breaks an assumption, and what does not."""

from __future__ import annotations

import pytest

from cluster.invariants.checker import Checker, check
from cluster.invariants.verdicts.verdict import Broken, Verdict
from cluster.model import events as ev
from cluster.model.entry import EventId
from cluster.model.identifiers import METADATA, TopicPartition
from tests.support.fault_events import fault_fields
from tests.support.traces.partition_traces import advanced, appended, decided, orders
from tests.support.traces.traces import CLIENT, LAB, Trace, fsynced, recovered

ORDERS = TopicPartition("orders", 0)
LESS = recovered(0, topic="orders")


def ledger_of(trace: Trace) -> dict[str, Broken]:
    checker = Checker()
    for entry in trace.entries:
        checker.feed(entry)
    checker.finish()
    return {item.assumption: item for item in checker.report.ledger.broken()}


def lose(trace: Trace, node: int, *, power: bool = True) -> EventId:
    """Ends a node, takes its power, and has it come back with an empty log."""
    trace.exit(node)
    if power:
        trace.add(LAB, ev.PowerLost(node_id=node, files=()))
    trace.start(node)
    return trace.add(node, LESS)


@pytest.mark.parametrize(
    ("kind", "log", "broken"), [("Wipe", "", True), ("Tear", "orders-0", True), ("Kill", "", False)]
)
def test_a2_breaks_when_the_lab_damages_as_many_disks_as_are_needed(kind: str, log: str, broken: bool) -> None:
    trace = orders()
    for node in (2, 1):
        trace.exit(node)
        trace.add(LAB, ev.FaultApplied(**fault_fields(1, kind, f"{node} {log}")))
        trace.start(node)
        trace.add(node, LESS)
    assert ("A2" in ledger_of(trace)) is broken


def test_a2_breaks_when_a_damaged_log_is_opened_only_in_a_later_life() -> None:
    trace = orders()
    for node in (2, 1):
        trace.exit(node)
        trace.add(LAB, ev.FaultApplied(**fault_fields(1, "Wipe", f"{node}")))
        trace.start(node)
        trace.exit(node)
        trace.start(node)
        trace.add(node, LESS)
    assert "A2" in ledger_of(trace)


@pytest.mark.parametrize(("mode", "broken"), [("hw", True), ("kip101", True), ("kip279", False), ("fetch", False)])
def test_a4_breaks_with_the_setting(mode: str, broken: bool) -> None:
    trace = Trace()
    started = trace.run(truncation_mode=mode)
    found = ledger_of(trace).get("A4")
    assert (found is not None) is broken
    assert found is None or found.event == started


def test_a3_breaks_with_the_election_of_a_replica_that_lacks_records_and_not_with_the_setting() -> None:
    trace = orders()
    trace.run(unclean_leader_election=True)
    lose(trace, 2)
    assert "A3" not in ledger_of(trace)
    event = decided(2, 1)
    event.unclean = True
    told = trace.add(101, event)
    why = "node 2 was elected although it lacks committed records"
    assert ledger_of(trace)["A3"] == Broken("A3", told, why, ORDERS)


def test_a3_is_not_broken_by_an_unclean_election_that_loses_nothing() -> None:
    """Who led last is elected anew, and nobody else was made leader meanwhile."""
    trace = orders()
    event = decided(1, 1)
    event.unclean = True
    trace.add(101, event)
    assert "A3" not in ledger_of(trace)


def test_a3_is_broken_while_a_leader_that_was_made_before_has_yet_to_hear_of_it() -> None:
    """It begins, and commits, when it learns of its own election, which may be after the unclean one."""
    trace = orders()
    trace.add(101, decided(2, 1))
    event = decided(1, 3)
    event.unclean = True
    told = trace.add(101, event)
    why = "node 1 was elected although node 2 may commit more before it hears of it"
    assert ledger_of(trace)["A3"] == Broken("A3", told, why, ORDERS)


def test_a2_holds_while_one_of_two_that_are_needed_lost_committed_records() -> None:
    trace = orders()
    lose(trace, 2)
    assert "A2" not in ledger_of(trace)


def test_a2_breaks_when_the_second_loses_them_before_the_first_caught_up() -> None:
    trace = orders()
    lose(trace, 2)
    second = lose(trace, 1)
    assert ledger_of(trace)["A2"].event == second
    assert ledger_of(trace)["A2"].scope == ORDERS


def test_a2_holds_when_the_first_had_caught_up() -> None:
    trace = orders()
    lose(trace, 2)
    trace.add(2, appended(0, (2, 0, "a")))
    lose(trace, 1)
    assert "A2" not in ledger_of(trace)


def test_a2_holds_when_no_record_was_lost_by_as_many_as_are_needed() -> None:
    """One loses the newest record, one that lagged behind had never had it and loses others."""
    trace = orders()
    trace.add(1, advanced(3, 0))
    lose(trace, 2)
    trace.exit(1)
    trace.add(LAB, ev.PowerLost(node_id=1, files=()))
    trace.start(1)
    trace.add(1, recovered(2, ((0, 2, 0, ("a",)),), topic="orders"))
    assert "A2" not in ledger_of(trace)
    trace.exit(1)
    trace.add(LAB, ev.PowerLost(node_id=1, files=()))
    trace.start(1)
    last = trace.add(1, LESS)
    assert ledger_of(trace)["A2"].event == last, "twice in a row is one loss of all that it had"


def test_a2_is_not_broken_by_what_was_never_committed() -> None:
    trace = orders()
    trace.exit(1)
    trace.add(LAB, ev.PowerLost(node_id=1, files=()))
    trace.start(1)
    trace.add(1, recovered(2, ((0, 2, 0, ("a",)),), topic="orders"))
    lose(trace, 2)
    assert "A2" not in ledger_of(trace)


@pytest.mark.parametrize(("power", "caught_up"), [(True, False), (True, True), (False, False)])
def test_a2_counts_who_lost_a_record_before_the_leader_committed_it(power: bool, caught_up: bool) -> None:
    """The leader commits by what node 2 had said that it has. The record is gone by then, and later the leader's."""
    trace = orders()
    trace.add(2, appended(2, (1, 0, "b")))
    trace.exit(2)
    if power:
        trace.add(LAB, ev.PowerLost(node_id=2, files=()))
    trace.start(2)
    trace.add(2, recovered(2, ((0, 2, 0, ("a",)),), topic="orders"))
    if caught_up:
        trace.add(2, appended(2, (1, 0, "b")))
    committed = advanced(3, 0)
    committed.log_end_offsets = ((1, 3), (2, 3))
    trace.add(1, committed)
    lose(trace, 1)
    assert ("A2" in ledger_of(trace)) is (power and not caught_up)


@pytest.mark.parametrize("power", [True, False])
def test_a2_breaks_with_the_last_in_sync_replica_and_never_without_a_power_loss(power: bool) -> None:
    trace = orders()
    trace.add(
        1,
        ev.PartitionApplied(
            topic="orders",
            partition=0,
            leader=1,
            leader_epoch=1,
            partition_epoch=5,
            isr=(1,),
            elr=(),
            replicas=(1, 2),
            min_insync_replicas=2,
        ),
    )
    lose(trace, 1, power=power)
    assert ("A2" in ledger_of(trace)) is power


@pytest.mark.parametrize("elr", [True, False])
def test_a2_breaks_when_only_a_lossy_replica_is_left_and_nobody_keeps_the_eligible_ones(elr: bool) -> None:
    trace = orders()
    trace.run(elr=elr)
    lose(trace, 2)
    event = decided(2, 1)
    event.isr = (2,)
    told = trace.add(101, event)
    found = ledger_of(trace).get("A2")
    assert (found is None) if elr else (found is not None and found.event == told)


@pytest.mark.parametrize(
    ("control", "power", "broken"), [("zookeeper", True, True), ("kraft", True, False), ("zookeeper", False, False)]
)
def test_a2_breaks_in_zookeeper_mode_with_a_leader_that_nobody_had_missed(
    control: str, power: bool, broken: bool
) -> None:
    trace = orders()
    trace.run(control=control, elr=False)
    lose(trace, 2, power=power)
    event = decided(2, 1)
    event.isr = (2, 1)
    trace.add(101, event)
    leads = trace.add(
        2,
        ev.BecameLeader(
            topic="orders", partition=0, leader_epoch=1, epoch_start_offset=0, high_watermark=0, isr=(2, 1)
        ),
    )
    found = ledger_of(trace).get("A2")
    assert (found is not None and found.event == leads) if broken else found is None


def test_a2_does_not_excuse_a_disk_that_loses_what_was_really_durable() -> None:
    trace = orders()
    trace.add(1, fsynced(3, topic="orders"))
    trace.add(2, fsynced(2, topic="orders"))
    lose(trace, 1)
    lose(trace, 2)
    assert "A2" not in ledger_of(trace)


@pytest.mark.parametrize(("lied", "power", "broken"), [(True, True, True), (True, False, False), (False, True, False)])
def test_a1_needs_a_lie_and_a_power_loss(lied: bool, power: bool, broken: bool) -> None:
    trace = Trace()
    trace.run()
    trace.start(101)
    trace.add(101, recovered(0))
    booted = {"voted_for": -1, "leader_id": -1, "log_end_offset": 0, "last_epoch": 0, "voters": (101, 102, 103)}
    trace.add(101, ev.QuorumBooted(epoch=1, **booted))  # type: ignore[arg-type]
    trace.add(101, ev.ElectionPersisted(epoch=2, leader_id=-1, voted_for=102, lied=lied))
    trace.exit(101)
    if power:
        trace.add(LAB, ev.PowerLost(node_id=101, files=()))
    trace.start(101)
    trace.add(101, ev.QuorumBooted(epoch=1, **booted))  # type: ignore[arg-type]
    found = ledger_of(trace).get("A1")
    assert (found is not None) is broken
    assert found is None or found.scope == METADATA


@pytest.mark.parametrize("acks", [-1, 0, 1])
def test_a5_breaks_with_a_produce_that_asks_for_less_than_all(acks: int) -> None:
    trace = orders()
    asked = trace.add(
        CLIENT,
        ev.OperationInvoked(
            client_id="c", operation_id=1, function="produce", topic="orders", partition=0, acks=acks, value="x"
        ),
    )
    found = ledger_of(trace).get("A5")
    assert found == (None if acks == -1 else Broken("A5", asked, f"a producer asks for acks={acks} only", ORDERS))


@pytest.mark.parametrize(
    ("topic", "what", "broken"),
    [("orders", "", True), ("orders", "data", True), ("orders", "commit", False), ("orders", "abort", False),
     ("__consumer_offsets", "", False), ("__transaction_state", "", False)],
)  # fmt: skip
def test_a6_breaks_by_what_a_producer_sends_and_not_by_what_coordinators_write(
    topic: str, what: str, broken: bool
) -> None:
    trace = Trace()
    trace.run()
    trace.start(1)
    event = appended(0, (1, 0, "a"))
    event.topic, event.transactional = topic, ((0, 7, 0, what),) if what else ()
    trace.add(1, event)
    assert ("A6" in ledger_of(trace)) is broken


@pytest.mark.parametrize(("voters", "broken"), [((7, 8), True), ((7, 8, 9), False)])
def test_a11_breaks_where_a_leader_counts_on_disks_that_were_replaced(voters: tuple[int, ...], broken: bool) -> None:
    """Found by the swarm, seed 320999 with all parts: a voter was added as its disk had just gone."""
    trace = Trace()
    trace.run(dynamic_quorum=True)
    disks = {7: "a", 8: "new", 9: "c"}
    for node, disk in disks.items():
        trace.start(node)
        trace.add(node, ev.VotersChanged(epoch=0, offset=-1, voters=(), directories=(), directory_id=disk, why=""))
    trace.add(7, ev.RoleChanged(role="leader", epoch=3, leader_id=7, voted_for=7, why=""))
    counted = tuple({**disks, 8: "old"}[node] for node in voters)
    trace.add(7, ev.VotersChanged(epoch=3, offset=4, voters=voters, directories=counted, directory_id="a", why=""))
    assert ("A11" in ledger_of(trace)) is broken


@pytest.mark.parametrize("path", ["/brokers/topics/orders", "/brokers/topics/other", "/brokers/ids/orders"])
def test_a_topic_whose_znode_is_made_where_it_was_is_another_one(path: str) -> None:
    """Its coordinator forgot the former one, which brokers still hold: nothing is held against replicas of the name."""
    trace = orders()
    trace.add(101, ev.TopicCreated(topic="orders", topic_id=7, partitions=1, min_insync_replicas=2))
    trace.add(101, ev.ZNodeWritten(kind="created", path=path, version=0, zxid=8, owner=0, client=1))
    trace.add(2, appended(7, (1, 0, "c")))
    verdict = next(line.verdict for line in check(trace.entries) if line.info.id == "P17")
    assert (verdict is Verdict.VIOLATED) is (path != "/brokers/topics/orders")
