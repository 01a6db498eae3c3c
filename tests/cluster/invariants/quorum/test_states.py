"""What a quorum node remembers and the roles it takes."""

from __future__ import annotations

import pytest

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces.quorum_traces import QuorumTrace, led
from tests.support.traces.traces import LAB


def test_a_restart_in_the_epoch_it_had_is_quiet() -> None:
    trace = led()
    trace.exit(103)
    trace.boot(103)
    trace.role(103, "follower", 1, leader=101)
    assert trace.bad() == {}
    assert trace.verdicts()["R5"].verdict is Verdict.HOLDS


def test_r5_an_epoch_that_falls() -> None:
    trace = led()
    trace.role(103, "unattached", 5)
    trace.role(103, "unattached", 4)
    assert trace.violations("R5")[0].sentence == "node 103 is in epoch 4 after it was in epoch 5"


def test_r5_an_epoch_that_a_restart_forgot() -> None:
    trace = led()
    trace.role(103, "unattached", 5)
    trace.exit(103)
    trace.boot(103, epoch=1)
    assert trace.verdicts()["R5"].verdict is Verdict.VIOLATED


def test_r5_an_observer_may_learn_the_epoch_anew() -> None:
    trace = QuorumTrace(observers=(1,))
    trace.role(1, "observer", 5, leader=101)
    trace.exit(1)
    trace.boot(1, epoch=0)
    assert trace.bad() == {}


def test_r6_a_vote_that_was_not_on_disk() -> None:
    trace = led()
    trace.pre_vote(102, 103)
    asked = trace.stand(102, 2)
    trace.vote(103, 102, 2, asked, disk=False)
    assert trace.violations("R6")[0].sentence == "node 103 answered before its vote for 102 in epoch 2 was on disk"


def test_r6_a_candidate_that_was_not_on_disk() -> None:
    trace = led()
    trace.pre_vote(102, 103)
    trace.role(102, "candidate", 2, vote=102, disk=False)
    trace.ask(102, 2, pre_vote=False)
    assert "asked for votes before" in trace.violations("R6")[0].sentence


def test_r6_a_candidate_that_goes_on_from_what_its_disk_gave_back() -> None:
    """Its disk lied about the epoch that followed, and a power loss took that away."""
    trace = led()
    trace.add(LAB, ev.FaultApplied(**fault_fields(1, "FsyncLie", "103")))
    trace.role(103, "candidate", 2, vote=103)
    trace.role(103, "unattached", 3, lied=True)
    trace.exit(103)
    trace.add(LAB, ev.PowerLost(node_id=103, files=()))
    trace.boot(103, epoch=2, voted_for=103)
    trace.role(103, "candidate", 2, vote=103, disk=False)
    trace.ask(103, 2, pre_vote=False)
    verdicts = trace.verdicts()
    assert verdicts["R6"].verdict is Verdict.HOLDS
    assert verdicts["R5"].verdict is Verdict.EXPECTED


def test_r5_what_a_start_writes_anew_may_be_older_only_after_a_lie() -> None:
    for lied in (True, False):
        trace = led()
        trace.add(LAB, ev.FaultApplied(**fault_fields(1, "FsyncLie", "103")))
        trace.role(103, "unattached", 3, lied=lied)
        trace.exit(103)
        trace.add(LAB, ev.PowerLost(node_id=103, files=()))
        trace.start(103)
        trace.add(103, ev.ElectionPersisted(epoch=1, leader_id=101, voted_for=101, lied=False))
        assert trace.verdicts()["R5"].verdict is (Verdict.EXPECTED if lied else Verdict.VIOLATED)


def test_r6_a_candidate_of_an_epoch_that_its_disk_did_not_give_back() -> None:
    trace = led()
    trace.exit(103)
    trace.boot(103)
    trace.role(103, "candidate", 2, vote=103, disk=False)
    trace.ask(103, 2, pre_vote=False)
    assert "asked for votes before" in trace.violations("R6")[0].sentence


def test_r6_a_follower_counted_for_what_its_disk_never_claimed() -> None:
    trace = led()
    trace.write(101, "b")
    trace.fetch(102, 101)
    del trace.entries[-1]  # the flush
    trace.advance(101, 3)
    assert "voter 102 was counted for offset 3" in trace.violations("R6")[0].sentence


def test_r6_a_candidate_whose_disk_never_said_anything() -> None:
    trace = QuorumTrace()
    trace.elect(101, 1, 102)
    trace.role(103, "candidate", 2, vote=103, disk=False)
    trace.ask(103, 2, pre_vote=False)
    assert "asked for votes before" in trace.violations("R6")[0].sentence


def test_r6_is_not_evaluated_when_no_disk_speaks() -> None:
    trace = QuorumTrace()
    trace.role(101, "prospective", 0, disk=False)
    trace.ask(101, 0, pre_vote=True)
    assert trace.verdicts()["R6"].verdict is Verdict.NOT_EVALUATED


@pytest.mark.parametrize(
    ("role", "leader", "vote"),
    [
        ("leader", 103, -1),
        ("follower", 103, -1),
        ("follower", -1, -1),
        ("resigned", 103, -1),
        ("candidate", -1, -1),
        ("observer", -1, -1),
        ("generator", -1, -1),
    ],
)
def test_r16_roles_that_103_may_not_take_from_follower_or_so(role: str, leader: int, vote: int) -> None:
    trace = led()
    trace.role(103, role, 2, leader=leader, vote=vote)
    assert trace.verdicts()["R16"].verdict is Verdict.VIOLATED


def test_r16_a_follower_that_leads_at_once() -> None:
    trace = led()
    trace.role(103, "leader", 2, leader=103, vote=103)
    assert "it was follower before" in trace.violations("R16")[0].sentence


def test_r16_a_process_that_had_led_comes_back_resigned() -> None:
    trace = led()
    trace.exit(101)
    trace.start(101)
    trace.add(
        101,
        ev.QuorumBooted(epoch=1, voted_for=101, leader_id=101, log_end_offset=2, last_epoch=1, voters=(101, 102, 103)),
    )
    trace.role(101, "candidate", 2, vote=101)
    assert "it was resigned before" in trace.violations("R16")[0].sentence
