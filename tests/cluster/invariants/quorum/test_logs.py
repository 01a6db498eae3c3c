"""The metadata log: what is quiet and what is caught."""

from __future__ import annotations

import pytest

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces.quorum_traces import QuorumTrace, led
from tests.support.traces.traces import fsynced


def apart() -> QuorumTrace:
    """101 wrote a record in epoch 1 that nobody has; 102 leads epoch 2 and has committed another one."""
    trace = led()
    trace.write(101, "lost")
    trace.elect(102, 2, 103)
    trace.follow(103, 102)
    trace.fetch(103, 102)
    trace.advance(102, 3)
    return trace


def test_a_deposed_leader_is_cut_above_what_is_committed() -> None:
    trace = apart()
    trace.follow(101, 102)
    told = trace.diverge(102, 101, 2)
    trace.cut(101, 2, told)
    trace.fetch(101, 102)
    trace.advance(101, 3, role="follower")
    verdicts = trace.verdicts()
    assert trace.bad() == {}
    for invariant in ("R7", "R8", "R9", "R11", "R12", "R13", "R17"):
        assert verdicts[invariant].verdict is Verdict.HOLDS, invariant
    assert verdicts["R15"].verdict is Verdict.NOT_EVALUATED


def test_a_cut_above_what_is_committed_in_several_rounds_is_legal() -> None:
    trace = led()
    for name in ("x", "y"):
        trace.write(101, name)
    trace.elect(102, 2, 103)
    trace.follow(103, 102)
    trace.fetch(103, 102)
    trace.advance(102, 3)
    trace.follow(101, 102)
    trace.cut(101, 3, trace.diverge(102, 101, 3))
    trace.cut(101, 2, trace.diverge(102, 101, 2))
    trace.fetch(101, 102)
    assert trace.bad() == {}


def test_a_new_leaders_high_watermark_may_lag_and_a_restarted_follower_may_learn_less() -> None:
    trace = apart()
    trace.advance(103, 2, role="follower")
    trace.exit(103)
    trace.boot(103, voted_for=102)
    trace.role(103, "follower", 2, leader=102)
    trace.advance(103, 1, role="follower")
    assert trace.bad() == {}


def test_r7_a_leader_that_cuts_its_log() -> None:
    trace = led()
    trace.cut(101, 1, None)
    assert trace.violations("R7")[0].sentence == "leader 101 of epoch 1 cut its log to offset 1"


def test_r7_a_leader_that_writes_over_its_log() -> None:
    trace = led()
    trace.logs[101].pop()
    trace.write(101, "other")
    assert "wrote at offset 1; its log ends at 2" in trace.violations("R7")[0].sentence


def test_r8_another_record_of_the_same_epoch_at_the_same_offset() -> None:
    trace = led()
    trace.write(103, "forged", epoch=1, role="follower")
    found = trace.violations("R8")[0]
    assert found.record == "__cluster_metadata-0 offset 1"
    assert [event.node for event in found.events] == [103, 101]


def test_r8_equal_records_above_different_ones() -> None:
    trace = QuorumTrace()
    trace.elect(101, 1, 102)
    trace.follow(102, 101)
    trace.write(102, "forged", epoch=1, role="follower")
    assert trace.verdicts()["R8"].verdict is Verdict.VIOLATED


def test_r8_looks_at_what_a_restart_finds() -> None:
    trace = led()
    trace.exit(102)
    trace.logs[102][1] = (1, 2, 1, "ff")
    trace.boot(102)
    assert trace.verdicts()["R8"].verdict is Verdict.VIOLATED


def test_r9_a_leader_without_a_committed_record() -> None:
    trace = led()
    trace.exit(101)
    trace.pre_vote(103, 102)
    asked = trace.stand(103, 2)
    trace.vote(102, 103, 2, asked)
    trace.lead(103, 2, (102, 103))
    found = trace.violations("R9")[0]
    assert found.sentence == ("node 103 leads epoch 2 without the record at offset 1; all below 2 is committed")
    assert found.record == "__cluster_metadata-0 offset 1"


@pytest.mark.parametrize(("epoch", "verdict"), [(1, Verdict.HOLDS), (3, Verdict.VIOLATED)])
def test_r9_concerns_no_leader_that_learns_late_that_it_won_an_epoch_that_is_over(epoch: int, verdict: Verdict) -> None:
    trace = apart()
    trace.add(101, ev.LeaderElected(epoch=epoch, epoch_start_offset=3, votes=(101, 102)))
    assert trace.verdicts()["R9"].verdict is verdict


def test_r9_after_a_lying_disk_is_expected_and_names_the_restart() -> None:
    trace = led()
    trace.add(0, ev.FaultInjected(**fault_fields(1, "FsyncLie", "102"), command="fsync lie 102"))
    trace.add(0, ev.FaultApplied(**fault_fields(1, "FsyncLie", "102")))
    trace.add(102, fsynced(2, durable=1))
    trace.exit(102)
    trace.add(0, ev.PowerLost(node_id=102, files=(("a.log", 2, 2, 1, 1),)))
    trace.exit(101)
    trace.boot(102, keep=1)
    trace.pre_vote(103, 102)
    asked = trace.stand(103, 2)
    trace.vote(102, 103, 2, asked)
    trace.lead(103, 2, (102, 103))
    verdicts = trace.verdicts()
    assert verdicts["R9"].verdict is Verdict.EXPECTED
    broken = verdicts["R9"].violations[0].broken
    assert broken is not None and broken.assumption == "A1"
    assert broken.why == "voter 102 lost power and came back without records that its disk had claimed durable"
    assert verdicts["R12"].verdict is Verdict.EXPECTED


def test_r12_a_voter_that_lost_committed_records_without_a_lie_is_not_excused() -> None:
    trace = led()
    trace.exit(102)
    trace.add(0, ev.PowerLost(node_id=102, files=()))
    trace.boot(102, keep=1)
    assert trace.verdicts()["R12"].verdict is Verdict.VIOLATED


def test_r12_a_cut_below_what_is_committed() -> None:
    trace = apart()
    trace.follow(101, 102)
    trace.cut(101, 1, trace.diverge(102, 101, 1))
    found = trace.violations("R12")[0]
    assert found.sentence == "the log of node 101 fell from offset 3 to 1, but all below 3 is committed"


@pytest.mark.parametrize(("end", "is_legal"), [(1, True), (0, False)])
def test_r12_a_cut_that_a_leader_asks_for_which_another_has_replaced(end: int, is_legal: bool) -> None:
    """The new leader has committed the record since, with other copies; what was committed before must stay."""
    trace = QuorumTrace(observers=(1,))
    trace.elect(101, 1, 102)
    trace.follow(103, 101)
    for node in (102, 103):
        trace.fetch(node, 101)
    trace.advance(101, 1)
    trace.write(101, "x")
    trace.role(1, "observer", 1, leader=101)
    trace.fetch(1, 101, role="observer")
    trace.elect(102, 2, 103)
    trace.role(1, "observer", 2, leader=102)
    told = trace.diverge(102, 1, end)
    trace.role(101, "unattached", 2)
    trace.elect(101, 3, 103)
    trace.follow(103, 101)
    trace.fetch(103, 101)
    trace.advance(101, 3)
    trace.cut(1, end, told)
    assert trace.bad() == {} if is_legal else "but all below 1 is committed" in trace.violations("R12")[0].sentence


def test_r12_an_observer_may_lose_what_it_can_fetch_again() -> None:
    trace = QuorumTrace(observers=(1,))
    trace.elect(101, 1, 102)
    trace.follow(102, 101)
    trace.fetch(102, 101)
    trace.advance(101, 1)
    trace.role(1, "observer", 1, leader=101)
    trace.fetch(1, 101, role="observer")
    trace.advance(1, 1, role="observer")
    trace.exit(1)
    trace.boot(1, keep=0)
    assert trace.bad() == {}


def test_r11_a_high_watermark_without_a_majority() -> None:
    trace = led()
    trace.write(101, "b")
    trace.advance(101, 3)
    assert "moved the high watermark to 3: only 101 of 3 voters hold it" in trace.violations("R11")[0].sentence


def test_r11_an_old_record_on_a_majority_is_not_committed_by_that() -> None:
    trace = led()
    trace.exit(102)
    trace.write(101, "old")
    trace.role(101, "unattached", 2)
    trace.elect(101, 3, 103)
    trace.logs[103] = trace.logs[103][:1]
    trace.follow(103, 101)
    trace.fetch(103, 101)
    trace.advance(101, 3)
    assert "the record before it is of epoch 1" in trace.violations("R11")[0].sentence


def test_r11_a_leader_that_takes_its_word_back() -> None:
    trace = led()
    trace.advance(101, 1)
    assert "it had advanced it to 2" in trace.violations("R11")[0].sentence


def test_r13_a_diverging_answer_to_another_fetch() -> None:
    trace = apart()
    trace.follow(101, 102)
    late = trace.diverge(102, 101, 2)
    trace.cut(101, 2, late)
    trace.fetch(101, 102)
    trace.write(102, "more")
    trace.fetch(101, 102)
    trace.cut(101, 3, late)
    assert "no leader told it to" in trace.violations("R13")[0].sentence


def test_r13_a_diverging_answer_that_came_late() -> None:
    trace = apart()
    trace.follow(101, 102)
    first, late = trace.diverge(102, 101, 2), trace.diverge(102, 101, 2)
    trace.cut(101, 2, first)
    trace.fetch(101, 102)
    trace.cut(101, 2, late)
    assert "the answer was to another fetch or of another epoch" in trace.violations("R13")[0].sentence
    assert trace.verdicts()["R12"].verdict is Verdict.VIOLATED


def test_r13_records_of_a_later_epoch_than_the_nodes_own() -> None:
    trace = led()
    trace.write(103, "x", epoch=7, role="follower")
    assert "took records of epochs 7 to 7" in trace.violations("R13")[0].sentence


@pytest.mark.parametrize("forgotten", [False, True])
def test_r13_records_of_an_older_epoch_than_the_logs_end_are_taken_only_where_a_voter_has_forgotten(
    forgotten: bool,
) -> None:
    """Found by the swarm, seed 31873 with damaged disks: two nodes had led epoch 3, so two logs seemed to agree."""
    trace = led()
    if forgotten:
        trace.exit(102)
        trace.add(0, ev.FaultApplied(**fault_fields(1, "Wipe", "102")))
        trace.boot(102, keep=0)
    trace.write(103, "x", epoch=0, role="follower")
    found = trace.verdicts()["R13"]
    assert "whose log ends in epoch 1, took records of epochs 0 to 0" in found.violations[0].sentence
    assert found.verdict is (Verdict.EXPECTED if forgotten else Verdict.VIOLATED)


def test_r13_a_high_watermark_of_another_epoch() -> None:
    trace = led()
    trace.add(103, ev.MetadataHighWatermarkAdvanced(epoch=0, high_watermark=1, role="follower", log_end_offsets=()))
    assert trace.verdicts()["R13"].verdict is Verdict.VIOLATED


def test_r17_a_follower_that_takes_too_much_for_committed() -> None:
    trace = led()
    trace.write(101, "b")
    trace.fetch(102, 101)
    trace.advance(102, 3, role="follower")
    assert "the committed log ends at 2" in trace.violations("R17")[0].sentence


def test_r17_a_follower_whose_committed_part_differs() -> None:
    trace = led()
    trace.write(103, "forged", role="follower")
    trace.advance(103, 2, role="follower")
    assert "the committed log is another one" in trace.violations("R17")[0].sentence
