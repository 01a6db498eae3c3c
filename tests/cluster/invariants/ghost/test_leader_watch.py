"""What the ghost knows of partition leaders, their ISR and replicas that came back with less."""

from __future__ import annotations

from cluster.invariants.checker import Checker
from cluster.invariants.ghost.parts import PartitionGhost
from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from tests.support.traces.partitions import ALL, ORDERS, Partition


def ghost_of(trace: Partition) -> PartitionGhost:
    checker = Checker(())
    for entry in trace.entries:
        checker.feed(entry)
    return checker.ghost.partitions[ORDERS]


def test_a_proposed_larger_isr_counts_until_it_is_settled() -> None:
    trace = Partition()
    trace.brokers()
    trace.elect(1, 0, (1, 2))
    trace.propose(1, ALL, (1, 2))
    assert ghost_of(trace).leaderships[1].maximal_isr == ALL
    trace.add(1, ev.IsrRefused(topic="orders", partition=0, error=ErrorCode.NOT_CONTROLLER))
    assert ghost_of(trace).leaderships[1].maximal_isr == ALL
    trace.add(1, ev.IsrRefused(topic="orders", partition=0, error=ErrorCode.INELIGIBLE_REPLICA))
    assert ghost_of(trace).leaderships[1].maximal_isr == (1, 2)


def test_metadata_that_a_leader_knows_already_settles_nothing() -> None:
    trace = Partition()
    trace.brokers()
    trace.elect(1, 0, (1,))
    trace.propose(1, (1, 2), (1,))
    trace.committed(1, (1, 2), 1)
    trace.propose(1, ALL, (1, 2), partition_epoch=1)
    trace.apply(1, 1, 0, 1, (1, 2))
    assert ghost_of(trace).leaderships[1].maximal_isr == ALL
    trace.apply(1, 1, 0, 2, ALL)
    assert ghost_of(trace).leaderships[1].joining == ()


def test_a_proposal_tells_from_which_state_its_leader_starts() -> None:
    """A leader that recovered from an unclean election was told of a new partition epoch with the same ISR."""
    trace = Partition()
    trace.brokers()
    trace.elect(1, 0, (1,))
    trace.propose(1, (1, 2), (1,), partition_epoch=1)
    trace.apply(1, 1, 0, 1, (1,))
    assert ghost_of(trace).leaderships[1].maximal_isr == (1, 2)


def test_a_leadership_ends_with_following_or_with_a_restart() -> None:
    trace = Partition()
    trace.begin()
    trace.elect(2, 1, (1, 2))
    found = ghost_of(trace)
    assert list(found.leaderships) == [2]
    assert found.newest is found.leaderships[2]
    trace.exit(2)
    trace.start(2, "broker")
    trace.recover(2)
    found = ghost_of(trace)
    assert not found.leaderships
    assert found.newest is not None
    assert (found.newest.node, found.newest.leader_epoch) == (2, 1)


def test_who_comes_back_with_less_is_lossy_until_it_joins_the_isr_anew() -> None:
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    trace.power_loss(3)
    trace.start(3, "broker")
    lost = trace.recover(3)
    assert ghost_of(trace).lossy == {3: lost}
    assert ghost_of(trace).peaks == {3: 1}
    trace.apply(1, 1, 0, 1, (1, 2))
    assert ghost_of(trace).lossy == {3: lost}
    trace.apply(1, 1, 0, 2, ALL)
    assert ghost_of(trace).lossy == {3: lost}, "the process before the loss was meant"
    trace.apply(1, 1, 0, 3, (1, 2))
    trace.register(3)
    trace.copy(3, 0, "aa")
    trace.apply(1, 1, 0, 4, ALL)
    assert not ghost_of(trace).lossy


def test_a_committed_leader_overrules_a_decision_that_was_dropped() -> None:
    trace = Partition()
    trace.begin()
    trace.decide(2, 1, 1, (2, 3))
    trace.decide(3, 1, 1, (1, 3), node=102)
    trace.apply(3, 3, 1, 1, (1, 3))
    assert ghost_of(trace).leaders[1].node == 3
