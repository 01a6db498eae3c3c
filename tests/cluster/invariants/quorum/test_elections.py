"""Elections: what is quiet and what is caught."""

from __future__ import annotations

import pytest

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces.quorum_traces import QuorumTrace, led


def second_epoch() -> QuorumTrace:
    """After `led`: 101 is killed, 102 leads epoch 2 and commits a record with 103."""
    trace = led()
    trace.exit(101)
    trace.elect(102, 2, 103)
    trace.follow(103, 102)
    trace.fetch(103, 102)
    trace.advance(102, 3)
    trace.advance(103, 3, role="follower")
    return trace


def test_a_legal_election_and_its_successor_are_quiet() -> None:
    verdicts = second_epoch().verdicts()
    assert second_epoch().bad() == {}
    for invariant in ("R1", "R2", "R3", "R4", "R14", "R18"):
        assert verdicts[invariant].verdict is Verdict.HOLDS, invariant


def test_two_leaders_at_one_instant_in_different_epochs_are_legal() -> None:
    trace = led()
    trace.elect(102, 2, 103)
    trace.write(101, "late")
    assert trace.bad() == {}


def test_r1_two_leaders_of_one_epoch() -> None:
    trace = second_epoch()
    trace.add(103, ev.LeaderElected(epoch=2, epoch_start_offset=3, votes=(101, 103)))
    found = trace.violations("R1")[0]
    assert found.sentence == "nodes 102 and 103 were both elected in epoch 2"
    assert [event.node for event in found.events] == [103, 102]


def test_r2_a_second_vote_in_the_epoch() -> None:
    trace = led()
    trace.role(103, "unattached", 2, vote=102)
    trace.role(103, "unattached", 2, vote=101)
    assert "voted for 101 in epoch 2, where it had voted for 102" in trace.violations("R2")[0].sentence


def test_r2_a_second_vote_after_a_restart() -> None:
    trace = led()
    trace.role(103, "unattached", 2, vote=102)
    trace.exit(103)
    trace.boot(103, voted_for=101)
    assert trace.verdicts()["R2"].verdict is Verdict.VIOLATED


def test_r2_a_vote_that_a_lying_disk_forgot_is_expected() -> None:
    trace = led()
    trace.add(0, ev.FaultInjected(**fault_fields(1, "FsyncLie", "103"), command="fsync lie 103"))
    lie = trace.add(0, ev.FaultApplied(**fault_fields(1, "FsyncLie", "103")))
    trace.role(103, "unattached", 2, vote=102, lied=True)
    trace.exit(103)
    trace.add(0, ev.PowerLost(node_id=103, files=()))
    boot = trace.boot(103, epoch=1)
    trace.role(103, "unattached", 2, vote=101)
    verdict = trace.verdicts()["R2"]
    assert verdict.verdict is Verdict.EXPECTED
    assert verdict.violations[0].broken is not None
    assert verdict.violations[0].broken.event == boot > lie


def test_r2_a_vote_that_an_honest_disk_forgot_is_not_excused() -> None:
    trace = led()
    trace.role(103, "unattached", 2, vote=102)
    trace.exit(103)
    trace.add(0, ev.PowerLost(node_id=103, files=()))
    trace.boot(103, epoch=1)
    trace.role(103, "unattached", 2, vote=101)
    assert trace.verdicts()["R2"].verdict is Verdict.VIOLATED


def test_r3_a_leader_whose_vote_nobody_gave() -> None:
    trace = led()
    trace.pre_vote(102, 103)
    trace.stand(102, 2)
    trace.lead(102, 2, (102, 103))
    assert "with votes of 102, no majority of 3 voters" in trace.violations("R3")[0].sentence


def test_r3_a_vote_of_another_epoch_does_not_count() -> None:
    trace = led()
    trace.pre_vote(102, 103)
    asked = trace.stand(102, 2)
    trace.vote(103, 102, 2, asked)
    trace.role(102, "candidate", 3, vote=102)
    trace.lead(102, 3, (102, 103))
    assert trace.verdicts()["R3"].verdict is Verdict.VIOLATED


def test_r4_a_vote_for_a_shorter_log() -> None:
    trace = led()
    trace.pre_vote(102, 103)
    asked = trace.stand(103, 2)
    trace.vote(102, 103, 2, asked)
    assert "whose log ends at 1 in epoch 1; its own ends at 2" in trace.violations("R4")[0].sentence


def test_r4_a_voter_that_misstates_its_own_log() -> None:
    trace = led()
    event = ev.VoteGranted(
        epoch=1,
        candidate_id=103,
        pre_vote=True,
        candidate_last_epoch=1,
        candidate_last_offset=1,
        last_epoch=1,
        last_offset=1,
    )
    trace.add(102, event)
    assert any("by its events it ends at 2" in item.sentence for item in trace.violations("R4"))


def test_r14_two_names_for_one_leader() -> None:
    trace = led()
    trace.role(103, "follower", 2, leader=101)
    trace.role(102, "follower", 2, leader=103)
    assert "names 103 as leader of epoch 2, others named 101" in trace.violations("R14")[0].sentence


def test_epochs_may_be_used_up_without_a_leader() -> None:
    trace = led()
    trace.exit(101)
    for epoch in (2, 3):
        trace.pre_vote(102, 103)
        trace.stand(102, epoch)
        trace.role(103, "unattached", epoch)
    assert trace.bad() == {}


@pytest.mark.parametrize("pre_vote", [True, False])
def test_r18_raising_the_epoch_alone_is_wrong_only_with_pre_vote(pre_vote: bool) -> None:
    trace = QuorumTrace(pre_vote=pre_vote)
    trace.role(101, "prospective", 0, disk=False)
    trace.stand(101, 1)
    expected = Verdict.VIOLATED if pre_vote else Verdict.NOT_EVALUATED
    assert trace.verdicts()["R18"].verdict is expected


def test_r18_a_claimed_pre_vote_that_nobody_gave() -> None:
    trace = QuorumTrace()
    trace.role(101, "prospective", 0, disk=False)
    asked = trace.ask(101, 0, pre_vote=True)
    trace.count(101, 102, 0, pre_vote=True, cause=asked)
    trace.stand(101, 1)
    assert "only nobody would have voted for it" in trace.violations("R18")[0].sentence


def test_r18_a_leader_that_resigned_may_raise_it_once() -> None:
    trace = led()
    trace.role(101, "resigned", 1, leader=101, vote=101)
    trace.role(101, "unattached", 2)
    assert trace.bad() == {}


def test_r2_a_vote_that_a_restart_forgot() -> None:
    trace = led()
    trace.exit(102)
    trace.boot(102, voted_for=101)
    assert trace.bad() == {}
    trace.exit(102)
    trace.boot(102)
    assert trace.violations("R2")[0].sentence == "node 102 comes back in epoch 1 without its vote for 101"


def test_r3_counts_the_vote_that_a_candidate_has_given_itself_now() -> None:
    trace = led()
    trace.role(102, "unattached", 2, vote=103)
    trace.exit(102)
    trace.add(0, ev.FaultApplied(**fault_fields(1, "Wipe", "102")))
    trace.boot(102, epoch=1)
    trace.pre_vote(102, 103)
    asked = trace.stand(102, 2)
    trace.vote(103, 102, 2, asked)
    trace.lead(102, 2, (102, 103))
    assert trace.verdicts()["R3"].verdict is Verdict.HOLDS
    assert trace.verdicts()["R2"].verdict is Verdict.EXPECTED, "it voted for 103 in that epoch, and forgot it"


def test_r19_a_follower_that_has_fetched_grants_a_pre_vote() -> None:
    trace = led()
    trace.role(103, "prospective", 1, leader=101, disk=False)
    asked = trace.ask(103, 1, pre_vote=True)
    trace.grant(102, 103, 1, pre_vote=True, cause=asked)
    assert trace.violations("R19")[0].sentence == (
        "node 102 grants 103 a pre-vote and has fetched from leader 101 in epoch 1"
    )


def test_r19_a_leader_that_grants_a_pre_vote() -> None:
    trace = led()
    trace.role(103, "prospective", 1, leader=101, disk=False)
    trace.grant(101, 103, 1, pre_vote=True, cause=trace.ask(103, 1, pre_vote=True))
    assert trace.violations("R19")[0].sentence == "node 101 grants 103 a pre-vote and leads epoch 1"


def test_what_its_own_snapshot_stands_for_tells_a_follower_of_no_leader() -> None:
    trace = led()
    trace.role(103, "prospective", 1, leader=101, disk=False)
    trace.role(103, "follower", 1, leader=101, disk=False)
    installed = ev.SnapshotInstalled(
        end_offset=4, epoch=1, size_bytes=9, old_log_start_offset=0, old_end_offset=0, leader_id=101
    )
    trace.add(103, installed)
    trace.advance(103, 4, role="follower")
    trace.role(102, "prospective", 1, leader=101, disk=False)
    trace.grant(103, 102, 1, pre_vote=True, cause=trace.ask(102, 1, pre_vote=True))
    assert "R19" not in trace.bad()
    trace.advance(103, 5, role="follower")
    trace.grant(103, 102, 1, pre_vote=True, cause=trace.ask(102, 1, pre_vote=True))
    assert "R19" in trace.bad(), "that a leader has told"


def test_a_follower_that_has_not_fetched_yet_may_grant_a_pre_vote() -> None:
    trace = led()
    trace.role(103, "prospective", 1, leader=101, disk=False)
    trace.role(103, "follower", 1, leader=101, disk=False)
    trace.role(102, "prospective", 1, leader=101, disk=False)
    trace.grant(103, 102, 1, pre_vote=True, cause=trace.ask(102, 1, pre_vote=True))
    assert "R19" not in trace.bad(), "it follows anew"
