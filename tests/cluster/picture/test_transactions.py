"""Transactional ids as their coordinators tell them."""

from __future__ import annotations

import msgspec

from cluster.model import events as ev
from cluster.picture.cluster_state import ClusterState
from tests.support.traces.transactional import COORDINATOR, ID, PRODUCER, Transactional


def state_of(trace: Transactional) -> ClusterState:
    state = ClusterState()
    state.apply_all(trace.entries)
    return state


def test_an_id_has_the_state_that_its_coordinator_said_last() -> None:
    trace = Transactional()
    trace.state("Empty")
    trace.state("Ongoing", "Empty")
    known = state_of(trace).transactions[ID]
    assert (known.state, known.coordinator, known.partitions) == ("Ongoing", COORDINATOR, (("orders", 0),))


def test_the_next_coordinator_takes_over_what_it_has_read() -> None:
    trace = Transactional()
    trace.state("Ongoing", "Empty")
    trace.add(COORDINATOR, ev.TransactionCoordinatorResigned(partition=0, leader_epoch=0, transactions=1))
    assert state_of(trace).transactions[ID].coordinator == -1
    told = ((ID, "PrepareCommit", PRODUCER, 3),)
    trace.add(2, ev.TransactionCoordinatorLoaded(partition=0, leader_epoch=1, end_offset=9, transactions=told))
    known = state_of(trace).transactions[ID]
    assert (known.state, known.coordinator, known.producer_epoch) == ("PrepareCommit", 2, 3)


def test_an_id_that_is_over_is_forgotten() -> None:
    trace = Transactional()
    trace.state("Empty")
    trace.state("Dead", "Empty")
    assert state_of(trace).transactions == {}


def test_what_a_former_coordinator_learns_late_is_no_news() -> None:
    trace = Transactional()
    told = ((ID, "PrepareAbort", PRODUCER, 3),)
    trace.add(2, ev.TransactionCoordinatorLoaded(partition=0, leader_epoch=1, end_offset=9, transactions=told))
    late = ev.TransactionStateChanged(
        transactional_id=ID, producer_id=PRODUCER, producer_epoch=3, state="PrepareAbort", before="Ongoing",
        partitions=(("orders", 0),), why="its timeout is over", offset=7,
    )  # fmt: skip
    trace.add(2, msgspec.structs.replace(late, state="CompleteAbort", before="PrepareAbort", partitions=(), offset=9))
    trace.add(COORDINATOR, late)
    known = state_of(trace).transactions[ID]
    assert (known.state, known.coordinator) == ("CompleteAbort", 2)
