"""What each mode of a lesson must break, may break, and must keep. Contract 2.9, as far as events tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import ALL, Partition


def two_brokers(**settings: object) -> Partition:
    """Brokers 1 and 2 in the ISR, one suffices; record a0 is everywhere and acknowledged."""
    trace = Partition(**settings)
    trace.brokers()
    trace.elect(1, 0, (1, 2), minimum=1)
    trace.replicate(0, "a0", isr=(1, 2))
    trace.acknowledge(0, "a0")
    return trace


def cut_to_the_own_high_watermark() -> Partition:
    """The first classic failure: the follower restarts, cuts what it had not heard was committed, and leads."""
    trace = two_brokers(truncation_mode="hw")
    trace.replicate(1, "a1", isr=(1, 2))
    trace.acknowledge(1, "a1")
    trace.exit(2)
    trace.start(2, "broker")
    trace.recover(2, "a0", "a1", high_watermark=1)
    trace.follow(2, 1, 0, 2, 1)
    trace.truncate(2, 1, 2, high_watermark=1, mode="hw")
    trace.exit(1)
    trace.elect(2, 1, (2,), start=1, high_watermark=1, minimum=1)
    return trace


def two_lost_tails_and_two_epochs() -> Partition:
    """The second one: both lose what was not flushed, and write in different epochs."""
    trace = two_brokers(truncation_mode="hw")
    trace.replicate(1, "a1", isr=(1, 2))
    trace.exit(1)
    trace.power_loss(2)
    trace.start(2, "broker")
    trace.recover(2, "a0")
    trace.elect(2, 1, (2,), start=1, high_watermark=1, minimum=1, unclean=True)
    trace.replicate(1, "b1", 1, leader=2, isr=(2,))
    trace.start(1, "broker")
    trace.recover(1, "a0", "a1", high_watermark=2)
    trace.apply(1, 2, 1, 1, (2,), minimum=1)
    trace.follow(1, 2, 1, 2, 2)
    trace.progress(2, 1, 2)
    trace.propose(2, (1, 2), (2,), leader_epoch=1, partition_epoch=1)
    trace.decide(2, 1, 2, (1, 2), minimum=1)
    trace.committed(2, (1, 2), 2)
    return trace


def an_unclean_election() -> Partition:
    """The last member is down and a replica that lacks its record leads."""
    trace = two_brokers()
    trace.decide(1, 0, 1, (1,), minimum=1)
    trace.apply(1, 1, 0, 1, (1,), minimum=1)
    trace.committed(1, (1,), 1)
    trace.append(1, 1, "a1")
    trace.advance(1, 2, 0, ((1, 2),))
    trace.acknowledge(1, "a1")
    trace.exit(1)
    trace.decide(2, 1, 2, (2,), minimum=1, unclean=True)
    trace.apply(2, 2, 1, 2, (2,), minimum=1)
    trace.lead(2, 1, 1, 1, (2,))
    trace.append(2, 1, "b1", 1)
    trace.advance(2, 2, 1, ((2, 2),))
    return trace


def lone_leader() -> Partition:
    """The ISR is broker 1 alone, which has acknowledged a record."""
    trace = Partition()
    trace.brokers()
    trace.elect(1, 0, (1,), minimum=1)
    trace.append(1, 0, "a0")
    trace.advance(1, 1, 0, ((1, 1),))
    trace.answer(1, 0)
    trace.acknowledge(0, "a0")
    return trace


def return_of_the_lone_leader(trace: Partition, *crcs: str) -> Partition:
    trace.start(1, "broker")
    trace.recover(1, *crcs)
    trace.decide(-1, 1, 1, (), minimum=1)
    trace.decide(1, 2, 2, (1,), minimum=1, unclean=True)
    trace.apply(1, 1, 2, 2, (1,), minimum=1)
    trace.lead(1, 2, len(crcs), 0, (1,))
    return trace


def the_last_replica_is_killed() -> Partition:
    trace = lone_leader()
    trace.exit(1)
    return return_of_the_lone_leader(trace, "a0")


def the_last_replica_loses_power() -> Partition:
    trace = lone_leader()
    trace.power_loss(1)
    return return_of_the_lone_leader(trace)


def the_last_member_of_the_isr_is_one_that_lost_power() -> Partition:
    """Without ELR a broker that came back empty stays the only member: nobody noticed before the other was fenced."""
    trace = Partition(elr=False)
    trace.brokers()
    trace.elect(1, 0, (1, 2))
    trace.replicate(0, "a0", isr=(1, 2))
    trace.acknowledge(0, "a0")
    trace.power_loss(2)
    trace.start(2, "broker")
    trace.recover(2)
    trace.decide(2, 1, 1, (2,))
    trace.decide(-1, 2, 2, (2,))
    trace.register(2)
    trace.decide(2, 3, 3, (2,))
    trace.apply(2, 2, 3, 3, (2,))
    trace.lead(2, 3, 0, 0, (2,))
    return trace


def acks_one() -> Partition:
    """The leader dies before anybody copied the record."""
    trace = Partition()
    trace.begin()
    trace.replicate(0, "a0")
    trace.acknowledge(0, "a0")
    trace.append(1, 1, "a1")
    trace.answer(1, 1, acks=1)
    trace.acknowledge(1, "a1", acks=1)
    trace.exit(1)
    trace.elect(2, 1, (2, 3), start=1, high_watermark=1)
    return trace


def committed_everywhere(**settings: object) -> Partition:
    """One acknowledged record on three brokers, of which nothing is flushed."""
    trace = Partition(**settings)
    trace.begin()
    trace.replicate(0, "a0")
    trace.answer(1, 0)
    trace.acknowledge(0, "a0")
    return trace


def all_are_killed() -> Partition:
    trace = committed_everywhere()
    for node in ALL:
        trace.exit(node)
    for node in ALL:
        trace.start(node, "broker")
        trace.recover(node, "a0")
    trace.elect(2, 1, start=1)
    return trace


def one_of_three_loses_power() -> Partition:
    trace = committed_everywhere()
    trace.power_loss(3)
    trace.start(3, "broker")
    trace.recover(3)
    trace.decide(partition_epoch=1, isr=(1, 2))
    trace.add(101, ev.BrokerRegistered(broker_id=3, incarnation_id="b", broker_epoch=9))
    trace.apply(1, partition_epoch=1, isr=(1, 2))
    trace.committed(1, (1, 2), 1)
    trace.follow(3, 1, 0)
    trace.copy(3, 0, "a0")
    trace.progress(1, 3, 1)
    trace.add(101, ev.BrokerUnfenced(broker_id=3, broker_epoch=9))
    trace.propose(1, ALL, (1, 2), partition_epoch=1)
    trace.decide(partition_epoch=2)
    trace.committed(1, ALL, 2)
    return trace


def all_lose_power(trace: Partition) -> Partition:
    for node in ALL:
        trace.power_loss(node)
    for node in ALL:
        trace.start(node, "broker")
        trace.recover(node)
    trace.elect(2, 1)
    trace.replicate(0, "b0", 1, leader=2)
    return trace


def all_three_lose_power() -> Partition:
    return all_lose_power(committed_everywhere())


def all_disks_lie_and_all_lose_power() -> Partition:
    trace = Partition(flush_partitions=True)
    trace.begin()
    for node in ALL:
        trace.flush(node, 1, durable=0)
    trace.append(1, 0, "a0")
    for node in (2, 3):
        trace.copy(node, 0, "a0")
    for node in ALL:
        trace.flush(node, 1, durable=0)
    for node in (2, 3):
        trace.progress(1, node, 1)
    trace.advance(1, 1)
    trace.answer(1, 0)
    trace.acknowledge(0, "a0")
    return all_lose_power(trace)


def an_acknowledgement_is_lost_and_the_producer_tries_again() -> Partition:
    trace = Partition()
    trace.begin()
    operation = trace.invoke(value="x-1")
    for offset in (0, 1):
        trace.append(1, offset, "aa")
        trace.entries[-1].trigger = "ProduceRequest from 1002"
        for node in (2, 3):
            trace.copy(node, offset, "aa")
            trace.progress(1, node, offset + 1)
        trace.advance(1, offset + 1)
        trace.answer(1, offset)
        if offset == 0:
            trace.retry(operation, -1)
    trace.succeed(operation, 1, "aa")
    return trace


def delays_and_pauses() -> Partition:
    """Faults that excuse nothing."""
    trace = committed_everywhere()
    faults = {"Delay": "1-2 50ms", "Pause": "1", "Isolate": "1", "FsyncSlow": "1 50ms", "DiskFull": "1"}
    for number, (kind, arguments) in enumerate(faults.items()):
        told = fault_fields(number, kind, arguments)
        trace.add(0, ev.FaultInjected(**told, command=kind))
        trace.add(0, ev.FaultApplied(**told))
    trace.elect(2, 1, (2, 3), start=1, high_watermark=0)
    for number, (kind, arguments) in enumerate(faults.items()):
        trace.add(0, ev.FaultReverted(**fault_fields(number, kind, arguments)))
    trace.add(2, ev.ReplicaLagging(**WHERE, replica_id=3, lagging=True))
    return trace


def an_unclean_election_while_the_old_leader_goes_on() -> Partition:
    """The elected one holds all that is committed then; the lone leader, cut off, acknowledges one record more."""
    trace = two_brokers()
    trace.decide(1, 0, 1, (1,), minimum=1)
    trace.apply(1, 1, 0, 1, (1,), minimum=1)
    trace.committed(1, (1,), 1)
    trace.decide(2, 1, 2, (2,), minimum=1, unclean=True)
    trace.append(1, 1, "a1")
    trace.advance(1, 2, 0, ((1, 2),))
    trace.acknowledge(1, "a1")
    trace.apply(2, 2, 1, 2, (2,), minimum=1)
    trace.lead(2, 1, 1, 1, (2,))
    return trace


def an_eligible_replica_leads_although_nothing_was_gated() -> Partition:
    """KIP-966 without its gate: records below min.insync.replicas are committed on the leader alone."""
    trace = Partition(hw_gate=False)
    trace.begin()
    trace.decide(partition_epoch=1, isr=(1,), elr=(2, 3))
    trace.apply(1, partition_epoch=1, isr=(1,), elr=(2, 3))
    trace.committed(1, (1,), 1)
    trace.append(1, 0, "a0")
    trace.advance(1, 1, 0, ((1, 1),))
    trace.exit(1)
    trace.decide(2, 1, 2, (2,), elr=(3,))
    trace.apply(2, 2, 1, 2, (2,), elr=(3,))
    trace.lead(2, 1, 0, 0, (2,))
    return trace


def an_eligible_replica_leads_ungated_while_the_old_leader_goes_on() -> Partition:
    """The old leader learns of a smaller ISR before it learns of its end, and commits what it alone has."""
    trace = Partition(hw_gate=False)
    trace.begin()
    trace.append(1, 0, "a0")
    trace.decide(partition_epoch=1, isr=(1,), elr=(2, 3))
    trace.decide(2, 1, 2, (2,), elr=(3,))
    trace.apply(2, 2, 1, 2, (2,), elr=(3,))
    trace.lead(2, 1, 0, 0, (2,))
    trace.apply(1, partition_epoch=1, isr=(1,), elr=(2, 3))
    trace.committed(1, (1,), 1)
    trace.advance(1, 1, 0, ((1, 1),))
    trace.apply(1, 2, 1, 2, (2,), elr=(3,))
    return trace


@dataclass(frozen=True)
class Mode:
    """One line of the table."""

    history: Callable[[], Partition]
    must: str = ""
    may: str = ""


MODES = (
    Mode(cut_to_the_own_high_watermark, "P1 P2 P15 C1", "P5 P9 C4 C13"),
    Mode(two_lost_tails_and_two_epochs, "P5 P16", "P1 P2 P4 P9 C4"),
    Mode(an_unclean_election, "P1 P2 P9 C1", "P15 C13 C15 C4"),
    Mode(an_unclean_election_while_the_old_leader_goes_on, "P1 P2 P9 C1"),
    Mode(an_eligible_replica_leads_although_nothing_was_gated, "P2 P9"),
    Mode(an_eligible_replica_leads_ungated_while_the_old_leader_goes_on, "P3", "P1 P2 P9"),
    Mode(the_last_replica_is_killed),
    Mode(the_last_replica_loses_power, "P1 P2 C1", "P9 C13"),
    Mode(the_last_member_of_the_isr_is_one_that_lost_power, "P1 P2 C1", "P9"),
    Mode(acks_one, "C1"),
    Mode(all_are_killed),
    Mode(one_of_three_loses_power),
    Mode(all_three_lose_power, "P1 C1", "P2 P9"),
    Mode(all_disks_lie_and_all_lose_power, "P1 C1 P21", "P2 P9"),
    Mode(an_acknowledgement_is_lost_and_the_producer_tries_again, "C5", "C10"),
    Mode(delays_and_pauses),
)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.history.__name__)
def test_a_mode_breaks_what_it_must_and_nothing_else(mode: Mode) -> None:
    must, may = set(mode.must.split()), set(mode.may.split())
    trace = mode.history()
    verdicts = trace.verdicts(*sorted(must))
    seen = {invariant for invariant, line in verdicts.items() if line.verdict is Verdict.EXPECTED}
    violated = [item for line in verdicts.values() if line.verdict is Verdict.VIOLATED for item in line.violations]
    assert not violated
    assert must <= seen <= must | may


def test_a_promised_violation_that_does_not_come_is_told() -> None:
    assert all_are_killed().verdicts("P1")["P1"].verdict is Verdict.UNEXPECTED_PASS
