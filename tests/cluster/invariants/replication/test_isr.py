"""Invariants P10, P11, P12 and P23: what the controller and the leaders do to an ISR."""

from __future__ import annotations

import pytest

from cluster.model import events as ev
from cluster.model.entry import EventId
from cluster.model.identifiers import METADATA
from tests.support.traces.controlled import Controlled
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import ALL, CONTROLLER, Partition
from tests.support.traces.traces import recovered


def shrunk() -> Controlled:
    """Broker 3 was fenced and left the ISR; it is back in service and has caught up."""
    trace = Controlled()
    trace.up()
    trace.replicate(0, "aa")
    trace.fence(3)
    trace.decide(partition_epoch=1, isr=(1, 2))
    trace.apply(1, partition_epoch=1, isr=(1, 2))
    trace.committed(1, (1, 2), 1)
    trace.fence(3, fenced=False)
    return trace


def test_a_shrink_and_an_expansion_are_quiet() -> None:
    trace = shrunk()
    trace.propose(1, ALL, (1, 2), partition_epoch=1)
    trace.decide(partition_epoch=2, isr=ALL)
    trace.committed(1, ALL, 2)
    for node in ALL:
        trace.apply(node, partition_epoch=2)
    assert trace.holds("P10", "P11", "P12")


def test_an_insane_isr_is_caught() -> None:
    for isr, elr, what in (
        ((2, 3), (), "leader 1 is not in the ISR"),
        ((1, 4), (), "is no set of the replicas"),
        ((1, 1), (), "is no set of the replicas"),
        ((1, 2), (2,), "overlap"),
    ):
        trace = Partition()
        trace.decide(isr=isr, elr=elr)
        assert what in trace.sentence("P10")


def test_an_empty_isr_needs_eligible_leader_replicas() -> None:
    trace = Partition(elr=False)
    trace.decide(leader=-1, isr=())
    assert "empty" in trace.sentence("P10")
    with_elr = Partition()
    with_elr.decide(leader=-1, isr=(), elr=(1,))
    assert with_elr.holds("P10")


def test_a_fenced_broker_among_others_in_the_isr_is_caught() -> None:
    trace = Controlled()
    trace.up()
    trace.fence(3)
    trace.decide(2, 1, 1)
    assert "broker 3 is fenced and in the ISR [1, 2, 3]" in trace.sentence("P10")


def test_the_last_member_of_an_isr_may_be_fenced() -> None:
    trace = Controlled(elr=False)
    trace.up()
    for epoch, (fenced, isr, leader) in enumerate(((3, (1, 2), 1), (2, (1,), 1), (1, (1,), -1)), 1):
        trace.fence(fenced)
        trace.decide(leader, int(leader < 0), epoch, isr)
    assert trace.holds("P10", "P11")


def test_what_a_deposed_controller_decided_alone_does_not_count() -> None:
    trace = Controlled()
    trace.up()
    other = 102
    for offset in range(trace.metadata_end):
        trace.add(
            other,
            ev.MetadataAppended(
                base_offset=offset, end_offset=offset + 1, epochs=((1, offset),), kinds=("x",), role="follower"
            ),
        )
    trace.add(CONTROLLER, ev.BrokerFenced(broker_id=3, broker_epoch=1, why="by hand"))
    trace.decide(2, 1, 1, (1, 2))
    end = trace.metadata_end
    trace.write()
    trace.metadata_end = end
    trace.activate(other, 2)
    trace.decide(3, 1, 1, node=other)
    trace.write(other)
    trace.apply(3, 3, 1, 1)
    assert trace.holds("P10", "P11")


def test_what_another_controller_wrote_counts_for_the_next() -> None:
    trace = Controlled()
    trace.up()
    for offset in range(trace.metadata_end):
        trace.add(
            102,
            ev.MetadataAppended(
                base_offset=offset, end_offset=offset + 1, epochs=((1, offset),), kinds=("x",), role="follower"
            ),
        )
    trace.activate(102, 2)
    trace.decide(2, 1, 2, node=102)
    assert "partition epoch 2 follows 0" in trace.sentence("P11")


def test_a_partition_epoch_that_jumps_is_caught() -> None:
    trace = Partition()
    trace.decide()
    trace.decide(partition_epoch=2)
    assert "partition epoch 2 follows 0" in trace.sentence("P11")


def test_the_leader_epoch_rises_when_and_only_when_the_leader_changes() -> None:
    for leader, leader_epoch in ((2, 0), (1, 1), (2, 2)):
        trace = Partition()
        trace.decide()
        trace.decide(leader, leader_epoch, 1)
        assert f"leader 1 becomes {leader}" in trace.sentence("P11")


def test_a_decision_after_untold_metadata_is_not_judged() -> None:
    trace = Partition()
    trace.start(CONTROLLER)
    trace.decide()
    trace.add(CONTROLLER, recovered(3, topic=METADATA.topic))
    trace.decide(partition_epoch=2)
    assert not trace.bad()


def test_a_state_that_nobody_decided_is_caught() -> None:
    trace = Partition()
    trace.start(1, "broker")
    trace.decide()
    trace.apply(1, isr=(1, 2))
    assert "partition epoch 0 nobody decided" in trace.sentence("P11")


def test_two_states_of_one_partition_epoch_are_caught() -> None:
    trace = Partition()
    trace.decide()
    trace.decide(isr=(1, 2), node=102)
    trace.apply(1)
    trace.apply(2, isr=(1, 2))
    assert any("two brokers apply different states" in item.sentence for item in trace.violations("P11"))


def test_a_broker_that_goes_back_is_caught() -> None:
    trace = Partition()
    trace.decide()
    trace.decide(partition_epoch=1, isr=(1, 2))
    trace.apply(1, partition_epoch=1, isr=(1, 2))
    trace.apply(1)
    assert "goes back to partition epoch 0" in trace.sentence("P11")


@pytest.mark.parametrize(("control", "broken"), [("zookeeper", False), ("kraft", True)])
def test_in_zookeeper_mode_a_broker_that_starts_anew_may_be_sent_older_state(control: str, broken: bool) -> None:
    trace = Partition(control=control)
    trace.start(1, "broker")
    trace.decide()
    trace.decide(partition_epoch=1, isr=(1, 2))
    trace.apply(1, partition_epoch=1, isr=(1, 2))
    trace.exit(1)
    trace.start(1, "broker")
    trace.apply(1)
    assert any("goes back" in item.sentence for item in trace.violations("P11")) is broken


def test_an_isr_that_a_leader_made_up_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.committed(1, (1, 2), 1)
    assert "which nobody decided" in trace.sentence("P11")


def test_a_member_that_nobody_asked_for_is_caught() -> None:
    trace = shrunk()
    trace.decide(partition_epoch=2, isr=ALL)
    assert "leader 1 never asked for it" in trace.sentence("P12")


def test_a_member_that_is_fenced_when_it_joins_is_caught() -> None:
    trace = shrunk()
    trace.propose(1, ALL, (1, 2), partition_epoch=1)
    trace.fence(3)
    trace.decide(partition_epoch=2, isr=ALL)
    assert "joins the ISR while it is fenced" in trace.violations("P12")[0].sentence


def test_a_member_that_is_leaving_when_it_joins_is_caught() -> None:
    trace = shrunk()
    trace.propose(1, ALL, (1, 2), partition_epoch=1)
    trace.add(CONTROLLER, ev.ControlledShutdownBegun(broker_id=3))
    trace.decide(partition_epoch=2, isr=ALL)
    assert "shutting down" in trace.sentence("P12")


def asked_by_an_earlier_process() -> Controlled:
    """Broker 3 is proposed for a fetch of a process that is gone before the controller decides."""
    trace = shrunk()
    asked = trace.propose(1, ALL, (1, 2), partition_epoch=1)
    proposal = next(entry for entry in trace.entries if entry.id == asked)
    proposal.cause = EventId(3, 0, 0)
    trace.exit(3)
    trace.start(3, "broker")
    trace.join(3, 9, "b")
    trace.fence(3, fenced=False)
    return trace


def test_a_fetch_of_an_earlier_process_lets_nobody_in() -> None:
    trace = asked_by_an_earlier_process()
    trace.decide(partition_epoch=2, isr=ALL)
    assert "a fetch of start 0, and start 1 registered" in trace.sentence("P12")


def test_a_proposal_that_was_refused_does_not_speak_for_the_next_one() -> None:
    """The fetch behind the next one was caused by an answer of the leader, so it names no start of the follower."""
    trace = asked_by_an_earlier_process()
    trace.propose(1, ALL, (1, 2), partition_epoch=1)
    trace.decide(partition_epoch=2, isr=ALL)
    assert trace.holds("P12")


def test_a_follower_behind_the_high_watermark_may_not_be_proposed() -> None:
    trace = Partition()
    trace.brokers()
    trace.elect(1, 0, (1, 2), followers=ALL)
    trace.replicate(0, "aa", isr=(1, 2))
    trace.progress(1, 3, 0)
    trace.propose(1, ALL, (1, 2))
    assert "which it heard fetch at 0; 1 is needed" in trace.sentence("P12")


def test_a_follower_behind_the_epoch_start_may_not_be_proposed() -> None:
    trace = Partition()
    trace.brokers()
    trace.elect(1, 1, (1, 2), start=5, followers=())
    trace.propose(1, ALL, (1, 2))
    assert "which it heard fetch at -1; 5 is needed" in trace.sentence("P12")


def test_an_election_lets_in_the_leader_alone() -> None:
    trace = Partition()
    trace.decide(-1, 0, 0, (), elr=(2, 3))
    trace.decide(2, 1, 1, (2,), elr=(3,))
    assert trace.holds("P12")
    trace.decide(3, 2, 2, (2, 3))
    assert "an election makes the ISR [2, 3] of [2]" in trace.sentence("P12")


def test_a_new_process_gets_a_higher_broker_epoch() -> None:
    trace = Controlled()
    trace.brokers()
    trace.activate()
    trace.join(1, 7)
    trace.join(1, 7)
    trace.join(1, 9, "b")
    assert trace.holds("P23")
    trace.join(1, 9, "c")
    assert "gets broker epoch 9 after 9, for another process" in trace.sentence("P23")


def lossy() -> Controlled:
    """Broker 3 lost power and with it a record; it is about to register again."""
    trace = Controlled()
    trace.up()
    trace.replicate(0, "aa")
    trace.power_loss(3)
    trace.start(3, "broker")
    trace.recover(3)
    trace.add(CONTROLLER, ev.BrokerFenced(broker_id=3, broker_epoch=1, why="restarted"))
    return trace


def test_who_lost_records_is_out_until_it_has_caught_up() -> None:
    trace = lossy()
    trace.decide(partition_epoch=1, isr=(1, 2))
    trace.join(3, 9, "b")
    trace.apply(1, partition_epoch=1, isr=(1, 2))
    trace.committed(1, (1, 2), 1)
    trace.apply(3, partition_epoch=1, isr=(1, 2))
    trace.follow(3, 1, 0)
    trace.copy(3, 0, "aa")
    trace.progress(1, 3, 1)
    trace.fence(3, fenced=False)
    trace.propose(1, ALL, (1, 2), partition_epoch=1)
    trace.decide(partition_epoch=2, isr=ALL)
    trace.decide(3, 1, 3)
    assert trace.holds("P12", "P23")


def test_who_caught_up_may_be_eligible_although_no_broker_knows_of_the_isr_between() -> None:
    """Brokers apply several decisions at once, and so the state in which it was a member is never told."""
    trace = lossy()
    trace.decide(partition_epoch=1, isr=(1, 2))
    trace.join(3, 9, "b")
    trace.apply(1, partition_epoch=1, isr=(1, 2))
    trace.follow(3, 1, 0)
    trace.copy(3, 0, "aa")
    trace.progress(1, 3, 1)
    trace.fence(3, fenced=False)
    trace.propose(1, ALL, (1, 2), partition_epoch=1)
    trace.decide(partition_epoch=2, isr=ALL)
    trace.decide(partition_epoch=3, isr=(1, 2), elr=(3,))
    trace.apply(1, partition_epoch=3, isr=(1, 2), elr=(3,))
    trace.exit(3, 0)
    trace.start(3, "broker")
    trace.join(3, 10, "c")
    assert trace.holds("P12", "P23")


def test_who_lost_more_after_it_had_caught_up_is_caught() -> None:
    trace = lossy()
    trace.decide(partition_epoch=1, isr=(1, 2))
    trace.join(3, 9, "b")
    trace.follow(3, 1, 0)
    trace.copy(3, 0, "aa")
    trace.progress(1, 3, 1)
    trace.fence(3, fenced=False)
    trace.propose(1, ALL, (1, 2), partition_epoch=1)
    trace.decide(partition_epoch=2, isr=ALL)
    trace.power_loss(3)
    trace.start(3, "broker")
    trace.recover(3)
    trace.join(3, 10, "c")
    assert "broker 3 came back with a shorter log and is in the ISR [1, 2, 3]" in trace.sentence("P23")


def test_who_lost_records_and_stays_in_the_isr_or_the_elr_is_caught() -> None:
    stays = lossy()
    stays.join(3, 9, "b")
    assert "broker 3 came back with a shorter log and is in the ISR [1, 2, 3]" in stays.sentence("P23")
    eligible = lossy()
    eligible.decide(1, 0, 1, (1,), elr=(2, 3))
    eligible.join(3, 9, "b")
    assert "or the ELR [2, 3]" in eligible.sentence("P23")


def test_who_lost_records_and_is_made_eligible_later_is_caught() -> None:
    trace = lossy()
    trace.decide(partition_epoch=1, isr=(1, 2))
    trace.join(3, 9, "b")
    trace.decide(partition_epoch=2, isr=(1,), elr=(2, 3))
    assert "or the ELR [2, 3]" in trace.sentence("P23")


def test_a_controller_that_has_not_registered_the_new_process_cannot_know() -> None:
    trace = lossy()
    trace.decide(1, 0, 1, (1, 3))
    assert "P23" not in trace.bad()


def test_who_lost_records_may_lead_as_the_last_resort() -> None:
    trace = lossy()
    trace.decide(-1, 1, 1, (), elr=())
    trace.join(3, 9, "b")
    trace.decide(3, 2, 2, (3,), unclean=True)
    assert trace.holds("P23")


def test_a_state_is_the_same_whatever_the_order_of_its_isr() -> None:
    trace = Partition()
    trace.decide(isr=(3, 1, 2))
    trace.apply(1, isr=(1, 2, 3))
    trace.add(1, ev.BecameLeader(**WHERE, leader_epoch=0, epoch_start_offset=0, high_watermark=0, isr=ALL))
    assert trace.holds("P11")


def test_who_was_elected_as_the_last_resort_may_leave_and_come_back_like_any_leader() -> None:
    """Its log is the partition's from then on; it is in the ELR while it is fenced."""
    trace = lossy()
    trace.decide(-1, 1, 1, (), elr=())
    trace.join(3, 9, "b")
    trace.decide(3, 2, 2, (3,), unclean=True)
    trace.decide(-1, 3, 3, (), elr=(3,))
    trace.decide(3, 4, 4, (3,))
    assert trace.holds("P23")


def test_a_move_that_is_called_off_lets_in_the_first_that_stays_in_service_or_not() -> None:
    """Found by the swarm, seed 92 with transactions: only the replica that came was in sync, and both were down."""
    trace = Partition()
    trace.decide(-1, 6, 14, (2,), replicas=(2, 1))
    trace.decide(-1, 7, 15, (1,), replicas=(1,), unclean=True)
    assert trace.holds("P12")
    trace.decide(-1, 8, 16, (3,), replicas=(1, 3), unclean=True)
    assert "an election makes the ISR [3] of [1]" in trace.sentence("P12")
