"""How long a leader stays in office without a majority of the voters."""

from __future__ import annotations

import pytest

from cluster.invariants.checker import Checker
from cluster.invariants.liveness.check_quorum import CheckQuorumInvariants
from cluster.invariants.verdicts.verdict import InvariantVerdict, Verdict
from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces.timed import TIMERS, Timed
from tests.support.traces.traces import LAB


class Led(Timed):
    """101 leads 102 and 103; fetch timeout 200 ms, so 1.3 s are allowed."""

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)
        self.lead_quorum()

    def voters_are(self, node: int, disk: str) -> None:
        """A node with that disk goes by 101, 102 and 103, each with its first disk."""
        voters, disks = (101, 102, 103), ("disk-101", "disk-102", "disk-103")
        told = ev.VotersChanged(epoch=1, offset=-1, voters=voters, directories=disks, directory_id=disk, why="by hand")
        self.add(node, told)

    def apply_fault(self, number: int, kind: str, arguments: str) -> None:
        self.add(LAB, ev.FaultApplied(**fault_fields(number, kind, arguments)))

    @property
    def line(self) -> InvariantVerdict:
        checker = Checker((CheckQuorumInvariants,))
        for entry in self.entries:
            checker.feed(entry)
        return checker.finish(())[0]


def test_a_leader_that_resigns_in_time_is_quiet() -> None:
    assert TIMERS["quorum_fetch_timeout_ms"] == 200
    trace = Led()
    trace.exit(102)
    trace.wait(60)
    trace.exit(103)
    trace.wait(0.4)
    trace.role(101, "resigned")
    assert (trace.line.verdict, trace.line.checks) == (Verdict.HOLDS, 2), "before the others follow, too"


@pytest.mark.parametrize("how", ["dead", "cut", "gone on"])
def test_l12_a_leader_that_stays_without_a_majority(how: str) -> None:
    trace = Led()
    if how == "dead":
        trace.exit(102)
        trace.exit(103)
    elif how == "cut":
        trace.apply_fault(7, "Partition", "101,1|102,103")
    else:
        trace.role(102, "leader", 2, leader=102)
        trace.role(103, "follower", 2, leader=102)
    trace.wait(1.9)
    trace.role(101, "resigned")
    assert trace.line.violations[0].sentence == (
        "node 101 leads the quorum for 1900 ms though no majority of the voters can fetch from it; 1800 ms are allowed"
    )


def test_a_voter_that_is_left_may_set_the_clock_of_check_quorum_once_more() -> None:
    """Seen in lesson 1 with five times Kafka's timers: four voters, halved; the follower beside the leader fetched."""
    trace = Led()
    trace.exit(102)
    trace.exit(103)
    trace.wait(1.7)
    trace.role(101, "resigned")
    assert trace.line.verdict is Verdict.HOLDS, "300 ms of patience, 500 until that fetch, 1000 for a late machine"


def test_l12_is_asked_when_the_trace_stops() -> None:
    trace = Led()
    trace.exit(102)
    trace.exit(103)
    trace.wait(9)
    trace.end()
    assert trace.line.verdict is Verdict.VIOLATED


@pytest.mark.parametrize(("kind", "arguments"), [("Pause", "101"), ("DriftClock", "101 -50%")])
def test_a_leader_whose_timers_are_late_is_given_time_anew(kind: str, arguments: str) -> None:
    trace = Led()
    trace.exit(102)
    trace.exit(103)
    trace.apply_fault(7, kind, arguments)
    trace.wait(9)
    trace.heal(7, kind, arguments)
    trace.wait(1)
    trace.role(101, "resigned")
    assert trace.line.verdict is Verdict.HOLDS


@pytest.mark.parametrize(
    ("kind", "arguments", "apart"),
    [
        ("Isolate", "101", True),
        ("Isolate", "103", False),
        ("Partition", "101|102", True),
        ("Partition", "101,102|1", False),
        ("Partition", "101|103", False),
    ],
)
def test_only_a_cut_between_the_leader_and_a_voter_takes_the_voter_away(kind: str, arguments: str, apart: bool) -> None:
    trace = Led()
    trace.exit(103)
    trace.apply_fault(7, kind, arguments)
    trace.wait(1.9)
    trace.role(101, "resigned")
    assert (trace.line.verdict is Verdict.VIOLATED) is apart


@pytest.mark.parametrize(("disk", "verdict"), [("disk-102", Verdict.HOLDS), ("another", Verdict.VIOLATED)])
def test_a_voter_that_takes_itself_for_an_observer_counts_with_its_disk(disk: str, verdict: Verdict) -> None:
    """Seen in seed 336: the leader's log named 102, which still fetched the snapshot before that record."""
    trace = Led(dynamic_quorum=True)
    trace.voters_are(101, "disk-101")
    trace.voters_are(102, disk)
    trace.exit(103)
    trace.role(102, "observer")
    trace.wait(9)
    trace.role(101, "resigned")
    assert trace.line.verdict is verdict
