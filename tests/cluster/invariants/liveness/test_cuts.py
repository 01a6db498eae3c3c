"""Rule L9: the side of a cut that still has a majority of the voters goes on."""

from __future__ import annotations

import pytest

from cluster.invariants.liveness.cuts import majority_side
from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces.timed import VOTERS, Timed
from tests.support.traces.traces import LAB

NODES = frozenset((1, 2, 3, *VOTERS))


class Cut(Timed):
    """101 leads the quorum, broker 1 leads orders-0; then 101 and broker 1 are cut off together."""

    def __init__(self) -> None:
        super().__init__()
        self.lead_quorum()
        self.elect(1, 0)
        self.wait(1)
        self.cut("Partition", "1,101|2,3,102,103")

    def cut(self, kind: str, arguments: str) -> None:
        """The fault is injected and in force."""
        self.fault(1, kind, arguments)
        self.add(LAB, ev.FaultApplied(**fault_fields(1, kind, arguments)))

    def elected(self) -> None:
        """102 leads the quorum of its side."""
        self.role(102, "leader", 2, 102)
        self.role(103, "follower", 2, 102)
        self.add(102, ev.ControllerActivated(epoch=2))

    def moved(self) -> None:
        """Broker 2 leads the partition."""
        super().elect(2, 1, (2, 3))


@pytest.mark.parametrize(
    ("kind", "arguments", "side"),
    [
        ("Isolate", "101", {1, 2, 3, 102, 103}),
        ("Isolate", "3", {1, 2, 101, 102, 103}),
        ("Partition", "101,102|103", {1, 2, 3, 101, 102}),
        ("Partition", "1,101|2,102|3,103", set()),
        ("Partition", "1,2|3", {1, 2, 101, 102, 103}),
    ],
)
def test_the_side_with_a_majority_of_the_voters(kind: str, arguments: str, side: set[int]) -> None:
    links = fault_fields(1, kind, arguments, NODES)["links"]
    assert majority_side(links, NODES, VOTERS) == side


def test_a_side_that_elects_in_time_is_quiet() -> None:
    trace = Cut()
    trace.wait(0.5)
    trace.elected()
    trace.wait(1)
    trace.moved()
    trace.end()
    assert trace.holds("L9")
    assert trace.verdicts()["L9"].checks == 2


def test_a_leader_on_the_other_side_is_none() -> None:
    trace = Cut()
    trace.wait(1.1)
    trace.end()
    assert "has no quorum leader 1100 ms after the cut; 1000 ms are allowed" in trace.sentence("L9")


def test_a_partition_that_stays_with_the_other_side_is_late() -> None:
    trace = Cut()
    trace.elected()
    trace.wait(3)
    trace.end()
    assert "has a leaderless partition 3000 ms after the cut; 2900 ms are allowed" in trace.sentence("L9")


def test_another_fault_ends_what_can_be_said() -> None:
    trace = Cut()
    trace.wait(0.5)
    trace.fault(2, "Pause", "102")
    trace.wait(5)
    trace.end()
    assert trace.verdicts()["L9"].checks == 0
    assert not trace.bad()


def test_a_cut_among_other_faults_proves_nothing() -> None:
    trace = Timed()
    trace.lead_quorum()
    trace.fault(5, "Pause", "102")
    trace.fault(1, "Isolate", "101")
    trace.add(LAB, ev.FaultApplied(**fault_fields(1, "Isolate", "101")))
    trace.wait(9)
    trace.end()
    assert not trace.bad()


def test_what_is_deleted_meanwhile_needs_no_leader() -> None:
    trace = Cut()
    trace.elected()
    trace.delete_topic()
    trace.wait(9)
    trace.end()
    assert not trace.bad()
