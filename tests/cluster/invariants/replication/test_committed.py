"""Invariants P2 to P9: who must hold a record before it is committed, and that it stays so."""

from __future__ import annotations

from cluster.model import events as ev
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import ALL, Partition


def three_records() -> Partition:
    trace = Partition()
    trace.begin()
    for offset, crc in enumerate(("aa", "bb", "cc")):
        trace.replicate(offset, crc)
    return trace


def test_a_clean_change_of_the_leader_is_quiet() -> None:
    trace = three_records()
    trace.learn(2, 2)
    trace.learn(3, 2)
    trace.elect(2, 1, (2, 3), start=3, high_watermark=2)
    trace.progress(2, 3, 3)
    trace.advance(2, 3, 1, ((2, 3), (3, 3)))
    trace.learn(3, 3, 1)
    trace.replicate(3, "dd", 1, leader=2, isr=(2, 3))
    assert trace.holds("P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9")


def test_a_leader_that_lacks_a_committed_record_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    trace.append(1, 1, "bb")
    trace.copy(2, 1, "bb")
    trace.progress(1, 2, 2)
    trace.progress(1, 3, 2)
    trace.advance(1, 2)
    trace.elect(3, 1, (2, 3), start=1, high_watermark=1)
    assert "leads epoch 1 with a log that ends at 1; all below" in trace.sentence("P2")
    assert "readers see it fall" in trace.sentence("P9")


def test_a_leader_that_holds_other_records_is_caught_although_it_is_long_enough() -> None:
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    trace.truncate(3, 0, 1)
    trace.copy(3, 0, "ff")
    trace.elect(3, 1, (2, 3), start=1, high_watermark=1)
    assert "leads epoch 1" in trace.sentence("P2")


def test_an_isr_member_behind_the_high_watermark_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.copy(2, 0, "aa")
    trace.progress(1, 2, 1)
    trace.progress(1, 3, 1)
    trace.advance(1, 1)
    for invariant, isr in (("P3", "controller's"), ("P4", "leader's own")):
        assert f"replica 3 of the {isr} ISR ends at 0" in trace.sentence(invariant)
    assert "it never held more than 0" in trace.sentence("P6")


def test_a_fetch_of_a_replica_that_was_moved_away_since_tells_where_its_log_ended() -> None:
    """Found by the swarm, seed 145 with transactions: the leader has not read of the end of the move yet."""
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.copy(3, 0, "aa")
    trace.add(3, ev.LogRemoved(**WHERE, log_end_offset=1))
    trace.progress(1, 3, 1)
    assert "P6" not in trace.bad()


def test_a_replica_that_was_moved_away_is_not_judged_while_its_leader_has_not_heard_so() -> None:
    """Found by the swarm, seed 10379: the leader deleted records, and the log that was gone counted as known again."""
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    for node in (2, 3):
        trace.copy(node, 0, "aa")
    trace.add(1, ev.SegmentsExpired(
        **WHERE, setting="retention.bytes", limit=0, segments=((0, 1, 70, 0),), kept_bytes=0, wall_ms=1, role="leader"
    ))  # fmt: skip
    trace.add(3, ev.LogRemoved(**WHERE, log_end_offset=1))
    for node in (2, 3):
        trace.progress(1, node, 1)
    trace.advance(1, 1)
    assert "P4" not in trace.bad()


def test_a_leader_with_an_isr_of_its_own_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.copy(2, 0, "aa")
    trace.progress(1, 2, 1)
    trace.committed(1, (1, 2), 0)
    trace.advance(1, 1, 0, ((1, 1), (2, 1)))
    assert "counts [1, 2]; the controller's ISR is [1, 2, 3]" in trace.sentence("P8")


def test_a_proposed_member_counts_before_it_is_committed() -> None:
    trace = Partition()
    trace.brokers()
    trace.elect(1, 0, (1, 2), followers=ALL)
    trace.progress(1, 3, 0)
    trace.propose(1, ALL, (1, 2))
    trace.append(1, 0, "aa")
    trace.copy(2, 0, "aa")
    trace.progress(1, 2, 1)
    trace.advance(1, 1, 0, ((1, 1), (2, 1)))
    assert "replica 3 of the maximal ISR is not counted" in trace.sentence("P6")


def test_a_stale_leader_may_count_an_older_isr() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.copy(2, 0, "aa")
    trace.copy(3, 0, "aa")
    trace.elect(2, 1, (2, 3), start=1, followers=(3,))
    trace.progress(1, 2, 1)
    trace.progress(1, 3, 1)
    trace.advance(1, 1)
    assert trace.holds("P3", "P4", "P6", "P8")


def test_a_high_watermark_above_a_counted_replica_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.copy(2, 0, "aa")
    trace.progress(1, 2, 1)
    trace.advance(1, 1, 0, ((1, 1), (2, 1), (3, 0)))
    assert "replica 3 counts with offset 0" in trace.sentence("P6")


def test_a_leader_that_counts_more_than_it_holds_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    trace.progress(1, 2, 1)
    trace.progress(1, 3, 1)
    trace.advance(1, 2, 0, ((1, 2), (2, 1), (3, 1)))
    assert "the leader counts itself to 2, it has 1" in trace.sentence("P6")


def test_a_number_that_no_fetch_of_the_epoch_said_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    trace.elect(2, 1, (2, 3), start=1)
    trace.advance(2, 1, 1, ((2, 1), (3, 1)))
    assert "counts replica 3 to 1; no fetch of leader epoch 1 said so" in trace.sentence("P7")


def test_a_fetch_that_was_sent_in_an_older_epoch_is_caught() -> None:
    trace = Partition()
    trace.begin()
    sent = trace.follow(3, 1, 0)
    trace.elect(2, 1, (2, 3))
    trace.progress(2, 3, 0, cause=sent)
    assert "sent in epoch 0" in trace.sentence("P7")


def test_a_fetch_of_the_present_epoch_is_quiet() -> None:
    trace = Partition()
    trace.begin()
    trace.elect(2, 1, (2, 3), followers=())
    trace.apply(3, 2, 1, 1, (2, 3))
    sent = trace.follow(3, 2, 1)
    trace.progress(2, 3, 0, cause=sent)
    assert trace.holds("P7")


def test_the_gate_below_min_insync_replicas() -> None:
    trace = Partition()
    trace.brokers()
    trace.elect(1, 0, (1,))
    trace.append(1, 0, "aa")
    trace.advance(1, 1, 0, ((1, 1),))
    assert "with an ISR of 1; min.insync.replicas is 2" in trace.sentence("P8")


def test_without_the_gate_a_lone_leader_commits_as_before_kip_966() -> None:
    trace = Partition(hw_gate=False)
    trace.brokers()
    trace.elect(1, 0, (1,))
    trace.append(1, 0, "aa")
    trace.advance(1, 1, 0, ((1, 1),))
    assert trace.holds("P8")


def test_a_high_watermark_that_falls_within_an_epoch_is_caught() -> None:
    trace = three_records()
    trace.advance(1, 2)
    assert "from 3 to 2" in trace.sentence("P9")


def test_two_replicas_that_call_different_records_committed_are_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.copy(2, 0, "ff")
    trace.learn(2, 1)
    assert "replicas 2 and 1 both call offsets below 1 committed" in trace.violations("P5")[-1].sentence


def test_what_a_replica_has_deleted_it_calls_nothing() -> None:
    """Found by the swarm, seed 77 with transactions: it led, deleted, and was cut to where its log begins."""
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.elect(2, 1, (2,), start=0)
    trace.append(2, 0, "ff", 1)
    trace.add(
        2, ev.LogStartAdvanced(**WHERE, log_start_offset=1, old_log_start_offset=0, high_watermark=1, role="leader")
    )
    trace.elect(1, 2, (1,), start=1)
    trace.truncate(2, 1, 1)
    trace.learn(2, 1, 2)
    trace.append(1, 1, "cc", 2)
    trace.copy(2, 1, "cc", 2)
    assert not trace.verdicts()["P5"].violations


def test_one_epoch_at_one_offset_has_one_history() -> None:
    trace = Partition()
    trace.begin()
    trace.append(1, 0, "aa")
    trace.copy(2, 0, "ff")
    assert "another history" in trace.sentence("P5")


def test_the_own_high_watermark_as_a_truncation_point_is_an_excuse() -> None:
    trace = Partition(truncation_mode="hw")
    trace.begin()
    trace.append(1, 0, "aa")
    trace.copy(2, 0, "ff")
    assert trace.excuse("P5") == "A4"
