"""What brokers apply."""

from __future__ import annotations

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.traces.quorum_traces import QuorumTrace


def applied(offset: int, *, partition_epoch: int = 0, leader: int = 1) -> ev.PartitionApplied:
    return ev.PartitionApplied(
        topic="orders",
        partition=0,
        leader=leader,
        leader_epoch=0,
        partition_epoch=partition_epoch,
        isr=(1, 2),
        elr=(),
        replicas=(1, 2),
        min_insync_replicas=1,
        metadata_offset=offset,
    )


def brokers() -> QuorumTrace:
    """Two brokers know that one record is committed."""
    trace = QuorumTrace(observers=(1, 2))
    trace.elect(101, 1, 102)
    trace.follow(102, 101)
    trace.fetch(102, 101)
    trace.advance(101, 1)
    for broker in (1, 2):
        trace.role(broker, "observer", 1, leader=101)
        trace.fetch(broker, 101, role="observer")
        trace.advance(broker, 1, role="observer")
    return trace


def test_two_brokers_that_apply_the_same_are_quiet() -> None:
    trace = brokers()
    trace.add(1, applied(1))
    trace.add(2, applied(1))
    assert trace.bad() == {}
    assert trace.verdicts()["R10"].checks == 2


def test_r10_two_states_of_one_partition_epoch() -> None:
    trace = brokers()
    trace.add(1, applied(1))
    trace.add(2, applied(1, leader=2))
    found = trace.violations("R10")[0]
    assert found.sentence == "node 2 applied another state of partition 0 in partition epoch 0 than node 1"


def test_r10_metadata_that_is_not_committed() -> None:
    trace = brokers()
    trace.add(1, applied(2))
    assert trace.verdicts()["R10"].verdict is Verdict.VIOLATED
    assert "it knows only 1 to be committed" in trace.violations("R10")[0].sentence
